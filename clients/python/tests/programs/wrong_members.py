"""Members that no question has, and values that no member has."""

import sayso

sayso.ask("x", severty="high")  # wrong: call-arg
sayso.ask("x", severity="hgh")  # wrong: arg-type
sayso.ask("x", timeout=3)  # wrong: call-arg
sayso.ask("x", timeout_seconds="3")  # wrong: arg-type
sayso.ask("x", choices=[{"label": "A"}])  # wrong: list-item
sayso.ask("x", context=[1])  # wrong: arg-type
sayso.ask()  # wrong: call-arg
