"""The plans of an intent on its page, and the page of a portfolio. On pages an
intent is a task, and a task of a plan a step."""
import html
import re

import pytest
from kit import answer, ask, get, new_id, new_intent, set_status
from page import Page
from plans import checkpoint, gated, move, plan, reached, task
from test_forms import HOSTILE

route = pytest.mark.route
PORTFOLIOS = "/api/v1/portfolios"


@pytest.fixture(scope="module")
def me(person):
    return person("operator")


def show(who, path, **query):
    r = who.client.get(path, params=query or None)
    assert r.status_code == 200, r.text
    return r


def words(r):
    return Page(r).text


def of_intent(who, intent):
    return show(who, f"/intents/{intent['id']}")


def rows(r):
    """The rows of the plans as texts, those of a fold too."""
    found = re.findall(r'<li class="(gate|work)">(.*?)</li>', r.text, re.S)
    return [(kind, html.unescape(re.sub(
                r"\s+", " ", re.sub(r"<[^>]*>", "", body)).strip()))
            for kind, body in found]


def portfolio(client, **more):
    r = client.post(PORTFOLIOS, json={"name": "Returns", **more})
    assert r.status_code == 201, r.text
    return r.json()


def member(client, of, intent=None, **more):
    intent = intent or new_intent(client, "active")
    r = client.post(f"{PORTFOLIOS}/{of['id']}/intents",
                    json={"intent_id": intent["id"], **more})
    assert r.status_code == 201, r.text
    return intent


def at(of):
    return f"/portfolios/{of['id']}"


def no_markup(r):
    assert "<script>alert" not in r.text and "<img" not in r.text
    assert "U+202E" in r.text and "U+200B" in r.text
    shown = re.sub(r'value="[^"]*"', "", r.text)
    assert "\u202e" not in shown and "\u200b" not in shown


# --- Plans ----------------------------------------------------------------

@route("GET /intents/{id}")
def test_a_plan_with_its_steps_in_order(agent, me):
    intent, of, first, second = gated(agent)
    r = of_intent(me, intent)
    assert rows(r) == [("work", "1 Collect Running refunds-agent"),
                       ("gate", "Checkpoint Look at it Not reached"),
                       ("work", "2 Publish Waits for Collect Pending")]
    assert "Plan Active 0 of 2 steps done" in words(r)
    move(agent, first, "completed")
    assert rows(of_intent(me, intent))[0][1].startswith("1 Collect Completed")


def test_an_open_checkpoint_leads_to_its_question(agent, operator, me):
    intent, of, first, second, id = reached(agent)
    r = of_intent(me, intent)
    assert "Plan Paused at a checkpoint 1 of 2 steps done" in words(r)
    assert rows(r)[1] == ("gate", "Checkpoint Look at it Waiting for approval")
    assert f'<a class="title" href="/suspensions/{id}' in r.text
    assert f'href="/suspensions/{id}"' in rows_of(r, "gate")[0]
    assert answer(operator, {"suspension_id": id}).status_code == 200
    gate = rows(of_intent(me, intent))[1][1]
    assert re.fullmatch("Checkpoint Look at it Approved by demo operator, "
                        r"\d+ \w+ \d{4} [\d:]+ UTC", gate)


def rows_of(r, kind):
    return re.findall(rf'<li class="{kind}">.*?</li>', r.text, re.S)


def test_a_rejected_checkpoint_and_its_plan(agent, operator, me):
    intent, of, first, second, id = reached(agent)
    assert answer(operator, {"suspension_id": id}, "reject",
                  reason="no").status_code == 200
    r = of_intent(me, intent)
    assert "Plan Failed" in words(r)
    assert [x[1].split(" by ")[0] for x in rows(r)][1:] == [
        "Checkpoint Look at it Rejected", "2 Publish Cancelled"]


def test_a_question_that_went_with_its_plan_is_withdrawn(agent, me):
    intent, of, first, second, id = reached(agent)
    set_status(agent, get(agent, intent), "abandoned")
    r = of_intent(me, intent)
    assert rows(r)[1] == ("gate", "Checkpoint Look at it Withdrawn")
    assert "Waiting for approval" not in r.text


def test_a_checkpoint_without_an_approval_says_so(agent, me):
    intent, of, first, second = gated(agent, requires_approval=False)
    assert "Look at it No approval needed Not reached" in \
        rows(of_intent(me, intent))[1][1]
    move(agent, first, "completed")
    gate = rows_of(of_intent(me, intent), "gate")[0]
    assert "Reached" in gate and "<a " not in gate


def test_a_blocked_step_leads_to_what_it_waits_for(agent, operator, me):
    intent = new_intent(agent, "active")
    one = task(agent, intent)
    plan(agent, intent, one, state="active")
    move(agent, one, "running")
    asked = ask(agent, intent_id=intent["id"], intent=None)
    r = of_intent(me, intent)
    assert rows(r) == [
        ("work", "1 Collect Waits for an answer Blocked refunds-agent")]
    assert f'<a href="{at_question(asked)}">Waits for an answer</a>' in r.text
    other = new_intent(agent, "active")
    r = agent.post(f"/api/v1/intents/{intent['id']}/dependencies",
                   json={"dependency_id": other["id"]},
                   headers={"If-Match": str(get(agent, intent)["version"])})
    assert r.status_code == 200, r.text
    assert answer(operator, asked).status_code == 200
    r = of_intent(me, intent)
    assert rows(r)[0][1] == \
        "1 Collect Waits for other tasks Blocked refunds-agent"
    assert '<a href="#h-related">Waits for other tasks</a>' in r.text
    assert 'id="h-related"' in r.text


def at_question(asked):
    return f"/suspensions/{asked['suspension_id']}"


def test_a_step_shows_what_its_agent_says(agent, me):
    intent = new_intent(agent, "active")
    waits, fails = task(agent, intent, "Wait"), task(agent, intent, "Fail")
    plan(agent, intent, waits, fails, state="active", on_failure="notify")
    move(agent, waits, "running", "blocked", blocked_reason="No lorry.\nYet.")
    move(agent, fails, "running", "failed",
         error={"code": 7, "text": HOSTILE})
    r = of_intent(me, intent)
    found = [text for _, text in rows(r)]
    assert found[0].startswith("1 Wait No lorry.")
    assert found[1].startswith('2 Fail {"code":7,"text":"<script')
    no_markup(r)
    move(agent, fails, "ready")
    assert "attempt 2 of 3" in rows(of_intent(me, intent))[1][1]


def test_a_step_that_waits_for_many(agent, me):
    intent = new_intent(agent, "active")
    first = [task(agent, intent, f"No. {n}") for n in range(5)]
    last = task(agent, intent, "Last", depends_on=[t["id"] for t in first])
    plan(agent, intent, *first, last, state="active")
    assert "Waits for No. 0, No. 1, No. 2 and 2 more steps Pending" in \
        rows(of_intent(me, intent))[-1][1]
    move(agent, first[0], "running", "completed")
    assert "Waits for No. 1, No. 2, No. 3 and 1 more step Pending" in \
        rows(of_intent(me, intent))[-1][1]


def test_the_plan_at_work_is_first_and_ended_ones_are_folded(agent, me):
    intent = new_intent(agent, "active")
    names = ["Old", "New", "Now"]
    plans = [plan(agent, intent, task(agent, intent, name), state="active")
             for name in names]
    loose = task(agent, intent, "Loose")
    for one in plans[:2]:
        move(agent, one, "cancelled")
    r = of_intent(me, intent)
    assert [text.split(" ")[1] for _, text in rows(r)] == [
        "Now", "New", "Old", "Loose"]
    folds = re.findall(r'class="card boxed plan".*?<details( open)?>', r.text,
                       re.S)
    assert folds == [" open", "", "", " open"]
    assert "Other steps 0 of 1 step done" in words(r)
    assert loose["id"] not in r.text
    # Alone it is open, also when it has ended.
    intent = new_intent(agent, "active")
    one = plan(agent, intent, task(agent, intent), state="active")
    move(agent, one, "cancelled")
    assert re.search(r'plan".*?<details open>', of_intent(me, intent).text,
                     re.S)


def test_a_long_plan_is_folded_and_opens_where_something_waits(agent, me):
    intent = new_intent(agent, "active")
    made = [task(agent, intent, f"Step {n}") for n in range(40)]
    plan(agent, intent, *made, state="active")
    r = of_intent(me, intent)
    assert len(rows(r)) == 40
    assert re.search(r'<details class="rest">\s*<summary>Show 10 more', r.text)
    move(agent, made[39], "running")
    assert '<details class="rest" open>' in of_intent(me, intent).text


def test_an_intent_without_steps_shows_none(agent, me):
    intent = new_intent(agent, "active")
    assert "h-plan-" not in of_intent(me, intent).text
    task(agent, intent, "Alone")
    r = of_intent(me, intent)
    assert "Steps 0 of 1 step done" in words(r) and "Plan" not in words(r)
    intent = new_intent(agent, "active")
    plan(agent, intent)
    assert "No steps yet." in words(of_intent(me, intent))


def test_hostile_names_of_steps_are_only_text(agent, me):
    intent = new_intent(agent, "active")
    name = HOSTILE[:200]
    one = task(agent, intent, name)
    two = task(agent, intent, name, depends_on=[one["id"]])
    plan(agent, intent, one, two, checkpoints=[checkpoint(one, name=name)],
         state="active")
    r = of_intent(me, intent)
    assert len(rows(r)) == 3
    no_markup(r)
    move(agent, one, "running", "completed")
    no_markup(of_intent(me, intent))


def test_events_of_steps_have_their_names(agent, operator, me):
    intent, of, first, second, id = reached(agent)
    assert answer(operator, {"suspension_id": id}).status_code == 200
    text = words(of_intent(me, intent))
    for event in ("Step created Collect ", "Plan created 2 steps ",
                  "Step ready Publish ", "Checkpoint reached Look at it ",
                  "Plan paused Look at it: at a checkpoint ",
                  "Checkpoint approved Look at it ", "Plan resumed "):
        assert event in text, event
    assert of["id"] not in text and first["id"] not in text


# --- Portfolios -----------------------------------------------------------

@route("GET /portfolios/{id}")
def test_a_portfolio_shows_its_members_and_their_questions(agent, me):
    of = portfolio(agent, description="All of Monday", governance_policy={
        "deadline": "2031-01-31T12:00:00Z", "auto_complete_threshold": 80})
    main = member(agent, of, role="primary", priority=5)
    done = member(agent, of)
    set_status(agent, get(agent, done), "completed")
    asked = ask(agent, intent_id=main["id"], intent=None, title="May I now?")
    r = show(me, at(of))
    text = words(r)
    for part in ("Portfolio Active", "Returns", "All of Monday",
                 "31 Jan 2031 12:00:00 UTC", "when 80 % of its tasks are done",
                 "1 of 2 tasks completed", "All 2", "Waiting 1",
                 "Completed 1", "May I now?"):
        assert part in text, part
    assert f'href="{at_question(asked)}"' in r.text
    assert r.text.index(f"/intents/{main['id']}") < \
        r.text.index(f"/intents/{done['id']}")
    assert f'href="{at(of)}"' in of_intent(me, main).text


def test_a_portfolio_that_has_ended(agent, operator, me):
    of = portfolio(agent)
    assert "No tasks." in words(show(me, at(of)))
    operator.patch(f"{PORTFOLIOS}/{of['id']}/status",
                   json={"status": "abandoned"})
    text = words(show(me, at(of)))
    assert "Portfolio Stopped" in text and "by demo operator" in text


def test_a_deadline_that_is_over(agent, me):
    of = portfolio(agent, governance_policy={
        "deadline": "2020-01-31T12:00:00Z"})
    assert "31 Jan 2020 12:00:00 UTC over" in words(show(me, at(of)))


def test_the_members_are_paged_in_their_order(server, agent, me):
    of = portfolio(agent)
    with server.database() as db:
        db.execute("""
            INSERT INTO intent (id, title, created_by, status, constraints,
                                state, version, created_at, updated_at)
            SELECT md5(%(p)s::text || n)::uuid, 'Member ' || n, 'demo agent',
                   CASE WHEN n %% 4 = 0 THEN 'completed' ELSE 'draft' END,
                   '{}', '{}', 1, now(), now()
              FROM generate_series(1, 1000) n""", {"p": of["id"]})
        db.execute("""
            INSERT INTO portfolio_member (id, portfolio_id, intent_id, role,
                                          priority, added_at)
            SELECT gen_random_uuid(), %(p)s::uuid, md5(%(p)s::text || n)::uuid,
                   'member', n, now()
              FROM generate_series(1, 1000) n""", {"p": of["id"]})
    for status, wanted in ((None, list(range(1000, 0, -1))),
                           ("completed", list(range(1000, 0, -4)))):
        path = at(of) + (f"?status={status}" if status else "")
        seen, pages = [], 0
        while path:
            r = show(me, path)
            found = re.findall(r">Member (\d+)</a>", r.text)
            seen += map(int, found)
            assert 0 < len(found) <= 50
            n = len(seen)
            assert f"Tasks {n - len(found) + 1:,} to {n:,} of " \
                   f"{len(wanted):,}" in words(r)
            onward = re.search(r'href="([^"]*)">Next', r.text)
            path = onward and onward[1].replace("&amp;", "&")
            pages += 1
            took = r.elapsed.total_seconds() * 1000
            print(f"a page of {len(found)} of 1,000 members: {took:.0f} ms")
        assert seen == wanted and pages == len(wanted) // 50
        assert "First page" in words(r)
        assert "250 of 1,000 tasks completed" in words(r)


def test_more_questions_than_are_shown(agent, me):
    of = portfolio(agent)
    intent = member(agent, of)
    for n in range(20):
        agent.post(f"/api/v1/intents/{intent['id']}/escalations",
                   json={"reason": f"Call {n}"}).raise_for_status()
    asked = ask(agent, intent_id=intent["id"], intent=None, title="Soon",
                timeout_seconds=900)
    r = show(me, at(of))
    assert "The first 20 of 21 open requests." in words(r)
    found = re.findall(r'href="/suspensions/([^"]+)"', r.text)
    assert len(found) == 20 and found[0] == asked["suspension_id"]


def test_hostile_names_of_portfolios_are_only_text(agent, me):
    of = portfolio(agent, name=HOSTILE[:200], description=HOSTILE)
    intent = member(agent, of, new_intent(agent, "active", title=HOSTILE))
    ask(agent, intent_id=intent["id"], intent=None, title=HOSTILE)
    no_markup(show(me, at(of)))
    no_markup(of_intent(me, intent))


@pytest.mark.parametrize("role, status", [
    ("operator", 200), ("admin", 200), ("auditor", 200), ("user", 403)])
def test_the_people_that_see_a_portfolio(agent, person, role, status):
    of = portfolio(agent)
    member(agent, of)
    assert person(role).client.get(at(of)).status_code == status


def test_a_stranger_is_sent_to_sign_in(server, agent):
    of = portfolio(agent)
    with server.client(headers={"Accept": "text/html"}) as nobody:
        r = nobody.get(at(of))
        assert r.status_code == 303 and "/login" in r.headers["location"]


@pytest.mark.parametrize("path, status", [
    ("/portfolios/x", 404), (f"/portfolios/{new_id()}", 404),
    ("/portfolios/", 404), (f"/portfolios/{new_id()}?bogus=1", 400),
    (f"/portfolios/{new_id()}?after=x", 400)])
def test_no_portfolio(me, path, status):
    r = me.client.get(path)
    assert r.status_code == status and str(status) in words(r)


def test_an_address_that_fits_no_member(agent, me):
    of = portfolio(agent)
    member(agent, of)
    for query in ({"after": new_id()}, {"status": "gone"}):
        r = me.client.get(at(of), params=query)
        assert r.status_code == 400 and "Invalid link" in words(r)
    assert "No tasks." in words(show(me, at(of), status="abandoned"))
