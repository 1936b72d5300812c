"""One error for all, and one for each thing to do about it."""

import sayso
from sayso.testing import FakeServer, approve, deny

with FakeServer([approve, deny("Too much.")]) as server:
    try:
        server.client().ask("Deploy?")
    except sayso.Denied as no:
        answer: sayso.Answer = no.answer
        over: bool = no.over
    except sayso.Unreachable as away:
        seconds: float | None = away.retry_after
    except sayso.Conflict as conflict:
        first: str | None = conflict.suspension_id
    except sayso.ApiError as refused:
        status: int = refused.status
        where: str = refused.at
    except sayso.SaysoError as error:
        told: str | None = error.request_id
