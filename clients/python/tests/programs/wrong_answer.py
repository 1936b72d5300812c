"""An answer has the members of the API, and no others."""

import sayso

answer = sayso.ask("x?", wait=1)
if not answer.vetoed:  # wrong: attr-defined
    pass
if answer.state == "done":  # wrong: comparison-overlap
    pass
why: str = answer.reason  # wrong: assignment
answer.raw["reason"] = "x"  # wrong: index
