"""Asks, and reads what came back."""

import sayso

severities: list[sayso.Severity] = ["low", "high"]
question: sayso.Question = {"severity": severities[1], "title": "A refund"}
sayso.ask("Refund?", **question)
answer = sayso.ask(
    "Refund 50 EUR?",
    once="run-1:refund",
    wait=60,
    severity="high",
    choices=[
        {"value": "yes", "label": "Refund", "effect": "authorize"},
        {"value": "no", "label": "Keep", "effect": "veto"},
        "later",
    ],
    context={"order": "12345", "amount": 50},
    on_asked=lambda question: print(question.url),
)
yes: bool = answer.approved
why: str | None = answer.reason
page: str = answer.url
if answer.outcome == "authorized":
    sayso.use(answer, operation="run-1:refund")
