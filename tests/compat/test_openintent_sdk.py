"""Rules of docs/openintent.md as an agent on the SDK meets them. tests/http has
them in full."""
import datetime
import uuid

import kit
import pytest
from openintent import IntentStatus
from openintent.exceptions import NotFoundError
from openintent.models import (AccessPolicy, MembershipRole, Permission,
                               PortfolioStatus)
from test_openintent_rules import (ABANDONED, ACTIVE, BLOCKED, COMPLETED,
                                   SUSPENDED, call, fail, move, own,
                                   refusal, told, work)

assert own  # a fixture
DRAFT = IntentStatus.DRAFT


def ask(client, intent, **more):
    """The SDK's two calls; the id of the question."""
    now = client.get_intent(intent.id)
    now = client.set_status(now.id, now.version, SUSPENDED)
    record = {"id": str(uuid.uuid4()), "question": "Refund?",
              "response_type": "choice", "choices": [
                  {"value": "approve", "label": "Refund"},
                  {"value": "deny", "label": "Deny"}], **more}
    client.update_state(now.id, now.version, {"_suspension": record})
    return record["id"]


def answer(person, question, value, **more):
    return call(person, "POST", f"suspensions/{question}/respond",
                json={"value": value, **more})


# --- One question at both doors --------------------------------------------

def test_both_doors_show_the_same_question(sync, person, intent):
    mine = ask(sync, intent, context={"order": "12345"})
    seen = call(sync, "GET", f"suspensions/{mine}")
    assert (seen["question"], seen["context"]) == ("Refund?",
                                                   {"order": "12345"})
    answer(person, mine, "deny")
    assert sync.get_intent(intent.id).state.get("_suspension")[
        "response"] == "deny"


def test_an_ended_intent_gets_no_child(sync, intent):
    move(sync, intent, COMPLETED)
    refusal(lambda: sync.create_child_intent(intent.id, "Late"), 409,
            "parent.ended")


# --- Portfolios ------------------------------------------------------------

def test_members_and_what_they_add_up_to(sync, own):
    p = sync.create_portfolio("Returns", None, {
        "auto_complete_threshold": 60, "timeout_hours": 1, "colour": "red",
        "deadline": "2999-01-01T00:00:00"})
    low, high = work(sync), work(sync)
    for one, priority in ((low, 1), (high, 9)):
        sync.add_intent_to_portfolio(p.id, one.id, priority=priority)
        assert sync.get_intent(one.id) == one  # its version too
    seen = call(sync, "GET", f"portfolios/{p.id}")
    assert sorted(seen["enforced_policy"]) == [
        "auto_complete_threshold", "deadline", "timeout_hours"]
    assert seen["deadline"] < "2999"
    assert [m["intent_id"] for m in seen["members"]] == [high.id, low.id]
    assert [i.id for i in sync.get_portfolio_intents(p.id)[0]] == [high.id,
                                                                   low.id]
    reader = own()
    sync.grant_access(low.id, reader.agent_id)
    assert reader.get_portfolio(p.id).aggregate_status.total == 1
    for one, status, of_all in ((low, "active", "in_progress"),
                                (high, "completed", "completed")):
        move(sync, one, COMPLETED)
        seen = call(sync, "GET", f"portfolios/{p.id}")
        assert (seen["status"], seen["aggregate_status"]["status"]) == (
            status, of_all)


def test_when_a_portfolio_is_completed(sync, intent):
    strict, partial, loose = (sync.create_portfolio("x", None, policy) for
                              policy in ({}, {"allow_partial_completion": True},
                                         {"require_all_completed": False}))
    for p in (strict, partial, loose):
        sync.add_intent_to_portfolio(p.id, intent.id)

    def end(p):
        return sync.update_portfolio_status(p.id, PortfolioStatus.COMPLETED)

    for p in (strict, partial):
        refusal(lambda: end(p), 409, "portfolio.members_open")
    assert end(loose).status is PortfolioStatus.COMPLETED
    move(sync, intent, ABANDONED)
    refusal(lambda: end(strict), 409, "portfolio.members_open")
    assert end(partial).status is PortfolioStatus.COMPLETED


def test_one_primary_and_five_portfolios(sync, intent):
    six = [sync.create_portfolio("x") for _ in range(6)]
    other = work(sync)
    for p in six[:5]:
        sync.add_intent_to_portfolio(p.id, intent.id, MembershipRole.PRIMARY)
    refusal(lambda: sync.add_intent_to_portfolio(six[5].id, intent.id), 409,
            "portfolio.too_many")
    refusal(lambda: sync.add_intent_to_portfolio(
        six[0].id, other.id, MembershipRole.PRIMARY), 409,
        "portfolio.second_primary")


def test_each_portfolio_of_a_suspended_intent_is_told(sync, person, intent):
    two = [sync.create_portfolio("x") for _ in range(2)]
    for p in two:
        sync.add_intent_to_portfolio(p.id, intent.id)
    answer(person, ask(sync, intent), "deny")
    for kind in ("suspended", "resumed"):
        payloads = told(sync, intent, f"portfolio.member_{kind}")
        assert {x["portfolio_id"] for x in payloads} == {p.id for p in two}
    assert {x["resolution"] for x in payloads} == {"responded"}


# --- Governance ------------------------------------------------------------

def test_a_request_leaves_the_question_as_it_is(sync, person, intent):
    mine = ask(sync, intent)
    before = sync.get_intent(intent.id)
    asked = sync.request_approval(intent.id, "deploy", "x")
    person.approve_approval(intent.id, asked.id)
    assert sync.get_intent(intent.id) == before
    answer(person, mine, "deny")


def test_costs_up_to_the_policys(sync, person, intent):
    sync.set_governance_policy(intent.id, intent.version, {"max_cost": 10})
    sync.record_cost(intent.id, "api", 9.5, "EUR")
    said = refusal(lambda: sync.record_cost(intent.id, "api", 0.6, "EUR"), 403,
                   "governance.violation")
    assert said["detail"]["rule"] == "max_cost"
    assert person.record_cost(intent.id, "api", 5, "EUR").amount == 5


def test_what_a_policy_does_not_ask_for(sync, person, intent):
    """It is never looser by an agent, asks no reason of a question, does not
    count its record as a change of the state, and binds no person."""
    policy = {"completion_mode": "require_approval",
              "require_status_reason": True}
    other = work(sync)
    for one in (intent, other):
        now = sync.set_governance_policy(one.id, one.version, policy)
        refusal(lambda: sync.set_governance_policy(one.id, now.version, {}),
                403, "governance.tighten_only")
    asked = sync.request_approval(intent.id, "complete", "x")
    person.approve_approval(intent.id, asked.id)
    answer(person, ask(sync, intent), "deny")
    assert move(sync, intent, COMPLETED, reason="x").status is COMPLETED
    assert move(person, other, COMPLETED).status is COMPLETED


def test_a_quorum_of_agents(sync, own, person, intent):
    one, two = own(), own()
    sync.set_governance_policy(intent.id, intent.version, {
        "completion_mode": "quorum", "quorum_threshold": 1})
    for client in (one, two):
        sync.assign_agent(intent.id, client.agent_id)
    refusal(lambda: sync.unassign_agent(intent.id, two.agent_id), 403,
            "governance.violation")
    for client in (sync, one, one):
        asked = client.request_approval(intent.id, "complete", "x")
        person.approve_approval(intent.id, asked.id)
    refusal(lambda: move(sync, intent, COMPLETED), 403,
            "governance.violation")
    person.unassign_agent(intent.id, two.agent_id)
    assert move(sync, intent, COMPLETED).status is COMPLETED


# --- Workflows -------------------------------------------------------------

def test_an_upstream_that_is_suspended(sync, person):
    first = work(sync, "look")
    step = sync.create_intent("pay", "x", depends_on=[first.id],
                              initial_state={"_io_inputs": {"a": "look.a"}})
    mine = ask(sync, first, timeout_seconds=3600)
    found = refusal(lambda: sync.acquire_lease(step.id, "work"), 422,
                    "io.upstream_suspended")["detail"]
    assert found["suspended_intent_id"] == first.id
    assert found["expected_resume_at"]
    answer(person, mine, "approve")
    refusal(lambda: sync.acquire_lease(step.id, "work"), 422,
            "io.unresolvable")


def test_a_declaration_that_cannot_be_read(sync):
    step = work(sync, initial_state={"_io_inputs": 7})
    refusal(lambda: sync.acquire_lease(step.id, "work"), 422,
            "io.unresolvable")
    step = work(sync, initial_state={"_io_outputs": 7})
    refusal(lambda: move(sync, step, COMPLETED), 422, "io.type")


# --- Coordinators ----------------------------------------------------------

def test_a_coordinator_that_a_person_made(sync, own, person, intent):
    other = own()
    task = sync.create_task(intent.id, "Collect")
    task = sync.update_task(task.id, task.version, "running")
    with pytest.raises(NotFoundError):
        other.get_task(task.id)
    made = call(person, "POST", "coordinators", 201, json={
        "intent_id": intent.id, "agent_id": other.agent_id})
    assert made["heartbeat_interval_seconds"] == 60
    done = other.update_task(task.id, task.version, "completed")
    assert done.status.value == "completed"
    at = f"coordinators/{made['id']}"
    said = call(other, "DELETE", at, 403)
    assert said["code"] == "coordinator.not_yours"
    assert call(person, "DELETE", at)["status"] == "completed"
    with pytest.raises(NotFoundError):
        other.get_intent(intent.id)
    # Its terms are the person's too.
    call(person, "POST", "coordinators", 201, json={
        "intent_id": intent.id, "agent_id": sync.agent_id})
    refusal(lambda: sync.create_coordinator_lease(sync.agent_id, intent.id),
            403, "coordinator.not_yours")


def test_a_coordinator_of_a_portfolio(sync, own, person, intent):
    other, p = own(), sync.create_portfolio("x")
    sync.add_intent_to_portfolio(p.id, intent.id)
    body = {"portfolio_id": p.id, "agent_id": other.agent_id}
    refusal(lambda: other.get_portfolio(p.id), 404, "portfolio.unknown")
    call(other, "POST", "coordinators", 404, json=body)
    made = call(person, "POST", "coordinators", 201, json=body)
    assert other.get_portfolio(p.id).id == p.id
    assert other.get_portfolio_intents(p.id)[0] == []
    mine = work(other)
    other.add_intent_to_portfolio(p.id, mine.id)
    for client in (sync, other):
        refusal(lambda: client.update_portfolio_status(
            p.id, PortfolioStatus.ABANDONED), 403, "coordinator.not_yours")
    person.update_portfolio_status(p.id, PortfolioStatus.ABANDONED)
    assert call(person, "GET", f"coordinators/{made['id']}")[
        "status"] == "completed"


def test_a_coordinator_ends_with_its_intent(sync, intent):
    one = sync.create_coordinator_lease(sync.agent_id, intent.id)
    move(sync, intent, COMPLETED)
    assert sync.get_coordinator_lease(one.id).status.value == "completed"


@pytest.mark.parametrize("policy, after", [
    (None, DRAFT), ("isolate", DRAFT), ("block_dependents", BLOCKED),
    ("escalate", DRAFT)])
def test_the_policy_of_a_suspension(sync, person, intent, policy, after):
    more = {"suspension_policy": policy} if policy else {}
    sync.create_coordinator_lease(sync.agent_id, intent.id, **more)
    found = {"_io_inputs": {"why": f"{intent.title}.found"}}
    named = sync.create_intent("Named", "x", depends_on=[intent.id],
                               initial_state=found)
    free = sync.create_intent("Free", "x", depends_on=[intent.id])
    now = sync.set_status(intent.id, intent.version, SUSPENDED)
    assert told(sync, intent, "coordinator.stalled") == []
    mine = str(uuid.uuid4())
    sync.update_state(intent.id, now.version, {"_suspension": {
        "id": mine, "question": "Refund?", "response_type": "confirm"}})
    stalled = told(sync, intent, "coordinator.stalled")
    assert [s["suspension_id"] for s in stalled] == (
        [mine] if policy == "escalate" else [])
    assert sync.get_intent(named.id).status is after
    assert sync.get_intent(free.id).status is DRAFT
    answer(person, mine, "yes")
    move(sync, intent, COMPLETED)
    assert sync.get_intent(named.id).status is (
        ACTIVE if after is BLOCKED else DRAFT)


def guarded(client, intent, **guardrails):
    client.create_coordinator_lease(client.agent_id, intent.id,
                                    guardrails=guardrails)


def test_the_limits_of_tasks(sync, intent):
    guarded(sync, intent, max_tasks_per_plan=1, max_concurrent_tasks=1)
    one, two = (sync.create_task(intent.id, "x") for _ in range(2))
    for limit, do in (
            ("max_tasks_per_plan",
             lambda: sync.create_plan(intent.id, [one.id, two.id])),
            ("max_concurrent_tasks",
             lambda: sync.update_task(one.id, one.version, "running") and
             sync.update_task(two.id, two.version, "running"))):
        said = refusal(do, 403, "guardrail.violation")["detail"]
        assert (said["guardrail"], said["limit"]) == (limit, 1)


@pytest.mark.parametrize("value, state", [
    ("approve", "active"), ("request_changes", "draft"), ("reject", "failed")])
def test_a_plan_is_reviewed(sync, person, intent, value, state):
    guarded(sync, intent, requires_plan_review=True)
    task = sync.create_task(intent.id, "Collect")
    plan = sync.create_plan(intent.id, [task.id], state="active")
    seen = call(sync, "GET", f"plans/{plan.id}")
    assert (seen["state"], seen["paused_reason"]) == ("paused", "plan_review")
    refusal(lambda: sync.update_task(task.id, task.version, "running"), 409,
            "plan.awaiting_approval")
    answer(person, seen["review_suspension_id"], value, reason="Not so.")
    seen = call(sync, "GET", f"plans/{plan.id}")
    assert seen["state"] == state
    if value == "request_changes":
        assert seen["review_reason"] == "Not so."


def test_a_changed_plan_is_reviewed_again(sync, person, intent):
    guarded(sync, intent, requires_replan_review=True)
    one, two = (sync.create_task(intent.id, "x") for _ in range(2))
    plan = sync.create_plan(intent.id, [one.id], state="active")
    assert plan.state.value == "active"
    plan = sync.update_plan(plan.id, plan.version, tasks=[one.id, two.id])
    assert plan.state.value == "paused"
    answer(person, call(sync, "GET", f"plans/{plan.id}")[
        "review_suspension_id"], "approve")
    now = sync.get_task(one.id).version
    refusal(lambda: sync.update_task(one.id, now, "running",
                                     name="Delete all"), 409,
            "plan.awaiting_approval")
    sync.update_task(one.id, now, name="Delete all")
    assert sync.get_plan(plan.id).state.value == "paused"


def test_so_many_failures_are_one_escalation(sync, intent):
    guarded(sync, intent, auto_escalate_after_failures=2)
    task = sync.create_task(intent.id, "x", max_attempts=5)
    sync.create_plan(intent.id, [task.id], state="active")
    for n in (0, 1, 1):
        for status in ("running", "failed"):
            now = sync.get_task(task.id)
            task = sync.update_task(task.id, now.version, status)
        assert len(sync.list_escalations(intent_id=intent.id)) == n
        task = sync.update_task(task.id, task.version, "ready")


# --- Records ---------------------------------------------------------------

def test_a_record_is_of_the_agent_that_calls(sync, intent):
    cost = call(sync, "POST", f"intents/{intent.id}/costs", 201, json={
        "agent_id": "somebody", "cost_type": "x", "unit": "EUR",
        "amount": 0.1 + 0.2})
    assert (cost["agent_id"], cost["amount"]) == ("refunds-agent", 0.3)
    assert fail(sync, intent, agent_id="somebody")[
        "agent_id"] == "refunds-agent"


def test_the_fallback_agent_takes_over(sync, intent):
    sync.assign_agent(intent.id)
    lease = sync.acquire_lease(intent.id, "x")
    sync.set_retry_policy(intent.id, fallback_agent_id="ledger-agent")
    one = fail(sync, intent, error_code="PERMISSION_DENIED")
    assert one["next"] == "fallback"

    def given():
        return [p for p in told(sync, intent, "agent_assigned")
                if p.get("reason") == "fallback"]

    [payload] = kit.wait_for(given)
    assert payload == {"agent_id": "ledger-agent", "reason": "fallback",
                       "delegated_by": "refunds-agent", "last_error": "x"}
    assert [x.status.value for x in sync.get_leases(intent.id)
            if x.id == lease.id] == ["released"]


def test_a_fallback_agent_that_is_left_out(sync, intent):
    sync.set_retry_policy(intent.id, fallback_agent_id="ledger-agent")
    sync.set_governance_policy(intent.id, intent.version, {
        "allowed_agents": ["refunds-agent"]})
    one = fail(sync, intent, error_code="PERMISSION_DENIED")
    assert one["next"] == "escalation"
    assert len(sync.list_escalations(intent_id=intent.id)) == 1


# --- Access ----------------------------------------------------------------

def entry(name, permission="read", **more):
    return {"principal_id": name, "principal_type": "agent",
            "permission": permission, **more}


def test_the_list_of_access(sync, intent):
    sync.set_acl(intent.id, AccessPolicy.CLOSED, [entry("a"), entry("b")])
    changed = sync.grant_access(intent.id, "b", permission=Permission.WRITE)
    acl = call(sync, "GET", f"intents/{intent.id}/acl")
    found = {e["principal_id"]: (e["id"], e["permission"])
             for e in acl["entries"]}
    assert found["b"] == (changed.id, "write")
    assert found["refunds-agent"] == ("refunds-agent", "admin")  # a tie
    same = call(sync, "PUT", f"intents/{intent.id}/acl", json=acl)
    assert same == acl
    sync.set_acl(intent.id, AccessPolicy.OPEN, [entry("c"), entry("d")])
    gone = told(sync, intent, "access_revoked")[-1]
    given = told(sync, intent, "access_granted")[-1]
    for payload, names in ((gone, ["a", "b"]), (given, ["c", "d"])):
        assert [e["principal_id"] for e in payload["entries"]] == names
    assert given["default_policy"] == "open"
    assert "default_policy" not in gone
    sync.set_acl(intent.id, AccessPolicy.OPEN, [entry("c")])
    [last] = told(sync, intent, "access_revoked")[-1:]
    assert last["principal_id"] == "d" and "entries" not in last
    refusal(lambda: sync.grant_access(intent.id, "x", principal_type="user"),
            422, "acl.people")
    many = [entry(f"agent-{n}") for n in range(51)]
    refusal(lambda: sync.set_acl(intent.id, AccessPolicy.OPEN, many), 422,
            "acl.too_many")
    sync.set_acl(intent.id, AccessPolicy.OPEN, many[:50])
    refusal(lambda: sync.grant_access(intent.id, "agent-50"), 409,
            "acl.too_many")


def test_leases_go_with_the_entry(sync, own, intent):
    other = own()
    given = sync.grant_access(intent.id, other.agent_id,
                              permission=Permission.WRITE)
    lease = other.acquire_lease(intent.id, "x")
    sync.revoke_access(intent.id, given.id)
    [released] = told(sync, intent, "lease_released")
    assert (released["lease_id"], released["reason"]) == (lease.id,
                                                          "access_revoked")
    with pytest.raises(NotFoundError):
        other.get_intent(intent.id)


def test_what_a_guest_gives(sync, own, person, intent):
    guest = own()
    sync.set_acl(intent.id, AccessPolicy.CLOSED, [])
    end = datetime.datetime(2999, 1, 1)
    call(person, "POST", f"intents/{intent.id}/acl/entries", 201, json=entry(
        guest.agent_id, "admin", expires_at=end.isoformat()))
    refusal(lambda: guest.grant_access(intent.id, guest.agent_id), 403,
            "acl.own")
    refusal(lambda: guest.assign_agent(intent.id, "third-agent"), 403,
            "acl.longer")
    given = guest.grant_access(intent.id, "third-agent")
    assert given.expires_at == end
    refusal(lambda: guest.grant_access(
        intent.id, "third-agent", expires_at=end + datetime.timedelta(1)),
        403, "acl.longer")
    refusal(lambda: guest.set_acl(intent.id, AccessPolicy.OPEN, [
        entry(guest.agent_id, "admin", expires_at=end.isoformat())]), 403,
        "acl.longer")
    refusal(lambda: guest.create_child_intent(intent.id, "Below"), 403,
            "acl.longer")


def test_asking_is_a_part_of_writing(sync, own, person, intent):
    other, reader = own(), own()
    sync.set_acl(intent.id, AccessPolicy.CLOSED, [
        entry(other.agent_id, "write"), entry(reader.agent_id)])
    refusal(lambda: move(reader, intent, SUSPENDED), 403, "access.denied")
    refusal(lambda: move(other, intent, COMPLETED), 403, "access.denied")
    assert move(other, intent, SUSPENDED).status is SUSPENDED
    for client, there in ((reader, True), (own(), False)):
        assert (intent.id in {i.id for i in client.list_intents()}) == there
    assert move(person, intent, ACTIVE).status is ACTIVE


def test_how_many_ask_for_access(sync, own, intent):
    one, two, three = own(), own(), own()
    for client, n in ((one, 3), (two, 2)):
        for i in range(n):
            client.request_access(intent.id, f"{client.agent_id}-{i}")
    for client in (one, three):
        refusal(lambda: client.request_access(intent.id, "more"), 409,
                "access.too_many_requests")
    move(sync, intent, COMPLETED)
    assert {r.status.value for r in sync.list_access_requests(intent.id)} == {
        "denied"}


# --- Tasks, plans, checkpoints ---------------------------------------------

def test_tasks_end_with_their_intent(sync, intent):
    tasks = [sync.create_task(intent.id, "x") for _ in range(2)]
    plan = sync.create_plan(intent.id, [t.id for t in tasks], state="active",
                            conditions=[{"when": "never"}])
    assert call(sync, "GET", f"plans/{plan.id}")["conditions"] == [
        {"when": "never"}]
    move(sync, intent, ABANDONED)
    assert {sync.get_task(t.id).status.value for t in tasks} == {"cancelled"}
    [ended] = told(sync, intent, "task.cancelled")
    assert set(ended["task_ids"]) == {t.id for t in tasks}


def test_what_an_ended_task_was_about(sync, intent):
    task = sync.create_task(intent.id, "x")
    for status in ("running", "completed"):
        task = sync.update_task(task.id, task.version, status)
    for body in ({"name": "y"}, {"output": {"rows": 4}}):
        refusal(lambda: sync.update_task(task.id, task.version, **body), 409,
                "task.transition")
    assert sync.update_task(task.id, task.version,
                            metadata={"a": 1}).metadata == {"a": 1}


@pytest.mark.parametrize("how, state", [
    (None, "paused"), ("notify", "active")])
def test_a_task_that_fails_for_good(sync, intent, how, state):
    task = sync.create_task(intent.id, "x", max_attempts=1)
    more = {"on_failure": how} if how else {}
    plan = sync.create_plan(intent.id, [
        task.id, sync.create_task(intent.id, "y").id], state="active", **more)
    for status in ("running", "failed"):
        task = sync.update_task(task.id, task.version, status)
    assert sync.get_plan(plan.id).state.value == state
    assert len(sync.list_escalations(intent_id=intent.id)) == 1


def reached(sync, intent, **more):
    """A plan whose checkpoint waits, its first task and the question."""
    one, two = (sync.create_task(intent.id, "x") for _ in range(2))
    plan = sync.create_plan(intent.id, [one.id, two.id], state="active",
                            checkpoints=[{"id": "cp-1", "name": "Look",
                                          "after_task": one.id, **more}])
    for status in ("running", "completed"):
        one = sync.update_task(one.id, one.version, status)
    return plan, one, gate(sync, plan)["suspension_id"]


def gate(client, plan):
    return call(client, "GET", f"plans/{plan.id}")["checkpoints"][0]


def test_a_rejection_sends_the_task_back(sync, person, intent):
    plan, task, question = reached(sync, intent, on_reject="retry")
    answer(person, question, "reject")
    assert sync.get_plan(plan.id).state.value == "active"
    assert sync.get_task(task.id).status.value == "ready"
    assert gate(sync, plan)["status"] == "pending"


def test_approvers_have_to_be_known(sync, intent):
    task = sync.create_task(intent.id, "x")
    refusal(lambda: sync.create_plan(intent.id, [task.id], checkpoints=[
        {"name": "Look", "after_task": task.id, "approvers": ["nobody"]}]),
        422, "responder.nobody")


@pytest.mark.parametrize("value, state", [("approve", "active"),
                                          ("deny", "failed")])
def test_an_agent_words_its_checkpoint_itself(sync, person, intent, value,
                                              state):
    plan, _, before = reached(sync, intent)
    mine = ask(sync, intent, context={"checkpoint_id": "cp-1"})
    assert call(sync, "GET", f"suspensions/{before}")["state"] == "cancelled"
    assert gate(sync, plan)["suspension_id"] == mine
    answer(person, mine, value)
    assert sync.get_plan(plan.id).state.value == state


def test_other_words_stay_beside_the_servers(sync, person, intent):
    plan, _, before = reached(sync, intent)
    for more in ({"context": {"checkpoint_id": "other"}},
                 {"context": {"checkpoint_id": "cp-1"}, "choices": [
                     {"value": "go", "label": "Go"},
                     {"value": "no", "label": "No"}]}):
        answer(person, ask(sync, intent, **more),
               "approve" if "choices" not in more else "go")
        assert gate(sync, plan)["suspension_id"] == before
        assert gate(sync, plan)["status"] == "reached"


def test_a_body_approves_no_checkpoint(sync, intent):
    plan, task, question = reached(sync, intent)
    now = sync.get_plan(plan.id)
    sync.update_plan(plan.id, now.version, checkpoints=[
        {"id": "cp-1", "name": "Look", "after_task": task.id,
         "status": "approved", "approved_by": "me",
         "approved_at": "2026-01-01T00:00:00"}])
    seen = gate(sync, plan)
    assert (seen["status"], seen["approved_by"]) == ("reached", None)
    assert seen["suspension_id"] == question


def test_a_change_needs_the_version(sync, intent):
    task = sync.create_task(intent.id, "x")
    plan = sync.create_plan(intent.id, [task.id])
    for at, one in (("tasks", task), ("plans", plan)):
        call(sync, "PATCH", f"{at}/{one.id}", 428, json={"metadata": {}})
        said = call(sync, "PATCH", f"{at}/{one.id}", 409,
                    json={"metadata": {}}, headers={"If-Match": "7"})
        assert said["current_version"] == one.version
