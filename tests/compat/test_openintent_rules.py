"""Rules of docs/openintent.md, through the SDK: those that no other test has.
test_openintent_page.py says which test holds which line."""
import concurrent.futures
import datetime
import socket
import time
import uuid

import kit
import pytest
from documents import rows
from openintent import EventType, IntentStatus, OpenIntentClient
from openintent.exceptions import NotFoundError, OpenIntentError
from openintent.models import AccessPolicy, Permission, RetryStrategy
from openintent.workflow import WorkflowSpec
from sdk import access
from test_every_method import STATES

ACTIVE, BLOCKED = IntentStatus.ACTIVE, IntentStatus.BLOCKED
COMPLETED, ABANDONED = IntentStatus.COMPLETED, IntentStatus.ABANDONED
SUSPENDED = IntentStatus.SUSPENDED_AWAITING_INPUT


@pytest.fixture(scope="module")
def own(server):
    """own(...) makes a client of an agent with a key of its own."""
    made = []

    def make(*options):
        name = f"own-{uuid.uuid4().hex[:8]}"
        made.append(OpenIntentClient(**{
            **access(server, name),
            "api_key": server.key("agent", "--agent", name, *options)}))
        return made[-1]

    yield make
    for client in made:
        client.close()


def refusal(call, status, code):
    """The body of the refusal."""
    with pytest.raises(OpenIntentError) as raised:
        call()
    said = raised.value
    assert (said.status_code, said.response["code"]) == (status, code)
    return said.response


def work(client, title="Refund", **more):
    made = client.create_intent(title, "x", **more)
    return client.set_status(made.id, made.version, ACTIVE)


def move(client, intent, status, **more):
    now = client.get_intent(intent.id)
    return client.set_status(now.id, now.version, status, **more)


def told(client, intent, kind):
    """The payloads of the events of this type, oldest first."""
    return [e.payload for e in reversed(client.get_events(intent.id,
                                                          limit=1000))
            if getattr(e.event_type, "value", e.event_type) == kind]


def call(client, method, path, status=200, **more):
    """A call that the SDK does not have, or has only a part of."""
    return kit.made(client._client.request(method, f"/api/v1/{path}", **more),
                    status)


# --- What it lists ---------------------------------------------------------

CAPABILITIES = {
    "intents": "create_intent", "graph": "get_intent_graph",
    "events": "log_event", "event_chain": "verify_event_chain",
    "streams": "subscribe_sse", "leases": "acquire_lease",
    "assignments": "assign_agent", "subscriptions": "subscribe",
    "suspension": "get_server_config", "governance": "set_governance_policy",
    "approvals": "request_approval", "escalations": "escalate_to_human",
    "arbitration": "request_arbitration", "decisions": "record_decision",
    "portfolios": "create_portfolio", "tasks": "create_task",
    "plans": "create_plan", "coordinators": "create_coordinator_lease",
    "decision_records": "create_decision_record", "costs": "record_cost",
    "attachments": "add_attachment", "retry_policy": "set_retry_policy",
    "failures": "record_failure", "acl": "set_acl",
    "access_requests": "request_access"}


def test_discover_lists_what_works(client):
    found = client.discover()
    assert found["protocol_version"] == "0.17.0"
    assert set(found["capabilities"]) == set(CAPABILITIES)
    assert {STATES[name] for name in CAPABILITIES.values()} == {"works"}


# --- Graphs ----------------------------------------------------------------

def test_twenty_are_named_that_are_in_the_way(sync, intent):
    below = {sync.create_child_intent(intent.id, f"Step {n}").id
             for n in range(21)}
    said = refusal(lambda: move(sync, intent, COMPLETED), 409,
                   "intent.children_open")
    assert len(set(said["detail"]["open"])) == 20
    assert set(said["detail"]["open"]) < below


def test_an_abandoned_dependency_is_taken_away(sync, intent):
    first = work(sync)
    now = sync.add_dependency(intent.id, first.id, intent.version)
    move(sync, first, ABANDONED)
    assert sync.get_intent(intent.id).status is BLOCKED
    refusal(lambda: move(sync, intent, ACTIVE), 409,
            "intent.dependencies_open")
    now = sync.remove_dependency(intent.id, first.id, now.version)
    assert now.status is ACTIVE
    assert move(sync, intent, COMPLETED).status is COMPLETED


def test_what_adds_up_is_what_the_caller_reaches(sync, own, intent):
    reader = own()
    one, two = (sync.create_child_intent(intent.id, "Step") for _ in range(2))
    for seen in (intent, one):
        sync.grant_access(seen.id, reader.agent_id)
    sync.set_acl(two.id, AccessPolicy.CLOSED, [])
    for client, total in ((sync, 2), (reader, 1)):
        for part in ("children", "graph"):
            found = call(client, "GET", f"intents/{intent.id}/{part}")
            assert found["aggregate_status"]["total"] == total, part


# --- Requests to people ----------------------------------------------------

def test_a_request_is_waited_for_and_taken_back(sync, person, intent):
    one, two = (sync.request_approval(intent.id, "deploy", "x")
                for _ in range(2))
    before = sync.get_intent(intent.id)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        waits = pool.submit(call, sync, "GET", f"suspensions/{one.id}?wait=55",
                            timeout=60)
        person.approve_approval(intent.id, one.id)
        assert waits.result()["value"] == "approve"
    back = call(sync, "POST", f"suspensions/{two.id}/cancel", json={})
    assert back["state"] == "cancelled"
    assert sync.get_intent(intent.id) == before


def test_requests_end_with_their_intent(sync, intent):
    approval = sync.request_approval(intent.id, "deploy", "x")
    sync.escalate_to_human(intent.id, "x")
    arbitration = sync.request_arbitration(intent.id, "x", {})
    move(sync, intent, COMPLETED)
    assert sync.get_approval_status(intent.id,
                                    approval.id).status == "expired"
    listed = call(sync, "GET", f"escalations?intent_id={intent.id}")
    assert [e["status"] for e in listed["escalations"]] == ["expired"]
    end = call(sync, "GET", f"suspensions/{arbitration.id}")
    assert end["state"] == "cancelled"


def test_names_are_kept_as_claimed(sync, person, intent):
    at = f"intents/{intent.id}"
    asked = call(sync, "POST", f"{at}/approvals", 201, json={
        "action": "deploy", "reason": "x", "requested_by": "a deployer"})
    assert asked["requested_by"] == "a deployer"
    raised = call(sync, "POST", f"{at}/escalations", 201, json={
        "reason": "x", "escalated_by": "a payer"})
    assert raised["escalated_by"] == "a payer"
    done = call(person, "POST", f"escalations/{raised['id']}/resolve", json={
        "resolution": "Wait.", "resolved_by": "Pia"})
    answer = call(person, "GET", f"suspensions/{raised['id']}")
    assert answer["responded_by_claimed"] == "Pia"
    assert done["resolved_by"] == answer["responded_by"] != "Pia"


# --- Governance ------------------------------------------------------------

def test_a_refusal_is_told_once(sync, rival, intent):
    """For each agent, rule and version."""
    def tries(status):
        for client in (sync, sync, rival):
            said = refusal(lambda: move(client, intent, status), 403,
                           "governance.violation")
        return said["detail"]["rule"], [
            v["rule"] for v in told(sync, intent, "governance.violation")]

    sync.set_governance_policy(intent.id, intent.version, {
        "completion_mode": "require_approval", "require_status_reason": True})
    assert tries(BLOCKED) == ("require_status_reason",
                              ["require_status_reason"] * 2)
    now = sync.get_intent(intent.id)
    for client in (sync, rival):
        refusal(lambda: client.set_status(intent.id, now.version, COMPLETED,
                                          "Done."), 403,
                "governance.violation")
    assert [v["rule"] for v in told(sync, intent, "governance.violation")][
        2:] == ["completion_mode"] * 2
    sync.update_state(intent.id, now.version, {"a": 1})
    assert len(tries(BLOCKED)[1]) == 6


# --- Workflows -------------------------------------------------------------

WORKFLOW = """
openintent: "1.0"
info:
  name: Refund
workflow:
  look:
    title: Look at the case
    assign: refunds-agent
    outputs:
      found: string
  pay:
    title: Pay it
    assign: refunds-agent
    depends_on: [look]
    inputs:
      why: look.found
    outputs:
      paid: boolean
"""


def test_the_sdk_writes_what_a_step_needs_and_owes(sync):
    look, pay = WorkflowSpec.from_string(WORKFLOW).to_portfolio_spec().intents
    first = work(sync, look.title, initial_state=look.initial_state)
    then = sync.create_intent(pay.title, "x", initial_state=pay.initial_state,
                              depends_on=[first.id])
    assert refusal(lambda: sync.acquire_lease(then.id, "work"), 422,
                   "io.unresolvable")["detail"]["unresolvable_refs"] == [
        "look.found"]
    refusal(lambda: move(sync, first, COMPLETED), 422, "io.missing_output")
    sync.update_state(first.id, first.version, {"found": "It is broken."})
    move(sync, first, COMPLETED)
    assert sync.acquire_lease(then.id, "work").id
    now = sync.update_state(then.id, then.version, {"paid": "yes"})
    now = sync.set_status(then.id, now.version, ACTIVE)
    refusal(lambda: move(sync, then, COMPLETED), 422, "io.type")
    sync.update_state(then.id, now.version, {"paid": True})
    assert move(sync, then, COMPLETED).status is COMPLETED


def test_a_hundred_inputs(sync):
    for n in (100, 101):
        step = sync.create_intent("Many", "x", initial_state={
            "v": 1, "_io_inputs": {f"i{i}": "$initial_state.v"
                                   for i in range(n)}})
        if n == 100:
            assert sync.acquire_lease(step.id, "work").id
        else:
            refusal(lambda: sync.acquire_lease(step.id, "work"), 422,
                    "io.unresolvable")


# --- Coordinators ----------------------------------------------------------

def test_a_draft_that_another_changes_is_left_out(server, sync, intent):
    sync.create_coordinator_lease(sync.agent_id, intent.id,
                                  suspension_policy="block_dependents")
    drafts = [sync.create_intent(
        "Later", "x", depends_on=[intent.id],
        initial_state={"_io_inputs": {"why": f"{intent.title}.found"}})
        for _ in range(2)]
    with server.database() as db, db.transaction():
        db.execute("SELECT FROM intent WHERE id = %s FOR UPDATE",
                   [drafts[0].id])
        asked = call(sync, "POST", "suspensions", 201, json={
            "intent_id": intent.id, "question": "Refund?",
            "response_type": "confirm"})
        assert asked["state"] == "pending"
    assert [sync.get_intent(one.id).status for one in drafts] == [
        IntentStatus.DRAFT, BLOCKED]


def test_a_guardrail_ends_with_its_coordinator(sync, intent):
    below = sync.create_child_intent(intent.id, "Below")
    leases = [sync.create_coordinator_lease(
        sync.agent_id, one.id, guardrails={"max_tasks_per_plan": n})
        for one, n in ((intent, 1), (below, 2))]
    tasks = [sync.create_task(below.id, "x").id for _ in range(3)]
    for lease, limit in zip(leases, (1, 2)):
        said = refusal(lambda: sync.create_plan(below.id, tasks), 403,
                       "guardrail.violation")
        assert said["detail"]["limit"] == limit
        call(sync, "DELETE", f"coordinators/{lease.id}")
    assert sync.create_plan(below.id, tasks).tasks == tasks


def test_what_an_agent_reports_of_a_task_needs_no_review(sync, intent):
    """Unlike what tells how to do it."""
    sync.create_coordinator_lease(sync.agent_id, intent.id, guardrails={
        "requires_replan_review": True})
    one, two = (sync.create_task(intent.id, "Collect") for _ in range(2))
    plan = sync.create_plan(intent.id, [one.id, two.id], state="active")
    one = sync.update_task(one.id, one.version, "running")

    def after(task, **body):
        now = sync.get_task(task.id).version
        call(sync, "PATCH", f"tasks/{task.id}", json=body,
             headers={"If-Match": str(now)})
        return sync.get_plan(plan.id).state.value

    for body in ({"output": {"rows": 3}}, {"artifacts": ["a.csv"]},
                 {"error": {"code": "late"}}, {"blocked_reason": "x"},
                 {"lease_id": str(uuid.uuid4())}, {"metadata": {"n": 1}}):
        assert after(one, **body) == "active", body
    assert after(two, input={"rows": 9}) == "paused"


# --- Records ---------------------------------------------------------------

def test_nothing_is_fetched_for_an_attachment(sync, intent):
    with socket.create_server(("127.0.0.1", 0)) as there:
        at = f"http://127.0.0.1:{there.getsockname()[1]}/a.pdf"
        made = sync.add_attachment(intent.id, "a.pdf", "application/pdf", 3,
                                   at)
        assert [a.storage_url for a in sync.get_attachments(intent.id)] == [at]
        sync.delete_attachment(intent.id, made.id)
        there.settimeout(0.5)
        with pytest.raises(TimeoutError):
            there.accept()


def fail(client, intent, **more):
    return call(client, "POST", f"intents/{intent.id}/failures", 201, json={
        "error_code": "TIMEOUT", "error_message": "x", **more})


@pytest.mark.parametrize("strategy, delays", [
    ("fixed", [60, 60, 60, 60]), ("linear", [60, 120, 180, 200]),
    ("exponential", [60, 120, 200, 200])])
def test_when_a_failure_is_tried_again(sync, intent, strategy, delays):
    sync.set_retry_policy(intent.id, RetryStrategy(strategy), 9, 60_000,
                          200_000, failure_threshold=9)
    found = []
    for _ in delays:
        one = fail(sync, intent)
        begun, due = (datetime.datetime.fromisoformat(one[name])
                      for name in ("created_at", "retry_scheduled_at"))
        found.append((due - begun).total_seconds())
        assert one["next"] == "retry"
    assert found == delays


@pytest.mark.parametrize("policy, failures", [
    ({"max_retries": 1}, [{}, {}]), ({"failure_threshold": 2}, [{}, {}]),
    ({}, [{"error_code": "BUDGET_EXCEEDED"}]),
    ({}, [{"error_code": "PERMISSION_DENIED"}]),
    ({}, [{"recoverable": False}])])
def test_when_the_tries_of_an_agent_are_used_up(sync, intent, policy,
                                                failures):
    sync.set_retry_policy(intent.id, **{
        "base_delay_ms": 60_000, "max_delay_ms": 60_000, "max_retries": 9,
        "failure_threshold": 9, **policy})
    said = [fail(sync, intent, **one)["next"] for one in failures]
    assert said == ["retry"] * (len(failures) - 1) + ["escalation"]
    assert len(sync.list_escalations(intent_id=intent.id)) == 1


def test_another_try_waits_while_the_intent_is_blocked(sync, intent):
    first = work(sync)
    sync.add_dependency(intent.id, first.id, intent.version)
    sync.set_retry_policy(intent.id, base_delay_ms=0, failure_threshold=9)
    assert fail(sync, intent)["next"] == "retry"
    time.sleep(1)
    assert told(sync, intent, "agent_assigned") == []
    move(sync, first, COMPLETED)
    kit.wait_for(lambda: told(sync, intent, "agent_assigned"))


# --- Access ----------------------------------------------------------------

def handed_over(sync, other, intent):
    """The other owns it, by a handoff, and is told to forget the rest."""
    sync.grant_access(intent.id, other.agent_id)
    asked = call(sync, "POST", "suspensions", 201, json={
        "intent_id": intent.id, "kind": "handoff_acceptance",
        "question": "Do you take it over?",
        "responder": {"mode": "agent", "who": other.agent_id},
        "subject": {"from": sync.agent_id, "to": other.agent_id,
                    "summary": "x", "reason": "x", "artifacts": [],
                    "evidence": []}})
    call(other, "POST", f"suspensions/{asked['suspension_id']}/respond",
         json={"value": "accept"})
    sync.set_acl(intent.id, AccessPolicy.OPEN, [])


def leased(sync, other, intent):
    """It has a lease from a time when it was assigned."""
    sync.assign_agent(intent.id, other.agent_id)
    other.acquire_lease(intent.id, "x", 3600)
    sync.unassign_agent(intent.id, other.agent_id)


def coordinates(sync, other, intent, person):
    call(person, "POST", "coordinators", 201, json={
        "intent_id": intent.id, "agent_id": other.agent_id})


TIES = {
    "made it, or owns it": lambda sync, other, i, _: handed_over(sync, other,
                                                                 i),
    "is assigned to it": lambda sync, other, i, _: sync.assign_agent(
        i.id, other.agent_id),
    "holds a lease on it, and has no entry": lambda sync, other, i, _: leased(
        sync, other, i),
    "is its coordinator": coordinates,
    "its key reaches everything": lambda *_: None,
    "any other agent": lambda *_: None}


def level(client, intent):
    """The access that the agent has there, by what it may do."""
    steps = [lambda: client.get_intent(intent.id),
             lambda: client.log_event(intent.id, EventType.COMMENT, {}),
             lambda: move(client, intent, BLOCKED)]
    for may, do in zip(("none", "read", "write"), steps):
        try:
            do()
        except NotFoundError as e:
            assert may == "none" and e.response["code"] == "intent.unknown"
            return may
        except OpenIntentError as e:
            assert (e.status_code, e.response["permission"]) == (403, may)
            return may
    return "admin"


TABLE = [row for row in rows("openintent.md", "Access") if row[0] in TIES]


def test_every_tie_of_the_table_is_made():
    listed = [row[0] for row in rows("openintent.md", "Access")]
    assert sorted(listed) == sorted([*TIES, "has an entry in its list"])


@pytest.mark.parametrize("shut", [False, True])
@pytest.mark.parametrize("tie, open_, closed", TABLE)
def test_a_tie_gives_what_the_table_says(sync, own, person, tie, open_,
                                         closed, shut):
    intent = work(sync)
    other = own(*["--reach", "all"] * (tie == "its key reaches everything"))
    TIES[tie](sync, other, intent, person)
    if shut:
        person.set_acl(intent.id, AccessPolicy.CLOSED, [])
    assert level(other, intent) == (closed if shut else open_)


@pytest.mark.parametrize("shut", list(AccessPolicy))
@pytest.mark.parametrize("permission", list(Permission))
def test_an_entry_gives_what_it_says(sync, own, permission, shut):
    intent, other = work(sync), own()
    sync.set_acl(intent.id, shut, [])
    sync.grant_access(intent.id, other.agent_id, permission=permission)
    assert level(other, intent) == permission.value


def test_who_made_it_is_an_admin(sync, own):
    for shut in AccessPolicy:
        maker = own()
        intent = work(maker)
        maker.set_acl(intent.id, shut, [])
        assert level(maker, intent) == "admin"


def test_an_agent_adds_what_it_owns_to_a_portfolio(sync, own, person):
    """Not what it is only assigned to."""
    other = own()
    mine = other.create_portfolio("Refunds")
    for tie in ("is assigned to it", "made it, or owns it"):
        intent = work(sync)
        TIES[tie](sync, other, intent, person)
        if tie.startswith("is"):
            refusal(lambda: other.add_intent_to_portfolio(mine.id, intent.id),
                    403, "portfolio.not_yours")
        else:
            other.add_intent_to_portfolio(mine.id, intent.id)


def test_a_request_for_access_offers_that_or_less(sync, own, person, intent):
    other = own()
    sync.set_acl(intent.id, AccessPolicy.CLOSED, [])
    asked = other.request_access(intent.id, other.agent_id,
                                 permission=Permission.WRITE)
    shown = call(person, "GET", f"suspensions/{asked.id}")
    labels = {c["value"]: c["label"] for c in shown["choices"]}
    assert set(labels) == {"read", "write", "deny"}
    assert (labels["read"], labels["write"]) == ("Read access", "Write access")
    person.approve_access_request(intent.id, asked.id,
                                  permission=Permission.READ)
    assert level(other, intent) == "read"


def test_a_request_for_access_is_waited_for(sync, own, intent):
    other = own()
    sync.set_acl(intent.id, AccessPolicy.CLOSED, [])
    asked = other.request_access(intent.id, other.agent_id)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        waits = pool.submit(call, other, "GET",
                            f"suspensions/{asked.id}?wait=55", timeout=60)
        sync.deny_access_request(intent.id, asked.id)
        assert waits.result()["outcome"] == "vetoed"


def test_who_has_access_already_gives_it_without_an_end(sync, own, person):
    """The owner, an assigned agent, and a key that reaches everything."""
    for tie in ("made it, or owns it", "is assigned to it",
                "its key reaches everything"):
        intent = work(sync)
        other = own(*["--reach", "all"] * tie.startswith("its key"))
        TIES[tie](sync, other, intent, person)
        given = other.grant_access(intent.id, "third-agent",
                                   permission=Permission.ADMIN)
        assert given.expires_at is None


def test_an_approval_sees_the_state_of_its_request(sync, person, intent):
    """Of the action `complete`; the state that counts is that of then."""
    now = sync.set_governance_policy(intent.id, intent.version, {
        "completion_mode": "require_approval"})
    now = sync.update_state(intent.id, now.version, {"paid": 5})
    asked = sync.request_approval(intent.id, "complete", "x")
    shown = call(person, "GET", f"suspensions/{asked.id}")
    assert shown["subject"] == {"state": {"paid": 5}}
    now = sync.update_state(intent.id, now.version, {"paid": 500})
    person.approve_approval(intent.id, asked.id)
    refusal(lambda: move(sync, intent, COMPLETED), 403,
            "governance.violation")
    sync.update_state(intent.id, now.version, {"paid": 5})
    assert move(sync, intent, COMPLETED).status is COMPLETED
