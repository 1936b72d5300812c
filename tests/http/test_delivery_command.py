"""`sayso delivery`: what was given up is listed, and sent again."""
import pytest

from kit import ask, new_id, wait_for
from server import free_port


@pytest.fixture
def failed(server, agent, channel):
    """A maker of deliveries that were given up; the names of two endpoints,
    which are away."""
    asked = ask(agent)
    names = [f"away-{new_id()}" for _ in range(2)]
    ids = [channel("webhook", name, address=f"https://127.0.0.1:{free_port()}/")
           ["endpoint_id"] for name in names]

    def make(which, age, n=1):
        with server.database() as db:
            db.execute(
                "INSERT INTO delivery (id, endpoint_id, intent_id, "
                "event_sequence, type, body, state, tries, ended_at, answer, "
                "created_at) SELECT gen_random_uuid(), %s, %s, 1, 'event', "
                "'{}', 'failed', 9, now(), '503', now() - %s::interval "
                "FROM generate_series(1, %s)",
                [ids[which], asked["intent_id"], age, n])
    make.names, make.ids = names, ids
    return make


def rows(server, *options):
    done = server.sayso("delivery", "failed", *options)
    assert done.returncode == 0, done.stderr
    return [line.split("\t") for line in done.stdout.splitlines()]


def state(server, endpoint):
    with server.database() as db:
        return dict(db.execute(
            "SELECT state, count(*) FROM delivery WHERE endpoint_id = %s "
            "GROUP BY state", [endpoint]).fetchall())


def test_the_list_and_its_filters(server, failed):
    failed(0, "1 hour")
    failed(0, "3 days")
    failed(1, "2 hours")
    one = rows(server, "--endpoint", failed.names[0])
    assert [r[2:] for r in one] == [[failed.names[0], "event", "9", "503"]] * 2
    assert rows(server, "--endpoint", failed.ids[0]) == one
    with server.database() as db:
        since, = db.execute("SELECT to_char(now() AT TIME ZONE 'UTC' - "
                            "interval '1 day', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'"
                            ")").fetchone()
    assert rows(server, "--endpoint", failed.names[0], "--since",
                since) == one[:1]
    names = [r[2] for r in rows(server, "--since", since)]
    assert {failed.names[0], failed.names[1]} <= set(names)


def test_all_of_an_endpoint_are_sent_again(server, failed):
    failed(0, "1 hour", 1500)
    failed(1, "1 hour")
    done = server.sayso("delivery", "again", "--endpoint", failed.names[0])
    assert done.stdout == "1500 will be sent again\n", done.stderr
    assert rows(server, "--endpoint", failed.names[0]) == []
    assert state(server, failed.ids[0]) == {"pending": 1500}
    assert state(server, failed.ids[1]) == {"failed": 1}
    # Each is tried, from its first try on.
    with server.database() as db:
        wait_for(lambda: db.execute(
            "SELECT max(tries) FROM delivery WHERE endpoint_id = %s",
            [failed.ids[0]]).fetchone()[0] >= 1)
        db.execute("DELETE FROM delivery_try WHERE delivery_id IN (SELECT id "
                   "FROM delivery WHERE endpoint_id = %s)", [failed.ids[0]])
        db.execute("DELETE FROM delivery WHERE endpoint_id = ANY (%s)",
                   [failed.ids])
    done = server.sayso("delivery", "again", "--endpoint", failed.names[0])
    assert done.stdout == "0 will be sent again\n"


@pytest.mark.parametrize("args", [
    [], ["again", "now"], ["failed", "--since", "yesterday"],
    ["again", "--since", "x"], ["failed", "--endpoint"], ["resend"]])
def test_a_mistake_sends_nothing(server, args):
    done = server.sayso("delivery", *args)
    assert done.returncode == 2 and done.stderr.startswith("sayso: ")
    assert done.stdout == ""
