"""The package from its installation to its removal, on a machine with systemd, as an
administrator goes. The tests follow each other."""
import json
import re
import subprocess

import machine as machines
import pytest

from server import TOP

ANSWERS = re.search(r"(?ms)^```text\n(url = .*?)^```$", (
    TOP / "docs/operations/install.md").read_text())[1]
# PostgreSQL with a new cluster, nginx as Debian has it, a certificate.
PREPARE = """
rm -rf /etc/postgresql/15 /var/lib/postgresql/15 /var/lib/man-db/auto-update
echo force-unsafe-io >/etc/dpkg/dpkg.cfg.d/tests
pg_createcluster 15 main -- -N >/dev/null
systemctl start postgresql@15-main nginx
mkdir /etc/ssl/sayso
cd /etc/ssl/sayso
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=sayso.example.org \\
    -addext subjectAltName=DNS:sayso.example.org -keyout key.pem \\
    -out fullchain.pem 2>/dev/null
cat fullchain.pem >>/etc/ssl/certs/ca-certificates.crt
echo 127.0.0.1 sayso.example.org >>/etc/hosts
"""
SETUP = "sayso setup --answers /root/answers"
STATE = """
find /etc -type f -newer /root/mark
stat -c '%n %U:%G %a' /etc/sayso*
sha256sum /etc/sayso* /etc/postgresql/15/main/pg_*.conf
systemctl show -p MainPID,ActiveEnterTimestampMonotonic sayso.service nginx.service
runuser -u postgres -- pg_dump -s -d sayso | grep -v restrict | sha256sum
"""


@pytest.fixture(scope="module")
def machine(deb):
    why = machines.refused()
    if why:
        pytest.skip(f"the package on a machine: not run: {why}")
    with machines.Machine() as one:
        one.done(PREPARE)
        one.done(f"cat >/root/answers <<'END'\n{ANSWERS}END\n")
        yield one


def test_the_compiler_has_no_complaint(built):
    said = re.findall(r".*:\d+: warning: .*", (built / "log").read_text())
    assert not said, said


def test_lintian_has_no_complaint(deb):
    done = subprocess.run(
        ["lintian", "--allow-root", "-i", "--fail-on", "error,warning", deb],
        text=True, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_installs_and_starts_nothing(machine, deb):
    said = machine.done(f"dpkg -i {deb} 2>&1")
    assert "sayso setup" in said
    assert machine.call("systemctl is-active sayso.socket sayso.service"
                        ).stdout.split() == ["inactive"] * 2
    machine.done("id sayso-admin && man -w sayso sayso.conf sayso-hook")


def shown(said):
    """The commands that were shown before they ran."""
    return re.search(r"(?s)This is missing:\n\n(.*?)\n\n", said)[1]


def test_setup_asks_before_it_changes_anything(machine):
    machine.done("touch /root/mark")
    refused = machine.call(SETUP)
    assert refused.returncode == 1 and "--yes" in refused.stderr
    assert machine.done(f"{SETUP} --print") == \
        "set -e\ncd /\numask 022\n" + shown(refused.stdout) + "\n"
    assert machine.done("find /etc -type f -newer /root/mark") == ""
    assert machine.call("runuser -u postgres -- psql -l sayso").returncode != 0
    for wrong in ("--url https://Sayso.Example", "--url http://sayso.example",
                  "--url https://sayso.example.org", "--certificate /nowhere",
                  "--what", "--yes --answers /etc/hosts"):
        assert machine.call(f"sayso setup {wrong}").returncode in (1, 2), wrong


def test_setup_adds_the_lines_of_the_manual(machine):
    def words(text):
        return {" ".join(line.split()) for line in text.splitlines()}

    printed = machine.done(f"{SETUP} --print")
    manual = (TOP / "docs/operations/install.md").read_text()
    for wanted in ("sayso-web      sayso_web", "peer map=sayso"):
        [block] = [b for b in re.findall(r"(?ms)^```\n(.*?)^```$", manual)
                   if wanted in b]
        for line in words(block):
            assert line in " ".join(words(printed)), line


def test_setup_goes_on_where_it_was_interrupted(machine):
    """Half of what it prints runs by hand; it does the other half, and the
    server answers a question."""
    printed = machine.done(f"{SETUP} --print")
    first, rest = printed.split("chown sayso-seal", 1)
    machine.done(first)
    said = machine.done(f"{SETUP} --yes")
    assert shown(said) == "chown sayso-seal" + rest.removesuffix("\n")
    assert said.endswith("0 wrong\n") or "\n0 wrong\n" in said
    assert re.search(r"shown once:\n\S{16}\n", said)


def api(machine, key, path, body=None):
    data = f"-H 'Content-Type: application/json' -d '{json.dumps(body)}'"
    return json.loads(machine.done(
        f"curl -sSf https://sayso.example.org/api/v1/suspensions{path}"
        f" -H 'X-API-Key: {key}' {data if body else ''}"))


def test_it_answers_a_question(machine):
    make = "runuser -u sayso-admin -- sayso key create --label test "
    agent = machine.done(make + "--role agent --agent refund-agent").strip()
    operator = machine.done(make + "--role operator").strip()
    asked = api(machine, agent, "", {
        "question": "Refund 12 EUR?", "response_type": "choice", "choices": [
            {"value": "deny", "label": "Deny", "effect": "veto"},
            {"value": "approve", "label": "Refund", "effect": "authorize"}]})
    path = "/" + asked["suspension_id"]
    api(machine, operator, f"{path}/respond", {"value": "approve"})
    assert api(machine, agent, path)["outcome"] == "authorized"


@pytest.mark.parametrize("unit", ["sayso-verify", "sayso-verify-all",
                                  "sayso-backup"])
def test_what_the_timers_start_does_its_work(machine, unit):
    done = machine.call(f"systemctl start {unit}.service")
    assert done.returncode == 0, machine.call(f"journalctl -u {unit}").stdout


def test_the_backup_of_the_timer_is_read_as_in_the_manual(machine):
    page = (TOP / "docs/operations/backup.md").read_text()
    [restore] = re.findall(r"(?m)^(?:sudo )?.*pg_restore .*$", page)
    print(restore)


def test_a_second_setup_does_nothing(machine):
    machine.done("touch /root/mark")
    before = machine.done(STATE)
    assert machine.done(f"{SETUP} --print") == ""
    assert machine.done("sayso setup --print") == ""
    assert machine.done(f"{SETUP} --yes").startswith("Nothing is missing.\n")
    assert machine.done(STATE) == before
    other = machine.call("sayso setup --url https://other.example.org")
    assert other.returncode == 1 and "public_url" in other.stderr


def test_a_version_with_another_process_gets_its_lines(machine):
    """As the files are where it was the last version's."""
    machine.done("sed -i '/sayso_erase/d' /etc/sayso.conf "
                 "/etc/postgresql/15/main/pg_*.conf")
    said = machine.done("sayso setup --yes")
    assert re.sub("[^\n]*sed -i '1i local[^\n]*", "SED", shown(said)) == (
        "runuser -u postgres -- tee -a /etc/postgresql/15/main/pg_ident.conf "
        ">/dev/null <<'END'\nsayso sayso-erase sayso_erase\nEND\nSED\n"
        "runuser -u postgres -- psql -X -q -o /dev/null "
        "-c 'SELECT pg_reload_conf()'\n"
        "systemctl stop sayso.socket sayso.service\n"
        "echo 'database_erase = host=/var/run/postgresql dbname=sayso "
        "user=sayso_erase' >>/etc/sayso.conf\nsystemctl daemon-reload\n"
        "systemctl enable -q --now sayso.socket sayso.service")


def test_an_acme_client_proves_the_name(machine):
    """certbot's webroot: a file, read at port 80 and nowhere else."""
    machine.done("mkdir -p /var/www/html/.well-known/acme-challenge && "
                 "echo proof >/var/www/html/.well-known/acme-challenge/x")
    url = "http://sayso.example.org"
    assert machine.done(f"curl -sSf {url}/.well-known/acme-challenge/x"
                        ) == "proof\n"
    assert machine.done("curl -sS -o /dev/null -w '%{http_code} %{redirect_url}'"
                        f" {url}/inbox") == "301 https://sayso.example.org/inbox"


def test_an_upgrade_stops_migrates_and_starts(machine, deb):
    """To the same package with a higher number. The next test shows the order:
    between the stop and the start the tables could not be migrated."""
    pid = machine.done("systemctl show -p MainPID sayso.service")
    said = machine.done(f"""
        dpkg-deb -R {deb} /root/newer
        sed -i 's/^Version: .*/Version: 9.9/' /root/newer/DEBIAN/control
        dpkg-deb -b -Znone /root/newer /root/newer.deb
        dpkg -i /root/newer.deb 2>&1""")
    assert "the database is up to date (0 new)" in said
    assert machine.done("systemctl show -p MainPID sayso.service") != pid
    assert machine.done("curl -sSf https://sayso.example.org/healthz")


def test_an_upgrade_with_tables_that_do_not_fit_stays_stopped(machine):
    def sql(text):
        machine.done(f'runuser -u postgres -- psql -d sayso -c "{text}"')

    sql("INSERT INTO migration VALUES (999, 'x', 'x', now())")
    failed = machine.call("dpkg -i /root/newer.deb")
    assert failed.returncode == 1 and "sudo sayso setup" in failed.stderr
    assert machine.call("systemctl is-active sayso.service sayso.socket"
                        ).stdout.split() == ["inactive"] * 2
    sql("DELETE FROM migration WHERE version = 999")
    machine.done("dpkg --configure sayso")
    machine.done("sayso doctor")


def test_a_removal_stops_it_and_a_purge_leaves_the_data(machine):
    """A site that is a file, and no link, is somebody's work."""
    machine.done("""cd /etc/nginx/sites-enabled
        cp --remove-destination ../sites-available/sayso-tls.conf own.conf
        rm sayso-tls.conf""")
    machine.done("dpkg -r sayso")
    machine.done("rm /etc/nginx/sites-available/own.conf.removed")
    assert machine.call("systemctl is-active sayso.service sayso.socket"
                        ).stdout.split() == ["inactive"] * 2
    assert machine.call("pgrep -u sayso,sayso-web").returncode == 1
    machine.done("nginx -t && systemctl restart nginx")
    machine.done("test -e /etc/sayso.conf")
    machine.done("dpkg -i /root/newer.deb")
    assert "sites-enabled" in machine.done("sayso setup --yes")
    said = machine.call("DEBIAN_FRONTEND=noninteractive dpkg -P sayso")
    assert said.returncode == 0 and "are kept" in said.stderr, said
    assert machine.done("ls -d /etc/sayso* /var/lib/sayso /etc/nginx/*/sayso* "
                        "2>/dev/null || :") == "/etc/sayso.log.key\n"
    assert machine.done("runuser -u postgres -- psql -d sayso -Atc "
                        "'SELECT count(*) FROM decision'") == "1\n"


def test_a_purge_deletes_the_data_when_it_is_told_to(machine):
    machine.done("""
        dpkg -i /root/newer.deb
        echo 'sayso sayso/purge-data boolean true' | debconf-set-selections
        DEBIAN_FRONTEND=noninteractive dpkg -P sayso""")
    assert machine.done("ls /etc/sayso* 2>/dev/null || :") == ""
    assert "sayso" not in machine.done(
        "runuser -u postgres -- psql -Atc 'SELECT datname FROM pg_database "
        "UNION ALL SELECT rolname FROM pg_roles'")
