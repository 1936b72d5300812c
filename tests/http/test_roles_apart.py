"""H4: in an installation no process can take a role of the database but its
own, and none can become the owner of the tables."""
import os
import re
import signal

import pytest

import kit
from installed import KINDS, Installed, possible, status_of, unit

ROLES = ("sayso_owner", "sayso_web", "sayso_wait", "sayso_tick",
         "sayso_deliver", "sayso_seal", "sayso_erase", "postgres")
CAPABILITIES = 1 << 5 | 1 << 6 | 1 << 7  # CAP_KILL, CAP_SETGID, CAP_SETUID


@pytest.fixture(scope="module")
def installed():
    why = possible()
    if why:
        pytest.skip(f"roles apart: not run: {why}")
    one = Installed()
    try:
        yield one.install()
    finally:
        one.remove()


def test_H4_each_process_is_a_user_of_its_own(installed):
    uids = {kind: installed.uid(f"sayso-{kind}") for kind in KINDS}
    assert len({0, installed.uid("sayso"), installed.uid("sayso-admin"),
                *uids.values()}) == 9
    for kind in KINDS:
        found = installed.children(kind)
        assert found
        for pid in found:
            status = status_of(pid)
            assert {int(x) for x in status["Uid"].split()} == {uids[kind]}
            assert int(status["Gid"].split()[0]) > 0
            assert status["Groups"].split() == []
            assert status["NoNewPrivs"].strip() == "1"
            for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
                assert int(status[name], 16) == 0, name
    status = status_of(installed.serving.pid)
    assert {int(x) for x in status["Uid"].split()} == {installed.uid("sayso")}
    for name in ("CapPrm", "CapEff", "CapBnd"):
        assert int(status[name], 16) == CAPABILITIES, name


@pytest.mark.parametrize("kind", KINDS)
def test_H4_no_process_becomes_another_role(installed, kind):
    user = f"sayso-{kind}"
    for role in ROLES:
        done = installed.psql(user, role, "SELECT current_user")
        if role == f"sayso_{kind}":
            assert done.stdout == role + "\n", done.stderr
        else:
            assert done.returncode == 2, role
            assert "Peer authentication failed" in done.stderr
    for text in ("SET ROLE sayso_owner", "SET SESSION AUTHORIZATION postgres",
                 "ALTER TABLE event DISABLE TRIGGER USER",
                 "UPDATE event SET canonical = ''",
                 "CREATE TABLE mine (x int)"):
        done = installed.psql(user, f"sayso_{kind}", text)
        assert done.returncode == 1, text
        assert re.search("permission denied|must be owner", done.stderr)


def test_H4_the_supervisor_is_nobody_in_the_database(installed):
    for role in ROLES:
        done = installed.psql("sayso", role, "SELECT 1")
        assert done.returncode == 2, role


@pytest.mark.parametrize("kind", KINDS)
def test_H4_no_process_reaches_into_another(installed, kind):
    user = f"sayso-{kind}"
    others = [p for k in KINDS if k != kind for p in installed.children(k)]
    for pid in [*others, installed.serving.pid]:
        assert installed.run(user, "kill", "-0", pid).returncode != 0
        for name in ("environ", "mem", "fd/2"):
            done = installed.run(user, "head", "-c1", f"/proc/{pid}/{name}")
            assert "Permission denied" in done.stderr, name
    for path in (installed.admin_conf, installed.conf):
        done = installed.run(user, "cat", path)
        assert "Permission denied" in done.stderr and not done.stdout


def test_H4_the_commands_are_another_users(installed):
    for user in ("sayso", "sayso-web"):
        done = installed.sayso(user, "key", "list")
        assert done.returncode == 1 and not done.stdout
    done = installed.sayso("sayso", "key", "list")
    assert "sudo -u sayso-admin sayso" in done.stderr
    made = installed.sayso("sayso-admin", "key", "create", "--role", "agent",
                           "--label", "refunds", "--agent", "refund-agent")
    assert made.returncode == 0, made.stderr
    for args in (["key", "list"], ["operator", "list"], ["verify"],
                 ["migrate"]):
        done = installed.sayso("sayso-admin", *args)
        assert done.returncode == 0, done.stderr


def test_H4_a_child_that_died_comes_back_as_its_own_user(installed):
    for kind in KINDS:
        pid = installed.children(kind)[0]
        os.kill(pid, signal.SIGKILL)
        uid = installed.uid(f"sayso-{kind}")

        def back():
            now = installed.children(kind)
            return now and pid not in now and all(
                int(status_of(p)["Uid"].split()[0]) == uid for p in now)

        kit.wait_for(back)
    assert installed.ready() == 200


def test_H4_the_supervisor_ends_and_replaces_children(installed):
    old = installed.children("web")
    os.kill(installed.serving.pid, signal.SIGHUP)
    kit.wait_for(lambda: len(installed.children("web")) == len(old)
                 and not set(old) & set(installed.children("web")))
    assert "Operation not permitted" not in installed.log()


# --- doctor ---------------------------------------------------------------

def doctor(installed, user="root"):
    done = installed.sayso(user, "doctor")
    found = [x for x in done.stdout.splitlines() if x.startswith("WRONG")]
    assert done.stdout.endswith(f"{len(found)} wrong\n"), done.stdout
    # No web server stands before this installation, and doctor says so.
    wrong = [x for x in found if "answers at its public address" not in x]
    assert len(found) == len(wrong) + 1 and done.returncode == 1
    return done.stdout, "\n".join(wrong)


def test_H4_doctor_finds_nothing_wrong_with_the_manuals_way(installed):
    said, wrong = doctor(installed)
    assert wrong == "", wrong
    assert "sayso-web is sayso_web and nobody else" in said
    assert ("the web role cannot change or delete an event, a question or a "
            "decision") in said
    assert "only for a trial" not in said
    assert "ok     the signer has the current key of the log" in said


def test_H4_doctor_sees_who_could_be_the_owner(installed):
    for user, role in (("sayso-web", "sayso_owner"), ("sayso", "sayso_owner"),
                       ("sayso-tick", "sayso_web"),
                       ("sayso-deliver", "postgres")):
        line = f"sayso  {user}  {role}\n"
        more = ("local all postgres peer map=sayso\n"
                if role == "postgres" else "")
        hba = installed.ident.with_name("pg_hba.conf")
        with installed.changed(installed.ident,
                               installed.ident.read_text() + line), \
                installed.changed(hba, more + hba.read_text()):
            installed.reload_database()
            kit.wait_for(lambda: installed.psql(user, role, "SELECT 1")
                         .returncode == 0)
            assert re.search(rf"^WRONG  {user}\b", doctor(installed)[1],
                             re.M), (user, role)
        installed.reload_database()
        kit.wait_for(lambda: installed.psql(user, role, "SELECT 1")
                     .returncode != 0)
    assert doctor(installed)[1] == ""


def test_H4_doctor_sees_what_files_give_away(installed):
    owner = installed.admin_conf.read_text()
    with installed.changed(installed.conf,
                           installed.conf.read_text() + owner):
        assert "database_owner" in doctor(installed)[1]
    installed.admin_conf.chmod(0o644)
    assert "sayso-web is sayso_web and nobody else" in doctor(installed)[1]
    installed.admin_conf.chmod(0o640)
    assert doctor(installed)[1] == ""


def test_H4_doctor_wants_to_be_root(installed):
    assert "run it as root" in doctor(installed, "sayso")[1]


# --- the key of the log ---------------------------------------------------

@pytest.mark.parametrize("user", ["sayso", "sayso-admin", "sayso-web",
                                  "sayso-deliver"])
def test_70_the_key_of_the_log_is_the_signers(installed, user):
    done = installed.run(user, "cat", installed.log_key)
    assert "Permission denied" in done.stderr and not done.stdout
    [pid] = installed.children("seal")
    for name in ("mem", "environ"):
        done = installed.run(user, "head", "-c1", f"/proc/{pid}/{name}")
        assert "Permission denied" in done.stderr, name


def test_doctor_sees_who_else_can_read_the_key(installed):
    installed.log_key.chmod(0o444)
    assert "nobody else can read the file of the log's keys" in doctor(
        installed)[1]
    installed.log_key.chmod(0o400)
    installed.done("root", "chown", "root:", installed.log_key)
    assert "Permission denied; it has to belong to sayso-seal" in doctor(
        installed)[1]
    installed.done("root", "chown", "sayso-seal:", installed.log_key)
    assert doctor(installed)[1] == ""


def test_systemd_passes_the_key(installed):
    """LoadCredential=: a file that the service's user can read, and not the
    signer's."""
    assert unit("LoadCredential").startswith("log.key:")
    installed.serving.send_signal(signal.SIGTERM)
    assert installed.serving.wait(30) == 0
    passed = installed.directory("credentials", "sayso", 0o500)
    installed.done("root", "mv", installed.log_key, passed / "log.key")
    installed.done("root", "chown", "sayso:", passed / "log.key")
    installed.serve(CREDENTIALS_DIRECTORY=str(passed))
    kit.wait_for(lambda: installed.children("seal"))
    assert "nothing is signed" not in installed.log()
    assert "cannot be read" not in installed.log()
    [pid] = installed.children("seal")
    os.kill(pid, signal.SIGKILL)
    kit.wait_for(lambda: installed.children("seal") not in ([], [pid]))
    assert "nothing is signed" not in installed.log()


def test_H4_it_stops(installed):
    """The last one: the processes are stopped here."""
    pids = [p for k in KINDS for p in installed.children(k)]
    installed.serving.send_signal(signal.SIGTERM)
    assert installed.serving.wait(30) == 0
    assert not [p for p in pids if kit.comm(p)]


def test_H4_start_is_for_trying_out(server):
    """One user runs everything, which doctor notes without counting it."""
    said = server.sayso("doctor").stdout
    wrong = [x for x in said.splitlines() if x.startswith("WRONG")]
    assert re.search("(?m)^note .*only for a trial$", said)
    assert all("passwords are hashed" in x for x in wrong), wrong
