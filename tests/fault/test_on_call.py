"""A night on call: for each failure the alert that wakes somebody, by a real
Prometheus with the rules that ship, the line that says why, and what
docs/operations tells to do about it.

The rules wait for a second instead of minutes; nothing else of them differs.
The time until each fires is printed (pytest -s)."""
import concurrent.futures
import contextlib
import datetime
import http.server
import os
import re
import signal
import ssl
import subprocess
import threading
import time

import httpx
import psycopg
import pytest

import kit
from kit import answer, ask, wait_for
from receiver import Listener, Receiver
from server import TOP, Clock, free_port, place
from test_database_gone import stop_database

ALERTS = TOP / "monitoring/alerts.yml"
MANUAL = (TOP / "docs/operations/alerts.md").read_text()
PROBLEMS = (TOP / "docs/operations/problems.md").read_text()


class Prometheus:
    """Watches the server as the manual says, each half second."""

    def __init__(self, at, server, site):
        """site: the port of a web server in front of it."""
        self.port, self.at, prober = free_port(), at, free_port()
        text = re.sub(r"for: \d+[mh]", "for: 1s", ALERTS.read_text())
        (at / "alerts.yml").write_text(text)
        # The manual's lines, for this server.
        text = re.search(r"(?s)```\n(rule_files:.*?)```", MANUAL)[1]
        for there, here in (("/usr/share/sayso/monitoring/", ""),
                            ("127.0.0.1:9080", f"127.0.0.1:{server}"),
                            ("127.0.0.1:9115", f"127.0.0.1:{prober}"),
                            ("https://sayso.example.com",
                             f"https://127.0.0.1:{site}")):
            assert text.count(there) == 1, there
            text = text.replace(there, here)
        (at / "prometheus.yml").write_text(
            "global: {scrape_interval: 500ms, scrape_timeout: 500ms, "
            f"evaluation_interval: 500ms}}\n{text}")
        (at / "prober.yml").write_text(
            "modules: {http_2xx: {prober: http, http: {tls_config: "
            f"{{ca_file: {at}/ca.pem}}}}}}}}\n")
        certificates(at)
        self.log = (at / "log").open("w")
        self.run = [subprocess.Popen(args, stdout=self.log, stderr=self.log,
                                     cwd=at) for args in (
            ["prometheus", f"--config.file={at}/prometheus.yml",
             f"--storage.tsdb.path={at}/data",
             f"--web.listen-address=127.0.0.1:{self.port}"],
            ["prometheus-blackbox-exporter",
             f"--config.file={at}/prober.yml",
             "--timeout-offset=0.1",
             f"--web.listen-address=127.0.0.1:{prober}"])]
        self.http = httpx.Client(base_url=f"http://127.0.0.1:{self.port}",
                                 timeout=60)
        try:
            wait_for(self.ready)
        except AssertionError:
            self.stop()
            raise

    def ready(self):
        for one in self.run:
            assert one.poll() is None, (self.at / "log").read_text()
        """Has it asked the server once?"""
        try:
            r = self.http.get("/api/v1/query", params={"query": "sayso_ready"})
            return r.json()["data"]["result"]
        except (httpx.TransportError, ValueError, KeyError):
            return False

    def has(self, query):
        r = self.http.get("/api/v1/query", params={"query": query})
        return r.json()["data"]["result"]

    def firing(self):
        alerts = self.http.get("/api/v1/alerts").json()["data"]["alerts"]
        return {a["labels"]["alertname"] for a in alerts
                if a["state"] == "firing"}

    def stop(self):
        for one in self.run:
            one.terminate()
            one.wait(30)
        self.log.close()


class Night:
    """The server, those who use it, and who watches it."""

    def __init__(self, server, clock, receiver, at):
        self.server, self.clock = server, clock
        self.receiver, self.site = receiver, free_port()
        self.prometheus = Prometheus(at, server.port, self.site)
        self.agent = server.client("agent", agent="on-call")
        self.operator = server.client("operator")

    def fires(self, alert, since):
        """It fires, and the manual has a row for it."""
        assert f"| `{alert}` |" in MANUAL
        wait_for(lambda: alert in self.prometheus.firing(), 60)
        print(f"{alert}: {time.monotonic() - since:.1f} s")

    def ends(self, alert):
        wait_for(lambda: alert not in self.prometheus.firing(), 60)

    def says(self, line, mark, name="sayso"):
        """A line of the log since the mark."""
        wait_for(lambda: re.search(line, self.server.log(name)[mark:]))

    def mark(self, name="sayso"):
        return len(self.server.log(name))

    def works(self):
        """A question is asked and answered, and nothing restarts it."""
        def one():
            try:
                return answer(self.operator, ask(self.agent)).status_code
            except AssertionError:  # refused still
                return None
        assert wait_for(one) == 200
        wait_for(lambda: self.agent.get("/readyz").status_code == 200)

    def doctor(self):
        return self.server.sayso("doctor").stdout


@pytest.fixture(scope="module")
def receiver():
    one = Receiver()
    yield one
    one.close()


@pytest.fixture(scope="module")
def night(receiver, tmp_path_factory):
    clock = Clock.at(place("on-call-clock"))
    server = kit.Watched(place("on-call"), **clock.setting,
                         SAYSO_CA_FILE=str(receiver.ca_file),
                         SAYSO_LIMIT_RATE="20",
                         SAYSO_DATABASE_TIMEOUT="5").start()
    one = Night(server, clock, receiver, tmp_path_factory.mktemp("night"))
    one.works()
    yield one
    one.prometheus.stop()
    verified = server.sayso("verify").stdout
    server.stop()
    assert "BROKEN" not in verified, verified
    # Whatever failed, no process died of it.
    assert [x for x in kit.complaints(server) if "is killed" not in x] == []


# --- The database ---------------------------------------------------------

def test_the_database_is_down(night):
    mark, since = night.mark(), time.monotonic()
    stop_database(night.server, signal.SIGQUIT)
    night.fires("SaysoDatabaseDown", since)
    assert night.agent.get("/readyz").json()["code"] == "database.unavailable"
    night.says("database.unavailable", mark)
    kit.start_database(night.server)
    night.works()
    night.ends("SaysoDatabaseDown")


def test_the_database_has_no_connection_left(night):
    """Others have taken them all, and ours were cut."""
    mark, since = night.mark("postgres"), time.monotonic()
    ours = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity " \
           "WHERE usename LIKE 'sayso_%' AND usename <> 'sayso_owner'"
    taken = []
    with night.server.database() as db:
        def take():
            try:
                while True:
                    taken.append(night.server.database("sayso_owner"))
            except psycopg.OperationalError:
                db.execute(ours)
            return "SaysoDatabaseDown" in night.prometheus.firing()
        wait_for(take, 60)
        night.fires("SaysoDatabaseDown", since)
        night.says("remaining connection slots|too many clients", mark,
                   "postgres")
        wrong = night.doctor()
        for one in taken:
            one.close()
    assert "WRONG" in wrong
    night.works()
    night.ends("SaysoDatabaseDown")


def test_the_standby_is_gone(night, tmp_path):
    """One that keeps the WAL and is named as synchronous."""
    with night.server.database() as db:
        host = db.info.host
        keeper = subprocess.Popen(
            ["/usr/lib/postgresql/15/bin/pg_receivewal", "-D", tmp_path, "-h",
             host, "-U", "postgres", "--synchronous", "--no-loop"],
            env={**os.environ, "PGAPPNAME": "second"})
        db.execute("ALTER SYSTEM SET synchronous_standby_names = 'second'")
        db.execute("SELECT pg_reload_conf()")
        try:
            wait_for(lambda: db.execute(
                "SELECT FROM pg_stat_replication WHERE sync_state = 'sync'"
            ).rowcount)
            wait_for(lambda: night.prometheus.has(
                'sayso_replication_standbys{sync="yes"} == 1'))
            keeper.send_signal(signal.SIGKILL)
            keeper.wait()
            since = time.monotonic()
            night.fires("SaysoStandbyGone", since)
            night.fires("SaysoNotReady", since)
            r = night.agent.post("/api/v1/suspensions",
                                 json={"question": "Go on?"})
            assert (r.status_code, r.json()["code"]) == \
                (503, "database.standby"), r.text
        finally:
            keeper.kill()
            db.execute("ALTER SYSTEM RESET synchronous_standby_names")
            db.execute("SELECT pg_reload_conf()")
    night.works()
    night.ends("SaysoNotReady")


def test_a_wrong_migration(night):
    """The tables are newer than the program."""
    mark, since = night.mark(), time.monotonic()
    with night.server.database() as db:
        db.execute("INSERT INTO migration SELECT max(version) + 1, 'wrong', "
                   "repeat('0', 64), now() FROM migration")
        # A connection finds out when it is made.
        db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                   "WHERE usename LIKE 'sayso_%'")
        wait_for(lambda: night.agent.get("/readyz").status_code == 503)
        assert night.agent.get("/readyz").json()["code"] == "server.upgrading"
        night.fires("SaysoNotReady", since)
        night.says("server.upgrading", mark)
        assert re.search(r"WRONG.*of one version", night.doctor())
        refused = night.server.sayso("migrate")
        assert refused.returncode == 1 and "newer" in refused.stderr
        db.execute("DELETE FROM migration WHERE name = 'wrong'")
    night.works()
    night.ends("SaysoNotReady")


# --- The machine ----------------------------------------------------------

def test_the_clock_is_wrong(night):
    mark, since = night.mark(), time.monotonic()
    night.clock.wrong(90)
    night.fires("SaysoClockWrong", since)
    night.says("clock", mark)
    assert re.search("WRONG.*clock", night.doctor())
    night.clock.wrong(0)
    os.kill(night.server.supervisor(), signal.SIGHUP)
    night.works()
    night.ends("SaysoClockWrong")


@pytest.fixture
def small_disks(night, tmp_path):
    """The database's directory and its WAL, each on a disk of its own."""
    data = night.server.state / "postgres"
    wal = night.server.state / "wal"
    owner = data.stat()
    tried = subprocess.run(["mount", "-t", "tmpfs", "on-call", tmp_path],
                           text=True, capture_output=True)
    if tried.returncode != 0:
        pytest.skip(f"not run: a disk cannot be mounted: {tried.stderr}")
    subprocess.run(["umount", tmp_path], check=True)
    stop_database(night.server, signal.SIGINT)
    data.rename(night.server.state / "kept")
    mounted = []
    try:
        for at, size in ((data, "300m"), (wal, "160m")):
            at.mkdir()
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},"
                            f"mode=0700,uid={owner.st_uid},gid={owner.st_gid}",
                            "on-call", at], check=True)
            mounted.append(at)
        subprocess.run(["cp", "-a", f"{night.server.state}/kept/.", data],
                       check=True)
        subprocess.run(f"mv '{data}'/pg_wal/* '{wal}' && rmdir "
                       f"'{data}/pg_wal' && ln -s '{wal}' '{data}/pg_wal'",
                       shell=True, check=True)
        kit.start_database(night.server)
        night.works()
        yield data, wal
        for at in mounted:
            (at / "ballast").unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # it may have stopped
            stop_database(night.server, signal.SIGINT)
        subprocess.run(f"rm '{data}/pg_wal' && cp -a '{wal}' "
                       f"'{data}/pg_wal' && rm -rf '{night.server.state}/kept'"
                       f" && cp -a '{data}' '{night.server.state}/kept'",
                       shell=True, check=True)
    finally:
        for at in mounted:
            subprocess.run(["umount", "-l", at], check=True)
        data.rmdir()
        wal.rmdir()
        (night.server.state / "kept").rename(data)
        kit.start_database(night.server)
    night.works()


def fill(at):
    """A file that leaves no room."""
    room = os.statvfs(at)
    with (at / "ballast").open("wb") as f:
        try:
            for _ in range(room.f_bavail * room.f_frsize // (1 << 20) + 2):
                f.write(bytes(1 << 20))
        except OSError:
            pass
    return at / "ballast"


def test_a_disk_is_full(night, small_disks):
    """First that of the tables, then that of the WAL: PostgreSQL stops."""
    for at, code in zip(small_disks, ("database.full",
                                      "database.unavailable")):
        mark, since = night.mark("postgres"), time.monotonic()
        ballast = fill(at)

        def asked():
            r = night.agent.post("/api/v1/suspensions", json={
                "question": "Go on?",
                "context": {"text": os.urandom(20000).hex()}})
            if code == "database.unavailable":
                with contextlib.suppress(psycopg.OperationalError), \
                        night.server.database() as db:
                    db.execute("SELECT pg_switch_wal()")
            return r.status_code == 503 and r.json()["code"] == code
        wait_for(asked, 90)
        night.fires("SaysoNotReady", since)
        night.says("No space left on device", mark, "postgres")
        assert "## The disk is full" in PROBLEMS
        ballast.unlink()
        if code == "database.unavailable":
            kit.start_database(night.server)
        night.works()


# --- Others ---------------------------------------------------------------

def test_a_receiver_of_webhooks_is_away(night):
    server, receiver = night.server, night.receiver
    with server.client("admin") as admin:
        r = admin.post("/api/v1/endpoints", json={
            "name": "ledger", "url": receiver.url("ledger"),
            "internal": True})
        assert r.status_code == 201, r.text
    receiver.open("ledger", r.json()["endpoint_id"], r.json()["secret"])
    address = "UPDATE endpoint SET address = %s WHERE address = %s"
    away = f"https://127.0.0.1:{free_port()}/"
    with server.database() as db:
        moved = db.execute(address, [away, receiver.url("ledger")])
        assert moved.rowcount == 1
        since = time.monotonic()
        for _ in range(3):
            night.works()
            time.sleep(0.6)
        night.fires("SaysoDeliveriesGrow", since)
        # Until all tries are used up.
        given_up = server.sayso("delivery", "failed")
        while not given_up.stdout:
            night.clock.forward(hours=12)
            time.sleep(0.5)
            given_up = server.sayso("delivery", "failed")
        night.fires("SaysoDeliveriesFailed", since)
        assert "ledger" in given_up.stdout
        # It is back.
        db.execute(address, [receiver.url("ledger"), away])
        done = server.sayso("delivery", "again", "--endpoint", "ledger")
        assert "will be sent again" in done.stdout, done.stderr
        wait_for(lambda: db.execute("SELECT FROM delivery WHERE state <> "
                                    "'delivered'").rowcount == 0, 60)
    assert len({a.id for a in receiver.arrivals}) >= 3


def test_an_agent_runs_away(night):
    mark, since = night.mark(), time.monotonic()
    key = night.server.key("agent", "--agent", "mad", label="mad")
    with night.server.client(headers={"X-API-Key": key}) as mad:
        def runs():
            # Eight at once are faster than the limit on a slow machine too.
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                list(pool.map(lambda _: mad.post(
                    "/api/v1/suspensions", json={"question": "Now?"}),
                    range(200)))
            return "SaysoRefuses" in night.prometheus.firing()
        wait_for(runs, 60)
        night.fires("SaysoRefuses", since)
        night.says("status=429", mark)
        named = re.search(r"status=429 principal=agent:(\S+)", night.server.log()[mark:])
        keys = night.server.sayso("key", "list").stdout
        line = next(x for x in keys.splitlines() if named[1] in x)
        assert "mad" in line
        done = night.server.sayso("key", "revoke", named[1])
        assert done.returncode == 0, done.stderr
        r = mad.post("/api/v1/suspensions", json={"question": "Now?"})
        assert r.status_code == 401
    night.works()


def test_the_key_of_the_log_is_lost(night):
    mark, since = night.mark(), time.monotonic()
    conf = (night.server.state / "sayso.conf").read_text()
    file = re.search(r"(?m)^log_key = (\S+)", conf)[1]
    lost = file + ".lost"
    os.rename(file, lost)
    os.kill(night.server.supervisor(), signal.SIGHUP)
    night.works()
    night.fires("SaysoLogStopped", since)
    night.says("log", mark)
    assert re.search("WRONG.*key", night.doctor())
    # The commands of docs/operations/problems.md.
    block = re.search(r"(?s)```sh\n( +sudo -u sayso-admin sayso log-key .*?)"
                      r"```", PROBLEMS)[1]
    kid = re.search(r"(?m)^(\S+).*current",
                    night.server.sayso("log-key", "list").stdout)
    assert [x.split("sayso log-key ")[1] for x in block.splitlines() if x.strip()] == \
        ["list", "retire KID", "new --file /etc/sayso.log.key"]
    done = night.server.sayso("log-key", "retire", kid[1])
    assert done.returncode == 0, done.stderr
    done = night.server.sayso("log-key", "new", "--file", file)
    assert done.returncode == 0, done.stderr
    owner = os.stat(lost)
    os.chown(file, owner.st_uid, owner.st_gid)
    os.unlink(lost)
    night.ends("SaysoLogStopped")
    night.works()


def certificates(at):
    """An authority, ca.pem, and a certificate of it that ends soon, soon.pem,
    and one that has ended, ended.pem, with the key of both, key.pem."""
    (at / "index").write_text("")
    (at / "ca.conf").write_text(
        f"[ca]\ndefault_ca = own\n[own]\ndatabase = {at}/index\n"
        f"new_certs_dir = {at}\nrand_serial = yes\ndefault_md = sha256\n"
        "unique_subject = no\npolicy = any\nx509_extensions = names\n"
        "[any]\ncommonName = supplied\n"
        "[names]\nsubjectAltName = IP:127.0.0.1\n")
    new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
           "-nodes", "-subj"]
    sign = ["ca", "-batch", "-notext", "-config", "ca.conf", "-cert", "ca.pem",
            "-keyfile", "ca-key.pem", "-in", "request", "-startdate",
            "20200101000000Z", "-enddate"]
    now = datetime.datetime.now(datetime.timezone.utc)
    day = datetime.timedelta(days=1)
    for args in (
            ["req", "-x509", *new, "/CN=authority", "-days", "30", "-keyout", "ca-key.pem",
             "-out", "ca.pem"],
            ["req", "-new", *new, "/CN=site", "-keyout", "key.pem", "-out", "request"],
            [*sign, f"{now + 3 * day:%Y%m%d%H%M%SZ}", "-out", "soon.pem"],
            [*sign, f"{now - day:%Y%m%d%H%M%SZ}", "-out", "ended.pem"]):
        subprocess.run(["openssl", *args], cwd=at, check=True,
                       capture_output=True)


class Site(http.server.BaseHTTPRequestHandler):
    """A web server in front that answers to a look."""

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"status":"ok","site":"current"}')

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def site(night, certificate):
    at = night.prometheus.at
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(at / certificate, at / "key.pem")
    with Listener(("127.0.0.1", night.site), Site) as one:
        one.socket = context.wrap_socket(one.socket, server_side=True,
                                         do_handshake_on_connect=False)
        threading.Thread(target=one.serve_forever, daemon=True).start()
        yield
        one.shutdown()


def test_the_certificate_ends_and_has_ended(night, tmp_path, monkeypatch):
    conf = tmp_path / "sayso.conf"
    text = re.sub(r"(?m)^public_url = .*\n", "",
                  (night.server.state / "sayso.conf").read_text())
    conf.write_text(f"{text}public_url = https://127.0.0.1:{night.site}\n")
    monkeypatch.setitem(night.server.environ, "SAYSO_CA_FILE",
                        str(night.prometheus.at / "ca.pem"))

    def doctor():
        return night.server.sayso("doctor", conf=conf).stdout
    since = time.monotonic()
    with site(night, "soon.pem"):
        night.fires("SaysoCertificateEnds", since)
        night.ends("SaysoSiteUnreachable")
        assert re.search("ok +Sayso answers at its public address", doctor()), doctor()
    since = time.monotonic()
    with site(night, "ended.pem"):
        night.fires("SaysoSiteUnreachable", since)
        said = doctor()
        assert re.search("WRONG +Sayso answers at .*expired", said), said
