"""The doors of the log beyond reading: checkpoints on demand, proofs between
them, and one event."""
import hashlib
import json
import time

import pytest

from kit import (ANY_ID, asleep, events, get, hash_of, made, new_intent,
                 own_server, refused, set_status, together, wait_for)
from server import place
from test_log import (b64, between, checkpoints, covered, digest, paired,
                      proves, sha, signed, stranger)

MAKE = "POST /api/v1/admin/checkpoints"
EVENT = "GET /api/v1/intents/{id}/events/{event_id}"
DID = "GET /.well-known/did.json"
route = pytest.mark.route
stranger = stranger  # a fixture of the other file


def make_once(client, intent=None, **body):
    if intent:
        body["intent_id"] = intent["id"]
    return client.post("/api/v1/admin/checkpoints", json=body)


def make(*args, **body):
    """Again where the signer was late: nothing was made then."""
    for _ in range(10):
        r = make_once(*args, **body)
        if r.status_code != 503:
            break
    return r


def quickest(call):
    """The least time of three calls, and the last answer: one of them may meet
    a moment in which the machine does something else."""
    times = []
    for _ in range(3):
        begun = time.monotonic()
        r = call()
        times.append(time.monotonic() - begun)
    return min(times), r


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
            refused(make_once(operator, intent), 503, "log.no_signer")
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
            r = make_once(operator, asked)
            refused(r, 503, "log.no_signer")
            assert int(r.headers["retry-after"]) > 0
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


def rewritten(db, table, columns, key):
    """Changes a row against its triggers; gives what undoes it."""
    sets = ", ".join(f"{c} = %({c})s" for c in columns)
    where = " AND ".join(f"{k} = %({k})s" for k in key)
    before = dict(zip(columns, db.execute(
        f"SELECT {', '.join(columns)} FROM {table} WHERE {where}",
        key).fetchone()))

    def put(values):
        with db.transaction():
            db.execute("SET LOCAL session_replication_role = replica")
            db.execute(f"UPDATE {table} SET {sets} WHERE {where}",
                       {**key, **values})

    put(columns)
    return lambda: put(before)


def test_a_chain_that_breaks_at_a_boundary_is_not_consistent(
        agent, operator, server):
    intent, one, _ = of_size(agent, operator, 2)
    comment(agent, intent)
    two = made(make(operator, intent))
    comment(agent, intent, 2)
    three = made(make(operator, intent))
    assert between(agent, one, three)["consistent"] is True
    other = "sha256:" + b64(sha(b"other"))
    with server.database() as db:
        for sequence, column in ((3, "previous_event_hash"),
                                 (4, "previous_event_hash"),
                                 (4, "event_hash")):
            undo = rewritten(db, "event", {column: other}, {
                "intent_id": intent["id"], "sequence": sequence})
            got = between(agent, one, three)
            assert got["consistent"] is False
            assert got["boundary_event"] is None
            undo()
        # A checkpoint between them that is missing, and one that overlaps.
        for columns in ({"epoch": 99},
                        {"first_sequence": 2, "event_count": 2}):
            undo = rewritten(db, "log_checkpoint", columns,
                             {"id": two["checkpoint_id"]})
            assert between(agent, one, three)["consistent"] is False
            undo()
    assert between(agent, one, three)["consistent"] is True


def test_checkpoints_far_apart_are_checked_in_steps(agent, server):
    intent = new_intent(agent, "draft")["id"]
    with server.database() as db:
        db.execute("""
            INSERT INTO log_checkpoint
            SELECT 'chk_' || lpad(n::text, 22, '0'), 0, 'intent', %s, 'x', 1,
                   n, n, now(), 'x', 'x' FROM generate_series(1, 10001) n
            """, [intent])
        try:
            one, two, three = ({"checkpoint_id": f"chk_{n:022d}"}
                               for n in (1, 10000, 10001))
            assert between(agent, one, two)["consistent"] is False  # no events
            refused(agent.get("/api/v1/verify/consistency", params={
                "from_checkpoint": one["checkpoint_id"],
                "to_checkpoint": three["checkpoint_id"]}), 422, "log.too_far")
        finally:
            with db.transaction():
                db.execute("SET LOCAL session_replication_role = replica")
                db.execute("DELETE FROM log_checkpoint WHERE intent_id = %s",
                           [intent])


def grown(db, intent, n):
    """Adds so many events to an intent, as the server would have written
    them."""
    canonical, hash_ = db.execute(
        "SELECT canonical, event_hash FROM event WHERE intent_id = %s "
        "ORDER BY sequence DESC LIMIT 1", [intent]).fetchone()
    event = json.loads(canonical)
    first = event["sequence"] + 1
    with db.transaction(), db.cursor().copy(
            "COPY event (intent_id, sequence, id, event_type, created_at, "
            "canonical, event_hash, previous_event_hash) FROM STDIN") as copy_:
        for sequence in range(first, first + n):
            number = f"{sequence:012x}"
            id_ = f"{intent[24:32]}-{intent[32:]}-7000-8000-{number}"
            event.update(sequence=sequence, previous_event_hash=hash_, id=id_)
            text = json.dumps(event, sort_keys=True, separators=(",", ":"),
                              ensure_ascii=False)
            hash_ = "sha256:" + b64(hashlib.sha256(text.encode()).digest())
            copy_.write_row((intent, sequence, id_, event["event_type"],
                             event["created_at"] + "Z", text, hash_,
                             event["previous_event_hash"]))
    db.execute("UPDATE intent SET event_sequence = %s, event_hash = %s "
               "WHERE id = %s", [first + n - 1, hash_, intent])


@pytest.fixture(scope="module")
def large():
    """A server with a checkpoint of 65,536 events."""
    with own_server(place("log-large")) as server, \
            server.client("agent") as agent, \
            server.client("operator") as operator:
        intents = [new_intent(agent, "draft")["id"] for _ in range(7)]
        wait_for(lambda: checkpoints(operator, scope="server"))
        with server.database() as db:
            for one in intents:
                grown(db, one, 9400)
            wait_for(lambda: db.execute(
                "SELECT count(*) FROM event").fetchone() == db.execute(
                "SELECT sum(size) FROM log_end").fetchone(), 600)
            last = made(make(operator, scope="server"))
            found = checkpoints(operator, scope="server")
            c = next(c for c in found if c["event_count"] == 65536)
            covers = db.execute("""
                SELECT e.id::text, l.position + 1 FROM log_leaf l
                  JOIN event e USING (intent_id, sequence)
                 WHERE position BETWEEN %s AND %s ORDER BY position
                """, [c["first_sequence"] - 1, c["last_sequence"] - 1]
                ).fetchall()
        yield server, operator, c, covers, last


def test_L3_a_batch_of_65536(large):
    """Any event is proven in about the time of any other read."""
    _, operator, c, covers, last = large
    assert len(covers) == 65536
    signed(c)
    at = f"/api/v1/checkpoints/{c['checkpoint_id']}/proof/"
    plain, _ = quickest(lambda: operator.get(at.removesuffix("/proof/")))
    slowest = 0
    for i in (0, 1, 32767, 40000, 65534, 65535):
        took, r = quickest(lambda i=i: operator.get(at + covers[i][0]))
        slowest = max(slowest, took)
        assert r.json()["leaf_index"] == i
        proves(r.json(), c)
    missed, r = quickest(lambda: operator.get(at + ANY_ID))
    refused(r, 404, "log.not_covered")
    print(f"of 65536 events: {slowest:.3f} s for the slowest proof, {missed:.3f}"
          " s to find that there is none")
    assert slowest < 1 + 30 * plain and missed < 2 + 30 * plain
    assert between(operator, c, last)["consistent"] is True


def test_an_event_that_came_late_into_the_log(large):
    """Its transaction is none of those that the checkpoint covers."""
    server, operator, c, covers, _ = large
    at = f"/api/v1/checkpoints/{c['checkpoint_id']}/proof/"
    with server.database() as db:
        undo = rewritten(db, "event", {"xid": "5"}, {"id": covers[40000][0]})
        proves(operator.get(at + covers[40000][0]).json(), c)
        undo()


def test_a_large_intents_event(large):
    server, operator, _, covers, _ = large
    with server.database() as db:
        intent, id_ = db.execute(
            "SELECT intent_id::text, id::text FROM event WHERE sequence = 9001"
            " LIMIT 1").fetchone()
    at = f"/api/v1/intents/{intent}/events"
    plain, _ = quickest(lambda: operator.get(f"{at}?limit=1"))
    took, r = quickest(lambda: operator.get(f"{at}/{id_}"))
    assert r.json()["sequence"] == 9001
    assert took < 0.5 + 30 * plain


@route(EVENT)
def test_one_event(agent, stranger, auditor):
    intent = new_intent(agent)
    at = f"/api/v1/intents/{intent['id']}/events"
    for e in events(agent, intent["id"]):
        r = agent.get(f"{at}/{e['id']}")
        assert r.json() == e and hash_of(e) == e["event_hash"]
        assert auditor.get(f"{at}/{e['id']}").text == r.text
        refused(stranger.get(f"{at}/{e['id']}"), 404, "intent.unknown")
    other = new_intent(agent)
    for unknown in (ANY_ID, "x", events(agent, other["id"])[0]["id"]):
        refused(agent.get(f"{at}/{unknown}"), 404, "event.unknown")
    assert agent.get(f"{at}/verify").json()["chain_valid"] is True


# --- The keys as a DID ----------------------------------------------------

@route(DID)
def test_the_did_document(server):
    with server.client(headers={}) as nobody:
        r = nobody.get("/.well-known/did.json")
        assert r.headers["cache-control"] == "public, max-age=300"
        jwks = nobody.get("/.well-known/jwks.json").json()["keys"]
        current = [k for k in nobody.get("/log/keys").json()
                   if k["state"] == "current"]
    did = "did:web:" + server.url.split("://")[1].replace(":", "%3A")
    doc = r.json()
    assert doc["id"] == did
    assert [m["publicKeyJwk"] for m in doc["verificationMethod"]] == jwks
    for m, k in zip(doc["verificationMethod"], jwks):
        assert (m["id"], m["type"], m["controller"]) == \
            (f"{did}#{k['kid']}", "JsonWebKey", did)
    (signs,) = [k for k in jwks if k["x"] == current[0]["public_key"]]
    assert doc["assertionMethod"] == [f"{did}#{signs['kid']}"]
