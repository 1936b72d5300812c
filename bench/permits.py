"""Permits: an answer that grants one beside an answer that grants none."""
import json
import statistics

import machine
from deliveries import call

SUBJECT = {"action": {"name": "Refund"}, "target": "order 12345",
           "scope_summary": "One refund", "consequence": "Money leaves."}
DETAIL = {"tool": "shop.refund",
          "arguments": {"order": "12345", "currency": "EUR"},
          "constraints": {"amount": "50.00"}}
ANSWER = json.dumps({"value": "approve"})


def question(type_):
    """Equal in size; details of a platform's own type make no permit."""
    return json.dumps({
        "question": "Refund order 12345?", "kind": "approval",
        "severity": "low", "subject": {
            **SUBJECT, "authorization_details": [{"type": type_, **DETAIL}]}})


def answers(bench, ids):
    """Microseconds of processor, of all processes, for each answer."""
    before = sum(machine.seconds(bench.root).values())
    for id in ids:
        call(bench, bench.operator, f"/api/v1/suspensions/{id}/respond",
             ANSWER)
    return (sum(machine.seconds(bench.root).values()) - before) / len(
        ids) * 1e6


def measure(bench, n, rounds):
    """The same number of both in turn; the ratio is the median of those that
    the rounds have. Of the times the least counts: what else the machine does
    only adds to a round."""
    spent = {"tool_call": [], "tool_note": []}
    for r in range(rounds):
        for type_ in sorted(spent, reverse=r % 2 == 1):
            ids = [bench.ask(question(type_)) for _ in range(n)]
            spent[type_].append(answers(bench, ids))
    granted = int(bench.sql("SELECT count(*) FROM permit_row WHERE state = "
                            "'active'"))
    if granted != n * rounds:
        raise SystemExit(f"bench: {granted} permits of {n * rounds}")
    granting, plain = (min(spent[t]) for t in ("tool_call", "tool_note"))
    ratios = [g / p for g, p in zip(spent["tool_call"], spent["tool_note"])]
    return {"permits": {"answers": n * rounds, "granting": granting,
                        "plain": plain, "ratio": statistics.median(ratios)}}
