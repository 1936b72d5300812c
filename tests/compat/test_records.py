"""Costs, attachments, failures, retry policies and access through the SDK. The
two clients send different bodies for the same method."""
import pytest
from openintent.exceptions import OpenIntentError
from openintent.models import AccessPolicy, Permission, RetryStrategy


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
    for call in (lambda: client.set_acl(intent.id),
                 lambda: client.grant_access(intent.id, "x"),
                 lambda: client.revoke_access(intent.id, "x"),
                 lambda: client.request_access(intent.id, "x"),
                 lambda: client.list_access_requests(intent.id),
                 lambda: client.approve_access_request(intent.id, "x"),
                 lambda: client.deny_access_request(intent.id, "x")):
        with pytest.raises(OpenIntentError) as raised:
            call()
        assert raised.value.status_code == 501
        assert raised.value.response["code"] == "feature.unsupported"
