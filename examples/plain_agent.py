#!/usr/bin/env python3
"""Asks a person about a refund, waits, and prints the answer, with nothing but
Python. It goes on after a restart of the server, a lost connection, and its own
restart: started again with the same run it finds its question.

    python3 examples/plain_agent.py [run]
"""
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid

URL, KEY = os.environ["SAYSO_URL"], os.environ["SAYSO_AGENT_KEY"]
reached = False


def call(method, path, body=None, once=None):
    """Status and JSON of one request, repeated while the server is away."""
    global reached
    headers = {"X-API-Key": KEY, "X-Agent-ID": "refund-agent",
               "Content-Type": "application/json"}
    if once:
        headers["Idempotency-Key"] = once
    data = None if body is None else json.dumps(body).encode()
    while True:
        request = urllib.request.Request(URL + path, data, headers,
                                         method=method)
        try:
            with urllib.request.urlopen(request, timeout=75) as answer:
                reached = True
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            reached = True
            if error.code not in (429, 503):
                return error.code, json.load(error)
        except OSError as error:  # the key makes it safe to send it again
            if not reached:  # a wrong address, not an outage
                sys.exit(f"{URL} cannot be reached: {error}")
            print("no connection:", error, file=sys.stderr)
        time.sleep(2)


def ask(body, once):
    """Asks, waits, and gives back the question with its answer. once: the same
    for the same request, also after a restart of this program."""
    status, question = call("POST", "/api/v1/suspensions", body, once)
    if status != 201:
        raise RuntimeError(f"{question['code']}: {question['detail']}")
    print("Waiting for an answer at", question["url"], flush=True)
    path = "/api/v1/suspensions/" + question["suspension_id"]
    while question["state"] == "pending":
        status, question = call("GET", path + "?wait=50")
        if status != 200:
            raise RuntimeError(f"{question['code']}: {question['detail']}")
    return question


def used(question, operation):
    """Whether its yes may be acted on now: it counts once. operation: the same
    for the same act, which may be tried again for five minutes."""
    if question["outcome"] != "authorized":
        return False
    status, told = call("POST", "/api/v1/redemptions", {
        "suspension_id": question["suspension_id"],
        "operation_id": operation})
    if status not in (200, 201):
        print("The yes is over:", told.get("detail"), file=sys.stderr)
    return status in (200, 201)


def main():
    run = sys.argv[1] if len(sys.argv) > 1 else str(uuid.uuid4())
    answer = ask({
        "question": "Refund 499.99 EUR for order 12345?",
        "choices": [
            {"value": "approve", "label": "Refund 499.99 EUR",
             "style": "primary", "effect": "authorize"},
            {"value": "deny", "label": "Deny", "style": "danger",
             "effect": "veto"}],
        "context": {"order": "12345", "amount": 499.99},
        "timeout_seconds": 3600}, once=f"{run}:refund:12345")
    print("The answer:", answer["value"])
    if used(answer, f"{run}:refund:12345"):
        print("Order 12345 is refunded.")
    else:
        print("Order 12345 is not refunded.")


main()
