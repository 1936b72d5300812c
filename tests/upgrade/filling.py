"""A database that is filled through the API of whatever version runs: questions
of each kind and state, tasks with leases, permits, a queue of webhooks. All that the server
acknowledged is read back, before an upgrade and after it, and compared."""
import concurrent.futures
import hashlib
import json
import time

API = "/api/v1"
CHOICES = [{"value": "approve", "label": "Refund 499.99 EUR",
            "effect": "authorize"},
           {"value": "deny", "label": "Deny", "effect": "veto"}]

# A question of each kind and of each type of answer.
QUESTIONS = [
    {"question": "Refund order 12345?", "choices": CHOICES,
     "context": {"order": "12345", "customer": "Älice ☂"}},
    {"question": "Send the apology mail?"},
    {"question": "What shall the mail say?", "response_type": "text"},
    {"question": "Where shall the parcel go?", "form": [
        {"key": "street", "label": "Street", "required": True},
        {"key": "speed", "label": "Delivery", "type": "enum",
         "options": ["standard", "express"]}]},
    {"question": "Refund order 12345?", "kind": "approval", "severity": "high",
     "subject": {"action": {"name": "refund", "provider": "stripe"},
                 "target": "order 12345", "scope_summary": "One refund",
                 "consequence": "499.99 EUR leave the account",
                 "calls": [{"tool": "refund.create",
                            "args": {"order": "12345", "amount": "499.99"}}]},
     "evidence": [{"title": "A photo", "ref": "file:12345/1.jpg"}]},
    {"question": "May I read the inbox for an hour?", "kind": "permission",
     "subject": {"capability": "read mail", "target": "support@example.com",
                 "risk_text": "Mails are private",
                 "duration": {"kind": "until", "seconds": 3600},
                 "consequence": "It goes into the summary"}},
    {"question": "Shall I go about it like this?", "kind": "plan_review",
     "subject": {"plan": {"version": 1, "scope": "Order 12345 alone",
                          "expected_outputs": ["A refund"],
                          "risk_summary": "Money leaves the account",
                          "steps": [{"id": "look", "title": "Look"}]}}},
    {"question": "Please connect the account.", "kind": "credential_needed",
     "subject": {"provider": "stripe", "credential_class": "API key",
                 "scopes": ["refunds.write"], "settings_url": "/settings"}},
    {"question": "Translate the manual?", "kind": "cost_confirmation",
     "subject": {"purpose": "Translation of 80 pages",
                 "estimate": {"amount": 12.5, "unit": "EUR", "low": 10,
                              "high": 18},
                 "limit": {"amount": 20, "unit": "EUR"},
                 "spent_so_far": {"amount": 3, "unit": "EUR"}}},
    {"question": "Will you take order 12345 over?",
     "kind": "handoff_acceptance",
     "subject": {"from": "refunds-agent", "to": "the legal desk",
                 "summary": "Alice threatens to sue",
                 "reason": "I may not give legal advice", "artifacts": [],
                 "evidence": []}},
]
# The fates of questions. "reminded" is open, with reminders to come.
FATES = ["open", "first", "last", "cancelled", "expired", "reminded", "open"]
REMINDED = {"max_attempts": 3, "interval_seconds": 86400,
            "final_action": "expire"}


def agent(machine, n):
    return machine.client("agent", agent=f"refunds-{n % 10}")


def value_for(record, fate):
    """An answer that fits the question."""
    kind = record["response_type"]
    if kind == "text":
        return f"Sorry, {fate}."
    if kind == "form":
        return {"street": "Road 1", "speed": "express"}
    if kind == "confirm" and not record.get("choices"):
        return fate == "first"
    effect = "authorize" if fate == "first" else "veto"
    plain = [c for c in record["choices"] if not c.get("takes")
             and c["value"] not in ("modify", "edit", "constrain")]
    fitting = [c for c in plain if c["effect"] == effect] or plain
    return fitting[0 if fate == "first" else -1]["value"]


def ask(client, n, **more):
    body = {**QUESTIONS[n % len(QUESTIONS)], "title": f"Question {n}", **more}
    if body.get("kind") == "credential_needed":
        body["subject"] = {**body["subject"],
                           "settings_url": f"{client.base_url}/settings"}
    r = client.post(f"{API}/suspensions", json=body,
                    headers={"Idempotency-Key": f"ask-{n}"})
    assert r.status_code == 201, r.text
    return body, r


class Filling:
    """asked, read, and the answers to calls that may be sent again, each as the
    bytes that the server sent."""

    def __init__(self, machine, n, version_has_permits, url=None):
        self.machine, self.n = machine, n
        self.permits = version_has_permits
        self.address = machine.url  # of the server that acknowledged it
        self.url = url
        self.again = []  # (path, body, key, agent's number, the answer)
        self.ids, self.intents, self.permit_ids = [], [], []

    def make(self):
        with self.machine.client("admin") as admin:
            if self.url:
                r = admin.post(f"{API}/endpoints", json={
                    "name": "Agents", "url": self.url, "internal": True})
                assert r.status_code == 201, r.text
                r = admin.patch(f"{API}/endpoints/{r.json()['endpoint_id']}",
                                json={"paused": True})
                assert r.status_code == 200, r.text
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            made = list(pool.map(self.one, range(self.n)))
            self.ids = [m for m in made if m]
            self.intents = list(pool.map(self.task, range(self.n // 40 + 1)))
        return self

    def one(self, n):
        fate = FATES[n // len(QUESTIONS) % len(FATES)]
        more = {"expired": {"timeout_seconds": 1},
                "reminded": {"retry_policy": REMINDED}}.get(fate, {})
        with agent(self.machine, n) as client:
            body, r = ask(client, n, **more)
            asked = r.json()
            id_ = asked["suspension_id"]
            if n % 20 == 0:
                self.again.append(["suspensions", body, f"ask-{n}", n, r.text])
            if fate == "cancelled":
                r = client.post(f"{API}/suspensions/{id_}/cancel", json={})
                assert r.status_code == 200, r.text
            elif fate in ("first", "last"):
                self.answer(client, id_, fate, n)
        return id_

    def answer(self, client, id_, fate, n):
        record = client.get(f"{API}/suspensions/{id_}").json()
        with self.machine.client("operator") as operator:
            body = {"value": value_for(record, fate), "reason": f"Because {n}"}
            r = operator.post(f"{API}/suspensions/{id_}/respond", json=body)
            assert r.status_code == 200, (record, r.text)
        if self.permits and record["kind"] == "approval" and fate == "first":
            with self.machine.database() as db:
                [[permit]] = db.execute("SELECT id::text FROM permit WHERE "
                                        "suspension_id = %s", [id_])
            r = client.post(f"{API}/redemptions", json={
                "permit_id": permit, "operation_id": f"operation-{n}",
                "call": {"tool": "refund.create", "arguments": {
                    "order": "12345", "amount": "499.99"}}})
            assert (r.status_code == 201) == (body["value"] == "approve"), \
                r.text

    def task(self, n):
        """A task with a lease and without a question."""
        with agent(self.machine, n) as client:
            r = client.post(f"{API}/intents", json={"title": f"Task {n}"},
                            headers={"Idempotency-Key": f"task-{n}"})
            assert r.status_code == 201, r.text
            id_ = r.json()["id"]
            r = client.post(f"{API}/intents/{id_}/leases", json={
                "scope": "refund", "duration_seconds": 86400})
            assert r.status_code == 201, r.text
        return id_

    def settle(self):
        """Until all that ends by itself has ended."""
        if self.permits:
            with self.machine.database() as db:
                self.permit_ids = [id_ for [id_] in db.execute(
                    "SELECT id::text FROM permit ORDER BY id")]
        with self.machine.database() as db:
            self.machine.until(lambda: db.execute(
                "SELECT count(*) FROM suspension_row WHERE state = 'pending' "
                "AND timeout_seconds = 1").fetchone()[0] == 0)

    def state(self):
        return {"ids": self.ids, "intents": self.intents, "again": self.again,
                "permits": self.permits, "n": self.n,
                "permit_ids": self.permit_ids}

    @classmethod
    def of(cls, machine, state):
        one = cls(machine, state["n"], state["permits"])
        one.ids, one.intents = state["ids"], state["intents"]
        one.again, one.permit_ids = state["again"], state["permit_ids"]
        return one

    # --- reading back ---

    def text(self, response):
        """The answer, as if the server were still at the address of then."""
        return response.text.replace(self.machine.url, self.address)

    def read(self, response):
        return json.loads(self.text(response))

    def told(self):
        """Everything that the API says of it, by address."""
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            return {path: said for part in pool.map(self.told_of, enumerate(
                self.ids)) for path, said in part.items()} | {
                path: said for part in pool.map(self.told_of_task,
                                                self.intents)
                for path, said in part.items()} | dict(
                pool.map(self.told_of_permit, self.permit_ids))

    def told_of(self, numbered):
        n, id_ = numbered
        with agent(self.machine, n) as client:
            def read(path):
                r = client.get(path)
                assert r.status_code == 200, f"{path}: {r.text}"
                return self.read(r)
            out = {f"{API}/suspensions/{id_}": read(
                f"{API}/suspensions/{id_}")}
            [record] = out.values()
            at = f"{API}/intents/{record['intent_id']}"
            out[at] = read(at)
            return out

    def told_of_permit(self, id_):
        path = f"{API}/permits/{id_}"
        with self.machine.client("operator") as operator:
            r = operator.get(path)
            assert r.status_code == 200, r.text
            return path, self.read(r)

    def told_of_task(self, id_):
        with self.machine.client("operator") as operator:
            out = {}
            for path in ("", "/leases", "/events?limit=200"):
                r = operator.get(f"{API}/intents/{id_}{path}")
                assert r.status_code == 200, r.text
                out[f"{API}/intents/{id_}{path}"] = self.read(r)
            return out

    def stored(self):
        """All that is kept byte for byte, as digests by name."""
        texts = {
            "event": "SELECT intent_id::text, sequence::text, canonical, "
                     "event_hash, previous_event_hash FROM event",
            "question": "SELECT id, '', record, subject, context, question, "
                        "subject_sha256, asked_by, suspended_at::text "
                        "FROM suspension_row",
            "answer": "SELECT id, '', state, outcome, response, reason, "
                      "metadata, responded_by, responded_at::text "
                      "FROM suspension_row",
            "task": "SELECT id::text, '', title, state, status, "
                    "version::text, event_hash FROM intent",
            "lease": "SELECT id::text, '', scope, agent_id, status, "
                     "expires_at::text FROM lease",
            "delivery": "SELECT id::text, '', body, type FROM delivery"}
        if self.permits:
            texts["permit"] = "SELECT id::text, '', asked, state, used::text, " \
                "suspension_id FROM permit"
            texts["redemption"] = "SELECT permit_id::text, n::text, id::text, " \
                "operation_id FROM redemption"
        out = {}
        with self.machine.database() as db:
            db.execute("SET timezone = 'UTC'")
            for name, text in texts.items():
                for a, b, *rest in db.execute(text):
                    out[f"{name} {a} {b}".strip()] = hashlib.sha256(
                        json.dumps(rest).encode()).hexdigest()[:24]
        return out

    def repeat(self):
        """Calls with their keys are answered as they were, and carried out
        once. Yields what is not so."""
        for path, body, key, n, said in self.again:
            with agent(self.machine, n) as client:
                r = client.post(f"{API}/{path}", json=body,
                                headers={"Idempotency-Key": key})
                if (r.status_code, self.text(r)) != (201, said):
                    yield f"{key}: {r.status_code} {r.text}, it was {said}"


WORDS = {"on_expiry"}  # a sentence for people, made anew each time


def within(old, new, at=""):
    """Places at which new lacks something of old, or has something else."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key, value in old.items():
            if key in WORDS:
                continue
            if key not in new:
                yield f"{at}.{key} is gone"
            else:
                yield from within(value, new[key], f"{at}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and \
            len(old) == len(new):
        for i, (a, b) in enumerate(zip(old, new)):
            yield from within(a, b, f"{at}[{i}]")
    elif old != new:
        yield f"{at}: {old!r} is {new!r} now"


def lost_and_changed(old, new):
    """Of two results of stored()."""
    lost = sorted(set(old) - set(new))
    return lost, sorted(k for k in old if k in new and old[k] != new[k])
