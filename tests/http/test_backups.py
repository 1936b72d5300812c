"""Backups and restores by the commands of docs/operations/backup.md: a dump by the
timer's program, a base backup, and a point in time. Each is walked through in a
cluster of its own: asked and answered before and after it, restored, checked,
reported as restored, and read by an agent."""
import datetime
import os
import pathlib
import re
import shutil
import subprocess
import time

import pytest

import kit
from kit import answer, ask, refused, settled, wait_for
from server import TOP, place
from test_restored import PG, new_cluster, sock

PAGE = (TOP / "docs/operations/backup.md").read_text()
TABLES = """intent event suspension decision open_question inbox_entry permit
log_leaf log_tile log_head log_checkpoint receipt principal""".split()
# A machine's commands: the user postgres is the owner of the test's cluster, and
# systemd starts and stops that. The test starts and stops Sayso.
MACHINE = r"""
set -eu
own() {
    if [ "$(id -u)" = 0 ]; then
        setpriv --reuid="$OWNER" --regid="$GROUP" --clear-groups -- "$@"
    else "$@"; fi
}
sudo() {
    who=
    if [ "$1" = -u ]; then who=$2; shift 2; fi
    # The directory above the cluster is not the owner's here.
    case $who,$1 in postgres,mv | postgres,cp) who= ;; esac
    if [ "$who" = postgres ]; then own "$@"; else "$@"; fi
}
systemctl() {
    case "$*" in
    *"sayso.socket sayso.service") ;;
    "stop postgresql@15-main")
        [ ! -e "$DATA/postmaster.pid" ] ||
            own pg_ctl -s -D "$DATA" -m fast -w stop ;;
    "start postgresql@15-main")
        own pg_ctl -s -D "$DATA" -l "$AT/postgres.log" -w start ;;
    "restart postgresql@15-main") systemctl stop "$2"; systemctl start "$2" ;;
    *) echo "unknown: systemctl $*" >&2; return 1 ;;
    esac
}
sayso() { "$SAYSO" "$@"; }
"""


def code(page, words):
    """The block of the page that has the words."""
    assert page == "operations/backup.md"
    [one] = [b for b in re.findall(r"^```\w*\n(.*?)^```", PAGE, re.M | re.S)
             if words in b]
    return one


class Machine:
    def __init__(self, server):
        self.server = server
        self.data = server.state / "postgres"
        self.owner = self.data.stat()
        self.at = server.state / "machine"
        self.conf = self.at / "conf.d"
        for made in (self.at, self.conf):
            made.mkdir()
            os.chown(made, self.owner.st_uid, self.owner.st_gid)
        self.configure("test.conf", "fsync = off\n")
        with (self.data / "postgresql.conf").open("a") as f:
            f.write(f"include_dir = '{self.conf}'\n")

    def here(self, text):
        for there, path in (("/var/lib/postgresql/15/main", self.data),
                            ("/var/lib/postgresql", self.at),
                            ("/etc/postgresql/15/main/conf.d", self.conf),
                            ("/usr/share/sayso", TOP)):
            text = text.replace(there, str(path))
        return text

    def run(self, script, status=0, **env):
        done = subprocess.run(
            ["bash", "-c", MACHINE + self.here(script)], text=True, cwd=self.at,
            capture_output=True, timeout=60, stdin=subprocess.DEVNULL, env={
                **self.server.environ, "PGHOST": sock(self.server),
                "PGUSER": "postgres", "PATH": f"{PG}:{os.environ['PATH']}",
                "OWNER": str(self.owner.st_uid), "GROUP": str(self.owner.st_gid),
                "DATA": str(self.data), "AT": str(self.at),
                "SAYSO": str(self.server.var / "sayso"), **env})
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout if status == 0 else done.stderr

    def configure(self, name, text):
        file = self.conf / name
        file.write_text(self.here(text))
        os.chown(file, self.owner.st_uid, self.owner.st_gid)

    def stop(self):
        """Sayso and PostgreSQL."""
        assert self.server.stop().returncode == 0

    def start(self):
        """The other way round, from PostgreSQL alone."""
        self.run("systemctl stop postgresql@15-main")
        done = self.server.run("--detach")
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def server():
    one = kit.Watched(place("backups")).start()
    yield one
    one.stop()


@pytest.fixture(scope="module")
def machine(server):
    return Machine(server)


def state(server):
    """The rows of all that was asked, answered and signed; none are on their
    way."""
    with server.database() as db:
        wait_for(lambda: settled(db), 60)
        return {t: db.execute(
            "SELECT count(*), md5(string_agg(r::text, '\n' ORDER BY r::text)) "
            f"FROM {t} r").fetchone() for t in TABLES}


def now():
    return datetime.datetime.now(datetime.timezone.utc)


class Walk:
    """An agent and an operator before a backup, after it, and after its
    restore."""

    def __init__(self, server):
        self.server = server

    def clients(self):
        return (self.server.client("agent", agent="refunds-agent"),
                self.server.client("operator"))

    def before(self):
        agent, operator = self.clients()
        self.answered, self.open = ask(agent), ask(agent)
        assert answer(operator, self.answered).status_code == 200
        self.state = state(self.server)
        self.epoch = int(agent.get("/api/v1/suspensions").headers.get(
            "sayso-restore-epoch", 0))

    def after(self):
        """A restore loses this."""
        agent, operator = self.clients()
        assert answer(operator, self.open, "deny").status_code == 200
        self.key = {"Idempotency-Key": kit.new_id()}
        self.lost = ask(agent, headers=self.key)
        return state(self.server)

    def restored(self):
        agent, operator = self.clients()
        at = "/api/v1/suspensions/{suspension_id}".format_map
        read = agent.get(at(self.answered))
        assert (read.json()["state"], read.json()["value"]) == (
            "resolved", "approve")
        assert int(read.headers["sayso-restore-epoch"]) > self.epoch
        assert agent.get(at(self.open)).json()["state"] == "pending"
        refused(answer(operator, self.open, "deny"), 409, "suspension.restored")
        assert answer(operator, self.open, restored=True).status_code == 200
        assert agent.get(at(self.lost)).status_code == 404
        again = ask(agent, headers=self.key)
        assert again["suspension_id"] != self.lost["suspension_id"]
        done = self.server.sayso("restored", "--go")
        assert done.returncode == 0, done.stderr


def restored(machine, lost_from):
    text = code("operations/backup.md", "--lost-from 2026-11-25T03:00:00Z\n"
                "sudo systemctl start sayso.socket").replace(
        "2026-11-25T03:00:00Z", lost_from.isoformat())
    assert "the server may start" in machine.run(text)


SOUND = re.compile(r"(?m), 0 broken$")


def test_a_base_backup(server, machine):
    walk = Walk(server)
    walk.before()
    begun = now()
    machine.run(code("operations/backup.md", "pg_basebackup"))
    assert walk.after() != walk.state
    machine.stop()
    said = machine.run(code("operations/backup.md",
                            "backup /var/lib/postgresql/15/main\n"
                            "sudo systemctl start postgresql"))
    assert SOUND.search(said), said
    assert state(server) == walk.state
    restored(machine, begun)
    machine.start()
    walk.restored()
    shutil.rmtree(machine.data.with_name("postgres.old"))
    shutil.rmtree(machine.at / "backup")


def test_a_point_in_time(server, machine):
    machine.stop()
    machine.configure("archive.conf",
                      code("operations/backup.md", "archive_command ="))
    machine.run(code("operations/backup.md", "postgresql/archive\n"))
    machine.start()
    machine.run(code("operations/backup.md", "pg_basebackup"))
    walk = Walk(server)
    walk.before()  # it is in the archive alone
    time.sleep(1.1)
    at = now()
    time.sleep(0.1)
    walk.after()
    with server.database() as db:
        last, = db.execute("SELECT pg_walfile_name(pg_switch_wal())").fetchone()
        wait_for(lambda: (machine.at / "archive" / last).exists())
        assert db.execute("SELECT failed_count FROM pg_stat_archiver"
                          ).fetchone() == (0,)
    machine.stop()
    machine.run(code("operations/backup.md", "recovery.signal"))
    machine.configure("recovery.conf", code(
        "operations/backup.md", "recovery_target_time =").replace(
        "2026-11-25 03:00:00 UTC", str(at)))
    said = machine.run(code("operations/backup.md", "pg_is_in_recovery"))
    assert SOUND.search(said), said
    assert state(server) == walk.state
    assert not (machine.conf / "recovery.conf").exists()
    restored(machine, at)
    machine.start()
    walk.restored()
    shutil.rmtree(machine.data.with_name("postgres.old"))


def test_a_dump_by_the_timer(server, machine, tmp_path):
    walk = Walk(server)
    walk.before()
    kept = machine.at / "dumps"
    kept.mkdir(mode=0o700)
    os.chown(kept, machine.owner.st_uid, machine.owner.st_gid)
    for name, age in (("sayso-2020-01-01T000000Z.dump", 16),
                      ("sayso-2020-01-02T000000Z.dump", 13), ("mine.dump", 99),
                      ("sayso-2020-01-03T000000Z.dump.part", 1)):
        (kept / name).write_text("x")
        os.utime(kept / name, (time.time() - age * 86400,) * 2)
    program = f"own {TOP}/packaging/backup {kept} "
    at = now()
    said = machine.run(program + "14")
    name = re.match(r"(sayso-\S+Z\.dump): \d+ bytes, 2 dumps\n$", said)[1]
    assert {p.name for p in kept.iterdir()} == {
        name, "sayso-2020-01-02T000000Z.dump", "mine.dump"}
    assert (kept / name).stat().st_mode & 0o777 == 0o600
    never = "a dump that is not begun, or fails, changes nothing"
    before = {p.name for p in kept.iterdir()}
    # Without room, without a database, with one that ends meanwhile, and with a
    # number that is none.
    for stubs, env, words in (
            ("df() { echo Avail; echo 1000; }; export -f df", {}, "bytes left"),
            (":", {"PGHOST": "/nowhere"}, "does not answer"),
            ("pg_dump() { echo x >\"$3\"; return 1; }; export -f pg_dump", {},
             "pg_dump failed"),
            ("pg_dump() { echo x >\"$3\"; }; export -f pg_dump", {},
             "cannot be read")):
        failed = machine.run(f"{stubs}\nown bash {TOP}/packaging/backup {kept} "
                             "14", 1, **env)
        assert words in failed, failed
        assert {p.name for p in kept.iterdir()} == before, never
    assert "number of days" in machine.run(program + "0", 1)
    walk.after()
    machine.stop()
    new_cluster(server)
    machine.run("systemctl start postgresql@15-main")
    shutil.copy(kept / name, machine.at / "sayso.dump")
    said = machine.run(code("operations/backup.md", "after_restore.sql"
                            ).replace("2026-11-25T03:00:00Z", at.isoformat()
                                      ).replace("sudo sayso doctor",
                                                "sayso doctor || :"))
    assert SOUND.search(said) and "the server may start" in said, said
    # The log begins anew with the restore, and its leaves are numbered again.
    assert {t: v for t, v in state_of(server).items() if t in walk.state} == \
        {t: walk.state[t] for t in state_of(server)}
    machine.start()
    walk.restored()


def state_of(server):
    """Without what `restored` marks, which has run."""
    return {t: v for t, v in state(server).items()
            if t not in ("open_question", "permit")}


def test_a_dump_is_one_command(machine):
    """The one of the manual gives what the program gives."""
    machine.run(code("operations/backup.md", "pg_dump -Fc"))
    assert (machine.at / "sayso.dump").stat().st_size > 10_000


UNITS = TOP / "packaging"


def test_the_units_are_well_formed(tmp_path):
    """As systemd reads them."""
    names = set()
    for file in [*UNITS.glob("sayso*.service.in"), *UNITS.glob("sayso*.timer"),
                 *UNITS.glob("sayso*.socket")]:
        name = file.name.removesuffix(".in")
        names.add(name)
        text = file.read_text().replace("@bindir@/sayso", "/bin/true").replace(
            "@pkgdatadir@/backup", "/bin/true").replace("@sysconfdir@", "/etc")
        (tmp_path / name).write_text(text)
    assert {"sayso-backup.timer", "sayso-verify.timer",
            "sayso-verify-all.timer"} <= names
    done = subprocess.run(["systemd-analyze", "verify", "--man=no",
                           *sorted(tmp_path.glob("sayso-*"))],
                          text=True, capture_output=True, timeout=60)
    assert (done.returncode, [x for x in done.stderr.splitlines() if "sayso" in x]
            ) == (0, [])
    for timer in tmp_path.glob("*.timer"):
        text = timer.read_text()
        assert timer.with_suffix(".service").exists()
        when = re.search(r"(?m)^OnCalendar=(.*)$", text)[1]
        subprocess.run(["systemd-analyze", "calendar", when], check=True,
                       capture_output=True)
