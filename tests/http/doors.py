"""A question for each door that takes an answer: asked now, answered later.
Each function asks as the agent and returns the call of an operator that says
yes to it, or no, with more members in its body; and the question's id."""
from kit import ask, at, made, new_intent, respond, suspend
from plans import gated, move

API = "/api/v1"


def native(agent, server):
    id_ = ask(agent)["suspension_id"]
    return id_, lambda who, **more: who.post(
        f"{API}/suspensions/{id_}/respond", json={"value": "approve", **more})


def openintent(agent, server):
    intent, id_ = suspend(agent)
    return id_, lambda who, **more: respond(who, intent, id_, "approve",
                                            **more)


def resume(agent, server):
    id_ = ask(agent)["suspension_id"]
    return id_, lambda who, **more: who.post(f"{API}/resume/{id_}", json={
        "action": "approve", **more})


def _beside(agent, path, **body):
    intent = new_intent(agent)
    return intent, made(agent.post(at(intent, path), json={
        "reason": "x", **body}))["id"]


def approve(agent, server, answer="approve"):
    intent, id_ = _beside(agent, "approvals", action="x")
    return id_, lambda who, **more: who.post(
        at(intent, "approvals", id_, answer), json=more)


def deny(agent, server):
    return approve(agent, server, "deny")


def escalation(agent, server):
    _, id_ = _beside(agent, "escalations")
    return id_, lambda who, **more: who.post(
        f"{API}/escalations/{id_}/resolve", json={"resolution": "x", **more})


def arbitration(agent, server):
    intent, id_ = _beside(agent, "arbitrate")
    return id_, lambda who, **more: who.post(at(intent, "decisions"), json={
        "decision_type": "arbitration", "arbitration_id": id_,
        "outcome": "x", "reasoning": "x", **more})


def access(agent, server, answer="approve"):
    intent = new_intent(agent)
    with server.client("agent", agent="other-agent") as other:
        id_ = made(other.post(at(intent, "access-requests"), json={
            "principal_id": "other-agent", "principal_type": "agent",
            "requested_permission": "read", "reason": "x"}))["id"]
    return id_, lambda who, **more: who.post(
        at(intent, "access-requests", id_, answer), json=more)


def no_access(agent, server):
    return access(agent, server, "deny")


def checkpoint(agent, server, answer="approve"):
    _, plan, first, _ = gated(agent)
    move(agent, first, "completed")
    pending = agent.get(f"{API}/suspensions", params={"state": "pending"})
    id_ = next(s["suspension_id"] for s in pending.json()["suspensions"]
               if s["context"].get("plan_id") == plan["id"])
    return id_, lambda who, **more: who.post(
        f"{API}/plans/{plan['id']}/checkpoints/cp-1/{answer}", json=more)


def no_checkpoint(agent, server):
    return checkpoint(agent, server, "reject")


def script(agent, server):
    """A test key answers what it asked itself."""
    key = server.key("agent", "--agent", "tested", "--test")
    with server.client(headers={"X-API-Key": key}) as tester:
        id_ = ask(tester)["suspension_id"]

    def call(who, **more):
        with server.client(headers={"X-API-Key": key}) as tester:
            return tester.post(f"{API}/test/answer", json={
                "suspension_id": id_, "value": "approve", **more})
    return id_, call


DOORS = {one.__name__: one for one in (
    native, openintent, resume, approve, deny, escalation, arbitration,
    access, no_access, checkpoint, no_checkpoint, script)}
