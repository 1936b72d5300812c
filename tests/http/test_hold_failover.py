"""A database that is no longer the primary, and hosts that do not answer.

The whole of it, with machines that die and links that are cut, is in
tests/cluster."""
import contextlib
import re
import socket

import pytest

import kit
from kit import answer, ask, wait_for
from server import place

SILENT = 5  # hosts


@pytest.fixture(scope="module")
def server():
    one = kit.Watched(place("failover")).start()
    yield one
    one.stop()
    assert not kit.complaints(one)


@contextlib.contextmanager
def read_only(server):
    """Like a demoted primary: new transactions of all connections, also of open
    ones, may not write."""
    def say(value):
        with server.database() as db:
            db.execute("SET default_transaction_read_only = off")
            db.execute("ALTER SYSTEM SET default_transaction_read_only = "
                       + value)
            db.execute("SELECT pg_reload_conf()")
        with server.database("sayso_web") as db:
            wait_for(lambda: db.execute(
                "SHOW transaction_read_only").fetchone()[0] == value)
    say("on")
    try:
        yield
    finally:
        say("off")


def test_a_database_that_has_become_read_only_is_a_lost_one(
        server, agent, operator):
    asked = ask(agent)
    with read_only(server):
        for _ in range(8):  # each worker more than once
            r = answer(operator, asked, "deny")
            assert r.status_code == 503, r.text
            assert r.json()["code"] == "database.unavailable"
    r = answer(operator, asked, "deny")
    assert r.status_code == 200, r.text


def silent():
    """A host that accepts connections and never answers."""
    s = socket.socket()
    s.bind(("127.0.0.1", 0))
    s.listen(16)
    return s


def elsewhere(server, path, silent_ones, attrs=""):
    """The server's configuration, with other hosts before its own."""
    conf = (server.state / "sayso.conf").read_text()
    own = re.search(r"^database = .*host=(\S+)", conf, re.M)[1]
    hosts = ",".join(["127.0.0.1"] * len(silent_ones) + [own])
    ports = ",".join([str(s.getsockname()[1]) for s in silent_ones] +
                     ["5432"])
    conf = conf.replace(f"host={own}", f"host={hosts} port={ports}{attrs}")
    path.write_text(conf + "database_connect_ms = 1000\n")
    return path


def run(server, command, path, fine=lambda done: True):
    """Again where it is not fine: on a busy machine the host that answers may
    need longer than its slice."""
    for _ in range(5):
        done = server.sayso(command, conf=path)
        if fine(done):
            break
    return done


ANSWERS = "ok     the database answers"
EACH = "ok     each process reaches"


def test_silent_hosts_do_not_keep_from_the_one_that_answers(server, tmp_path):
    """Each has a slice of the time, and all of them fit into it."""
    with contextlib.ExitStack() as stack:
        dead = [stack.enter_context(silent()) for _ in range(SILENT)]
        done = run(server, "doctor", elsewhere(server, tmp_path / "c", dead),
                   lambda d: ANSWERS in d.stdout and EACH in d.stdout)
        assert ANSWERS in done.stdout and EACH in done.stdout, done.stdout
        # A command has no deadline of its own, and still tries each host.
        done = run(server, "verify", tmp_path / "c",
                   lambda d: d.returncode == 0)
        assert done.returncode == 0, done.stdout + done.stderr


def test_which_host_is_wanted_is_looked_at_by_sayso(server, tmp_path):
    with silent() as dead:
        for attrs, there in (("any", True), ("read-write", True),
                             ("primary", True), ("read-only", False),
                             ("standby", False)):
            path = elsewhere(server, tmp_path / attrs, [dead],
                             f" target_session_attrs={attrs}")
            done = run(server, "doctor", path,
                       lambda d: not there or ANSWERS in d.stdout)
            assert (ANSWERS in done.stdout) == there, (attrs, done.stdout)
        with read_only(server):
            path = elsewhere(server, tmp_path / "none", [dead])
            done = run(server, "doctor", path)
            assert "WRONG  the database answers" in done.stdout, done.stdout


def test_a_list_that_does_not_match_is_told(server, tmp_path):
    path = elsewhere(server, tmp_path / "c", [])
    path.write_text(re.sub("port=5432", "port=5432,5433", path.read_text()))
    done = run(server, "doctor", path)
    assert "WRONG  the database answers" in done.stdout, done.stdout
    assert "port" in done.stderr, done.stderr
