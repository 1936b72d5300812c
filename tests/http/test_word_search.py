"""A search for a word that does not mean its effect: random questions of every
door, with values and words from the server's own list in random spellings,
answered by every way there is. The outcome is the effect of what was pressed or
said, and a no is never harder than a yes."""
import os
import random
import re
import unicodedata

import pytest
from kit import answer, ask, at, made, new_intent, respond, suspend
from page import Page, token
from plans import decide, question, read, reached
from server import TOP
from test_kinds import SUBJECTS
from test_resume import resume

SEED = int(os.environ.get("SAYSO_SEED", "9"))
ROUNDS = int(os.environ.get("SAYSO_ROUNDS", "60"))
YES = {"authorize", "accept"}
NO = {"veto", "decline", "stop_task", "request_changes"}
OUTCOMES = {"authorize": "authorized", "accept": "accepted", "veto": "vetoed",
            "stop_task": "vetoed", "decline": "declined", "answer": "answered",
            "request_changes": "changes_requested", "none": "none"}
NOES = {OUTCOMES[e] for e in NO}
YESES = {OUTCOMES[e] for e in YES}
OPEN = []  # the ids of what was asked in a test


def listed(pattern):
    """The words of the list in src/domain/kind/label.c."""
    text = (TOP / "src/domain/kind/label.c").read_text()
    found = re.findall(pattern, text)
    assert len(found) > 10
    return [re.sub(r"\\x(..)", lambda m: chr(int(m[1], 16)), w)
            .encode("latin-1").decode() for w in found]


YES_WORDS = listed(r'\bYES\("([^"]+)"\)') + ["approve", "accept"]
REFUSALS = listed(r'\bREFUSAL\("([^"]+)"\)') + ["reject", "decline"]
NO_WORDS = listed(r'\bNO\("([^"]+)"\)') + REFUSALS


def reading(text):
    """The text as people read it, up to its first punctuation."""
    text = unicodedata.normalize("NFKC", text).casefold()
    text = "".join(c for c in text if unicodedata.category(c) != "Cf")
    text = re.sub(r"(?<=\w)[-_](?=\w)", " ", text.replace("\u2019", "'"))
    text = re.sub(r"^[^\w]+", "", text)
    text = re.split(r"[^\w\s']", text)[0]
    return " ".join(text.split())


def says(text):
    """"yes", "no", or None."""
    text = reading(text)
    return "yes" if text in YES_WORDS else "no" if text in NO_WORDS else None


def spelled(rnd, word):
    """The word as it is, or in a spelling that looks alike."""
    ways = [lambda w: w, lambda w: w, str.upper, str.title,
            lambda w: f" {w} ", lambda w: w + "!", lambda w: f"({w})",
            lambda w: w.replace(" ", "_"), lambda w: w.replace(" ", "-"),
            lambda w: w[:1] + "\u200b" + w[1:],
            lambda w: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c
                              for c in w)]
    return rnd.choice(ways)(word)


def some_word(rnd):
    return spelled(rnd, rnd.choice(rnd.choice([YES_WORDS, NO_WORDS, REFUSALS, [
        "approve", "reject", "accept", "decline", "complete", "yes", "no",
        "allow", "deny"]])))


class Question:
    """A random question: its choices, whether it has to be refused, and how it
    is asked."""

    def __init__(self, rnd):
        self.kind = rnd.choice([None, None, "approval", "handoff_acceptance",
                                "elicitation"])
        self.confirm = self.kind != "elicitation" and rnd.random() < .2
        effects = {None: [*OUTCOMES], "elicitation": ["answer", "decline"],
                   "approval": ["authorize", "veto", "stop_task"],
                   "handoff_acceptance": ["accept", "decline"]}[self.kind]
        chosen = {None: [], "elicitation": ["answer", "decline"],
                  "approval": ["authorize", "veto"],
                  "handoff_acceptance": ["accept", "decline"]}[self.kind]
        chosen = chosen + [rnd.choice(effects) for _ in range(
            rnd.randint(0 if chosen else 1, 3))]
        rnd.shuffle(chosen)
        self.choices, seen = [], set()
        for n, effect in enumerate(chosen[:2] if self.confirm else chosen):
            value = (("yes", "no")[n] if self.confirm else
                     f"way-{n}" if rnd.random() < .3 else some_word(rnd))
            value = f"way-{n}" if value in seen else value
            seen.add(value)
            more = "" if rnd.random() < .5 else reading(value)
            self.choices.append({
                "value": value, "effect": effect,
                "label": f"{more} order {n}".strip() if more
                else f"Way {n} of order {n}"})
        self.effects = {c["value"]: c["effect"] for c in self.choices}
        self.any = any(e != "none" for e in self.effects.values())
        self.rejects = any(e in NO for e in self.effects.values())
        self.more = {
            "kind": self.kind, "severity": "low",
            "response_type": "confirm" if self.confirm else "choice",
            "subject": SUBJECTS[self.kind] if self.kind else None}

    def opposite(self):
        """Has a value the opposite meaning of its effect, without an excuse?"""
        for c in self.choices:
            word = says(c["value"])
            wrong = c["effect"] in (YES if word == "no" else NO)
            more = reading(c["label"]).startswith(reading(c["value"]) + " ")
            if self.any and word and wrong and (self.confirm or not more):
                return True
        return False

    def ask(self, client, **more):
        body = {"question": "Refund?", "choices": self.choices,
                **self.more, **more}
        return client.post("/api/v1/suspensions", json={
            k: v for k, v in body.items() if v is not None})


@pytest.fixture(scope="module")
def me(person):
    return person("operator").client


@pytest.fixture(autouse=True)
def no_leftovers(agent):
    """The questions that stay open are withdrawn: inboxes of other tests are
    not full of them."""
    yield
    for id in OPEN:
        agent.post(f"/api/v1/suspensions/{id}/cancel")
    OPEN.clear()


@pytest.fixture
def rnd(request):
    """The same numbers in each run of a test, whichever others run."""
    print(f"SAYSO_SEED={SEED}")
    return random.Random(f"{SEED} {request.node.name}")


def questions(rnd, agent, rounds=ROUNDS):
    """Random questions that may be asked; a refused one has to be refused for
    its values, and no other."""
    asked = refused = 0
    while asked < rounds:
        q = Question(rnd)
        r = q.ask(agent)
        code = r.json().get("code")
        if q.opposite():
            refused += 1
            assert r.status_code == 422, (q.choices, r.text)
            assert code in ("choice.value_opposite", "kind.effect"), (
                q.choices, code)
        elif r.status_code == 201:
            asked += 1
            OPEN.append(r.json()["suspension_id"])
            yield q, r.json()
        else:  # a value that a kind reserves
            assert code == "kind.choices", (q.choices, r.text)
    assert refused > rounds / 20


def outcome_of(client, asked):
    return question(client, asked["suspension_id"])["outcome"]


def check_said(q, word, r, outcome):
    """The effect of a word that somebody said."""
    about = (word, q.choices, q.more["response_type"], r.text[:300])
    meant = says(word)
    if not q.any:
        assert (r.status_code == 200) == (word in q.effects), about
        return
    own = q.confirm and q.effects.get(meant) in ("none", "answer")
    if meant and r.status_code == 200 and not own:
        assert outcome in (NOES if meant == "no" else YESES), about
    if r.status_code != 200:
        assert r.status_code == 422 and outcome is None, about
    refusal = unicodedata.normalize("NFKC", word).casefold().strip()
    if refusal in REFUSALS and q.rejects:
        assert r.status_code == 200, about


@pytest.mark.parametrize("door", ["resume", "native", "openintent"])
def test_a_word_that_is_said(agent, operator, rnd, door):
    seen = set()
    for q, asked in questions(rnd, agent):
        word = rnd.choice([*q.effects, some_word(rnd), some_word(rnd),
                           "approve", "accept", "reject"])
        id = asked["suspension_id"]
        if door == "resume":
            r = resume(operator, id, word, reason="So.")
        elif door == "native":
            r = answer(operator, asked, word, reason="So.")
        else:
            r = respond(operator, {"id": asked["intent_id"]}, id, word,
                        reason="So.")
        outcome = outcome_of(operator, asked)
        seen.add(outcome)
        if door != "resume" and word in q.effects and r.status_code == 200:
            # It may be a value too, and is never turned into a yes.
            own = OUTCOMES[q.effects[word]]
            assert outcome == own or (says(word) == "no" and outcome in NOES), \
                (word, q.choices)
        else:
            check_said(q, word, r, outcome)
    assert {None, "vetoed", "authorized"} <= seen, seen


def test_what_is_pressed(agent, operator, me, rnd):
    csrf = token(me)
    for q, asked in questions(rnd, agent, ROUNDS // 2):
        value = rnd.choice([*q.effects])
        r = me.post(f"/suspensions/{asked['suspension_id']}/respond", data={
            "csrf": csrf, "value": value, "reason": "So.",
            "subject_sha256": asked["subject_sha256"]})
        assert r.status_code == 303, (value, q.choices, Page(r).text)
        found = question(operator, asked["suspension_id"])
        assert found["outcome"] == OUTCOMES[q.effects[value]]
        assert found["value"] == value


def test_where_a_link_leads(agent, operator, me, rnd):
    """The page that a word opens confirms its effect, and decides nothing."""
    for q, asked in questions(rnd, agent, ROUNDS // 3):
        word = some_word(rnd)
        r = me.get(f"/suspensions/{asked['suspension_id']}",
                   params={"choice": word})
        buttons = Page(r).buttons("/respond")
        if q.any and says(word) and len(buttons) == 1 < len(q.choices):
            effect = q.effects[buttons[0]]
            own = q.confirm and effect in ("none", "answer")
            assert own or effect in (NO if says(word) == "no" else YES), (
                word, q.choices)
        assert outcome_of(operator, asked) is None


def test_several_at_once(agent, operator, me, rnd):
    csrf, asked = token(me), []
    for q, one in questions(rnd, agent, 30):
        asked.append((q, one))
    for n, word in enumerate(("approve", "reject")):
        some = asked[n::2]
        r = me.post("/inbox/decide", data={
            "csrf": csrf, "answer": word, "reason": "So.", "pick[]": [
                f"{a['suspension_id']}:{a['subject_sha256']}"
                for _, a in some]})
        assert r.status_code == 200, Page(r).text
        for q, one in some:
            outcome = outcome_of(operator, one)
            own = q.confirm and outcome in ("answered", "none")
            assert own or outcome is None or outcome in (
                NOES if n else YESES), q.choices
            if n and any(e in ("veto", "decline") for e in q.effects.values()
                         ) and not q.confirm:
                assert outcome in NOES, q.choices


def test_a_checkpoint(agent, operator, rnd):
    left = 12
    for q, _ in questions(rnd, agent):
        effects = set(q.effects.values())
        if q.kind or not {"authorize", "veto"} <= effects:
            continue
        intent, of, *_ = reached(agent)
        asked = made(q.ask(agent, intent_id=intent["id"],
                           context={"checkpoint_id": "cp-1"}))
        how = rnd.choice(["approve", "reject"])
        r = decide(operator, of, how, json={"reason": "So."})
        many = [*q.effects.values()].count("authorize") > 1
        assert r.status_code == (422 if many and how == "approve" else 200)
        status = read(agent, of)["checkpoints"][0]["status"]
        assert status == ("reached" if r.status_code == 422 else
                          "approved" if how == "approve" else "rejected")
        assert outcome_of(operator, asked) in (
            [None] if r.status_code == 422 else
            ["authorized"] if how == "approve" else ["vetoed"])
        left -= 1
        if left == 0:
            break


def test_questions_of_openintent(agent, operator, rnd):
    """No effect: every word is the agent's value, at every door."""
    for _ in range(ROUNDS // 3):
        values = {some_word(rnd) for _ in range(3)}
        intent, id = suspend(agent, choices=[
            {"value": v, "label": f"Way {n}"}
            for n, v in enumerate(sorted(values))])
        word = rnd.choice(sorted(values) + [some_word(rnd)])
        r = rnd.choice([
            lambda: resume(operator, id, word),
            lambda: answer(operator, {"suspension_id": id}, word),
            lambda: respond(operator, intent, id, word)])()
        assert (r.status_code == 200) == (word in values), (word, values)
        if r.status_code == 200:
            found = question(operator, id)
            assert (found["value"], found["outcome"]) == (word, "none")


def test_questions_beside(agent, other_agent, operator, rnd):
    """Approvals, requests for access and arbitrations, by word."""
    for n in range(ROUNDS // 3):
        intent = new_intent(agent, "active")
        word = some_word(rnd)
        values = sorted({some_word(rnd) for _ in range(2)})
        if n % 3 == 0:
            id = made(agent.post(at(intent, "approvals"), json={
                "action": "ship", "reason": "Ready."}))["id"]
        elif n % 3 == 1:
            id = made(other_agent.post(at(intent, "access-requests"), json={
                "principal_id": "other-agent", "reason": "To help.",
                "requested_permission": "write"}))["id"]
        else:
            id = made(agent.post(at(intent, "arbitrate"), json={
                "reason": "Which?", "context": {"options": [
                    {"value": v, "label": f"Way {v}"} for v in values]}}))["id"]
            word = rnd.choice([word, *values])
        r = resume(operator, id, word)
        outcome = question(operator, id)["outcome"]
        if n % 3 == 2:
            assert r.status_code == 422 and outcome is None, (word, values)
        elif r.status_code == 200:
            assert outcome in (NOES if says(word) == "no" else YESES), word


def test_silence(agent, rnd):
    """No word that means a yes is what silence hands back."""
    refused = 0
    for q, _ in questions(rnd, agent, ROUNDS // 2):
        value = rnd.choice([*q.effects, "approve", "accept"])
        r = q.ask(agent, timeout_seconds=600, fallback_value=value,
                  fallback_policy="complete_with_fallback")
        means = {"approve": "authorize", "accept": "accept"}.get(value)
        yes = q.effects.get(value) in YES or \
            [*q.effects.values()].count(means) == 1
        refused += yes
        if yes:
            assert r.status_code == 422, (value, q.choices)
            assert r.json()["code"] in ("fallback.authorizes",
                                        "response.invalid_choice")
    assert refused
