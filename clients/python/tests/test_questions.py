"""Questions: withdrawn, read, listed, followed, and asked again."""

import asyncio
import json

import pytest
from conftest import PENDING, YES

import sayso
from sayso.testing import (
    FakeServer,
    answer,
    approve,
    deny,
    edit,
    pending,
    withdrawn,
)

CANCELLED = {**PENDING, "state": "cancelled", "outcome": "none"}
SILENT = "Nobody answered in time"


# --- Withdrawing ----------------------------------------------------------


def states(fake):
    return [question["state"] for question in fake.asked]


def test_a_question_is_withdrawn_when_its_wait_ends():
    with FakeServer([pending] * 6) as fake:
        client = fake.client()
        for more, state in (
            ({"wait": 0.1}, "cancelled"),
            ({"wait": 0.1, "keep": True}, "pending"),
            ({"wait": 0}, "pending"),
            ({"wait": 0, "keep": False}, "cancelled"),
        ):
            with pytest.raises(sayso.Denied, match=SILENT):
                client.approve_call("refund", {}, **more)
            assert states(fake)[-1] == state, more
        assert client.ask("x?", wait=0.1).pending
        assert client.ask("x?", wait=0.1, keep=False).state == "cancelled"


def test_an_answer_in_the_last_moment_counts(server):
    """It was given between the last read and the withdrawal."""
    decided = 409, {"code": "suspension.already_decided"}
    client = server.client((201, PENDING), (200, PENDING), decided, (200, YES))
    assert client.ask("x?", wait=0, keep=False).approved
    assert server.told() == [
        "POST /api/v1/suspensions",
        "GET /api/v1/suspensions/1?wait=0",
        "POST /api/v1/suspensions/1/cancel",
        "GET /api/v1/suspensions/1?wait=0",
    ]


def test_a_question_that_cannot_be_withdrawn_stays(server, pauses, caplog):
    no = 403, {"code": "access.denied"}
    client = server.client((201, PENDING), (200, PENDING), no)
    assert client.ask("x?", wait=0, keep=False).pending
    assert "stays open" in caplog.text


def test_a_withdrawn_question_is_asked_anew():
    with FakeServer([withdrawn, approve, pending, approve]) as fake:
        client = fake.client()
        with pytest.raises(sayso.Denied, match="withdrawn"):
            client.approve_call("refund", {}, once="1")
        with pytest.raises(sayso.Denied, match="withdrawn"):
            client.approve_call("refund", {}, once="1")
        assert client.approve_call("refund", {}, once="1", anew=True) == {}
        # Its own withdrawal ends it; it does not go on asking.
        with pytest.raises(sayso.Denied, match=SILENT):
            client.approve_call("refund", {}, once="2", anew=True, wait=0.1)
        assert len(fake.asked) == 3


# --- Reading and lists ----------------------------------------------------


def test_questions_are_read_listed_and_withdrawn():
    with FakeServer([answer("red"), *[pending] * 5]) as fake:
        client = fake.client()
        red = client.ask("Which?", choices=["red", "blue"])
        assert client.get(red.id).value == "red"
        ids = [client.ask(f"{n}?", wait=0).id for n in range(5)]
        assert [one.id for one in client.list(limit=2)] == [
            *reversed(ids),
            red.id,
        ]
        assert client.cancel(ids[0], reason="Done.").reason == "Done."
        with pytest.raises(sayso.Conflict):
            client.cancel(ids[0])
        with pytest.raises(sayso.NotFound):
            client.get("nothing/like?this")

        async def pending_ones():
            return [one.id async for one in client.alist(state="pending")]

        assert asyncio.run(pending_ones()) == ids[:0:-1]


def test_a_known_question_is_waited_for(server):
    client = server.client((200, PENDING), (200, YES))
    assert client.get("1").pending
    assert client.get("1", wait=None).approved
    assert asyncio.run(client.aget("1", wait=5)).approved
    assert server.told()[0].endswith("/1?wait=0")
    assert server.told()[1].endswith("/1?wait=50")


def test_the_feed_has_each_end_once():
    with FakeServer([approve, pending, deny("No."), approve]) as fake:
        client = fake.client()
        feed = client.feed(wait=0)
        assert list(feed) == []
        begin = feed.place
        ids = [client.ask(f"{n}?", wait=0).id for n in range(3)]
        feed = client.feed(after=begin, wait=0)
        assert next(feed).id == ids[0]
        assert feed.place == begin, "the page is not handled yet"
        assert next(feed).id == ids[2]
        assert feed.place != begin
        assert list(feed) == []
        client.cancel(ids[1])

        async def rest():
            after = client.afeed(after=feed.place, wait=0.1)
            return [one.id async for one in after]

        assert asyncio.run(rest()) == [ids[1]]


# --- A yes, and its use ---------------------------------------------------


def test_a_permit_is_redeemed():
    with FakeServer([approve]) as fake:
        client = fake.client()
        args = {"amount": 5}
        client.approve_call("refund", args, use=False)
        id = fake.asked[0]["suspension_id"]
        used = client.redeem(
            "operation-1",
            suspension_id=id,
            call={"tool": "refund", "arguments": args},
        )
        assert used["counted"] is True
        assert client.redeem("operation-1", suspension_id=id)["n"] == 1
        with pytest.raises(sayso.Conflict) as no:
            asyncio.run(client.aredeem("operation-2", suspension_id=id))
        assert no.value.code == "permit.spent"


# --- once -----------------------------------------------------------------


def test_once_survives_another_order_of_members():
    with FakeServer([pending] * 2) as fake:
        client = fake.client()
        for context in ({"a": [{"x": 1, "y": 2}], "b": 2}, None):
            context = context or {"b": 2, "a": [{"y": 2, "x": 1}]}
            client.ask("x?", once="1", wait=0, context=context)
        for args in ({"order": "1", "amount": 5}, {"amount": 5, "order": "1"}):
            with pytest.raises(sayso.Denied):
                client.approve_call("refund", args, call_id="1", wait=0)
        assert len(fake.asked) == 2


def test_the_fields_of_a_form_keep_their_order(server):
    client = server.client((201, PENDING), (200, YES))
    form = {"type": "object", "properties": {"z": {"type": "string"}, "a": {}}}
    client.ask("x?", form=form)
    sent = json.loads(server.requests[0].content)["form"]
    assert list(sent["properties"]) == ["z", "a"]


# --- Functions ------------------------------------------------------------


def test_a_refusal_is_the_result():
    ran = []
    with FakeServer([deny("Too much."), approve, deny("No.")]) as fake:
        client = fake.client()

        @client.require_approval(refusal="return")
        def refund(amount):
            ran.append(amount)
            return "done"

        @client.require_approval(refusal="return")
        async def later(amount):
            ran.append(amount)

        assert refund(50) == "Too much."
        assert refund(20) == "done"
        assert asyncio.run(later(1)) == "No."
        assert ran == [20]
    with pytest.raises(sayso.Unreachable):
        sayso.Client(
            "http://127.0.0.1:1", "x", max_retries=0
        ).require_approval(refund, refusal="return", name="x")(1)


def test_a_person_changes_the_call_of_a_method():
    ran = []
    with FakeServer([edit(order="2"), approve]) as fake:
        client = fake.client()

        class Shop:
            @client.require_approval(edit=True, target="order {order}")
            def refund(self, order, /, amount=1, *tags):
                ran.append((order, amount, tags))

            @staticmethod
            @client.require_approval
            def close(day, /):
                ran.append(day)

        Shop().refund("1", 5, "a")
        Shop.close("Monday")
        assert ran == [("2", 5, ("a",)), "Monday"]
        assert fake.asked[0]["subject"]["target"] == "order 1"


def generator(x):
    yield x


async def async_generator(x):
    yield x


def plain(x):
    return x


@pytest.mark.parametrize(
    ("function", "more"),
    [
        (generator, {}),
        (async_generator, {}),
        (dict, {}),
        (classmethod(plain), {}),
        (property(plain), {}),
        (plain, {"once": "run-1"}),
        (plain, {"target": "order {order}"}),
        (plain, {"scope": "{0}"}),
        (plain, {"scope": "{y.z}"}),
    ],
)
def test_what_can_never_be_asked_is_refused_at_once(function, more):
    with pytest.raises(TypeError):
        sayso.require_approval(function, **more)
    with pytest.raises(ValueError, match="refusal"):
        sayso.require_approval(plain, refusal="give up")
