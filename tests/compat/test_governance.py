"""Governance policies, approvals, escalations and arbitrations through the
SDK."""
import pytest
from openintent import IntentStatus
from openintent.exceptions import ConflictError, OpenIntentError


def test_S1_a_policy(client, person, intent):
    now = client.get_intent(intent.id)
    set_ = client.set_governance_policy(
        intent.id, now.version, {"completion_mode": "require_approval"})
    read = client.get_governance_policy(intent.id)
    assert read["effective_policy"]["completion_mode"] == "require_approval"
    with pytest.raises(OpenIntentError) as raised:
        client.set_status(intent.id, set_.version, IntentStatus.COMPLETED)
    assert raised.value.status_code == 403
    asked = client.request_approval(intent.id, "complete", "All is done.")
    person.approve_approval(intent.id, asked.id)
    done = client.set_status(intent.id, set_.version, IntentStatus.COMPLETED)
    assert done.status is IntentStatus.COMPLETED


def test_S1_a_policy_is_removed(client, person, intent):
    now = client.get_intent(intent.id)
    set_ = client.set_governance_policy(intent.id, now.version,
                                        {"write_scope": "assigned_only"})
    gone = person.remove_governance_policy(intent.id, set_.version)
    assert not gone.governance_policy


def test_S1_an_approval(client, person, intent):
    asked = client.request_approval(intent.id, "Please release",
                                    "The tests are green.", {"build": 7})
    assert (asked.intent_id, asked.action) == (intent.id, "Please release")
    with pytest.raises(OpenIntentError) as raised:
        client.approve_approval(intent.id, asked.id)
    assert raised.value.status_code == 403
    person.deny_approval(intent.id, asked.id)
    # The action has the word that the SDK takes for a lease.
    with pytest.raises(ConflictError):
        person.deny_approval(intent.id, asked.id)
    assert client.get_approval_status(intent.id, asked.id).status == "denied"


def test_S1_an_escalation(client, person, intent):
    asked = client.escalate_to_human(intent.id, "The bank does not answer.")
    assert [e.id for e in client.list_escalations(intent.id)] == [asked.id]
    done = person.resolve_escalation(asked.id, "Call them", "0800")
    assert done.id == asked.id


def test_S1_an_arbitration_and_decisions(client, person, intent):
    asked = client.request_arbitration(intent.id, "We differ.",
                                       {"options": [{"value": "pay"}]})
    assert asked.status == "pending"
    client.record_decision(intent.id, "routing", "queue-2", "It is shorter.")
    person.record_decision(intent.id, "arbitration", "pay", "It is broken.")
    assert [d.outcome for d in client.get_decisions(intent.id)] == [
        "queue-2", "pay"]
