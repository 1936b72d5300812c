"""The program, the tables and the site of nginx are numbered, and compared."""
import os
import re
import signal
import subprocess

import pytest

import kit
from server import TOP, place

route = pytest.mark.route


@pytest.fixture(scope="module")
def one():
    own = kit.Watched(place("releases"), SAYSO_WORKERS="2").start()
    yield own
    own.stop()


@pytest.fixture
def db(one):
    with one.database() as connection:
        yield connection


def newest():
    return max(int(p.name[:4]) for p in (TOP / "sql").glob("[0-9]*.sql"))


def end_sessions(db):
    """So that every process of the server connects anew."""
    db.execute("""SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                   WHERE usename ~ '^sayso_'""")


@pytest.fixture(params=["newer tables", "older tables"])
def other(request, one, db):
    """Tables of another version: their number, and what doctor advises."""
    number = newest()
    if request.param == "newer tables":
        db.execute("""INSERT INTO migration (version, name, sha256, applied_at)
                      VALUES (%s, 'of_the_next.sql', 'x', now())""",
                   [number + 1])
        back = ["DELETE FROM migration WHERE version = %s", [number + 1]]
        found, advice = number + 1, "install the newer program"
    else:
        db.execute("UPDATE migration SET version = -version WHERE version = %s",
                   [number])
        back = ["UPDATE migration SET version = -version WHERE version = %s",
                [-number]]
        found = db.execute("SELECT max(version) FROM migration").fetchone()[0]
        advice = "run `sayso migrate`"
    end_sessions(db)
    yield found, advice
    db.execute(*back)
    with one.client() as nobody:
        kit.wait_for(lambda: nobody.get("/readyz").status_code == 200)


def test_tables_of_another_version_are_not_used(one, other):
    found, advice = other
    with one.client() as nobody, one.client("agent", agent="a") as agent:
        for r in (nobody.get("/readyz"),
                  agent.post("/api/v1/suspensions", json={"question": "Go?"})):
            assert r.status_code == 503, r.text
            assert r.json()["code"] == "server.upgrading"
            assert int(r.headers["Retry-After"]) >= 1
        assert nobody.get("/healthz").status_code == 200
    done = one.sayso("key", "list")
    assert (done.returncode, done.stdout) == (1, "")
    assert "(server.upgrading)" in done.stderr
    said = one.sayso("doctor").stdout
    assert re.search(rf"^WRONG +the program and the tables .*number {found}, "
                     rf"this program needs {newest()}; {advice}$", said, re.M)


def test_tables_that_changed_under_open_connections_are_not_ready(one, db):
    """They were compared when they were made."""
    with one.client() as nobody:
        for _ in range(8):
            assert nobody.get("/readyz").status_code == 200
        db.execute("""INSERT INTO migration (version, name, sha256, applied_at)
                      VALUES (9000, 'of_the_next.sql', 'x', now())""")
        try:
            kit.refused(nobody.get("/readyz"), 503, "server.upgrading")
        finally:
            db.execute("DELETE FROM migration WHERE version = 9000")
        kit.wait_for(lambda: nobody.get("/readyz").status_code == 200)


def test_migrate_leaves_newer_tables_alone(one, db):
    db.execute("""INSERT INTO migration (version, name, sha256, applied_at)
                  VALUES (9000, 'of_the_next.sql', 'x', now())""")
    try:
        done = one.sayso("migrate")
    finally:
        db.execute("DELETE FROM migration WHERE version = 9000")
    assert (done.returncode, done.stdout) == (1, "")
    assert f"number 9000, this program knows {newest()}" in done.stderr
    assert "(migrate.newer)" in done.stderr


def test_a_plan_changes_nothing(one, db):
    done = one.sayso("migrate", "--plan")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "0 to apply; nothing was changed\n"
    db.execute("CREATE DATABASE planned OWNER sayso_owner")
    conf = (one.state / "sayso.conf").read_text()
    path = one.var / "planned.conf"
    path.write_text(conf.replace("dbname=sayso", "dbname=planned"))
    path.chmod(0o644)
    try:
        done = one.sayso("migrate", "--plan", conf=path)
        names = sorted(p.name for p in (TOP / "sql").glob("[0-9]*.sql"))
        lines = done.stdout.splitlines()
        assert [x for x in lines if x[0] != " "] == \
            [f"to apply {n}" for n in names] + \
            [f"{len(names)} to apply; nothing was changed"]
        # There are no tables yet whose size could be named.
        assert [x.strip() for x in lines if x[0] == " "] == [
            "in many transactions; it may be interrupted, and goes on where "
            "it was"]
        again = one.sayso("migrate", "--plan", conf=path)
        assert again.stdout == done.stdout
    finally:
        db.execute("DROP DATABASE planned WITH (FORCE)")


def test_a_migration_under_open_connections(one, db):
    """The old program's statements do not fit any more: a caller is told to
    try again, and not that the server has a defect."""
    with one.client("agent", agent="a") as agent:
        ask = {"json": {"question": "Go?"}}
        for _ in range(6):  # each worker has prepared its statements
            assert agent.post("/api/v1/suspensions", **ask).status_code == 201
        db.execute("ALTER TABLE suspension RENAME COLUMN question TO q")
        db.execute("""INSERT INTO migration (version, name, sha256, applied_at)
                      VALUES (9000, 'of_the_next.sql', 'x', now())""")
        try:
            said = [agent.post("/api/v1/suspensions", **ask)
                    for _ in range(6)]
        finally:
            db.execute("ALTER TABLE suspension RENAME COLUMN q TO question")
            db.execute("DELETE FROM migration WHERE version = 9000")
        assert {(r.status_code, r.json()["code"]) for r in said} == \
            {(503, "server.upgrading")}
        kit.wait_for(lambda: agent.post("/api/v1/suspensions",
                                        **ask).status_code == 201)


# --- numbers ----------------------------------------------------------------

def numbers(server):
    done = server.sayso("version")
    assert done.returncode == 0, done.stderr
    build, tables, site = done.stdout.splitlines()
    return (build.removeprefix("sayso "), int(tables.removeprefix("tables ")),
            site.removeprefix("site "))


@route("GET /metrics")
def test_the_version(server, nobody):
    build, tables, site = numbers(server)
    assert re.fullmatch(r"\d+\.\d+\.\d+(\+\d+\.g[0-9a-f]{10}(\.changed)?)?",
                        build)
    assert tables == newest()
    number = subprocess.run(
        [TOP / "packaging/site-version", TOP / "nginx"],
        capture_output=True, text=True)
    assert site == number.stdout.strip()
    assert server.sayso("--version").stdout == server.sayso("version").stdout
    said = nobody.get("/metrics").text
    assert f'sayso_build_info{{version="{build}",tables="{tables}",' \
        f'site="{site}"}} 1\n' in said
    assert "\nsayso_site_current 1\n" in said


def test_the_site_of_another_version(one):
    own = one.state / "nginx/fastcgi.conf"
    text = own.read_text()
    site = numbers(one)[2]

    def load(content):
        own.write_text(content)
        pid = int((one.state / "nginx/nginx.pid").read_text())
        os.kill(pid, signal.SIGHUP)

    with one.client() as nobody:
        assert nobody.get("/healthz").json()["site"] == "current"
        assert f"SITE_VERSION {site};" in text
        load(text.replace(f"SITE_VERSION {site};", "SITE_VERSION 0123;"))
        try:
            kit.wait_for(
                lambda: nobody.get("/healthz").json()["site"] == "other")
            # For a moment processes of nginx before and after answer.
            kit.wait_for(lambda: "\nsayso_site_current 0\n" in
                         nobody.get("/metrics").text)
            kit.wait_for(lambda: "site is number 0123, this program needs "
                         f"{site}" in one.log())
            kit.wait_for(lambda: re.search(
                r"^WRONG +nginx's site is of the program's version: ",
                one.sayso("doctor").stdout, re.M))
        finally:
            load(text)
        kit.wait_for(lambda: nobody.get("/healthz").json()["site"] == "current")
    kit.wait_for(lambda: "ok     nginx's site is of" in
                 one.sayso("doctor").stdout)
