"""The test kits of clients/. The fake servers answer as the real one does: the
same members of the same types, and the same codes. A script is taken to the
real one, with a test key."""
import json
import re

import httpx
import kit
import pytest
from documents import TOP
from programs import NEW_NODE, Program, load_python

sayso = load_python()
testing = load_python("testing")

SUBJECT = {"action": {"name": "refund"}, "target": "order 12345",
           "scope_summary": "One refund", "consequence": "Money leaves.",
           "calls": [{"tool": "refund", "args": {"amount": 50.5}}]}
APPROVAL = {"question": "Run it?", "kind": "approval", "subject": SUBJECT}
EFFECTS = [{"value": "a", "label": "Do it", "effect": "authorize"},
           {"value": "b", "effect": "veto", "style": "danger"}]
EDITED = {**SUBJECT, "calls": [{"tool": "refund", "args": {"amount": 20}}]}

# Body, reply of a script, answer of the operator.
CASES = {
    "yes": ({"question": "Deploy?"}, ["approve"], {"value": "yes"}),
    "no": ({"question": "Deploy?"}, ["deny", "Not now."],
           {"value": "no", "reason": "Not now."}),
    "choice": ({"question": "Which?", "choices": ["red", "blue"]},
               ["answer", "blue"], {"value": "blue"}),
    "effects": ({"question": "Which?", "choices": EFFECTS}, ["deny"],
                {"value": "b"}),
    "text": ({"question": "Say?", "response_type": "text"},
             ["answer", "hello"], {"value": "hello"}),
    "facts": ({"question": "Deploy?", "title": "T", "explanation": "E",
               "severity": "high", "context": {"a": 1, "b": [2.0]},
               "evidence": [{"title": "e", "ref": "file:1"}],
               "intent": {"title": "I", "initiated_by": "mara"}},
              ["approve"], {"value": "yes"}),
    "approve": (APPROVAL, ["approve"], {"value": "approve"}),
    "reject": ({**APPROVAL, "allow_edit": True}, ["deny", "Too much."],
               {"value": "reject", "reason": "Too much."}),
    "edit": ({**APPROVAL, "allow_edit": True},
             ["edit", "Enough.", {"amount": 20}],
             {"value": "edit", "reason": "Enough.", "subject": EDITED}),
    "constrain": ({**APPROVAL, "subject": {
        **SUBJECT, "constraints": {"amount": 5, "countries": ["de"]}}},
        ["constrain", None, {"amount": 3}],
        {"value": "constrain", "constraints": {"amount": 3}}),
    "silence": ({"question": "Anybody?", "timeout_seconds": 1}, ["silence"],
                None),
    "fallback": ({"question": "Which?", "timeout_seconds": 1,
                  "choices": ["a", "b"], "fallback_value": "a",
                  "fallback_policy": "use_default_and_continue"},
                 ["silence"], None),
    "withdrawn": ({"question": "Deploy?"}, ["withdrawn"], "cancel"),
    "pending": ({"question": "Deploy?"}, ["pending"], "nothing")}

WRONG = [{}, {"question": ""}, {"question": "x", "nope": 1}, {"question": 5},
         {"question": "x", "kind": "approval"},
         {"question": "x", "choices": ["a", "a"]},
         {"question": "x", "severity": "huge"},
         *({"question": "x", "timeout_seconds": seconds}
           for seconds in (0, -1, 31622401, 1.5, "1")),
         {**APPROVAL, "severity": "high",
          "subject": {**SUBJECT, "consequence": ""}},
         {**APPROVAL, "subject": {**SUBJECT, "target": " "}}]


def chosen(*choices, **more):
    """The body of a question with these: value, effect and perhaps a label."""
    names = "value", "effect", "label"
    return {"question": "x", **more, "choices": [
        {**dict(zip(names, one))} for one in choices]}


YES, NO = ("go", "authorize"), ("stop it", "veto")
# Questions that are refused because of their words, and others.
WORDED = [
    chosen(("reject", "authorize", "Pay"), NO), chosen(("yes", "veto"), YES),
    chosen(("Don't", "accept", "A"), NO), chosen(("(no) - x", "authorize"), NO),
    chosen(("do_not", "authorize", "Go on then"), NO),
    chosen(YES, ("approve", "request_changes", "Other")),
    chosen(("a", "authorize", "Cancel"), NO), chosen(YES, ("b", "veto", "OK!")),
    chosen(("a", "authorize", "Same"), ("b", "veto", " \u017fame ")),
    chosen(("cancel", "authorize", "Reject"), NO),
    chosen(YES, ("no-op", "veto"), ("s\u00ed", "decline", "C")),
    chosen(("no", "veto"), ("yes", "authorize")), chosen(("no", "none"), YES),
    chosen(("cancel", "authorize", "Cancel order 1234"), NO),
    chosen(("no", "none"), ("yes", "none")), chosen(("reject", "none")),
    chosen(("never mind", "authorize"), NO),
    chosen(("number", "authorize"), NO),
    *(chosen(YES, NO, severity="high", fallback_value=value,
             fallback_policy="use_default_and_continue")
      for value in ("go", "yes", "OK", "stop it")),
    {"question": "x", "fallback_policy": "complete_with_fallback",
     "fallback_value": "yes"},
    {"question": "x", "fallback_policy": "complete_with_fallback",
     "fallback_value": "no"}]

# The values of these are compared; of the others, their types.
TOLD = ("state", "kind", "question", "severity", "response_type", "choices",
        "context", "subject", "subject_sha256", "evidence", "allow_edit",
        "fallback_policy", "fallback_value", "outcome", "value", "modified",
        "constraints", "approved_subject", "reason", "status", "attempt")


def shape(value):
    if isinstance(value, dict):
        return {name: shape(v) for name, v in value.items()}
    if isinstance(value, list):
        return [shape(v) for v in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return "number"
    return type(value).__name__


def same(real, fake):
    assert shape(fake) == shape(real)
    assert list(fake) == list(real)
    for name in TOLD:
        assert fake.get(name) == real.get(name), name


@pytest.fixture(scope="module", params=["python", "typescript"])
def fake(request):
    """A function: a client of a fake server with this script."""
    running = []

    def python(script):
        replies = []
        for name, *given in script:
            reply = getattr(testing, name)
            if given and isinstance(given[-1], dict):
                reply = reply(*given[:-1], **given[-1])
            elif not isinstance(reply, testing.Reply):
                reply = reply(*given)
            replies.append(reply)
        running.append(testing.FakeServer(replies).__enter__())
        return running[-1].url, running[-1].key

    def typescript(script):
        if not running:
            used = request.getfixturevalue("typescript")
            running.append(Program(NEW_NODE, used / "fake.js"))
        told = running[0].run(script=script).result(30)
        return told["url"], told["key"]

    def client(*script):
        url, key = {"python": python,
                    "typescript": typescript}[request.param](script)
        return httpx.Client(base_url=url, headers={
            "X-API-Key": key, "X-Agent-ID": "refunds-agent"}, timeout=60)
    yield client
    for one in running:
        one.__exit__() if request.param == "python" else one.end()


def ask(client, body):
    return client.post("/api/v1/suspensions", content=json.dumps(body),
                       headers={"Content-Type": "application/json",
                                "Idempotency-Key": kit.new_id()})


@pytest.fixture(scope="module")
def real(agent, operator):
    """Each case once, at the real server: what was asked, and what ended."""
    made = {name: kit.made(ask(agent, body))
            for name, (body, _, _) in CASES.items()}
    ended = {}
    for name, (_, _, answer) in CASES.items():
        path = f"/api/v1/suspensions/{made[name]['suspension_id']}"
        if answer == "cancel":
            kit.made(agent.post(f"{path}/cancel", json={}), 200)
        elif isinstance(answer, dict):
            kit.made(kit.answer(operator, made[name], **answer), 200)
        hold = 0 if answer == "nothing" else 10
        ended[name] = kit.made(agent.get(f"{path}?wait={hold}"), 200)
    return made, ended


@pytest.mark.parametrize("name", CASES)
def test_a_question_is_told_of_as_by_the_real_one(fake, real, name):
    body, reply, _ = CASES[name]
    client = fake(reply)
    made = kit.made(ask(client, body))
    same(real[0][name], made)
    path = f"/api/v1/suspensions/{made['suspension_id']}"
    same(real[1][name], kit.made(client.get(f"{path}?wait=0"), 200))


def refusal(response):
    body = response.json()
    return (response.status_code, response.headers["content-type"],
            body["code"], body.get("at"), body.get("missing"), set(body))


def test_refusals_are_the_real_ones(fake, agent, server):
    client = fake(["approve"], ["approve"])
    for body in WRONG:
        assert refusal(ask(client, body)) == refusal(ask(agent, body)), body
    path = f"/api/v1/suspensions/{kit.new_id()}"
    assert refusal(client.get(path)) == refusal(agent.get(path))
    for headers in ({}, {"X-API-Key": "x"}, {"Authorization": "Bearer x"}):
        path = "/api/v1/suspensions/x?wait=0"
        assert refusal(httpx.get(f"{client.base_url}{path}",
                                 headers=headers, timeout=60))[:3] == \
            refusal(httpx.get(server.url + path, headers=headers,
                              timeout=60))[:3]


def test_words_are_refused_as_by_the_real_one(fake, agent):
    client, codes = fake(*[["pending"]] * len(WORDED)), set()
    for body in WORDED:
        said = [ask(one, body) for one in (client, agent)]
        told = [(r.status_code, r.json().get("code"), r.json().get("at"))
                for r in said]
        assert told[0] == told[1], body
        codes.add(told[1][1])
        if said[1].is_success:
            path = f"/api/v1/suspensions/{said[1].json()['suspension_id']}"
            kit.made(agent.post(f"{path}/cancel", json={}), 200)
    assert codes == {None, "choice.value_opposite", "choice.label_opposite",
                     "choice.label_equal", "fallback.authorizes"}


def test_the_words_are_those_of_the_server(fake):
    """Of src/domain/kind/label.c, each beside the effect that it does not mean."""
    table = (TOP / "src/domain/kind/label.c").read_text().partition("#define OURS")
    words = [(text.encode("latin-1").decode("unicode_escape").encode(
        "latin-1").decode(), kind)
        for kind, text in re.findall(
            r'\b(YES|NO|REFUSAL)\("([^"]+)"\)', table[0])]
    words += [("approve", "YES"), ("accept", "YES"), ("reject", "NO"),
              ("decline", "NO")]
    assert len(words) > 100
    client = fake(*[["pending"]] * 3)
    for word, kind in words:
        effect = "veto" if kind == "YES" else "authorize"
        r = ask(client, chosen((word, effect, "X"), ("b", "answer", "Y")))
        assert r.status_code == 422, word
        assert r.json()["code"] == "choice.value_opposite"


def test_a_wish_is_asked_once_as_at_the_real_one(fake, agent):
    for client in (fake(["approve"]), agent):
        once = {"Idempotency-Key": kit.new_id()}
        got = [client.post("/api/v1/suspensions", headers=once, json={
            "question": text}) for text in ("x", "x", "y")]
        assert [r.status_code for r in got] == [201, 201, 409]
        assert got[0].json() == got[1].json()
        assert got[2].json()["code"] == "idempotency.other_request"
        assert got[2].json()["suspension_id"] == \
            got[0].json()["suspension_id"]


@pytest.mark.parametrize("body", [APPROVAL, {"question": "Deploy?"}])
def test_a_yes_is_used_as_at_the_real_one(fake, agent, operator, body):
    client = fake(["approve"], ["deny"])
    asked_of = {one: kit.made(ask(one, body)) for one in (client, agent)}
    kit.made(kit.answer(operator, asked_of[agent], "approve"
                        if "kind" in body else "yes"), 200)

    def use(one, operation, **more):
        return one.post("/api/v1/redemptions", json={
            "suspension_id": asked_of[one]["suspension_id"],
            "operation_id": operation, **more})
    got = {}
    for one in (client, agent):
        other = {"tool": "refund", "arguments": {"amount": 7}}
        said = [use(one, "a", call=other)] if "kind" in body else []
        said += [use(one, "a"), use(one, "a"), use(one, "b")]
        read = one.get(f"/api/v1/suspensions/"
                       f"{asked_of[one]['suspension_id']}").json()
        got[one] = [(r.status_code, r.json().get("code"), shape(r.json())
                     if r.is_success else None) for r in said], (
            read["usable"], read["unusable_reason"])
    assert [one[:1] for one in got[client][0]] == [
        one[:1] for one in got[agent][0]]
    assert got[client][0][-3:] == got[agent][0][-3:]
    assert got[client][1] == got[agent][1] == (False, "permit.spent")
    no = kit.made(ask(client, {"question": "No?"}))
    r = client.post("/api/v1/redemptions", json={
        "suspension_id": no["suspension_id"], "operation_id": "a"})
    assert (r.status_code, r.json()["code"]) == (409, "permit.refused")


@pytest.mark.parametrize("fake", ["python"], indirect=True)
def test_a_permit_is_redeemed_as_at_the_real_one(fake, agent, operator):
    told = []
    for client in (fake(["approve"]), agent):
        asked = kit.made(ask(client, APPROVAL))
        if client is agent:
            kit.made(kit.answer(operator, asked, "approve"), 200)
        permit = client.get(f"/api/v1/suspensions/{asked['suspension_id']}"
                            ).json()["permit"]["id"]
        call = {"tool": "refund", "arguments": {"amount": 50.5}}
        other = {"tool": "refund", "arguments": {"amount": 7}}
        said = [client.post("/api/v1/redemptions", json={
            "permit_id": one, "operation_id": operation, **more})
            for one, operation, more in (
                (permit, "a", {}), (permit, "a", {"call": other}),
                (kit.new_id(), "a", {"call": call}),
                (permit, "a", {"call": call}), (permit, "a", {"call": call}),
                (permit, "b", {"call": call}))]
        told.append([(r.status_code, r.json().get("code"), shape(r.json())
                      if r.is_success else None) for r in said])
    assert told[0] == told[1]


def test_a_question_is_withdrawn_as_at_the_real_one(fake, agent, operator):
    said = []
    for client in (fake(["pending"], ["approve"]), agent):
        asked = [kit.made(ask(client, {"question": f"{n}?"})) for n in "ab"]
        if client is agent:
            kit.made(kit.answer(operator, asked[1], "yes"), 200)
        at = [f"/api/v1/suspensions/{one['suspension_id']}" for one in asked]
        r = [client.post(f"{at[0]}/cancel", json={"reason": "No more."}),
             client.post(f"{at[0]}/cancel"), client.post(f"{at[1]}/cancel"),
             client.post(f"/api/v1/suspensions/{kit.new_id()}/cancel")]
        said.append((r[0].status_code, {
            name: r[0].json()[name] for name in TOLD[:-2] + (
                "responded_by", "responded_via")},
            [(one.status_code, one.json()["code"]) for one in r[1:]],
            shape(client.get(at[0]).json())))
    assert said[0] == said[1]


def test_questions_are_listed_as_by_the_real_one(fake, server):
    """By an agent that has no others."""
    name = f"agent-{kit.new_id()}"
    real = server.client(headers={"X-Agent-ID": name, "X-API-Key": server.key(
        "agent", "--agent", name)})
    root, told = "/api/v1/suspensions", []
    for client in (fake(*[["pending"]] * 3), real):
        place = client.get(f"{root}?ended_after=now").json()
        ids = [kit.made(ask(client, {"question": f"{n}?"}))["suspension_id"]
               for n in range(3)]
        at, pages = f"{root}?state=pending&limit=2", []
        for after in ("", f"&after={ids[1]}"):
            page = client.get(at + after).json()
            pages.append([ids.index(one["suspension_id"])
                          for one in page["suspensions"]])
            pages.append(page["next"] and ids.index(page["next"]))
        for n in (1, 0):
            kit.made(client.post(f"{root}/{ids[n]}/cancel", json={}), 200)
        feed = kit.wait_for(lambda: len((page := client.get(
            f"{root}?ended_after={place['next']}").json())[
                "suspensions"]) == 2 and page)
        ended = [ids.index(one["suspension_id"])
                 for one in feed["suspensions"]]
        rest = client.get(f"{root}?ended_after={feed['next']}").json()
        wrong = [(r.status_code, r.json()["code"], r.json()["at"])
                 for r in (client.get(f"{root}?{query}") for query in (
                     "ended_after=x", "limit=0", "limit=101", "limit=x",
                     "state=open", f"after={kit.new_id()}x",
                     "ended_after=now&state=pending"))]
        told.append((pages, ended, wrong, shape(place), shape(feed),
                     shape(rest)))
    assert told[0] == told[1]
    real.close()


def test_a_no_needs_a_reason_as_at_the_real_one(fake, agent, operator):
    """Where the severity is high."""
    body = {**APPROVAL, "severity": "high"}
    client = fake(["deny"], ["deny", "Too much."])
    asked = [kit.made(ask(one, body)) for one in (client, client, agent)]
    assert asked[0]["choices"] == asked[2]["choices"]
    r = client.get(f"/api/v1/suspensions/{asked[0]['suspension_id']}?wait=0")
    assert r.status_code == 500 and "needs a reason" in r.text
    told = client.get(f"/api/v1/suspensions/{asked[1]['suspension_id']}")
    assert told.json()["outcome"] == "vetoed"
    r = kit.answer(operator, asked[2], "reject")
    assert r.json()["code"] == "reason.missing"
    kit.made(kit.answer(operator, asked[2], "reject", reason="So."), 200)


def test_a_callback_is_taken_as_by_the_real_one(fake, admin, agent):
    url = f"https://n8n.example.org/{kit.new_id()}/"
    kit.made(admin.post("/api/v1/endpoints", json={
        "name": "n8n", "url": url, "prefix": True}))
    body = {"question": "x", "callback": f"{url}1", "callback_body": "answer"}
    made = [kit.made(ask(one, body)) for one in (fake(["pending"]), agent)]
    assert list(made[0]) == list(made[1])
    assert made[0]["callback"] == made[1]["callback"] == f"{url}1"


def test_a_script_that_is_over_or_wrong_is_told(fake):
    client = fake(["answer", "green"])
    made = kit.made(ask(client, {"question": "x?", "choices": ["red"]}))
    r = client.get(f"/api/v1/suspensions/{made['suspension_id']}?wait=5")
    assert r.status_code == 500 and r.json()["code"] == "script.wrong"
    r = ask(client, {"question": "y?"})
    assert r.status_code == 500 and r.json()["code"] == "script.over"


# --- As the tests of an agent use them ------------------------------------

ELICITATION = {"kind": "elicitation", "subject": {}, "response_type": "text"}
SILENT = "Nobody answered in time. That is not a yes."


def test_an_agent_is_tested_in_python():
    def twenty(question):
        assert question["asked_by"] == "test-agent"
        return testing.edit(amount=20)
    script = [testing.approve, testing.deny("Too much."), twenty,
              testing.silence, testing.pending, testing.answer("b")]
    with testing.FakeServer(script) as server:
        client, ran = server.client(), []

        @client.require_approval(edit=True, wait=0.2)
        def refund(amount):
            ran.append(amount)
        refund(50)
        for said in ("Too much.", None, SILENT, SILENT):
            if said is None:
                refund(50)
                continue
            with pytest.raises(sayso.Denied, match=said):
                refund(50)
        assert ran == [50, 20]
        assert client.ask("Which?", choices=["a", "b"]).value == "b"
        with pytest.raises(sayso.ServerError, match="script.over"):
            client.ask("And?")
    assert [q["state"] for q in server.asked] == [
        "resolved", "resolved", "resolved", "expired", "cancelled", "resolved"]


TOLD_IN_TYPESCRIPT = {
    "ran": [50, 20], "said": ["Too much.", SILENT, SILENT],
    "states": ["resolved", "resolved", "resolved", "expired", "cancelled"]}


def test_an_agent_is_tested_in_typescript(typescript):
    program = Program(NEW_NODE, typescript / "fake.js")
    got = program.run(agent=True).result(30)
    program.end()
    assert got == TOLD_IN_TYPESCRIPT


@pytest.fixture(scope="module")
def access(server):
    return {"url": server.url, "key": server.key(
        "agent", "--agent", "test-agent", "--test")}


def test_the_script_is_taken_to_the_real_server_in_python(access, operator):
    script = [testing.approve, testing.deny("Too much."),
              lambda question: testing.edit(amount=20), testing.silence,
              testing.withdrawn, testing.pending,
              testing.answer("b"), testing.answer({"street": "Elm 1"}),
              testing.deny(), testing.constrain(amount=3)]
    old = sayso.Client(**access, agent="test-agent").ask("Old?", wait=0)
    with testing.RealServer(script, **access) as server:
        client, ran = server.client(), []

        @client.require_approval(edit=True, wait=15, timeout_seconds=86400,
                                 severity="critical")
        def refund(amount):
            ran.append(amount)
        refund(50)
        for said in ("Too much.", None, SILENT, "withdrawn", SILENT):
            if said is None:
                refund(50)
                continue
            with pytest.raises(sayso.Denied, match=said):
                refund(50)
        assert ran == [50, 20]
        assert client.ask("Which?", choices=["a", "b"]).value == "b"
        assert client.ask("Where?", form=[
            {"key": "street", "label": "Street"}]).value == {"street": "Elm 1"}
        assert client.ask("And?", **ELICITATION).outcome == "declined"
        assert client.ask("Run?", kind="approval", subject={
            **SUBJECT, "constraints": {"amount": 5}}).constraints == {
                "amount": 3}
    assert [q["state"] for q in server.asked] == [
        "resolved", "resolved", "resolved", "expired", "cancelled",
        "cancelled", "resolved", "resolved", "resolved", "resolved"]
    assert all(q["test"] and "permit" not in q for q in server.asked)
    got = operator.get(f"/api/v1/suspensions/{old.id}").json()
    assert got["state"] == "pending", "a question from before is left alone"


def test_the_script_is_taken_to_the_real_server_in_typescript(access,
                                                              typescript):
    program = Program(NEW_NODE, typescript / "fake.js")
    got = program.run(agent=True, real=access).result(60)
    program.end()
    assert got == TOLD_IN_TYPESCRIPT


def test_a_wrong_script_at_the_real_server_is_told(access, typescript):
    def asked(server, **more):
        answer = server.client().ask("x?", wait=20, **more)
        assert answer.state == "cancelled"
    for script, error in (
            [[], "has no reply to: x"],
            [[testing.silence], "never ends without"],
            [[testing.answer("green")], "invalid_choice"]):
        with pytest.raises((AssertionError, sayso.ApiError), match=error):
            with testing.RealServer(script, **access) as server:
                asked(server, choices=["red"])
    with pytest.raises(AssertionError, match="has no reply") as error:
        with testing.RealServer([], **access) as server:
            server.client().approve_call("refund", {}, wait=20)
    assert isinstance(error.value.__cause__, sayso.Denied)
    program = Program(NEW_NODE, typescript / "fake.js")
    got = program.run(over=True, real=access).result(60)
    program.end()
    assert got == {"state": "cancelled",
                   "error": "Error: The script has no reply to: x?"}


def test_an_answer_for_something_else_is_no(typescript):
    """A server that approves other bytes than were sent."""
    def tampered(question):
        question["subject_sha256"] = "0" * 64
        return testing.approve
    program = Program(NEW_NODE, typescript / "client.js")
    with testing.FakeServer([tampered, tampered]) as server:
        got = program.run(do="refund", url=server.url, key=server.key,
                          approval={"name": "refund"},
                          args={"order": "1"}).result(30)
        assert got["ran"] == [] and "another call" in got["message"]
        with pytest.raises(sayso.Denied, match="another call"):
            server.client().approve_call("refund", {"order": "1"})
    program.end()


LIMITED = {**SUBJECT, "constraints": {"amount": 60}}


@pytest.mark.parametrize("reply, approved", [
    (testing.approve, True), (testing.edit(amount=20), False),
    (testing.constrain(amount=30), False), (testing.deny(), False)])
def test_a_yes_with_changes_is_not_approved(typescript, reply, approved):
    """`approved` is a yes to exactly what was asked."""
    asked = {"kind": "approval", "subject": LIMITED, "allow_edit": True}
    program = Program(NEW_NODE, typescript / "client.js")
    with testing.FakeServer([reply, reply]) as server:
        answer = server.client().ask("Run it?", **asked)
        got = program.run(do="ask", url=server.url, key=server.key,
                          question="Run it?", options=asked).result(30)
    program.end()
    assert answer.approved is got["approved"] is approved
    for raw in (answer.raw, got["raw"]):
        assert raw["modified"] == bool(raw["constraints"]
                                       or raw["approved_subject"])
        changed = raw["approved_subject"] or raw["subject"]
        assert changed["calls"][0]["args"]["amount"] in (50.5, 20)
    denied = str(sayso.Denied(answer))
    assert ("Approved only" in denied) == answer.modified
