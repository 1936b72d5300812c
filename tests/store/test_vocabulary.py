"""The words of the vocabularies are those that the database accepts: no more,
and no fewer. tests/openapi holds the API's description against them."""
import re

import pytest
from vocabulary import OUTCOMES, kinds, table

# The columns whose words a constraint of the database names.
COLUMNS = {
    "intent.status": table("intent_status"),
    "suspension.kind": kinds(),
    "suspension.response_type": table("answer_type"),
    "suspension.severity": table("severity"),
    "suspension.fallback_policy": table("fallback_policy"),
    "suspension.on_reject": table("on_reject"),
    "suspension.responder_mode": table("responder_mode"),
    "decision.state": set(table("suspension_state")) - {"pending"},
    "decision.outcome": OUTCOMES,
    "decision.via": table("via"),
    "lease.status": table("lease_status"),
    "task.status": table("task_status"),
    "task.hold": table("task_hold"),
    "plan.state": table("plan_state"),
    "plan.paused_reason": table("plan_pause"),
    "plan.on_failure": table("plan_failure"),
    "plan_checkpoint.status": table("checkpoint_status"),
    "plan_checkpoint.on_timeout": table("checkpoint_timeout"),
    "plan_checkpoint.on_reject": table("checkpoint_reject"),
    "plan_checkpoint.severity": table("severity"),
    "endpoint.kind": table("endpoint_kind"),
    "endpoint.detail": table("channel_detail"),
    "delivery.state": table("delivery_state"),
    "api_key.severity_floor": table("severity"),
    "portfolio.status": table("portfolio_status"),
    "portfolio_member.role": table("member_role"),
    "failure_policy.strategy": table("failure_strategy"),
    "intent_failure.next": table("failure_next"),
    "coordinator.type": table("coordinator_type"),
    "coordinator.suspension_policy": table("coordinator_policy"),
}


def in_function(db, of, name):
    """The words of the column in the function that checks the table's rows."""
    return [re.findall(r"'(\w+)'", words) for (body,) in db.execute(
                "SELECT prosrc FROM pg_proc WHERE proname = %s",
                [f"{of}_fits"])
            for words in re.findall(r"(?:AND|RETURN) %s IN \(([^)]*)\)" % name,
                                    body)]


@pytest.mark.parametrize("column", COLUMNS)
def test_a_column_takes_these_words(superuser, column):
    of, name = column.split(".")
    checks = [d for (d,) in superuser.execute(
        "SELECT pg_get_constraintdef(oid) FROM pg_constraint "
        "WHERE conrelid = %s::regclass AND contype = 'c'", [of])]
    of_column = [re.findall(r"'(\w+)'::text", d) for d in checks
                 if re.match(r"CHECK \(\(%s = ANY" % name, d)]
    of_column += in_function(superuser, of, name)
    assert len(of_column) == 1, checks
    assert set(of_column[0]) == set(COLUMNS[column])
