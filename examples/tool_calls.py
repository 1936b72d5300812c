"""A chat agent that has its tool calls checked before they run. The person for
whom it works approves or rejects them.

    . var/sayso.env; export SAYSO_URL SAYSO_AGENT_KEY
    python3 examples/tool_calls.py "$SAYSO_OPERATOR_EMAIL"

The argument is the e-mail of that person, who has an account of any role that
may answer; `sayso operator create --role user` makes one for a user of the
chat.
"""
import json
import os
import sys
import urllib.error
import urllib.request
import uuid

URL = os.environ["SAYSO_URL"]
KEY = os.environ["SAYSO_AGENT_KEY"]


def send(method, url, body=None):
    """The status and the body of an answer. A refusal is an answer too."""
    request = urllib.request.Request(
        url, method=method, data=json.dumps(body).encode() if body else None,
        headers={"X-API-Key": KEY, "X-Agent-ID": "shop-agent",
                 "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=90) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


# --- The tools ------------------------------------------------------------

def refund(order, amount, currency):
    return f"refunded {amount} {currency} for order {order}"


def mail(to, text):
    return f"wrote to {to}: {text}"


TOOLS = {"shop.refund": refund, "mail.send": mail}

# As the model wrote them, in two of the shapes that the check takes.
CALLS = [
    {"id": "call_1", "tool": "shop.refund", "arguments": {
        "order": "12345", "amount": "50.00", "currency": "EUR"}},
    {"id": "call_2", "type": "function", "function": {
        "name": "mail.send",
        "arguments": '{"to": "alice", "text": "Your money is on its way."}'}},
]


def parts(call):
    """The name and the arguments of a call in either shape."""
    if "function" in call:
        return call["function"]["name"], json.loads(
            call["function"]["arguments"])
    return call["tool"], call["arguments"]


# --- The turn -------------------------------------------------------------

def check(person):
    return send("POST", f"{URL}/api/v1/tool-calls/check", {
        "task": {"task_id": str(uuid.uuid4()), "title": "Refund order 12345"},
        "initiated_by": person, "tool_calls": CALLS,
        "explanation": "The customer sent photos of the damage.",
        "consequence": "50.00 EUR leave the account."})


def wait(pause):
    """Holds until the person has answered, however long that takes."""
    while True:
        status, question = send("GET", pause["poll_url"])
        if status != 200:
            sys.exit(f"No answer can be read: {question}")
        if question["state"] != "pending":
            return question


def run(call, permit):
    """A use is counted before the tool runs, with the whole call, so that two
    workers that got the same answer run it once."""
    tool, arguments = parts(call)
    if permit:
        status, use = send("POST", f"{URL}/api/v1/redemptions", {
            "permit_id": permit["id"], "operation_id": call["id"],
            "call": {"tool": tool, "arguments": arguments}})
        if status != 201:
            return f"not run: {use.get('code', 'it ran before')}"
    done = TOOLS[tool](**arguments)
    if permit:
        send("POST",
             f"{URL}/api/v1/redemptions/{use['redemption_id']}/result",
             {"result": "completed"})
    return done


def main(person):
    status, decided = check(person)
    if status not in (200, 202):
        sys.exit(f"The check was refused: {decided}")
    if decided["decision"] == "deny":
        sys.exit(f"A rule forbids these calls: {decided['reason']}")
    calls, permit = CALLS, None
    if decided["decision"] == "ask":
        print(f"Approve at {decided['approval_url']}", flush=True)
        answer = wait(decided)
        if answer["outcome"] != "authorized":
            sys.exit(f"Canceled: {answer['reason'] or answer['outcome']}")
        calls, permit = answer["tool_calls"], answer["permit"]
    for call in calls:
        print(run(call, permit), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
