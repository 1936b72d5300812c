"""A restore to an older point and a move to another cluster: the server does not
start until it was told; what may have been used since is taken back, what was
open is marked and takes one more press, and nothing is ended or sent until an
administrator says so. A real dump, restored into a new cluster."""
import contextlib
import datetime
import json
import os
import pathlib
import shutil
import signal
import subprocess

import pytest

import kit
import test_log
from doors import DOORS
from kit import answer, ask, refused, wait_for
from page import Page
from server import TOP, place
from test_log_commands import vkey

PG = pathlib.Path("/usr/lib/postgresql/15/bin")
CHOICES = [{**one, "effect": effect} for one, effect in zip(
    kit.CHOICES, ("authorize", "veto"))]
EPOCH = "sayso-restore-epoch"


def sock(server):
    return next(
        line.split("host=")[1].split()[0]
        for line in (server.state / "sayso.conf").read_text().splitlines()
        if line.startswith("database ="))


def as_owner(server, *args, **more):
    owner = (server.state / "postgres").stat()
    who = {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []} \
        if os.geteuid() == 0 else {}
    done = subprocess.run(list(map(str, args)), capture_output=True, cwd="/",
                          **who, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout


def tool(server, name, *args, **more):
    return as_owner(server, PG / name, "-h", sock(server), "-U", "postgres",
                    *args, **more)


@contextlib.contextmanager
def database(server):
    """PostgreSQL alone, without the server."""
    process = kit.start_database(server)
    wait_for(lambda: subprocess.run(
        [PG / "pg_isready", "-q", "-h", sock(server)]).returncode == 0)
    yield
    while server.spare:
        server.spare.pop().close()
    os.kill(process.pid, signal.SIGINT)
    wait_for(lambda: process.poll() is not None)


def new_cluster(server):
    """An empty one in place of the old, as a new machine has."""
    data = server.state / "postgres"
    conf = (data / "start.conf").read_text()
    owner = data.stat()
    data.rename(server.state / "postgres.old")
    data.mkdir(mode=0o700)
    os.chown(data, owner.st_uid, owner.st_gid)
    as_owner(server, PG / "initdb", "-D", data, "-U", "postgres", "-E", "UTF8",
             "--locale=C.UTF-8", "--lc-collate=C", "--auth-local=trust",
             "--auth-host=reject", "--no-instructions", "-N")
    with (data / "postgresql.conf").open("a") as f:
        f.write("include_if_exists = 'start.conf'\n")
    (data / "start.conf").write_text(conf)
    os.chown(data / "start.conf", owner.st_uid, owner.st_gid)


def restore(server, dump):
    tool(server, "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f",
         TOP / "sql/roles.sql")
    tool(server, "pg_restore", "--exit-on-error", "-d", "sayso", input=dump)
    tool(server, "psql", "-X", "-q", "-d", "sayso", "-f",
         TOP / "sql/after_restore.sql")


@pytest.fixture(scope="module")
def server():
    one = kit.Watched(place("restored")).start()
    yield one
    one.stop()


@pytest.fixture(scope="module")
def made(server):
    return server


MANY = 45  # permits of one intent: more than one batch takes back


def check(agent, order="1", **more):
    """A question for a permit of one call."""
    r = agent.post("/api/v1/tool-calls/check", json={
        "tool_calls": [{"id": "1", "tool": "shop.refund",
                        "arguments": {"order": order}}],
        "responder": {"mode": "operators"}, **more})
    assert r.status_code in (200, 202), r.text
    return r.json()


def feed(client, after):
    return client.get("/api/v1/suspensions", params={"ended_after": after})


class World:
    """The questions at the dump, and after it."""


@pytest.fixture(scope="module")
def lost(made):
    server, w = made, World()
    with server.client("agent", agent="refunds-agent") as agent, \
            server.client("operator") as operator:
        w.endpoint = kit.made(agent.post("/api/v1/endpoints", json={
            "name": "x", "url": "https://refunds.example/"}))["endpoint_id"]
        w.plain, w.second = ask(agent), ask(agent)
        w.used = check(agent)
        assert answer(operator, {"suspension_id": w.used["request_id"]},
                      "approve").status_code == 200
        w.intent = kit.new_intent(agent)
        for n in range(MANY):
            one = check(agent, str(n), intent_id=w.intent["id"])
            assert answer(operator, {"suspension_id": one["request_id"]},
                          "approve").status_code == 200
        w.asked = check(agent)
        w.bulk = ask(agent, severity="low", choices=CHOICES,
                     subject={"a": 1})
        w.later_open = ask(agent)
        w.told, w.yes = ask(agent), ask(agent)
        w.no = ask(agent, choices=CHOICES)
        w.text = ask(agent, response_type="text", choices=None)
        w.form = ask(agent, response_type="form", choices=None, form=[
            {"key": "text", "type": "text", "label": "Why?"}])
        assert answer(operator, w.yes, "approve").status_code == 200
        assert answer(operator, w.no, "deny").status_code == 200
        w.doors = {name: make(agent, server) for name, make in DOORS.items()}
        w.place = feed(agent, "now").json()["next"]
        w.due = ask(agent, timeout_seconds=15)
        wait_for(lambda: agent.get("/log/checkpoint").status_code == 200)
        w.export = server.state / "run/before.jsonl"
        assert server.sayso("export", "--log", str(w.export)).returncode == 0
        w.dump = tool(server, "pg_dump", "-Fc", "-d", "sayso")
        w.from_ = datetime.datetime.now(datetime.timezone.utc).isoformat()
        assert answer(operator, w.plain, "approve").status_code == 200
        w.later = ask(agent)
    assert server.run("--stop").returncode == 0
    new_cluster(server)
    with database(server):
        restore(server, w.dump)
        w.migrated = server.sayso("migrate")
        w.verified = server.sayso("verify")
    w.refused = server.run("--detach")
    w.log = server.log()
    server.run("--stop")
    with database(server):
        w.doctor = server.sayso("doctor").stdout
        w.said = server.sayso("restored", "--lost-from", w.from_)
        assert w.said.returncode == 0, w.said.stderr
        with server.database() as db:
            w.epoch, = db.execute("SELECT max(epoch) FROM restore").fetchone()
            w.permits = db.execute("SELECT suspension_id, state FROM permit"
                                   ).fetchall()
            w.pushes = db.execute(
                "SELECT suspension_id, state, body FROM delivery WHERE type = "
                "'permit_revoked' AND endpoint_id = %s", [w.endpoint]
                ).fetchall()
    started = server.run("--detach")
    assert started.returncode == 0, started.stdout + started.stderr
    return w


@pytest.fixture
def agent(made, lost):
    with made.client("agent", agent="refunds-agent") as client:
        yield client


@pytest.fixture
def operator(made, lost):
    with made.client("operator") as client:
        yield client


def read(client, asked):
    return client.get(f"/api/v1/suspensions/{asked['suspension_id']}")


def test_it_does_not_start_before_it_was_told(lost):
    assert lost.migrated.returncode == 0, lost.migrated.stderr
    assert lost.verified.returncode == 0, lost.verified.stdout
    assert lost.refused.returncode != 0
    assert "say so first with `sayso restored`" in lost.log
    assert "WRONG  it is the cluster and database" in lost.doctor
    assert lost.said.returncode == 0, lost.said.stderr
    assert f"restore {lost.epoch}:" in lost.said.stdout


def test_permits_are_taken_back(lost):
    assert lost.permits and {s for _, s in lost.permits} == {"revoked"}


def log_at(client, where, origin, raw, size=1):
    """The head of a log at its address, which its tiles lead to."""
    def large():
        r = client.get(f"{where}/checkpoint")
        return r.status_code == 200 and test_log.Note(r.text).size >= size \
            and test_log.Note(r.text)

    head = wait_for(large).by(vkey(origin, raw))
    entries = [e[2:] for e in test_log.tiles(client, "entries", head.size, 34,
                                             where)]
    assert head.origin == origin and test_log.rooted(entries) == head.root
    assert test_log.tiles(client, 0, head.size, 32, where) == [
        test_log.sha(b"\0", e) for e in entries]
    return entries


def test_a_new_log_begins_with_all_that_is_left(made, lost, agent, operator):
    """The old one stays at its address. Both can be checked."""
    asked = ask(agent)
    assert answer(operator, asked).status_code == 200
    test_log.holds(agent, test_log.receipt(agent, asked))
    (key,) = agent.get("/log/keys").json()
    raw = test_log.unb64(key["public_key"])
    host = key["vkey"].split("/")[0]
    at = f"/log/{lost.epoch}"
    assert key["vkey"] == vkey(f"{host}{at}", raw)
    old = log_at(agent, "/log", f"{host}/log", raw)
    new = log_at(agent, at, f"{host}{at}", raw, len(old))
    assert set(old) <= set(new) and len(set(new)) == len(new)
    for other in (1, lost.epoch - 1, lost.epoch + 1):
        refused(agent.get(f"/log/{other}/checkpoint"), 404, "log.no_head")
    # Of the yes before the dump there is a receipt of the old log.
    assert test_log.receipt(agent, lost.yes)["receipt"]
    after = made.state / "run/after.jsonl"
    assert made.sayso("export", "--log", str(after)).returncode == 0
    for export, name in ((lost.export, "/log"), (after, at)):
        done = made.sayso("verify", "--bundle", str(export), "--key",
                          vkey(f"{host}{name}", raw))
        assert done.returncode == 0, done.stdout + done.stderr
    done = made.sayso("verify", "--bundle", str(after), "--key",
                      vkey(f"{host}/log", raw))
    assert done.returncode == 1


@pytest.mark.parametrize("name", ["used", "asked"])
def test_its_agent_is_told_that_a_permit_was_taken_back(lost, agent, name):
    id_ = getattr(lost, name)["request_id"]
    intent = read(agent, {"suspension_id": id_}).json()["intent_id"]
    log = kit.events(agent, intent)
    event, = [e for e in log if e["event_type"] == "grant.revoked"]
    assert event["actor_type"] == "sayso"
    assert event["payload"]["reason"].startswith("The database was restored")
    (state, body), = [rest for found, *rest in lost.pushes if found == id_]
    data = json.loads(body)["data"]
    assert state == "pending" and data["permit_id"] == event["payload"][
        "permit_id"]
    assert data["reason"] == event["payload"]["reason"]
    assert data["event_sequence"] == event["sequence"]


def test_each_permit_of_an_intent_has_an_event(lost, agent):
    log = kit.events(agent, lost.intent["id"], limit=1000)
    kit.check_chain(log)
    ids = [e["payload"]["permit_id"] for e in log
           if e["event_type"] == "grant.revoked"]
    assert len(set(ids)) == len(ids) == MANY
    told = [json.loads(body)["data"]["permit_id"]
            for _, _, body in lost.pushes]
    assert len(set(told)) == len(told) == len(lost.permits) == MANY + 2
    assert set(ids) < set(told)


def test_no_chain_is_broken(made, lost):
    done = made.sayso("verify")
    assert done.returncode == 0, done.stdout


def test_all_answers_say_the_epoch(lost, agent):
    r = read(agent, lost.plain)
    assert r.headers[EPOCH] == str(lost.epoch)
    assert r.json()["restore_epoch"] == lost.epoch
    assert r.json()["restored_from"][:16] == lost.from_[:16]


def test_the_first_answer_of_a_worker_says_it(made, lost):
    """Also one that needs no database."""
    for pid in made.workers():
        os.kill(pid, signal.SIGKILL)
        with made.client() as client:
            for _ in range(10):
                assert client.get("/healthz").headers[EPOCH] == str(
                    lost.epoch)


def test_the_mark_takes_one_more_press(lost, agent, operator):
    at = lost.second
    r = answer(operator, at, "approve")
    refused(r, 409, "suspension.restored")
    assert r.json()["restored_from"][:16] == lost.from_[:16]
    refused(answer(operator, at, "approve", restored=False), 409,
            "suspension.restored")
    refused(answer(operator, at, "deny"), 409, "suspension.restored")
    assert answer(operator, at, "deny", restored=True).status_code == 200
    assert "restored_from" not in read(agent, at).json()


def test_a_new_question_has_no_mark(lost, agent, operator):
    asked = ask(agent)
    assert "restored_from" not in read(agent, asked).json()
    assert answer(operator, asked).status_code == 200


def test_the_page_shows_it_and_takes_two_presses(made, lost, person, agent):
    path = f"/suspensions/{lost.plain['suspension_id']}"
    client = person("operator").client
    page = client.get(path)
    assert "was open in a backup of" in page.text
    data = Page(page).data(f"{path}/respond")
    assert "restored" not in data
    again = client.post(f"{path}/respond", data={**data, "value": "deny"})
    assert again.status_code == 409 and "answered already" in again.text
    assert read(agent, lost.plain).json()["state"] == "pending"
    data = Page(again).data(f"{path}/respond")
    assert data["restored"] == "yes"
    done = client.post(f"{path}/respond", data={**data, "value": "deny"})
    assert done.status_code == 303
    assert read(agent, lost.plain).json()["value"] == "deny"


@pytest.mark.parametrize("name, field", [("text", "value"),
                                         ("form", "f1")])
def test_what_was_typed_is_kept_for_the_second_press(lost, person, agent,
                                                     name, field):
    asked, client = getattr(lost, name), person("operator").client
    path = f"/suspensions/{asked['suspension_id']}"
    data = Page(client.get(path)).data(f"{path}/respond")
    assert field in data and "restored" not in data
    again = client.post(f"{path}/respond", data={**data, field: "It broke"})
    assert again.status_code == 409 and "answered already" in again.text
    assert read(agent, asked).json()["state"] == "pending"
    data = Page(again).data(f"{path}/respond")
    assert data[field] == "It broke" and data["restored"] == "yes"
    assert client.post(f"{path}/respond", data=data).status_code == 303
    assert "It broke" in str(read(agent, asked).json()["value"])


@pytest.mark.parametrize("name", DOORS)
def test_each_door_takes_restored_alone(lost, operator, name):
    """The hooks, MCP and AAP take no answers."""
    id_, call = lost.doors[name]

    def state():
        r = operator.get(f"/api/v1/suspensions/{id_}").json()
        return r["state"], "restored_from" in r

    for more in ({}, {"restored": False}):
        refused(call(operator, **more), 409, "suspension.restored")
        assert state() == ("pending", True)
    assert call(operator, restored=True).is_success
    assert state() == ("resolved", False)


def test_a_list_leaves_it_out(lost, person, agent):
    from test_hold_pages import picked
    me, at = person("operator").client, lost.bulk
    new = ask(agent, severity="low", choices=CHOICES, subject={"a": 1})
    seen = Page(picked(me, at, new))
    assert "Approve 1 request?" in seen.text
    assert "1: It was open in a backup, and may have been answered since." \
        in seen.text
    pick = [f"{a['suspension_id']}:{a['subject_sha256']}" for a in (at, new)]
    r = me.post("/inbox/decide", data=seen.data(
        "/inbox/decide", restored="yes", **{"pick[]": pick}))
    assert r.status_code == 200 and "1 approved" in Page(r).text
    assert read(agent, at).json()["state"] == "pending"
    assert read(agent, new).json()["state"] == "resolved"


def test_a_yes_to_a_lost_permit_allows_nothing(lost, agent, operator):
    asked = {"suspension_id": lost.asked["request_id"]}
    assert answer(operator, asked, "approve",
                  restored=True).status_code == 200
    r = agent.get(f"/api/v1/suspensions/{asked['suspension_id']}").json()
    assert r["outcome"] == "authorized" and r["usable"] is False


SAID = {"outcome": "authorized", "value": "approve", "restore_epoch": 0,
        "responded_at": "2026-11-25T03:10:00Z", "event_id": "e-1",
        "used_at": "2026-11-25T03:11:00Z", "responded_by": "mara@example.com"}
NOTE = "<b>It ran</b> \u202etwice"


def claim(client, asked, **more):
    return client.post(f"/api/v1/suspensions/{asked['suspension_id']}"
                       "/reconcile", json={**SAID, **more})


def claims(client, asked):
    return read(client, asked).json().get("claims", [])


@pytest.mark.route("POST /api/v1/suspensions/{id}/reconcile")
def test_an_agent_tells_of_an_answer_that_was_lost(lost, agent, person):
    assert claims(agent, lost.told) == []
    kept = kit.made(claim(agent, lost.told, note=NOTE))
    assert {k: kept[k] for k in SAID} == {
        **SAID, "responded_at": "2026-11-25T03:10:00.000000Z",
        "used_at": "2026-11-25T03:11:00.000000Z"}
    assert kept["claimed_by"] == "refunds-agent" and kept["note"] == NOTE
    record = read(agent, lost.told).json()
    assert record["state"] == "pending" and record["claims"] == [kept]
    page = person("operator").client.get(
        f"/suspensions/{lost.told['suspension_id']}").text
    said = page.index("The agent says that this was answered before the "
                      "restore.")
    assert "Sayso has no record of that and cannot check it." in page
    assert said < page.index("mara@example.com")
    assert said < page.index("&lt;b&gt;It ran&lt;/b&gt;")
    assert "<b>It ran" not in page


def test_a_claim_is_kept_once(lost, agent):
    before = claims(agent, lost.second)
    kept = kit.made(claim(agent, lost.second))
    assert kit.made(claim(agent, lost.second, note=None), 200) == kept
    sent = {"headers": {"Idempotency-Key": kit.new_id()},
            "json": {**SAID, "note": "again"}}
    path = f"/api/v1/suspensions/{lost.second['suspension_id']}/reconcile"
    first, again = agent.post(path, **sent), agent.post(path, **sent)
    assert first.status_code == again.status_code == 201
    assert first.json() == again.json()
    assert claims(agent, lost.second) == [*before, kept, first.json()]


def test_a_question_takes_five_claims(lost, agent):
    for n in range(5):
        kit.made(claim(agent, lost.due, note=str(n)))
    refused(claim(agent, lost.due, note="5"), 409, "claim.too_many")
    kit.made(claim(agent, lost.due, note="4"), 200)
    together = kit.together(*[lambda n=n: claim(
        agent, lost.later_open, note=str(n)) for n in range(8)])
    assert sorted(r.status_code for r in together) == [201] * 5 + [409] * 3


@pytest.mark.parametrize("name", ["yes", "used", "asked"])
def test_a_claim_about_a_yes_that_was_taken_back(lost, agent, person, name):
    at = getattr(lost, name)
    asked = {"suspension_id": at.get("suspension_id") or at["request_id"]}
    kit.made(claim(agent, asked, redemption_id="r-1"))
    page = person("operator").client.get(
        f"/suspensions/{asked['suspension_id']}").text
    assert "The agent says that this was answered before" in page


def test_a_claim_where_nothing_was_lost(lost, agent):
    refused(claim(agent, lost.no), 409, "claim.nothing_lost")
    refused(claim(agent, ask(agent)), 409, "claim.nothing_lost")
    refused(claim(agent, lost.later), 404, "suspension.unknown")


def test_who_may_claim(made, lost, operator):
    refused(claim(operator, lost.told), 403, "role.forbidden")
    with made.client("agent", agent="other-agent") as other:
        refused(claim(other, lost.told), 404, "suspension.unknown")


def test_a_claims_epoch(lost, agent):
    last = lost.epoch - 1
    kept = kit.made(claim(agent, lost.told, restore_epoch=last))
    assert kept["restore_epoch"] == last
    refused(claim(agent, lost.told, restore_epoch=lost.epoch), 422,
            "field.range", "restore_epoch")


@pytest.mark.parametrize("more, code, at", [
    ({"outcome": None}, "field.missing", "outcome"),
    ({"outcome": "expired"}, "field.value", "outcome"),
    ({"restore_epoch": -1}, "field.range", "restore_epoch"),
    ({"restore_epoch": 2**31}, "field.range", "restore_epoch"),
    ({"used_at": "2999-01-01T00:00:00Z"}, "field.time", "used_at"),
    ({"responded_at": "yesterday"}, "field.time", "responded_at"),
    ({"note": "x" * 1001}, "field.too_long", "note"),
    ({"state": "resolved"}, "field.unknown", "state")])
def test_a_claim_that_cannot_be(lost, agent, more, code, at):
    refused(claim(agent, lost.told, **more), 422, code, at)


def test_a_claims_size(lost, agent):
    refused(claim(agent, lost.told, value="x" * 4096), 413,
            "claim.too_large", "value")
    kit.made(claim(agent, lost.told, value="x" * 4000))


def test_nothing_ends_until_somebody_says_go(made, lost, agent, operator):
    wait_for(lambda: datetime.datetime.fromisoformat(
        lost.due["expires_at"]) < datetime.datetime.now(datetime.timezone.utc))
    refused(answer(operator, lost.due, "approve", restored=True), 503,
            "server.restored")
    assert read(agent, lost.due).json()["state"] == "pending"
    assert "WRONG  nothing waits after" in made.sayso("doctor").stdout
    done = made.sayso("restored", "--go")
    assert done.returncode == 0 and "go on" in done.stdout
    wait_for(lambda: read(agent, lost.due).json()["state"] == "expired")
    assert "ok     nothing waits after" in made.sayso("doctor").stdout


def test_streams_have_the_epoch_in_their_ids(made, lost, agent):
    from test_streams import Stream, note
    intent = kit.new_intent(agent)
    path = f"/api/v1/intents/{intent['id']}/subscribe"
    stream = Stream(made, path)
    note(agent, intent)
    frame = stream.until("comment")
    assert frame["id"].startswith(f"e{lost.epoch}.")
    stream.close()
    again = Stream(made, path, last=frame["id"])
    note(agent, intent, 2)
    assert again.until("comment")["data"]["payload"]["n"] == 2
    again.close()


def test_the_feed_knows_the_places_of_before(lost, agent, operator):
    body = refused(feed(agent, lost.place), 409, "feed.restored",
                   "ended_after")
    assert body["restored_from"][:16] == lost.from_[:16]
    assert body["restore_epoch"] == lost.epoch
    start = feed(agent, "now").json()["next"]
    assert start.startswith(f"e{lost.epoch}.")
    asked = ask(agent)
    assert answer(operator, asked).status_code == 200
    found = feed(agent, start).json()
    assert [s["suspension_id"] for s in found["suspensions"]] == [
        asked["suspension_id"]]
    assert feed(agent, found["next"]).json()["suspensions"] == []
    every = [s["suspension_id"] for s in feed(agent, "0").json()["suspensions"]]
    assert lost.yes["suspension_id"] in every
    for other in (1, lost.epoch + 1):
        refused(feed(agent, f"e{other}.5"), 409, "feed.restored")


def test_it_is_not_said_while_the_server_runs(made, lost):
    done = made.sayso("restored", "--nothing-lost")
    assert done.returncode == 1 and "stop it first" in done.stderr
    for wrong in ((), ("--go", "--nothing-lost"), ("--lost-from", "tomorrow"),
                  ("--lost-from", "2999-01-01T00:00:00Z")):
        assert made.sayso("restored", *wrong).returncode == 2


def test_a_moved_database_loses_nothing(made, lost, agent, operator):
    """Another database of the same cluster; it is told of and starts."""
    server = made
    asked, permit = ask(agent), check(agent)
    assert answer(operator, {"suspension_id": permit["request_id"]},
                  "approve").status_code == 200
    assert server.run("--stop").returncode == 0
    with database(server):
        tool(server, "psql", "-X", "-q", "-c", "CREATE DATABASE moved "
             "TEMPLATE sayso OWNER sayso_owner", "-c", "ALTER DATABASE sayso "
             "RENAME TO sayso_old", "-c", "ALTER DATABASE moved RENAME TO "
             "sayso")
    assert server.run("--detach").returncode != 0
    server.run("--stop")
    with database(server):
        done = server.sayso("restored", "--nothing-lost")
        assert done.returncode == 0, done.stderr
    assert server.run("--detach").returncode == 0
    assert answer(operator, asked).status_code == 200
    r = agent.get(f"/api/v1/suspensions/{permit['request_id']}").json()
    assert r["usable"] is True and r["restore_epoch"] == lost.epoch
