"""Permits on pages and in messages: their part of the pages of a question, the
list of permits, pushes, and the members of a question."""
import pytest
from kit import answer, new_id, refused
from page import Page, press
from test_endpoints import alone, deliveries, register  # noqa: F401
from test_kinds import SUBJECTS
from test_permits import CALL, granted, limited, look, permit, question, redeem

route = pytest.mark.route
LIST = "/settings/permits"


def page_of(client, asked):
    r = client.get(f"/suspensions/{asked['suspension_id']}")
    assert r.status_code == 200, r.text
    return Page(r).text


def revoke_page(id_):
    return f"{LIST}?do=revoke&key={id_}"


# --- Pages ----------------------------------------------------------------

@route("GET /settings/permits")
@route("POST /settings/permits")
def test_a_permit_on_its_pages(server, agent, operator, person):
    tom = person("operator")
    asked = question(agent)
    assert "may use the approval once, within 7 days of the answer" in page_of(
        tom.client, asked)
    assert answer(operator, asked).status_code == 200
    id_ = permit(server, asked)
    text = page_of(tom.client, asked)
    assert "Not used yet" in text and "0 of 1" in text
    assert "Usage is reported by the agent." in text
    assert "Permit Revoke" in text
    assert "shop.refund" in Page(tom.client.get(LIST)).text
    assert "Nothing is revoked yet." in Page(
        tom.client.get(revoke_page(id_))).text
    assert look(agent, id_)["state"] == "active"
    r = press(tom.client, LIST, "revoke", page=revoke_page(id_),
              reason="Wrong order.")
    assert r.status_code == 303, r.text
    assert r.headers["location"].endswith(asked["suspension_id"])
    seen = look(agent, id_)
    assert seen["state"] == "revoked" and seen["ended_by"] == tom.email
    assert seen["reason"] == "Wrong order."
    text = page_of(tom.client, asked)
    assert f"Revoked by {tom.email}" in text and "Wrong order." in text
    assert "Revoke permit" not in text


@pytest.mark.parametrize("kind, duration, choice, before, seconds", [
    ("permission", {"kind": "session", "seconds": 3600}, "allow_for", "1 h",
     60),
    ("permission", {"kind": "until", "seconds": 7200}, None, "2 h", 900),
    ("permission", {"kind": "session", "seconds": 3600}, "allow_once", "1 h",
     900),
    ("permission", {"kind": "once"}, "allow_once", "15 min", 900),
    ("cost_confirmation", None, None, "7 days", 7 * 86400)])
def test_what_nothing_can_count_says_so(server, agent, operator, person, kind,
                                        duration, choice, before, seconds):
    subject = {**SUBJECTS[kind], **({"duration": duration} if duration else {})}
    r = agent.post("/api/v1/suspensions", json={
        "question": "May I?", "kind": kind, "subject": subject})
    assert r.status_code == 201, r.text
    asked = r.json()
    me = person("operator").client
    text = page_of(me, asked)
    assert f"may use the approval for up to {before} after the answer" in text
    assert "Nothing counts its uses" in text and "within" not in \
        text.split("If approved")[1].split("counts its uses")[0]
    longer = kind == "permission" and "seconds" in duration
    assert ("has 15 min after the answer" in text) == longer
    choices = agent.get(f"/api/v1/suspensions/{asked['suspension_id']}"
                        ).json()["choices"]
    choice = choice or next(c["value"] for c in choices
                            if c["effect"] == "authorize")
    more = {"constraints": {"seconds": 60}} if choice == "allow_for" else {}
    r = answer(operator, asked, choice, **more)
    assert r.status_code == 200, r.text
    text = page_of(me, asked)
    assert "Nothing counts its uses" in text and "Not counted" in text
    assert "0 of 1" not in text
    with server.database() as db:
        lasts = db.execute(
            """SELECT extract(epoch FROM coalesce(p.not_after, d.decided_at +
                          p.use_seconds * interval '1 s') - d.decided_at)
                 FROM permit p JOIN decision d USING (suspension_id)
                WHERE p.suspension_id = %s""",
            [asked["suspension_id"]]).fetchone()[0]
    assert lasts == seconds


def test_the_uses_are_on_the_page(server, agent, operator, person):
    tom = person("operator")
    asked = question(agent)
    assert answer(operator, asked).status_code == 200
    id_ = permit(server, asked)
    use = redeem(agent, id_).json()["redemption_id"]
    text = page_of(tom.client, asked)
    assert "In use, no result yet" in text and "1 of 1" in text
    agent.post(f"/api/v1/redemptions/{use}/result",
               json={"result": "failed", "ref": "<b>re_1</b>"})
    text = page_of(tom.client, asked)
    assert "Failed" in text and "<b>re_1</b>" in text


def test_a_refused_question_has_no_permit(agent, operator, person):
    tom = person("operator")
    asked = question(agent)
    assert answer(operator, asked, "reject", reason="no").status_code == 200
    assert "received no permit" in page_of(tom.client, asked)


def test_a_reader_does_not_revoke(server, agent, operator, person):
    id_ = granted(server, agent, operator)
    reader = person("auditor").client
    assert "Revoke permit" not in reader.get(LIST).text
    assert reader.get(revoke_page(id_)).status_code == 403
    user = person("user").client
    assert "No permits" in Page(user.get(LIST)).text
    assert user.get(revoke_page(id_)).status_code == 404
    gone = person("operator").client.get(revoke_page(new_id()))
    assert gone.status_code == 404 and "permit.unknown" in gone.text
    assert look(agent, id_)["state"] == "active"


def test_the_list_has_pages(server, agent, operator, person):
    first = granted(server, agent, operator)
    with server.database() as db:
        db.execute("""
            INSERT INTO permit (id, intent_id, auth_req_id, agent, agent_key,
                asked, asked_sha256, granted, granted_sha256, max_uses,
                use_seconds, state, created_at, granted_at, not_after)
            SELECT gen_random_uuid(), intent_id,
                   'sar_' || lpad(n::text, 27, '0'), agent, agent_key, asked,
                   asked_sha256, granted, granted_sha256, max_uses,
                   use_seconds, 'active', created_at, granted_at, not_after
              FROM permit_row, generate_series(1, 60) n WHERE id = %s""", [first])
    tom = person("operator").client
    page = tom.get(LIST)
    assert "50 on this page" in Page(page).text
    older = page.text.split(f'href="{LIST}?after=')[1].split('"')[0]
    assert "Revoke" in tom.get(f"{LIST}?after={older}").text
    with server.database() as db:
        db.execute("UPDATE permit p SET state = 'revoked', ended_at = now() "
                   "FROM permit_row r WHERE r.id = p.id AND "
                   "r.state = 'active'")


# --- Pushes ---------------------------------------------------------------

def test_a_push_names_the_permit(server, agent, operator, alone):  # noqa: F811
    mine = register(agent)
    asked = question(agent, limited(), intent={"session_id": "s-1"})
    assert answer(operator, asked).status_code == 200
    no = question(agent)
    assert answer(operator, no, "reject", reason="no").status_code == 200
    yes, veto = deliveries(server, mine)
    seen = look(agent, permit(server, asked))
    assert yes[1]["data"]["permit"] == {
        "id": seen["permit_id"], "max_uses": 1,
        "not_after": seen["not_after"],
        "granted_sha256": seen["granted_sha256"]}
    assert yes[1]["data"]["initiator"] is None
    assert "auth_req_id" not in str(yes) and CALL["args"]["order"] not in str(
        yes)
    assert veto[0] == "intent_vetoed" and veto[1]["data"]["permit"] is None


@pytest.mark.parametrize("late", [False, True])
def test_43_a_revoked_permit_is_pushed(server, agent, operator, late,
                                       alone):  # noqa: F811
    mine = register(agent)
    asked = question(agent, intent={"session_id": "s-1"})
    assert answer(operator, asked).status_code == 200
    id_ = permit(server, asked)
    if late:
        assert redeem(agent, id_).status_code == 201
    r = operator.post(f"/api/v1/permits/{id_}/revoke",
                      json={"reason": "Wrong order."})
    assert r.status_code == 200, r.text
    _, (kind, body, sequence, suspension) = deliveries(server, mine)
    assert kind == body["type"] == "permit_revoked"
    assert suspension == asked["suspension_id"]
    data = body["data"]
    assert data["permit_id"] == id_ and data["session_id"] == "s-1"
    assert (data["used"], data["late"]) == ((1, True) if late else (0, False))
    assert data["reason"] == "Wrong order."
    assert data["event_sequence"] == sequence > 2
    assert data["intent_status"] == "active"


# --- The question ---------------------------------------------------------

def test_a_question_names_its_permit(server, agent, operator):
    asked = question(agent)
    at = f"/api/v1/suspensions/{asked['suspension_id']}"
    assert "permit" not in agent.get(at).json()
    assert answer(operator, asked).status_code == 200
    told = agent.get(at).json()["permit"]
    assert told["id"] == permit(server, asked)
    assert told["state"] == "active" and told["used"] == 0
    refused(agent.get("/api/v1/permits/none"), 404, "permit.unknown")
