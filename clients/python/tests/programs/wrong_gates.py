"""Mistakes with gates."""

from sayso.adk import gate
from sayso.crewai import approvals

gate("refund")  # wrong: arg-type
gate(tool=["refund"])  # wrong: call-arg
approvals(about="refund")  # wrong: arg-type
