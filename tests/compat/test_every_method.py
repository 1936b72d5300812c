"""S1: every public method of the SDK's two clients is called, and its state is
the one that docs/openintent.md has for it. A method that the document does not
name, or names twice, fails too."""
import contextlib
import inspect
import pathlib
import re
import time
import types
import uuid

import pytest
from openintent import (AsyncOpenIntentClient, EventType, IntentStatus,
                        OpenIntentClient)
from openintent.exceptions import OpenIntentError
from openintent.models import (AccessPolicy, DecisionType, MembershipRole,
                               PortfolioStatus, RetryStrategy)
from sdk import Blocking, access
from test_surface import arguments

DOCUMENT = pathlib.Path(__file__).parents[2] / "docs/openintent.md"
KINDS = {"sync": OpenIntentClient, "async": AsyncOpenIntentClient}


def methods(kind):
    return {n for n, f in inspect.getmembers(KINDS[kind], callable)
            if not n.startswith("_")}


def documented():
    """The state of each method in the table: "works", or the number of an
    RFC."""
    text = DOCUMENT.read_text().split("## Every method")[1]
    out = {}
    for names, state in re.findall(r"^\| (.*`) \| (.*) \|$", text, re.M):
        found = re.match(r"works|501, RFC-(\d{4}):", state)
        assert found, state
        for name in re.findall(r"`(\w+)`", names):
            assert name not in out, name
            out[name] = found[1] or "works"
    return out


STATES = documented()


def test_S1_the_document_names_each_method_once():
    assert set(STATES) == methods("sync") | methods("async")
    works = [n for n, state in STATES.items() if state == "works"]
    assert (len(STATES), len(works)) == (150, 102)


# --- The world of the calls ---------------------------------------------------

class World:
    """c: the client that is tested; sync: another one for what has to be there
    before, both of the same agent; people: one like c with an operator's
    key."""

    def __init__(self, server, kind, sync):
        self.server, self.sync = server, sync
        self.c = self.client(kind, access(server, "refunds-agent"))
        self.people = self.client(kind, {
            "base_url": server.url, "agent_id": "eva",
            "api_key": server.env["SAYSO_OPERATOR_KEY"]})

    @staticmethod
    def client(kind, given):
        one = KINDS[kind](**given)
        return Blocking(one) if kind == "async" else one

    def close(self):
        for one in (self.c, self.people):
            one.close()

    def intent(self, **more):
        made = self.sync.create_intent("Refund", "It broke.", **more)
        return self.sync.set_status(made.id, made.version,
                                    IntentStatus.ACTIVE)

    def draft(self, **more):
        return self.sync.create_intent("Refund", "It broke.", **more)

    def portfolio(self, *intents):
        p = self.sync.create_portfolio("Refunds")
        for one in intents:
            self.sync.add_intent_to_portfolio(p.id, one.id)
        return p

    def coordinator(self, intent):
        return self.sync.create_coordinator_lease("refunds-agent", intent.id)

    def hook(self):
        """An endpoint of the agent."""
        address = f"https://{uuid.uuid4()}.invalid/hook"
        with self.server.client("agent", agent="refunds-agent") as agent:
            r = agent.post("/api/v1/endpoints", json={
                "name": address[8:44], "url": address})
            assert r.status_code == 201, r.text
        return address


def first_frame(stream):
    """The stream begins."""
    with stream as frames:
        return next(iter(frames))


# Each calls its method and says whether the answer is the one that is meant.

def create_intent(w):
    made = w.c.create_intent("Refund", "x", initial_state={"a": 1})
    return made.state.to_dict().get("a") == 1


def update_state(w):
    i = w.intent()
    return w.c.update_state(i.id, i.version, {"a": 1}).version > i.version


def set_status(w):
    i = w.draft()
    now = w.c.set_status(i.id, i.version, IntentStatus.ACTIVE)
    return now.status == IntentStatus.ACTIVE


def parent_and_child(w):
    p = w.intent()
    return p, w.sync.create_child_intent(p.id, "Below")


def get_children(w):
    p, low = parent_and_child(w)
    return [i.id for i in w.c.get_children(p.id)] == [low.id]


def get_descendants(w):
    p, low = parent_and_child(w)
    return [i.id for i in w.c.get_descendants(p.id)] == [low.id]


def get_ancestors(w):
    p, low = parent_and_child(w)
    return [i.id for i in w.c.get_ancestors(low.id)] == [p.id]


def get_ready_intents(w):
    p, low = parent_and_child(w)
    return [i.id for i in w.c.get_ready_intents(p.id)] == [low.id]


def get_blocked_intents(w):
    p, low = parent_and_child(w)
    late = w.sync.create_child_intent(p.id, "Late", depends_on=[low.id])
    return [i.id for i in w.c.get_blocked_intents(p.id)] == [late.id]


def get_intent_graph(w):
    p, low = parent_and_child(w)
    return len(w.c.get_intent_graph(p.id)["nodes"]) == 2


def edge(w):
    a, b = w.draft(), w.draft()
    return w.sync.add_dependency(a.id, b.id, a.version), b


def get_dependencies(w):
    a, b = edge(w)
    return [i.id for i in w.c.get_dependencies(a.id)] == [b.id]


def get_dependents(w):
    a, b = edge(w)
    return [i.id for i in w.c.get_dependents(b.id)] == [a.id]


def add_dependency(w):
    a, b = w.draft(), w.draft()
    return w.c.add_dependency(a.id, b.id, a.version).depends_on == [b.id]


def remove_dependency(w):
    a, b = edge(w)
    return w.c.remove_dependency(a.id, b.id, a.version).depends_on == []


def log_event(w):
    return w.c.log_event(w.intent().id, EventType.COMMENT, {"text": "x"}).id


def get_events(w):
    return len(w.c.get_events(w.intent().id)) >= 2


def helper(name):
    def call(w):
        i = w.intent()
        method = getattr(w.c, name)
        plain = getattr(OpenIntentClient, name)
        given = arguments(types.MethodType(plain, w.sync))
        made = method(**{**given, "intent_id": i.id})
        return w.sync.get_events(i.id)[0].id == made.id
    return call


HELPERS = """
    log_tool_call_started log_tool_call_completed log_tool_call_failed
    log_llm_request_started log_llm_request_completed log_llm_request_failed
    start_stream log_stream_chunk complete_stream cancel_stream""".split()


def renew_lease(w):
    i = w.intent()
    lease = w.sync.acquire_lease(i.id, "x", 60)
    return w.c.renew_lease(i.id, lease.id, 600).expires_at > lease.expires_at


def release_lease(w):
    i = w.intent()
    w.c.release_lease(i.id, w.sync.acquire_lease(i.id, "x").id)
    return w.sync.acquire_lease(i.id, "x").id


def get_leases(w):
    i = w.intent()
    lease = w.sync.acquire_lease(i.id, "x")
    return [one.id for one in w.c.get_leases(i.id)] == [lease.id]


def lease(w):
    with w.c.lease(w.intent().id, "x") as held:
        return held.scope == "x"


def unassign_agent(w):
    i = w.intent()
    w.sync.assign_agent(i.id, "refunds-agent")
    return w.c.unassign_agent(i.id, "refunds-agent") is None


def subscription(w):
    i = w.intent()
    return i, w.sync.subscribe(intent_id=i.id, webhook_url=w.hook())


def get_subscriptions(w):
    i, made = subscription(w)
    return [s.id for s in w.c.get_subscriptions(intent_id=i.id)] == [made.id]


def unsubscribe(w):
    i, made = subscription(w)
    w.c.unsubscribe(made.id)
    return w.sync.get_subscriptions(intent_id=i.id) == []


def create_event_queue(w):
    i = w.intent()
    queue = w.c.create_event_queue(intent_id=i.id)
    queue.start()
    try:
        return queue.get(timeout=20).type == "connected"
    finally:
        queue.stop()


def set_governance_policy(w):
    i = w.intent()
    policy = {"require_status_reason": True}
    return w.c.set_governance_policy(i.id, i.version, policy).id == i.id


def get_governance_policy(w):
    return w.c.get_governance_policy(w.intent().id)["effective_policy"]


def remove_governance_policy(w):
    i = w.intent()
    i = w.sync.set_governance_policy(i.id, i.version, {})
    return w.c.remove_governance_policy(i.id, i.version).id == i.id


def approval(w):
    i = w.intent()
    return i.id, w.sync.request_approval(i.id, "deploy", "x").id


def resolve_escalation(w):
    made = w.sync.escalate_to_human(w.intent().id, "x")
    return w.people.resolve_escalation(made.id, "Go on.").id == made.id


def list_escalations(w):
    i = w.intent()
    made = w.sync.escalate_to_human(i.id, "x")
    return [e.id for e in w.c.list_escalations(intent_id=i.id)] == [made.id]


def get_decisions(w):
    i = w.intent()
    made = w.sync.record_decision(i.id, "scope", "less", "x")
    return [d.id for d in w.c.get_decisions(i.id)] == [made.id]


def get_portfolio_intents(w):
    i = w.intent()
    found, _ = w.c.get_portfolio_intents(w.portfolio(i).id)
    return [one.id for one in found] == [i.id]


def get_intent_portfolios(w):
    i = w.intent()
    p = w.portfolio(i)
    return [one.id for one in w.c.get_intent_portfolios(i.id)] == [p.id]


def remove_intent_from_portfolio(w):
    i = w.intent()
    p = w.portfolio(i)
    w.c.remove_intent_from_portfolio(p.id, i.id)
    return w.sync.get_intent_portfolios(i.id) == []


def update_task(w):
    one = w.sync.create_task(w.intent().id, "x")
    return w.c.update_task(one.id, one.version, "running").version == 2


def list_tasks(w):
    i = w.intent()
    one = w.sync.create_task(i.id, "x")
    return [t.id for t in w.c.list_tasks(i.id)] == [one.id]


def list_plans(w):
    i = w.intent()
    one = w.sync.create_plan(i.id)
    return [p.id for p in w.c.list_plans(i.id)] == [one.id]


def update_plan(w):
    one = w.sync.create_plan(w.intent().id)
    return w.c.update_plan(one.id, one.version, state="active").version == 2


def list_coordinator_leases(w):
    i = w.intent()
    one = w.coordinator(i)
    return [c.id for c in w.c.list_coordinator_leases(i.id)] == [one.id]


def coordinator_heartbeat(w):
    one = w.coordinator(w.intent())
    return w.c.coordinator_heartbeat(one.id)["status"] == "ok"


def decision_record(w):
    i = w.intent()
    return i, [w.coordinator(i).id, i.id, DecisionType.PLAN_CREATED, "x", "y"]


def list_decision_records(w):
    i, given = decision_record(w)
    w.sync.create_decision_record(*given)
    return len(w.c.list_decision_records(i.id)) == 1


def get_costs(w):
    i = w.intent()
    w.sync.record_cost(i.id, "api", 3, "tokens")
    return [c.amount for c in w.c.get_costs(i.id)[0]] == [3]


FILE = ("a.pdf", "application/pdf", 3, "https://files.invalid/a.pdf")


def get_attachments(w):
    i = w.intent()
    one = w.sync.add_attachment(i.id, *FILE)
    return [a.id for a in w.c.get_attachments(i.id)] == [one.id]


def delete_attachment(w):
    i = w.intent()
    w.c.delete_attachment(i.id, w.sync.add_attachment(i.id, *FILE).id)
    return w.sync.get_attachments(i.id) == []


def get_retry_policy(w):
    i = w.intent()
    w.sync.set_retry_policy(i.id)
    return w.c.get_retry_policy(i.id).strategy == RetryStrategy.EXPONENTIAL


def add_attachment(w):
    given = {"filename": FILE[0], "mime_type": FILE[1], "size": FILE[2],
             "storage_url": FILE[3]}
    # The async client has other names for the same.
    takes = inspect.signature(w.c.add_attachment if not isinstance(
        w.c, Blocking) else w.c.client.add_attachment).parameters
    other = {"content_type": FILE[1], "size_bytes": FILE[2], "url": FILE[3]}
    given = {k: v for k, v in {**given, **other}.items() if k in takes}
    return w.c.add_attachment(w.intent().id, **given).filename == FILE[0]


def record_failure(w):
    i = w.intent()
    takes = inspect.signature(w.c.record_failure if not isinstance(
        w.c, Blocking) else w.c.client.record_failure).parameters
    given = {"attempt_number": 1, "error_code": "X", "error_type": "X",
             "error_message": "y"}
    made = w.c.record_failure(i.id, **{k: v for k, v in given.items()
                                       if k in takes})
    return [f.id for f in w.sync.get_failures(i.id)] == [made.id]


def get_failures(w):
    return w.c.get_failures(w.intent().id) == []


def close(w):
    kind = "async" if isinstance(w.c, Blocking) else "sync"
    return w.client(kind, access(w.server, "refunds-agent")).close() is None


def revoke_access(w):
    i = w.intent()
    entry = w.sync.grant_access(i.id, "second")
    w.c.revoke_access(i.id, entry.id)
    return len(w.sync.get_acl(i.id).entries) == 1


def asked_access(w):
    """The intent, and the request of an agent with a key of its own."""
    i = w.intent()
    key = w.server.key("agent", "--agent", "stranger")
    stranger = w.client("sync", {**access(w.server, "stranger"),
                                 "api_key": key})
    with contextlib.closing(stranger):
        return i.id, stranger.request_access(i.id, "stranger").id


def logged(w):
    """The only checkpoint of an intent that has ended, and its events."""
    i = w.intent()
    w.sync.set_status(i.id, i.version, IntentStatus.ABANDONED)
    for _ in range(200):
        if found := w.sync.list_checkpoints(intent_id=i.id):
            return found[0], w.sync.get_events(i.id)
        time.sleep(0.05)
    raise AssertionError("no checkpoint")


def list_checkpoints(w):
    one, events = logged(w)
    listed = w.c.list_checkpoints(intent_id=one.intent_id)
    return [(c.checkpoint_id, c.event_count) for c in listed] == \
        [(one.checkpoint_id, len(events))]


def get_checkpoint(w):
    one, _ = logged(w)
    return w.c.get_checkpoint(one.checkpoint_id).to_dict() == one.to_dict()


def get_merkle_proof(w):
    one, events = logged(w)
    return all(w.c.get_merkle_proof(one.checkpoint_id, e.id).verify()
               for e in events)


def verify_consistency(w):
    one, _ = logged(w)
    other, _ = logged(w)
    return w.c.verify_consistency(
        one.checkpoint_id, one.checkpoint_id).consistent and \
        not w.c.verify_consistency(
            one.checkpoint_id, other.checkpoint_id).consistent


def list_access_requests(w):
    i, one = asked_access(w)
    return [r.id for r in w.c.list_access_requests(i)] == [one]


WORKS = {
    f.__name__: f for f in (
        create_intent, update_state, set_status, get_children,
        get_descendants, get_ancestors, get_ready_intents,
        get_blocked_intents, get_intent_graph, get_dependencies,
        get_dependents, add_dependency, remove_dependency, log_event,
        get_events, renew_lease, release_lease, get_leases, lease,
        unassign_agent, get_subscriptions, unsubscribe, create_event_queue,
        set_governance_policy, get_governance_policy,
        remove_governance_policy, resolve_escalation, list_escalations,
        get_decisions, get_portfolio_intents, get_intent_portfolios,
        remove_intent_from_portfolio, update_task, list_tasks, list_plans,
        update_plan, list_coordinator_leases, coordinator_heartbeat,
        list_decision_records, get_costs, get_attachments, delete_attachment,
        get_retry_policy, add_attachment, record_failure, get_failures,
        revoke_access, list_access_requests, list_checkpoints, get_checkpoint,
        get_merkle_proof, verify_consistency, close)}
WORKS |= {name: helper(name) for name in HELPERS}
WORKS |= {
    "discover": lambda w: w.c.discover()["protocol"] == "openintent",
    "get_server_config": lambda w: w.c.get_server_config()["suspension"],
    "get_intent": lambda w: w.c.get_intent(w.intent().id).title == "Refund",
    "list_intents": lambda w: w.intent() and w.c.list_intents(limit=1),
    "create_child_intent": lambda w: w.c.create_child_intent(
        w.intent().id, "Below").parent_intent_id,
    "verify_event_chain": lambda w: w.c.verify_event_chain(
        w.intent().id).valid,
    "acquire_lease": lambda w: w.c.acquire_lease(w.intent().id, "x").id,
    "assign_agent": lambda w: w.c.assign_agent(w.intent().id,
                                               "refunds-agent"),
    "subscribe": lambda w: w.c.subscribe(
        intent_id=w.intent().id, webhook_url=w.hook(),
        event_types=["status_changed"]).id,
    "subscribe_sse": lambda w: first_frame(
        w.c.subscribe_sse(w.intent().id)).type == "connected",
    "subscribe_agent": lambda w: first_frame(
        w.c.subscribe_agent("refunds-agent")).type == "connected",
    "subscribe_portfolio": lambda w: first_frame(
        w.c.subscribe_portfolio(w.portfolio().id)).type == "connected",
    "request_approval": lambda w: w.c.request_approval(
        w.intent().id, "deploy", "x").status == "pending",
    "get_approval_status": lambda w: w.c.get_approval_status(
        *approval(w)).status == "pending",
    "approve_approval": lambda w: w.people.approve_approval(
        *approval(w))["status"] == "approved",
    "deny_approval": lambda w: w.people.deny_approval(
        *approval(w))["status"] == "denied",
    "escalate_to_human": lambda w: w.c.escalate_to_human(
        w.intent().id, "x").id,
    "request_arbitration": lambda w: w.c.request_arbitration(
        w.intent().id, "x", {"a": 1}).id,
    "record_decision": lambda w: w.c.record_decision(
        w.intent().id, "scope", "less", "x").outcome == "less",
    "create_portfolio": lambda w: w.c.create_portfolio("x").name == "x",
    "get_portfolio": lambda w: w.c.get_portfolio(w.portfolio().id).id,
    "list_portfolios": lambda w: w.portfolio() and w.c.list_portfolios(
        created_by="refunds-agent"),
    "update_portfolio_status": lambda w: w.c.update_portfolio_status(
        w.portfolio().id,
        PortfolioStatus.ABANDONED).status == PortfolioStatus.ABANDONED,
    "add_intent_to_portfolio": lambda w: w.c.add_intent_to_portfolio(
        w.portfolio().id, w.intent().id,
        MembershipRole.PRIMARY).role == MembershipRole.PRIMARY,
    "create_task": lambda w: w.c.create_task(w.intent().id, "x").name == "x",
    "get_task": lambda w: w.c.get_task(
        w.sync.create_task(w.intent().id, "x").id).name == "x",
    "create_plan": lambda w: w.c.create_plan(w.intent().id).version == 1,
    "get_plan": lambda w: w.c.get_plan(
        w.sync.create_plan(w.intent().id).id).version == 1,
    "create_coordinator_lease": lambda w: w.c.create_coordinator_lease(
        "refunds-agent", w.intent().id).status.value == "active",
    "get_coordinator_lease": lambda w: w.c.get_coordinator_lease(
        w.coordinator(w.intent()).id).agent_id == "refunds-agent",
    "create_decision_record": lambda w: w.c.create_decision_record(
        *decision_record(w)[1])["summary"] == "x",
    "record_cost": lambda w: w.c.record_cost(
        w.intent().id, "api", 3, "tokens").amount == 3,
    "set_retry_policy": lambda w: w.c.set_retry_policy(
        w.intent().id, RetryStrategy.FIXED).strategy == RetryStrategy.FIXED,
    "get_acl": lambda w: [e.principal_id for e in w.c.get_acl(
        w.intent().id).entries] == ["refunds-agent"],
    "set_acl": lambda w: w.c.set_acl(
        w.intent().id, AccessPolicy.CLOSED,
        [{"principal_id": "second"}]).default_policy == AccessPolicy.CLOSED,
    "grant_access": lambda w: w.c.grant_access(
        w.intent().id, "second").permission.value == "read",
    "request_access": lambda w: w.c.request_access(
        w.intent().id, "second").status.value == "pending",
    "approve_access_request": lambda w: w.c.approve_access_request(
        *asked_access(w)).status.value == "approved",
    "deny_access_request": lambda w: w.c.deny_access_request(
        *asked_access(w)).status.value == "denied",
}


@pytest.fixture(scope="module")
def worlds(server, sync):
    both = {kind: World(server, kind, sync) for kind in KINDS}
    yield both
    for one in both.values():
        one.close()


def cases(state):
    return [pytest.param(kind, name, id=f"{name}-{kind}") for kind in KINDS
            for name in sorted(methods(kind))
            if (STATES.get(name) == "works") is state]


@pytest.mark.parametrize("kind, name", cases(True))
def test_S1_it_works(worlds, kind, name):
    assert WORKS[name](worlds[kind])


# They look at no answer.
SILENT = {"close_channel": "/api/v1/channels/x"}


@pytest.mark.parametrize("kind, name", cases(False))
def test_S1_it_is_501(worlds, server, kind, name):
    w = worlds[kind]
    plain = w.c.client if kind == "async" else w.c
    given = arguments(getattr(plain, name))
    if "intent_id" in given:
        given["intent_id"] = w.intent().id
    if "callback_url" in given:
        given["callback_url"] = server.url + "/api/v1/federation/receive"
    refuses = contextlib.nullcontext() if name in SILENT else \
        pytest.raises(OpenIntentError)
    with refuses as raised:
        getattr(w.c, name)(**given)
    if name in SILENT:
        with server.client("agent", agent="refunds-agent") as agent:
            body = agent.delete(SILENT[name]).json()
    else:
        assert raised.value.status_code == 501, raised.value
        body = raised.value.response
    assert body["code"] == "feature.unsupported"
    assert body["rfc"] == STATES[name]
