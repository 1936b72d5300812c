"""Checkpoints of the log on demand, and proofs by them."""
import time

import pytest

from kit import (ANY_ID, asleep, events, get, made, new_intent, refused,
                 set_status, together)
from test_log import (between, checkpoints, covered, digest, paired, proves,
                      signed)

MAKE = "POST /api/v1/admin/checkpoints"
route = pytest.mark.route


def make(client, intent=None, **body):
    if intent:
        body["intent_id"] = intent["id"]
    return client.post("/api/v1/admin/checkpoints", json=body)


def comment(client, intent, n=1):
    for k in range(n):
        made(client.post(f"/api/v1/intents/{intent['id']}/events",
                         json={"event_type": "comment", "payload": {"n": k}}))


def of_size(agent, operator, n):
    """A checkpoint of an intent with so many events, and those."""
    intent = new_intent(agent, "draft")
    comment(agent, intent, n - 1)
    c = signed(made(make(operator, intent, scope="intent")))
    listed = events(agent, intent["id"], limit=1000)[::-1]
    assert (c["first_sequence"], c["last_sequence"], len(listed)) == (1, n, n)
    assert digest(c["merkle_root"]) == paired(
        [digest(e["event_hash"]) for e in listed])
    return intent, c, listed


# --- On demand ------------------------------------------------------------

@route(MAKE)
def test_L2_a_checkpoint_on_demand(agent, operator, admin):
    intent, c, _ = of_size(agent, operator, 4)
    assert (c["scope"], c["intent_id"], c["anchor"]) == \
        ("intent", intent["id"], None)
    assert checkpoints(agent, intent_id=intent["id"]) == [c]
    refused(make(operator, intent), 409, "log.nothing_new")
    comment(agent, intent)
    r = make(admin, intent)
    next_ = signed(made(r))
    assert r.headers["location"].endswith(
        f"/api/v1/checkpoints/{next_['checkpoint_id']}")
    assert (next_["first_sequence"], next_["last_sequence"]) == (5, 5)
    made(set_status(agent, get(agent, intent), "abandoned"), 200)
    _, found = covered(agent, intent)
    assert [f["event_count"] for f in found] == [4, 1, 1]
    refused(make(operator, intent), 409, "log.nothing_new")
    assert between(agent, found[0], found[2])["consistent"] is True


def test_L2_on_demand_of_the_server(agent, operator):
    new_intent(agent, "draft")
    c = signed(made(make(operator, scope="server")))
    assert (c["scope"], c["intent_id"]) == ("server", None)
    refused(make(operator), 409, "log.nothing_new")
    new_intent(agent, "draft")
    next_ = signed(made(make(operator)))
    assert next_["first_sequence"] == c["last_sequence"] + 1
    got = between(operator, c, next_)
    assert got["consistent"] is True
    assert got["boundary_event"]["previous_event_hash"] is None  # a first one


def test_what_was_there_is_covered(agent, operator):
    """Whatever the signer is doing at that moment."""
    intent = new_intent(agent, "draft")
    before = 0
    for _ in range(40):
        comment(agent, intent)
        last = made(make(operator, intent))["last_sequence"]
        assert last > before
        before = last


def test_what_was_there_is_covered_while_others_write(
        agent, operator, server):
    """A transaction that writes hides what was committed after it began: the
    request waits for it, or ends without a checkpoint."""
    intent = new_intent(agent, "draft")
    with server.database("sayso_web") as db:
        with db.transaction():
            db.execute("SELECT pg_current_xact_id()")
            comment(agent, intent)
            refused(make(operator, intent), 503, "log.no_signer")
        assert made(make(operator, intent))["last_sequence"] == 2


def test_two_at_once(agent, operator, admin):
    for _ in range(5):
        intent = new_intent(agent, "draft")
        got = together(lambda: make(operator, intent),
                       lambda: make(admin, intent))
        assert sorted(r.status_code for r in got) == [201, 409]


def test_without_the_signer_nothing_is_made(agent, operator, server):
    intent = new_intent(agent, "draft")
    before = checkpoints(operator, scope="server")
    with asleep(server, "seal"):
        for asked in (intent, None):
            begun = time.monotonic()
            r = make(operator, asked)
            refused(r, 503, "log.no_signer")
            assert int(r.headers["retry-after"]) > 0
            assert time.monotonic() - begun < 3
    time.sleep(1)
    assert checkpoints(agent, intent_id=intent["id"]) == []
    assert checkpoints(operator, scope="server") == before
    with server.database() as db:
        assert db.execute("SELECT count(*) FROM log_request WHERE ended_at "
                          "IS NULL").fetchone() == (0,)
    made(make(operator, intent))


def test_who_makes_a_checkpoint(agent, operator, auditor, user, resource):
    intent = new_intent(agent, "draft")
    for client in (agent, auditor, user, resource):
        refused(make(client, intent), 403, "role.forbidden")
    refused(make(operator, {"id": ANY_ID}), 404, "intent.unknown")
    refused(make(operator, scope="intent"), 422, "field.missing", "intent_id")
    refused(make(operator, intent, scope="server"), 422, "field.unused",
            "intent_id")
    refused(make(operator, {"id": "x"}), 422, "field.uuid", "intent_id")
    refused(make(operator, scope="all"), 422, "field.value", "scope")
    refused(make(operator, other=1), 422, "field.unknown", "other")


# --- Proofs ---------------------------------------------------------------

@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_L3_small_batches_on_demand(agent, operator, n):
    _, c, listed = of_size(agent, operator, n)
    for e in listed:
        proves(agent.get(f"/api/v1/checkpoints/{c['checkpoint_id']}/proof/"
                         f"{e['id']}").json(), c)
