"""The other side of a question that a client asks."""
import datetime

import kit
import standardwebhooks


def asked(operator, text, call=None):
    """The open question with this text, once it is there. `call`: arguments
    that its call has, among others."""
    def is_it(question):
        if question["question"] != text:
            return False
        calls = (question["subject"] or {}).get("calls") or [{"args": {}}]
        return (call or {}).items() <= calls[0]["args"].items()

    def look():
        rows = operator.get("/api/v1/suspensions",
                            params={"state": "pending", "limit": 100}).json()
        return [s for s in rows["suspensions"] if is_it(s)]
    return kit.wait_for(look, 60)[0]


def decide(operator, text, value, call=None, **more):
    """Answers it, and gives it back as it was."""
    question = asked(operator, text, call)
    r = kit.answer(operator, question, value, **more)
    assert r.status_code == 200, r.text
    return question


def signed(body, secret, ago=datetime.timedelta()):
    """The headers of a push, as another's package makes them."""
    at = datetime.datetime.now(datetime.timezone.utc) - ago
    return {"Webhook-Id": "msg_1",
            "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature":
            standardwebhooks.Webhook(secret).sign("msg_1", at, body)}
