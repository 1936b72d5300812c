"""The adapters of clients/: agents on real frameworks, with a model that is
none, have their calls approved by an operator."""
import os
import signal

import kit
import pytest
from asking import asked, decide
from programs import CREWAI, NEW_NODE, NODE, Program, load_python, python

ARGS = {"order": "12345", "amount": 50}


ITEMS = ("openai_items", "pydantic_items", "langchain_items")
# The kinds of agents; those whose calls a person may change; and those that
# ask for a call when the one before it has its answer.
PYTHON = ("langchain_batched", "langchain_per_call", "openai_agents",
          "pydantic_ai", "adk")
KINDS = (*PYTHON, "ai_text", "ai_stream", "ai_both", "langchain_js",
         "openai_agents_js")
EDITED = ("langchain_batched", "langchain_per_call", "langchain_js",
          "pydantic_ai", "adk")
# LangChain.js runs no call of a turn in which one is refused.
ALL_OR_NONE = ("langchain_js",)
IN_ORDER = (*PYTHON, "langchain_js", "openai_agents_js")
ONE_BY_ONE = ("ai_text", "ai_stream", "ai_both")
# Those in which a call is run only after a yes: with frameworks that stand in a
# directory of their own behind the @, and those whose tools are wrapped.
HELD = (*KINDS, "langchain_batched@langchain_old",
        "langchain_per_call@langchain_old", "ai_wrapped", "ai_generator",
        "ai6_wrapped", *(("crewai@crewai",) if CREWAI else ()))


@pytest.fixture(scope="module")
def agents(typescript):
    """A process for each kind, from its first use on."""
    running = {}

    def started(kind):
        name, _, beside = kind.partition("@")
        if beside or name in (*PYTHON, *ITEMS):
            return python("framework_agents", beside or "frameworks")
        return Program(NEW_NODE, typescript / "framework_agents.js")

    def of(kind):
        if kind in running and running[kind].busy():
            running.pop(kind).end()  # of a test that failed
        if kind not in running:
            running[kind] = started(kind)
        return running[kind]
    yield of
    for one in running.values():
        one.end()


class Case:
    """One agent, whose tool has a name of its own."""

    def __init__(self, server, agents, kind):
        self.tool = "refund_" + kit.new_id().replace("-", "_")
        self.text = f"Run {self.tool}?"
        self.kind = kind
        self.given = {
            "kind": kind.partition("@")[0], "url": server.url, "tool": self.tool,
            "key": server.env["SAYSO_AGENT_KEY"], "session": kit.new_id(),
            "calls": {"call_1": ARGS}, "wait": None, "about": {},
            "allowed": None, "ends": False, "changes": False}
        self.agents = agents

    def run(self, **more):
        return self.agents(self.kind).run(**{**self.given, **more})


@pytest.fixture(params=KINDS)
def case(request, server, agents):
    return Case(server, agents, request.param)


def not_run(got, *words):
    assert got["ran"] == [] and len(got["heard"]) == 1, got
    for word in words:
        assert word in got["heard"][0]


def test_it_runs_after_a_yes(case, operator):
    got = case.run(about={"severity": "low"})
    question = asked(operator, case.text)
    assert question["subject"]["calls"] == [{"tool": case.tool, "args": ARGS}]
    assert question["subject"]["target"] == "order 12345"
    decide(operator, case.text, "approve")
    got = got.result(60)
    assert got["ran"] == [ARGS]
    assert len(got["heard"]) == 1 and "refunded" in got["heard"][0]


def test_a_refusal_has_its_reason(case, operator):
    got = case.run()
    decide(operator, case.text, "reject", reason="It was refunded before.")
    not_run(got.result(60), "It was refunded before.")


def test_two_calls_are_two_questions(case, operator):
    """And each has its own answer."""
    other = {"order": "678", "amount": 7}
    got = case.run(calls={"call_1": ARGS, "call_2": other},
                   about={"question": f"{case.text} {{order}}"})
    if case.given["kind"] not in ONE_BY_ONE:
        asked(operator, f"{case.text} 678")
    decide(operator, f"{case.text} 12345", "reject", reason="Not this one.")
    decide(operator, f"{case.text} 678", "approve")
    got = got.result(60)
    assert "Not this one." in got["heard"][0]
    if case.kind in ALL_OR_NONE:
        assert got["ran"] == [] and len(got["heard"]) == 1
        return
    assert got["ran"] == [other] and "refunded" in got["heard"][1]


@pytest.mark.parametrize("kind", IN_ORDER)
def test_the_calls_of_a_turn_are_asked_in_their_order(server, agents, kind):
    """So that a script of replies is for them, and the inbox shows it."""
    testing = load_python("testing")
    calls = {f"call_{n}": {"order": str(n), "amount": n} for n in range(6)}
    script = [testing.deny("No.") if n % 2 else testing.approve
              for n in range(6)]
    with testing.FakeServer(script) as fake:
        got = Case(server, agents, kind).run(
            url=fake.url, key=fake.key, calls=calls).result(60)
    assert [one["subject"]["calls"][0]["args"] for one in fake.asked] == [
        *calls.values()]
    ran = () if kind in ALL_OR_NONE else (0, 2, 4)
    assert sorted(got["ran"], key=str) == [calls[f"call_{n}"] for n in ran]


def test_each_question_is_told_once(case, operator, admin):
    """`on_asked` is called once, whether it is answered or not."""
    other = {"order": "678", "amount": 7}
    got = case.run(calls={"call_1": ARGS, "call_2": other},
                   about={"question": f"{case.text} {{order}}"})
    ids = [decide(operator, f"{case.text} 12345", "approve")["suspension_id"],
           asked(operator, f"{case.text} 678")["suspension_id"]]
    r = admin.post(f"/api/v1/suspensions/{ids[1]}/cancel", json={})
    assert r.status_code == 200, r.text
    assert got.result(60)["told"] == ids


def test_silence_is_no_and_worded_so(case):
    got = case.run(about={"timeout_seconds": 1}).result(60)
    not_run(got, "Nobody answered in time.")
    assert "reject" not in got["heard"][0].lower()


@pytest.mark.parametrize("kind", [k for k in KINDS if "langchain" in k])
def test_silence_where_only_a_refusal_is_allowed(server, agents, kind):
    case = Case(server, agents, kind)
    got = case.run(about={"timeout_seconds": 1},
                   allowed={"allowed_decisions": ["approve", "reject"]})
    not_run(got.result(60), "Nobody answered in time.")


@pytest.mark.parametrize("kind", [k for k in KINDS if "langchain" in k])
def test_what_nobody_may_approve_is_left_alone(server, agents, kind):
    got = Case(server, agents, kind).run(
        allowed={"allowed_decisions": ["respond"]}).result(60)
    assert got == {"ran": [], "heard": [], "told": [], "error": None}


def test_an_agent_waits_no_longer_than_it_wants(case, operator):
    """And leaves no question that somebody could still approve."""
    not_run(case.run(wait=0.1).result(60), "Nobody answered in time.")
    ended = operator.get("/api/v1/suspensions", params={
        "state": "cancelled", "limit": 100}).json()["suspensions"]
    assert case.text in [question["question"] for question in ended]


def test_an_agent_that_ended_finds_its_answer(case, operator):
    got = case.run(ends=True).result(60)
    assert got["ran"] == [] and got["error"].endswith("it ends")
    decide(operator, case.text, "approve")
    got = case.run().result(60)
    assert got["ran"] == [ARGS]


def test_other_arguments_are_another_question(case, operator):
    """After the approval the same call comes with other arguments."""
    case.run(ends=True).result(60)
    first = decide(operator, case.text, "approve")
    got = case.run(calls={"call_1": {**ARGS, "amount": 5000}})
    second = asked(operator, case.text)
    assert second["suspension_id"] != first["suspension_id"]
    assert second["subject"]["calls"][0]["args"]["amount"] == 5000
    decide(operator, case.text, "reject", reason="That is too much.")
    not_run(got.result(60), "That is too much.")


@pytest.mark.parametrize("kind", [k for k in KINDS if "openai" not in k])
def test_a_call_that_changes_once_it_is_approved(server, agents, operator,
                                                 kind):
    """It is another question, or no call at all, or what runs is what was
    shown. The states of OpenAI Agents hold on to their calls themselves."""
    case = Case(server, agents, kind)
    got = case.run(changes=True)
    decide(operator, case.text, "approve")
    if "langchain" in kind:
        question = decide(operator, case.text, "reject", reason="No.")
        assert question["subject"]["calls"][0]["args"]["amount"] == 5000
        not_run(got.result(60), "No.")
    elif kind in ("pydantic_ai", "adk"):
        assert got.result(60)["ran"] == [ARGS]
    else:
        not_run(got.result(60), "The arguments have changed.")


@pytest.mark.parametrize("kind", EDITED)
def test_a_person_changes_the_arguments(server, agents, operator, kind):
    case = Case(server, agents, kind)
    got = case.run()
    subject = asked(operator, case.text)["subject"]
    subject["calls"][0]["args"]["amount"] = 20
    decide(operator, case.text, "edit", subject=subject,
           reason="Twenty is enough.")
    got = got.result(60)
    assert got["ran"] == [{**ARGS, "amount": 20}]


def processes(server):
    """Those that answer."""
    return {p for p in kit.children(server.supervisor())
            if kit.comm(p) in ("sayso: web", "sayso: wait")}


def test_a_server_that_is_killed_says_nothing(server, agents, operator):
    """Its processes are killed while all kinds wait: nothing runs, and then
    each finds its answer."""
    cases = [Case(server, agents, kind) for kind in KINDS]
    waits = [case.run() for case in cases]
    for case in cases:
        asked(operator, case.text)
    before = processes(server)
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    kit.wait_for(lambda: not before & processes(server)
                 and len(before) == len(processes(server)))
    assert not any(wait.done() for wait in waits)
    for case in cases:
        decide(operator, case.text, "approve")
    for wait in waits:
        assert wait.result(90)["ran"] == [ARGS]


# --- Whether the tool ran --------------------------------------------------

SITUATIONS = ["approved", "refused", "silence", "away", "wrong key", "no key"]


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("kind", HELD)
def test_how_often_the_tool_ran(server, agents, operator, kind, situation):
    case = Case(server, agents, kind)
    got = case.run(**{
        "silence": {"about": {"timeout_seconds": 1}},
        "away": {"url": "http://127.0.0.1:9"},
        "wrong key": {"key": "sayso_wrong"},
        "no key": {"key": None}}.get(situation, {}))
    if situation == "approved":
        decide(operator, case.text, "approve")
    elif situation == "refused":
        decide(operator, case.text, "reject", reason="No.")
    got = got.result(90)
    assert got["ran"] == ([ARGS] if situation == "approved" else []), got
    if situation == "approved":
        assert "refunded" in str(got["heard"])


@pytest.mark.parametrize("kind", HELD)
def test_a_run_uses_the_approval(server, agents, operator, kind):
    case = Case(server, agents, kind)
    got = case.run()
    question = decide(operator, case.text, "approve")
    assert got.result(90)["ran"] == [ARGS]
    question = operator.get(
        f"/api/v1/suspensions/{question['suspension_id']}").json()
    permit = operator.get(
        f"/api/v1/permits/{question['permit']['id']}").json()
    assert len(permit["redemptions"]) == 1


def test_an_approval_that_was_taken_back_runs_nothing(case, operator):
    case.run(ends=True).result(60)
    question = decide(operator, case.text, "approve")
    question = operator.get(
        f"/api/v1/suspensions/{question['suspension_id']}").json()
    r = operator.post(f"/api/v1/permits/{question['permit']['id']}/revoke",
                      json={})
    assert r.status_code == 200, r.text
    not_run(case.run().result(60), "cannot be used")


def take_back(operator, question):
    """Revokes the approval that was given."""
    question = operator.get(
        f"/api/v1/suspensions/{question['suspension_id']}").json()
    assert question["usable"]
    r = operator.post(f"/api/v1/permits/{question['permit']['id']}/revoke",
                      json={})
    assert r.status_code == 200, r.text


@pytest.mark.parametrize("kind", [k for k in KINDS
                                  if k not in (*ONE_BY_ONE, "adk")])
def test_it_is_used_when_all_have_their_answer(server, agents, operator, kind):
    """The calls of a turn run together, and one approval is taken back while
    the other one is waited for."""
    case = Case(server, agents, kind)
    other = {"order": "678", "amount": 7}
    got = case.run(calls={"call_1": ARGS, "call_2": other},
                   about={"question": f"{case.text} {{order}}"})
    asked(operator, f"{case.text} 12345")
    question = decide(operator, f"{case.text} 678", "approve")
    take_back(operator, question)
    decide(operator, f"{case.text} 12345", "approve")
    got = got.result(90)
    assert got["ran"] == ([] if kind in ALL_OR_NONE else [ARGS])
    assert "cannot be used" in str(got["heard"])


def test_it_is_used_when_the_tool_runs(server, agents, operator):
    """The AI SDK asks about one call after the other, and runs them then. The
    first approval is taken back while the second one is waited for."""
    case = Case(server, agents, "ai_both")
    other = {"order": "678", "amount": 7}
    got = case.run(calls={"call_1": ARGS, "call_2": other},
                   about={"question": f"{case.text} {{order}}"})
    question = decide(operator, f"{case.text} 12345", "approve")
    asked(operator, f"{case.text} 678")
    take_back(operator, question)
    decide(operator, f"{case.text} 678", "approve")
    got = got.result(90)
    assert got["ran"] == [other]
    assert "cannot be used" in str(got["heard"])


def test_an_old_sdk_is_refused_where_it_ignores_the_option(server, agents,
                                                           tmp_path):
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules/ai").symlink_to(NODE / "node_modules/ai6")
    got = Case(server, agents, "ai6_option").run(cwd=str(tmp_path)).result(60)
    assert got["ran"] == []
    assert "6.0.0 ignores it" in got["error"]
    assert "approved(tools)" in got["error"]


# --- What identifies a call ------------------------------------------------

def hosted(tool, number, text='{"order": "1"}'):
    """A call of a hosted MCP server, which has its id elsewhere."""
    return {"type": "hosted_tool_call", "name": tool, "status": "completed",
            "arguments": text, "providerData": {
                "type": "mcp_approval_request", "id": number,
                "server_label": "shop", "name": tool, "arguments": text}}


def request(tool, number, text='{"order": "1"}'):
    return {"type": "mcp_approval_request", "id": number, "name": tool,
            "server_label": "shop", "arguments": text}


def nameless(tool, text='{"order": "1"}'):
    return {"type": "function_call", "name": tool, "arguments": text}


SHELL = {"type": "shell_call", "callId": "c1", "call_id": "c1",
         "action": {"commands": ["rm -r /tmp/x"]}}


@pytest.mark.parametrize("kind, item", [("openai_items", request),
                                        ("openai_items_js", hosted)])
def test_two_ids_are_two_questions(server, agents, operator, kind, item):
    case = Case(server, agents, kind)
    first = case.run(items=[item(case.tool, "mcpr_1")])
    decide(operator, case.text, "approve")
    assert len(first.result(60)["ran"]) == 1
    got = case.run(items=[item(case.tool, "mcpr_2")], wait=0).result(60)
    assert got["ran"] == [] and len(got["heard"]) == 1
    decide(operator, case.text, "reject")


@pytest.mark.parametrize("kind", ["openai_items", "openai_items_js"])
def test_an_item_without_an_id_finds_no_old_one(server, agents, operator,
                                                kind):
    case = Case(server, agents, kind)
    first = case.run(items=[nameless(case.tool)])
    decide(operator, case.text, "approve")
    assert len(first.result(60)["ran"]) == 1
    got = case.run(items=[nameless(case.tool)], wait=0).result(60)
    assert got["ran"] == []
    decide(operator, case.text, "reject")


@pytest.mark.parametrize("kind, item", [("openai_items", request),
                                        ("openai_items_js", hosted)])
def test_the_server_of_a_hosted_tool_is_shown(server, agents, operator, kind,
                                              item):
    """Another one may have a tool of the same name."""
    case = Case(server, agents, kind)
    got = case.run(items=[item(case.tool, "mcpr_1")])
    question = decide(operator, case.text, "reject")
    assert question["subject"]["target"] == f"{case.tool}, at the server shop"
    assert got.result(60)["ran"] == []


@pytest.mark.parametrize("kind", ["openai_items", "openai_items_js"])
def test_the_namespace_of_a_tool_is_shown(server, agents, operator, kind):
    case = Case(server, agents, kind)
    got = case.run(items=[{**nameless(case.tool), "namespace": "billing"}])
    decide(operator, f"Run billing.{case.tool}?", "reject")
    assert got.result(60)["ran"] == []


@pytest.mark.parametrize("kind", ["openai_items", "openai_items_js"])
def test_a_call_without_arguments_is_shown_whole(server, agents, operator,
                                                 kind):
    got = Case(server, agents, kind).run(items=[SHELL])
    question = decide(operator, "Run shell_call?" if "js" in kind
                      else "Run tool?", "reject")
    assert "rm -r /tmp/x" in str(question["subject"]["calls"])
    assert got.result(60)["ran"] == []


@pytest.mark.parametrize("number", ["0.12345678901234567890123", "1e400",
                                    "-1e99999999999999999999"])
@pytest.mark.parametrize("kind", ["openai_items", "openai_items_js"])
def test_a_number_that_is_lost_is_not_asked_about(server, agents, kind, number):
    text = f'{{"order": {number}}}'
    item = request if kind == "openai_items" else hosted
    case = Case(server, agents, kind)
    got = case.run(items=[item(case.tool, "mcpr_1", text)]).result(60)
    assert got["ran"] == [] and "carried exactly" in got["heard"][0]


@pytest.mark.parametrize("kind", ["openai_items", "openai_items_js"])
def test_an_argument_that_stands_there_twice_is_no(server, agents, kind):
    """Each reader of it takes another one."""
    item = request if kind == "openai_items" else hosted
    texts = ['{"order": "1", "order": "2"}', '{"a": [{"x": 1, "\\u0078": 2}]}']
    got = Case(server, agents, kind).run(items=[
        item("refund", f"mcpr_{n}", text) for n, text in enumerate(texts)])
    got = got.result(60)
    assert got["ran"] == [] and len(got["heard"]) == 2
    assert all("an argument twice" in one for one in got["heard"])


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_what_python_takes_for_a_number_is_none(server, agents, number):
    got = Case(server, agents, "openai_items").run(items=[
        request("refund", "mcpr_1", f'{{"amount": {number}}}')]).result(60)
    assert got["ran"] == [] and "carried exactly" in got["heard"][0]


ODD = ["infinite", "map", "set", "date", "instance", "hidden", "getter",
       "array", "bytes", "big", "nothing", "text", "list"]


def test_what_json_does_not_show_is_not_asked_about(server, agents):
    """The tool would run with something else than a person was shown."""
    case = Case(server, agents, "ai_items")
    got = case.run(about={}, items=[
        {"toolCallId": kit.new_id(), "toolName": case.tool, "odd": one}
        for one in ODD], wait=0).result(60)
    assert len(got["heard"]) == len(ODD) and got["error"] is None
    for one, said in zip(ODD, got["heard"]):
        assert ("carried exactly" if one in ("infinite", "big") else
                "JSON cannot show") in said, one


@pytest.mark.parametrize("kind, items", [
    ("pydantic_items", [{"call": "", "conversation": "c"},
                        {"call": "1", "conversation": None}]),
    ("langchain_items", [{"call": None, "conversation": "c"},
                         {"call": "1", "conversation": None}]),
    ("ai_items", [{"toolCallId": None, "input": {}},
                  {"toolCallId": "", "input": {}}])])
def test_what_is_missing_identifies_nothing(server, agents, operator, kind,
                                            items):
    """Each is asked anew."""
    case = Case(server, agents, kind)
    items = [{**item, "toolName": case.tool} for item in items]
    case.run(items=items, wait=0).result(60)
    for _ in items:
        decide(operator, case.text, "approve")
    got = case.run(items=items, wait=0).result(60)
    assert len(got["heard"]) == 2
    assert all("Nobody answered" in one for one in got["heard"])
    for _ in items:
        decide(operator, case.text, "reject")
