"""`sayso migrate` over a database of the oldest commit: killed, torn, run twice,
and held up by somebody's lock."""
import os
import random
import re
import subprocess
import time

import pytest

from grow import grow
from server import TOP

# By hand: more kills, and as many times the questions.
KILLS = int(os.environ.get("SAYSO_UPGRADE_KILLS", 6))
GROWN = int(os.environ.get("SAYSO_UPGRADE_GROWN", 20))


class Copies:
    """Databases that are copies of the oldest, each migrated in its own way."""

    def __init__(self, machine, oldest):
        self.machine, self.n = machine, 0
        oldest.restore(machine, "oldest")

    def new(self, template="oldest"):
        self.n += 1
        name = f"copy{self.n}"
        self.machine.psql("postgres", "-c", f"CREATE DATABASE {name} OWNER "
                          f"sayso_owner TEMPLATE {template}")
        return name

    def conf(self, database, files=None):
        text = (self.machine.state / "sayso.conf").read_text()
        text = text.replace("dbname=sayso ", f"dbname={database} ")
        if files:
            text = re.sub(r"(?m)^migrations = .*$", f"migrations = {files}",
                          text)
        path = self.machine.state / f"{database}.conf"
        path.write_text(text)
        return path

    def migrate(self, database, *options, files=None):
        return self.machine.sayso("migrate", *options,
                                  conf=self.conf(database, files))

    def begin(self, database):
        """Starts the command; its lines come by its stdout as they are
        printed."""
        env = {**self.machine.env_of_program(),
               "SAYSO_CONF": str(self.conf(database))}
        return subprocess.Popen(
            self.machine.as_user(self.machine.state / "app/sayso", "migrate"),
            env=env, cwd="/", text=True, bufsize=1, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)

    def schema(self, database):
        return self.machine.dump("--schema-only", database=database)

    def rows(self, database):
        """All rows, but for moments, random ids, and what names the database
        itself or when a file was applied."""
        text = self.machine.dump("--data-only", "--exclude-table=migration",
                                 "--exclude-table=restore", database=database)
        text = re.sub(r"2\d{3}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00", "T", text)
        text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f-]{17}",
                      "U", text)
        return sorted(x for x in text.splitlines() if x[:2] != "--")

    def connect(self, database, user="postgres"):
        import psycopg
        return psycopg.connect(host=str(self.machine.socket_at), user=user,
                               dbname=database, autocommit=True)


@pytest.fixture(scope="module")
def copies(machine, oldest):
    return Copies(machine, oldest)


@pytest.fixture(scope="module")
def undisturbed(copies):
    name = copies.new()
    done = copies.migrate(name)
    assert done.returncode == 0, done.stderr
    return name


def files():
    return sorted(p.name for p in (TOP / "sql").glob("[0-9]*.sql"))


def same(copies, name, undisturbed):
    assert copies.schema(name) == copies.schema(undisturbed)
    assert copies.rows(name) == copies.rows(undisturbed)


def test_each_line_comes_at_once(copies):
    """Through a pipe, while the command still works."""
    running = copies.begin(copies.new())
    first = running.stdout.readline()
    assert re.fullmatch(r"applied 0005_limits\.sql \(\d+\.\d\d s\)\n", first)
    assert running.poll() is None
    said, wrong = running.communicate(timeout=120)
    assert running.returncode == 0, wrong
    applied = [x.split()[1] for x in [first, *said.splitlines()[:-1]]]
    assert applied == files()[4:]
    assert said.endswith(f"the database is up to date ({len(applied)} new)\n")


def killed(copies, template, wanted, longest, kills):
    """Migrates copies, and kills the command at random moments, until it was
    killed so often; each copy is in the end as the one that nobody disturbed."""
    seed = random.randrange(1 << 30)
    print("seed", seed)
    chance, name = random.Random(seed), copies.new(template)
    while kills:
        running = copies.begin(name)
        for _ in range(chance.choice((0, 0, 1, 2, 5, 9))):
            running.stdout.readline()
        time.sleep(chance.random() * longest)
        ended = running.poll() is not None
        running.kill()
        running.communicate()
        kills -= not ended
        if ended:
            assert running.returncode == 0
            same(copies, name, wanted)
            name = copies.new(template)
    done = copies.migrate(name)
    assert done.returncode == 0, done.stderr
    same(copies, name, wanted)


def test_a_migration_that_is_killed_goes_on(copies, undisturbed):
    killed(copies, "oldest", undisturbed, 0.15, KILLS)


def test_a_migration_that_is_killed_in_a_long_file(copies):
    """With more questions, so that files take longer than a process to start."""
    large = copies.new()
    with copies.connect(large) as db:
        grow(db, GROWN)
    wanted = copies.new(large)
    assert copies.migrate(wanted).returncode == 0
    killed(copies, large, wanted, 0.5, KILLS // 2)


def test_two_at_once(copies, undisturbed):
    name = copies.new()
    both = [copies.begin(name), copies.begin(name)]
    said = [one.communicate(timeout=120) for one in both]
    assert [one.returncode for one in both] == [0, 0], said
    applied = [re.findall(r"^applied (\S+)", out, re.M) for out, _ in said]
    assert sorted(applied[0] + applied[1]) == files()[4:]
    assert [] in applied  # one had nothing left to do
    same(copies, name, undisturbed)


def test_it_waits_for_its_turn_and_says_for_whom(copies):
    name = copies.new()
    with copies.connect(name, "sayso_owner") as db:
        db.execute("SET application_name = 'an upgrade'")
        db.execute("SELECT pg_advisory_lock(1400001)")
        running = copies.begin(name)
        pid = db.info.backend_pid
        assert running.stdout.readline() == (
            f"migrate waits for its turn, which process {pid} has (user "
            'sayso_owner, "an upgrade")\n')
    assert running.wait(120) == 0


def test_a_lock_that_is_given_back(copies, undisturbed):
    """Somebody's open transaction: the line names it, others are not held up
    for long, and nothing is half done."""
    name = copies.new()
    with copies.connect(name) as db, copies.connect(name) as other:
        db.execute("SET application_name = 'a forgotten psql'")
        db.execute("BEGIN")
        db.execute("SELECT count(*) FROM suspension")
        running = copies.begin(name)
        pid = db.info.backend_pid
        line = running.stdout.readline()
        while line.startswith("applied"):
            line = running.stdout.readline()
        assert line == (
            "0006_risk.sql waits for table suspension, which process "
            f"{pid} has (user postgres, \"a forgotten psql\")\n"), line
        begun = time.monotonic()
        other.execute("SELECT count(*) FROM suspension")
        assert time.monotonic() - begun < 60  # it queued behind the file
        db.execute("ROLLBACK")
        said, wrong = running.communicate(timeout=120)
        assert running.returncode == 0, wrong
    assert "applied 0006_risk.sql" in said
    same(copies, name, undisturbed)


def test_a_lock_that_is_kept(copies):
    name = copies.new()
    with copies.connect(name) as db:
        db.execute("BEGIN")
        db.execute("LOCK TABLE api_key IN ACCESS SHARE MODE")
        pid = db.info.backend_pid
        done = copies.migrate(name)
    assert done.returncode == 1
    assert re.search(r"^still at 0006_risk\.sql: \d+ s, \d+ MB written$",
                     done.stdout, re.M), done.stdout
    assert done.stderr == (
        "sayso: The migration 0006_risk.sql was not applied: it needs table "
        f'api_key, which process {pid} has (user postgres, ""). End what holds '
        "it, and run `sayso migrate` again. (migrate.locked)\n")
    done = copies.migrate(name)
    assert done.returncode == 0 and "applied 0006_risk.sql" in done.stdout


def test_a_file_that_fails(copies, undisturbed):
    """Nothing of it stays, the files before it do, and the next run goes on."""
    name = copies.new()
    with copies.connect(name) as db:
        db.execute("CREATE TABLE person_push ()")
        done = copies.migrate(name)
        assert done.returncode == 1
        assert 'relation "person_push" already exists' in done.stderr
        assert "The migration 0061_web_push.sql was not applied" in done.stderr
        assert "(database.script)" in done.stderr
        assert db.execute("SELECT max(version) FROM migration"
                          ).fetchone() == (60,)
        kinds = db.execute(
            "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE "
            "conname = 'endpoint_kind_check'").fetchone()[0]
        assert "push" not in kinds
        db.execute("DROP TABLE person_push")
    done = copies.migrate(name)
    assert done.returncode == 0
    assert done.stdout.startswith("applied 0061_web_push.sql")
    same(copies, name, undisturbed)


def test_a_role_that_is_not_there(copies, machine, undisturbed):
    """As where roles.sql of the new version was not run."""
    name = copies.new()
    machine.psql("postgres", "-c",
                 "ALTER ROLE sayso_erase RENAME TO sayso_other")
    try:
        done = copies.migrate(name)
    finally:
        machine.psql("postgres", "-c",
                     "ALTER ROLE sayso_other RENAME TO sayso_erase")
    assert done.returncode == 1
    assert "there is no role sayso_erase: run roles.sql" in done.stderr
    assert "The migration 0062_retention.sql was not applied" in done.stderr
    done = copies.migrate(name)
    assert done.returncode == 0, done.stderr
    same(copies, name, undisturbed)


TORN = {
    "at a statement's end": ("0061_web_push.sql", lambda t: t[:t.index(
        "CREATE TABLE person_push")]),
    "in a statement": ("0057_search.sql", lambda t: t[:len(t) // 2]),
    "empty": ("0063_person_erased.sql", lambda t: ""),
    "missing": ("0058_notifications.sql", None),
    "of another version": ("9000_next.sql", lambda t: "SELECT 1;\n"),
}


@pytest.mark.parametrize("how", TORN)
def test_a_torn_file_is_found_before_anything_is_changed(copies, machine, how):
    """As after a copy or an installation that was interrupted."""
    torn, tear = TORN[how]
    at = machine.state / f"sql {how}"
    at.mkdir()
    for name in files():
        text = (TOP / "sql" / name).read_text()
        if name != torn:
            (at / name).write_text(text)
        elif tear:
            (at / name).write_text(tear(text))
    if torn not in files():
        (at / torn).write_text(tear(""))
    name = copies.new()
    for options in ((), ("--plan",)):
        done = copies.migrate(name, *options, files=at)
        assert done.returncode == 1 and not done.stdout
        assert f"The migration {torn}" in done.stderr
        assert "(migrate.file)" in done.stderr
    with copies.connect(name) as db:
        assert db.execute("SELECT max(version) FROM migration"
                          ).fetchone() == (4,)


def test_a_server_that_runs_is_noted(copies):
    name = copies.new()
    with copies.connect(name, "sayso_web"), copies.connect(name, "sayso_tick"):
        for options in (("--plan",), ()):
            done = copies.migrate(name, *options)
            assert done.returncode == 0
            assert done.stdout.splitlines()[0] == (
                "note   Sayso runs, with 2 connections: stop it on each host "
                "first")
        # Nothing is left to be done.
        assert "note" not in copies.migrate(name).stdout


def test_a_plan_names_tables_their_size_and_their_locks(copies):
    name = copies.new()
    with copies.connect(name) as db:
        db.execute("ANALYZE")
    said = copies.migrate(name, "--plan").stdout
    parts = dict(re.findall(r"^to apply (\S+)\n((?:    .*\n)*)", said, re.M))
    assert list(parts) == files()[4:]
    assert re.search(r"^    suspension, about 70 rows, \d+ kB: nobody else can "
                     r"read or write meanwhile$", parts["0006_risk.sql"], re.M)
    assert re.search(r"^    saved_view, .*: rows are changed$",
                     parts["0057_search.sql"], re.M)
    assert re.search(r"^    principal, .*: nobody else can write meanwhile$",
                     parts["0058_notifications.sql"], re.M)
    assert parts["0011_move_questions.sql"].startswith(
        "    in many transactions; it may be interrupted")
    assert parts["0027_feed.sql"] == ""
    # It took no lock that others wait for, and changed nothing.
    assert copies.migrate(name, "--plan").stdout == said
