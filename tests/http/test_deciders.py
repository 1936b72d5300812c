"""Which agents and people have a say, and how much of one: access that was lent is
neither kept nor passed on for longer, a quorum is not made smaller, and the rules
and keys of an admin say which people answer."""
import datetime

import pytest

from kit import at, get, made, new_id, new_intent, refused
from test_governance import completion, complete, put as put_policy, violation

PATH = "/api/v1"


@pytest.fixture(scope="module")
def own(server):
    """own(NAME, ...) makes an agent key of these names, each with a tag of its
    own; a client that speaks for the first, and one for each other."""
    def make(*names, reach="own"):
        tag = new_id()[:8]
        tagged = [f"{n}-{tag}" for n in names]
        key = server.key("agent", "--reach", reach,
                         *[w for n in tagged for w in ("--agent", n)])
        out = []
        for name in tagged:
            client = server.client(headers={"X-API-Key": key},
                                   agent=name)
            client.name = name
            out.append(client)
        return out[0] if len(out) == 1 else out
    return make


def soon(**span):
    then = datetime.datetime.now(datetime.timezone.utc) + \
        datetime.timedelta(**span)
    return then.strftime("%Y-%m-%dT%H:%M:%S.%f")


def entry(who, permission="admin", **more):
    return {"principal_id": getattr(who, "name", who),
            "permission": permission, **more}


def lend(person, intent, who, **more):
    return made(person.post(at(intent, "acl/entries"), json=entry(
        who, expires_at=soon(hours=1), **more)))


def acl(client, intent):
    return {e["principal_id"]: e for e in
            made(client.get(at(intent, "acl")), 200)["entries"]}


def policy(client, intent, word, *entries):
    return client.put(at(intent, "acl"), json={
        "default_policy": word, "entries": list(entries)})


# --- Access that was lent -----------------------------------------------------

WAYS = {
    "an entry": lambda by, i, who: by.post(at(i, "acl/entries"),
                                           json=entry(who)),
    "a list": lambda by, i, who: policy(
        by, i, "open" if not get(by, i).get("closed") else "closed",
        entry(who)),
    "an assignment": lambda by, i, who: by.post(
        at(i, "agents"), json={"agent_id": who.name}),
    "a delegation": lambda by, i, who: by.post(at(i, "events"), json={
        "event_type": "agent_assigned", "payload": {"agent_id": who.name}}),
    "a fallback": lambda by, i, who: by.put(at(i, "retry-policy"), json={
        "strategy": "none", "max_retries": 1,
        "fallback_agent_id": who.name}),
    "a handoff": lambda by, i, who: by.post(f"{PATH}/suspensions", json={
        "intent_id": i["id"], "kind": "handoff_acceptance",
        "question": "Do you take it over?",
        "responder": {"mode": "agent", "who": who.name},
        "subject": {"from": by.name, "to": who.name, "summary": "x",
                    "reason": "x", "artifacts": [], "evidence": []}}),
}


@pytest.mark.parametrize("shut", ["open", "closed"])
@pytest.mark.parametrize("way", [w for w in WAYS if w != "a list"])
def test_the_other_name_of_a_key_is_given_nothing(own, operator, way, shut):
    maker = own("maker")
    alpha, alpha2 = own("alpha", "alpha2")
    intent = new_intent(maker)
    made(policy(maker, intent, shut), 200)
    lend(operator, intent, alpha)
    if way == "a handoff":  # only who may read it is asked to take it over
        made(maker.post(at(intent, "acl/entries"), json=entry(alpha2, "read")))
    refused(WAYS[way](alpha, get(alpha, intent), alpha2), 403, "acl.own")
    if way != "a handoff":
        refused(alpha2.get(at(intent)), 404)


def test_a_name_of_another_key_of_the_same_agent(server, own, operator):
    """Two keys, one of which speaks for both names."""
    maker, (alpha, alpha2) = own("maker"), own("alpha", "alpha2")
    single = server.client(headers={"X-API-Key": server.key(
        "agent", "--agent", alpha.name)})
    intent = new_intent(maker)
    lend(operator, intent, alpha)
    refused(single.post(at(intent, "acl/entries"), json=entry(alpha2)), 403,
            "acl.own")


@pytest.mark.parametrize("shut", ["open", "closed"])
@pytest.mark.parametrize("way", [w for w in WAYS
                                 if w not in ("an entry", "a list")])
def test_what_has_no_end_is_not_given_by_a_guest(own, operator, way, shut):
    maker, alpha, beta = own("maker"), own("alpha"), own("beta")
    intent = new_intent(maker)
    made(policy(maker, intent, shut), 200)
    lend(operator, intent, alpha)
    if way == "a handoff":
        made(maker.post(at(intent, "acl/entries"), json=entry(beta, "read")))
    body = refused(WAYS[way](alpha, get(alpha, intent), beta), 403,
                   "acl.longer")
    assert body["expires_at"]
    if way != "a handoff":
        refused(beta.get(at(intent)), 404)


@pytest.mark.parametrize("shut", ["open", "closed"])
def test_an_entry_of_a_guest_ends_with_the_guest(own, operator, shut):
    maker, alpha, beta = own("maker"), own("alpha"), own("beta")
    intent = new_intent(maker)
    made(policy(maker, intent, shut), 200)
    mine = lend(operator, intent, alpha)
    one = made(alpha.post(at(intent, "acl/entries"), json=entry(beta)))
    assert one["expires_at"] == mine["expires_at"]
    refused(alpha.post(at(intent, "acl/entries"),
                       json=entry(beta, expires_at=soon(hours=2))), 403,
            "acl.longer")
    sooner = soon(minutes=5)
    one = made(alpha.post(at(intent, "acl/entries"),
                          json=entry(beta, "read", expires_at=sooner)))
    assert one["expires_at"] == sooner
    # A whole list: what stays as it is may be longer, what is new may not.
    made(maker.post(at(intent, "acl/entries"), json=entry("gamma", "read")))
    kept = entry(alpha, expires_at=mine["expires_at"])
    made(policy(alpha, intent, shut, kept, entry("gamma", "read"),
                entry("delta")), 200)
    now = acl(maker, intent)
    assert now["gamma"]["expires_at"] is None
    assert now["delta"]["expires_at"] == mine["expires_at"]
    refused(policy(alpha, intent, shut, kept, entry(
        "gamma", "read", reason="and more", expires_at=soon(hours=3))), 403,
        "acl.longer")


def test_a_guest_that_writes_for_good_gives_no_admin_for_good(own, operator):
    """Of a closed intent an assigned agent writes: that is what it may give."""
    maker, alpha, beta = own("maker"), own("alpha"), own("beta")
    intent = new_intent(maker)
    made(maker.post(at(intent, "agents"), json={"agent_id": alpha.name}), 200)
    made(policy(maker, intent, "closed"), 200)
    mine = lend(operator, intent, alpha)
    write = made(alpha.post(at(intent, "acl/entries"),
                            json=entry(beta, "write")))
    assert write["expires_at"] is None
    admin = made(alpha.post(at(intent, "acl/entries"), json=entry(beta)))
    assert admin["expires_at"] == mine["expires_at"]
    refused(alpha.post(at(intent, "acl/entries"), json=entry(alpha)), 403,
            "acl.own")


def test_an_answer_of_a_guest_ends_with_the_guest(own, operator):
    maker, alpha, beta = own("maker"), own("alpha"), own("beta")
    intent = new_intent(maker)
    mine = lend(operator, intent, alpha)

    def asked(by):
        return made(by.post(at(intent, "access-requests"), json=entry(
            by, None, requested_permission="write", reason="help")))["id"]

    made(alpha.post(at(intent, "access-requests", asked(beta), "approve")),
         200)
    assert acl(maker, intent)[beta.name]["expires_at"] == mine["expires_at"]
    refused(alpha.post(at(intent, "access-requests", asked(beta), "approve"),
                       json={"expires_at": soon(hours=2)}), 403, "acl.longer")
    other = own("gamma", "delta")[0]
    one = asked(other)
    made(alpha.post(at(intent, "access-requests", one, "deny"), json={}), 200)


@pytest.mark.parametrize("reach,code", [("all", "acl.own"),
                                        ("own", "acl.longer")])
def test_a_guest_does_not_open_a_closed_intent(own, operator, reach, code):
    maker, alpha = own("maker"), own("alpha", reach=reach)
    intent = new_intent(maker)
    made(policy(maker, intent, "closed"), 200)
    mine = lend(operator, intent, alpha)
    kept = entry(alpha, expires_at=mine["expires_at"])
    refused(policy(alpha, intent, "open", kept), 403, code)
    assert made(maker.get(at(intent, "acl")), 200)["default_policy"] == \
        "closed"
    made(policy(alpha, intent, "closed", kept, entry("x")), 200)
    made(policy(maker, intent, "open"), 200)  # its maker may


def test_an_entry_without_end_opens_but_where_the_key_reaches_all(own,
                                                                  operator):
    for reach, status in (("own", 200), ("all", 403)):
        maker, alpha = own("maker"), own("alpha", reach=reach)
        intent = new_intent(maker)
        made(policy(maker, intent, "closed", entry(alpha)), 200)
        r = policy(alpha, intent, "open", entry(alpha))
        assert r.status_code == status, r.text


def test_who_made_or_owns_it_gives_as_before(own):
    (maker, second), beta = own("maker", "second"), own("beta")
    intent = new_intent(maker)
    assert made(maker.post(at(intent, "acl/entries"),
                           json=entry(second)))["expires_at"] is None
    made(maker.post(at(intent, "agents"), json={"agent_id": beta.name}), 200)
    # An assigned agent of an open intent has it as long as it is assigned.
    made(beta.post(at(intent, "acl/entries"), json=entry("x")))


# --- A quorum -------------------------------------------------------------------

def quorate(maker, *names, share=0.6):
    intent = new_intent(maker, "active")
    for name in names:
        made(maker.post(at(intent, "agents"), json={"agent_id": name}), 200)
    made(put_policy(maker, intent, completion_mode="quorum",
                    quorum_threshold=share), 200)
    return intent


def test_under_a_quorum_only_people_take_assignments_away(own, operator):
    maker, beta, gamma = own("alpha"), own("beta"), own("gamma")
    intent = quorate(maker, maker.name, beta.name, gamma.name)
    completion(maker, intent, operator)
    for by, whom in ((maker, beta), (maker, gamma), (beta, beta)):
        detail = violation(by.delete(at(intent, "agents", whom.name)),
                           "completion_mode")
        assert detail["mode"] == "quorum"
    violation(complete(maker, intent), "completion_mode")
    made(operator.delete(at(intent, "agents", gamma.name)), 200)
    made(operator.delete(at(intent, "agents", beta.name)), 200)
    assert complete(maker, intent).status_code == 200


def test_names_of_one_key_count_once(own, operator):
    (alpha, alpha2), beta, gamma = own("a", "a2"), own("b"), own("c")
    intent = quorate(alpha, alpha.name, beta.name, gamma.name)
    completion(alpha, intent, operator)
    made(alpha.post(at(intent, "agents"), json={"agent_id": alpha2.name}), 200)
    completion(alpha2, intent, operator)
    violation(complete(alpha, intent), "completion_mode")
    completion(beta, intent, operator)  # two of three hands
    assert complete(alpha, intent).status_code == 200


def test_one_key_of_any_name_counts_once(server, agent, own, operator):
    names = [f"any-{new_id()[:8]}" for _ in range(3)]
    intent = quorate(agent, *names)
    clients = [server.client("agent", agent=n) for n in names]
    for client in clients:
        completion(client, intent, operator)
    violation(complete(agent, intent), "completion_mode")


def test_names_of_one_key_are_one_of_those_needed(own, operator):
    """Else all of a quorum could never be reached."""
    (alpha, alpha2), beta = own("a", "a2"), own("b")
    intent = quorate(alpha, alpha.name, alpha2.name, beta.name, share=1)
    completion(alpha2, intent, operator)
    violation(complete(alpha, intent), "completion_mode")
    completion(beta, intent, operator)
    assert complete(alpha, intent).status_code == 200
