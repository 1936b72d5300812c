"""Costs, attachments, failures, retry policies and access through the SDK. The
two clients send different bodies for the same method."""
import contextlib
import datetime

import pytest
from openintent import EventType, OpenIntentClient
from openintent.exceptions import NotFoundError, OpenIntentError
from openintent.models import (AccessPolicy, AccessRequestStatus, Permission,
                               RetryStrategy)
from sdk import access


def test_S1_costs(client, intent):
    one = client.record_cost(intent.id, "tokens", 1200, "tokens", "x",
                             {"model": "y"})
    assert one.amount == 1200 and one.recorded_at and one.agent_id
    client.record_cost(intent.id, "compute", 3, "seconds")
    costs, summary = client.get_costs(intent.id)
    assert costs[0] == one and summary.total == 1203
    assert summary.by_type == {"tokens": 1200, "compute": 3}


def test_S1_attachments(client, intent):
    one = client.add_attachment(intent.id, "a.pdf", "application/pdf",
                                *((7, "s3://x/a") if hasattr(client, "lease")
                                  else ("s3://x/a", 7)))
    assert (one.size, one.storage_url) == (7, "s3://x/a")
    assert one.mime_type == "application/pdf" and one.created_at
    assert client.get_attachments(intent.id) == [one]
    assert client.delete_attachment(intent.id, one.id) is None
    assert client.get_attachments(intent.id) == []


def test_S1_a_retry_policy_and_failures(client, intent):
    assert client.get_retry_policy(intent.id) is None
    one = client.set_retry_policy(intent.id, RetryStrategy.LINEAR, 2)
    assert one.strategy is RetryStrategy.LINEAR and one.max_retries == 2
    assert one.created_at and one.updated_at
    assert client.get_retry_policy(intent.id) == one
    more = (1, "TIMEOUT") if hasattr(client, "lease") else ("TIMEOUT", "slow")
    failed = client.record_failure(intent.id, *more)
    assert (failed.attempt_number, failed.error_code) == (1, "TIMEOUT")
    assert failed.retry_scheduled_at > failed.created_at
    assert client.get_failures(intent.id) == [failed]


def test_S1_access(client, intent):
    acl = client.get_acl(intent.id)
    assert acl.default_policy is AccessPolicy.OPEN
    [maker] = acl.entries
    assert maker.principal_id == "refunds-agent"
    assert maker.permission is Permission.ADMIN
    # The list that was read can be set again: it closes, nobody is added.
    acl = client.set_acl(intent.id, AccessPolicy.CLOSED,
                         [e.to_dict() for e in acl.entries])
    assert acl.default_policy is AccessPolicy.CLOSED
    assert [e.principal_id for e in acl.entries] == ["refunds-agent"]
    until = datetime.datetime(2999, 1, 1)
    one = client.grant_access(intent.id, "second", permission=Permission.WRITE,
                              reason="to help", expires_at=until)
    assert (one.principal_id, one.permission, one.reason, one.expires_at) == (
        "second", Permission.WRITE, "to help", until)
    assert one.granted_by == "refunds-agent" and one.granted_at
    assert [e.id for e in client.get_acl(intent.id).entries] == [
        one.id, "refunds-agent"]
    client.revoke_access(intent.id, one.id)
    with pytest.raises(NotFoundError):
        client.revoke_access(intent.id, one.id)


def test_S1_a_request_for_access(server, client, intent):
    """Another agent, with a key of its own, asks; the maker decides."""
    key = server.key("agent", "--agent", "stranger")
    given = {**access(server, "stranger"), "api_key": key}
    with contextlib.closing(OpenIntentClient(**given)) as stranger:
        client.set_acl(intent.id, AccessPolicy.CLOSED)
        with pytest.raises(NotFoundError):
            stranger.get_intent(intent.id)
        for yes in (False, True):
            asked = stranger.request_access(
                intent.id, "stranger", permission=Permission.WRITE,
                reason="I can help.", capabilities=["sql"])
            assert asked.status is AccessRequestStatus.PENDING
            [listed] = [r for r in client.list_access_requests(intent.id)
                        if r.status is AccessRequestStatus.PENDING]
            assert listed == asked and listed.capabilities == ["sql"]
            if yes:
                done = client.approve_access_request(
                    intent.id, asked.id, Permission.READ, reason="read it")
            else:
                done = client.deny_access_request(intent.id, asked.id, "no")
                with pytest.raises(NotFoundError):
                    stranger.get_intent(intent.id)
            assert done.status is (AccessRequestStatus.APPROVED if yes
                                   else AccessRequestStatus.DENIED)
            assert done.decided_by == "refunds-agent" and done.decided_at
        assert stranger.get_intent(intent.id).id == intent.id
        with pytest.raises(OpenIntentError) as refused:
            stranger.log_event(intent.id, EventType.COMMENT, {})
        assert refused.value.status_code == 403
        assert refused.value.response["code"] == "access.denied"
