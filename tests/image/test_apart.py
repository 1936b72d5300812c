"""packaging/compose-apart.yaml: a container for each process, each a user and a
role of its own, started here as that file says."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

import databases
import engine
import httpx
import kit
import pytest
import yaml

from server import TOP, free_port

COMPOSE = yaml.safe_load((TOP / "packaging/compose-apart.yaml").read_text())
SERVICES = {k: v for k, v in COMPOSE["services"].items() if k != "database"}
KINDS = ("web", "wait", "tick", "deliver", "seal", "erase")
VOLUMES = tuple(engine.prefixed(v) for v in COMPOSE["volumes"])
# Of packaging/sysusers.d and packaging/Containerfile; Debian's for nginx.
UIDS = {"nginx": 33, **{k: 10002 + i for i, k in enumerate(KINDS)}}


def at_once(work, names):
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        return dict(zip(names, pool.map(work, names)))


class Pool:
    """The containers, and what their environment has in place of .env."""

    def __init__(self, database):
        self.port, self.monitor = free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        # As with a standby, which is away.
        self.environ = {"DATABASE_HOST": "127.0.0.2,127.0.0.1",
                        "DATABASE_PORT": database.port,
                        "SAYSO_PUBLIC_URL": self.url,
                        "SAYSO_LISTEN": self.port,
                        "SAYSO_MONITOR": self.monitor}
        written = engine.done("sh", TOP / "packaging/compose-env", env={
            **os.environ, "DATABASE_SECRET": databases.SECRET})
        self.passwords = dict(x.split("=", 1) for x in written.split())
        self.all = {}

    def run(self, name, *command, **other):
        """A container of that service; with a command of its own one more."""
        service = {**SERVICES[name], **other}
        environ = service.get("environment", {})
        given = {**{k: v for k, v in environ.items() if "$" not in v},
                 **self.environ}
        if wanted := environ.get("PGPASSWORD"):
            given["PGPASSWORD"] = self.passwords[
                re.match(r"\$\{(\w+)", wanted)[1]]
        return engine.Container(
            f"sayso-of-the-tests-{name}{'-more' * bool(command)}", service,
            command, **given)

    def admin(self, *args, **other):
        """A command as the owner of the tables; what it says."""
        one = self.run("migrate", "sayso-container", "admin", *args, **other)
        status, all_of_it = one.wait(), one.log()
        said = engine.done(*engine.engine(), "logs", one.name)
        one.remove()
        assert status == 0, all_of_it
        return said.strip()

    def start(self):
        self.all = at_once(self.run, ("nginx", *KINDS))
        kit.wait_for(self.ready, 60)

    def ready(self):
        for one in self.all.values():
            assert one.running(), one.log()
        try:
            return httpx.get(f"{self.url}/readyz",
                             timeout=60).status_code == 200
        except httpx.TransportError:
            return False

    def metrics(self):
        return httpx.get(f"http://127.0.0.1:{self.monitor}/metrics",
                         timeout=60).text

    def key(self, *args):
        return httpx.Client(base_url=self.url, headers={
            "X-API-Key": self.admin("key", "create", *args),
            "X-Agent-ID": "refunds-agent"}, timeout=60)

    def remove(self):
        at_once(lambda name: self.all[name].remove(), tuple(self.all))
        engine.call(*engine.engine(), "volume", "rm", "-f", *VOLUMES)


@pytest.fixture(scope="module")
def pool(image, database):
    engine.call(*engine.engine(), "volume", "rm", "-f", *VOLUMES)
    # As compose does: two containers cannot make one at the same time.
    for volume in VOLUMES:
        engine.done(*engine.engine(), "volume", "create", volume)
    one = Pool(database)
    try:
        one.admin("migrate")
        one.start()
        yield one
    finally:
        one.remove()


@pytest.fixture(scope="module")
def agent(pool):
    return pool.key("--role", "agent", "--label", "a", "--agent", "*")


def test_each_container_is_one_user_without_capabilities(pool):
    for name, one in pool.all.items():
        seen = one.command("sh", "-c", "grep -hE '^(Uid|Cap|NoNew)' "
                           "/proc/[0-9]*/status", user=UIDS[name]).stdout
        assert set(re.findall(r"Uid:\s+(\d+)", seen)) == {str(UIDS[name])}
        assert set(re.findall(r"Cap\w+:\s+(\w+)", seen)) == {"0" * 16}
        assert set(re.findall(r"NoNewPrivs:\s+(\d)", seen)) == {"1"}
        assert "Read-only" in one.command("touch", "/usr/x", "/tmp/x",
                                          user=UIDS[name]).stderr


def test_each_container_is_one_role(pool, database):
    def roles():
        return dict(line.split("|") for line in database.query(
            "SELECT DISTINCT application_name, usename FROM pg_stat_activity "
            "WHERE application_name LIKE 'sayso %'").splitlines())
    wanted = {f"sayso {k}": f"sayso_{k}" for k in KINDS}
    wanted["sayso wait listens"] = "sayso_wait"
    kit.wait_for(lambda: roles() == wanted, 20)
    for kind in KINDS:
        has = pool.all[kind].command("sh", "-c", "tr '\\0' '\\n' "
                                     "</proc/1/environ", user=UIDS[kind])
        known = {name for name, password in pool.passwords.items()
                 if password in has.stdout}
        assert known == {f"PASSWORD_{kind.upper()}"}


def test_a_question_is_asked_and_answered(pool, agent):
    operator = pool.key("--role", "operator", "--label", "o")
    asked = kit.ask(agent)
    read = f"/api/v1/suspensions/{asked['suspension_id']}?wait=50"
    with concurrent.futures.ThreadPoolExecutor(1) as one:
        held = one.submit(agent.get, read)
        kit.wait_for(lambda: 'sayso_waiting{as="read"} 1' in pool.metrics())
        assert kit.answer(operator, asked).status_code == 200
        assert held.result(60).json()["value"] == "approve"


def test_the_log_gets_a_key_as_the_manual_says(pool, agent):
    block = engine.code("operations/containers.md", "run --rm --user")
    user, command = re.search(r"run --rm --user (\S+) migrate \\\n\s+"
                              "sayso-container admin (.*)", block).groups()
    pool.admin(*command.split(), user=user)
    kit.wait_for(
        lambda: agent.get("/log/checkpoint").status_code == 200, 30)


def test_what_the_others_measure_is_in_the_metrics_of_the_workers(pool):
    def seen():
        return set(re.findall(r'sayso_process_age_seconds{kind="(\w+)"}',
                              pool.metrics()))
    kit.wait_for(lambda: seen() == set(KINDS), 20)
    text = pool.metrics()
    assert "sayso_clock_round_age_seconds" in text
    assert re.search(r"^sayso_database_timeline 1$", text, re.M)


# A process with one connection to the pool's socket: what it is given.
JOIN = """
import array, os, socket, sys
uid, at = int(sys.argv[1]), sys.argv[2]
os.chdir(at)
os.setgroups([]), os.setresgid(uid, uid, uid), os.setresuid(uid, uid, uid)
s = socket.socket(socket.AF_UNIX)
s.settimeout(10)
s.connect("pool.sock")
note, control, _, _ = s.recvmsg(4096, 4096)
fds = array.array("i")
for _, _, data in control:
    fds.frombytes(data[:len(data) - len(data) % fds.itemsize])
print(len(note), len(fds), int(any(note[-64:])))
"""


def place(volume):
    return engine.done(*engine.engine(), "volume", "inspect", "--format",
                       "{{.Mountpoint}}", engine.prefixed(volume)).strip()


def joined(uid):
    done = subprocess.run([sys.executable, "-c", JOIN, str(uid),
                           place("pool")],
                          capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
    return tuple(map(int, done.stdout.split()))


def test_the_pool_gives_nothing_to_others(pool):
    others = (0, 33, 10001, UIDS["web"], 10008, 4711)
    assert set(at_once(joined, others).values()) == {(0, 0, 0)}


def test_the_pool_gives_a_member_what_it_needs(pool):
    """The memory; the ends for three kinds of notes, or its own; the secret."""
    wanted = {"erase": (1, 0), "wait": (2, 1), "tick": (4, 0),
              "deliver": (5, 0), "seal": (5, 0)}
    got = at_once(lambda kind: joined(UIDS[kind]), tuple(wanted))
    assert {kind: counts for kind, (_, *counts) in got.items()} == {
        kind: list(counts) for kind, counts in wanted.items()}
    # Another of its user has taken the place of each: they come back.
    kit.wait_for(lambda: not any(pool.all[k].running() for k in KINDS[1:]), 30)
    at_once(lambda kind: pool.all[kind].start(), KINDS[1:])
    kit.wait_for(lambda: 'kind="erase"' in pool.metrics(), 30)


def test_only_its_own_user_runs_a_process(pool):
    for user in ("sayso-web", "4711", "0"):
        one = pool.run("seal", "sh", "-c", "sleep 60")
        done = one.command("sayso-container", "only", "seal", user=user)
        one.remove()
        assert done.returncode == 1
        assert "it has to be the user sayso-seal, without" in done.stderr


def test_a_process_with_another_password_is_not_that_role(pool):
    one = pool.run("tick", "sh", "-c", "sleep 60")
    done = one.command("sayso-container", "admin", "key", "list",
                       user="sayso-tick")
    one.remove()
    assert done.returncode == 1 and "database" in done.stderr


def test_a_stop_of_all_answers_those_who_wait(pool, agent):
    asked = kit.ask(agent)
    read = f"/api/v1/suspensions/{asked['suspension_id']}?wait=50"
    with concurrent.futures.ThreadPoolExecutor(20) as clients:
        held = [clients.submit(agent.get, read) for _ in range(20)]
        kit.wait_for(lambda: 'sayso_waiting{as="read"} 20' in pool.metrics())
        at_once(lambda name: pool.all[name].stop(), tuple(pool.all))
        got = [h.result(60) for h in held]
    assert [(r.status_code, r.json()["state"]) for r in got] == \
        [(200, "pending")] * 20
    assert {n: c.state("ExitCode") for n, c in pool.all.items()} == \
        dict.fromkeys(pool.all, "0")
    at_once(lambda name: pool.all[name].start(), tuple(pool.all))
    kit.wait_for(pool.ready, 60)
    assert agent.get(read.removesuffix("?wait=50")).json()["state"] == \
        "pending"


def end(pool):
    """Ends the workers, and so the others."""
    engine.done(*engine.engine(), "kill", pool.all["web"].name)
    kit.wait_for(lambda: not any(pool.all[k].running() for k in KINDS), 30)


def test_the_others_end_with_the_pool(pool):
    end(pool)
    for kind in KINDS[1:]:
        assert pool.all[kind].state("ExitCode") == "1"
        assert "the workers' pool has ended" in pool.all[kind].log()
    assert pool.all["nginx"].running()


def test_the_others_use_no_server_that_the_workers_know_to_be_old(pool):
    file = pathlib.Path(place("web")) / "database-history"
    cluster, restore, timeline = map(int, file.read_text().split())
    file.write_text(f"{cluster} {restore} {timeline + 1}\n")
    at_once(lambda kind: pool.all[kind].start(), KINDS)
    for kind in KINDS:
        kit.wait_for(lambda: "is an old primary" in pool.all[kind].log(), 30)
    assert httpx.get(f"{pool.url}/readyz", timeout=60).status_code == 503
