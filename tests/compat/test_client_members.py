"""clients/members.json: the public members that both packages have, by their
names in Python. Each package is compared with it."""
import inspect
import json

import pytest
from programs import CLIENTS, load_python

sayso = load_python()
testing = load_python("testing")
_types = load_python("_types")
MEMBERS = json.loads((CLIENTS / "members.json").read_text())

ANSWER = sayso.Answer({"suspension_id": "1", "state": "expired"})
ERRORS = [sayso.SaysoError("x"), sayso.ConfigurationError("x"),
          sayso.Unreachable("x"), sayso.InvalidSignature("x"),
          sayso.Denied(ANSWER), *(kind(400, {}) for kind in (
              sayso.ApiError, sayso.InvalidRequest, sayso.Unauthenticated,
              sayso.Forbidden, sayso.NotFound, sayso.Conflict,
              sayso.ServerError))]


def public(one):
    return {name for name in dir(one) if not name.startswith("_")}


def blocking(names):
    """Without the twins for asyncio."""
    twins = {f"a{name}" for name in names} | {"async_http_client"}
    assert all(f"a{name}" in names for name in (
        "ask", "cancel", "feed", "get", "list", "redeem", "use") if
        name in names)
    return set(names) - twins


def functions():
    return {name for name in public(sayso) if inspect.isfunction(
        one := getattr(sayso, name)) and (
            name in sayso.__all__ or one.__module__ == "sayso")}


def test_the_functions_of_the_module():
    assert blocking(functions()) | {"version"} == set(MEMBERS["module"])
    assert sayso.__version__


def test_the_client():
    client = sayso.Client("http://127.0.0.1:1", "x")
    options = inspect.signature(sayso.Client).parameters
    assert blocking(options) == set(MEMBERS["client_options"])
    own = public(client) - {"max_retries", "timeout"}
    assert blocking(own) == set(MEMBERS["client"])
    assert public(client.feed()) == set(MEMBERS["feed"])


@pytest.mark.parametrize("name", ["ask_options", "call_options",
                                  "approval_options"])
def test_the_options(name):
    words = "".join(word.title() for word in name.split("_"))
    question = set(_types.Question.__annotations__)
    assert question == set(MEMBERS["question"])
    assert set(getattr(sayso, words).__annotations__) - question == \
        set(MEMBERS[name])


def test_the_answer():
    assert public(ANSWER) == set(MEMBERS["answer"])


def test_the_errors():
    assert {type(one).__name__: sorted(public(one) - {
        "add_note", "args", "with_traceback"}) for one in ERRORS} == \
        MEMBERS["errors"]
    assert {name for name in sayso.__all__ if inspect.isclass(
        kind := getattr(sayso, name)) and issubclass(kind, Exception)} == \
        set(MEMBERS["errors"])


def test_the_servers_for_tests():
    here = {name for name in public(testing) if getattr(
        getattr(testing, name), "__module__", testing.__name__)
        == testing.__name__}
    assert {name for name in MEMBERS["testing"]} <= here
    fake = testing.FakeServer([])
    real = testing.RealServer([], "http://127.0.0.1:1", "x")
    for one in (fake, real):
        assert set(MEMBERS["servers"]) <= public(one)
    assert public(fake) ^ public(real) == {"agent"}
