"""What holds at the sign-in and around it: each finding that was mended has a
test of its name."""
import concurrent.futures
import contextlib
import fcntl
import hashlib
import os
import pathlib
import re
import struct

import pytest

import kit
from kit import elsewhere, new_id, wait_for
from page import Page, login_data


@pytest.fixture
def browser(server):
    """A browser in which nobody has signed in."""
    with server.client(headers={"Accept": "text/html"},
                       transport=elsewhere()) as client:
        yield client


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def forget_session(client):
    """The browser's session is over; it is still the same browser."""
    client.cookies.delete("sayso")


# --- M1: nobody makes somebody else wait ----------------------------------

def guess(client, one, times=1):
    return [one.sign_in(client, password="wrong").status_code
            for _ in range(times)]


def test_M1_guessing_elsewhere_keeps_nobody_out(server, browser, person):
    one = person()
    forget_session(one.client)
    assert guess(browser, one, 7) == [422] * 5 + [429] * 2
    # From their own browser, and from one that is new but somewhere else.
    assert one.sign_in().status_code == 303
    with server.client(transport=elsewhere()) as other:
        assert one.sign_in(other).status_code == 303
    assert guess(browser, one) == [429]


def test_M1_a_known_browser_counts_for_itself(server, person):
    one = person()
    forget_session(one.client)
    # A stranger behind the same address.
    with server.client(transport=one.client._transport) as stranger:
        assert guess(stranger, one, 6) == [422] * 5 + [429]
        assert one.sign_in().status_code == 303
        forget_session(one.client)
        assert guess(one.client, one, 6) == [422] * 5 + [429]
    with server.client(transport=elsewhere()) as other:
        assert one.sign_in(other).status_code == 303


def test_M1_a_browser_is_known_to_those_alone_who_signed_in(server, person):
    one, two = person(), person()
    forget_session(one.client)
    assert guess(one.client, two, 6) == [422] * 5 + [429]
    assert one.sign_in().status_code == 303
    value = one.client.cookies["sayso-browser"]
    with server.database() as db:
        rows = db.execute("SELECT to_json(k)::text FROM known_browser k WHERE "
                          "browser_sha256 = %s", [sha256(value)]).fetchall()
        assert len(rows) == 1 and value not in rows[0][0]
    # One that was made up is none, and signing in still works with it.
    with server.client(transport=elsewhere()) as other:
        other.cookies.set("sayso-browser", "A" * 43)
        assert guess(other, two, 6) == [422] * 5 + [429]


def test_M1_nothing_tells_an_unknown_account(browser, person):
    one = person(signed_in=False)
    said = []
    for email in (one.email, f"{new_id()}@example.com"):
        for _ in range(6):
            r = one.sign_in(browser, email=email, password="wrong")
        assert r.status_code == 429
        assert int(r.headers["retry-after"]) == 1
        assert Page(r).value("/login", "email") == email
        said.append(Page(r).text.replace(email, ""))
    assert said[0] == said[1]
    assert "Wait 1 second and try again" in said[0]


def test_M1_what_failed_is_forgotten(server, browser, person):
    one = person(signed_in=False)
    account = sha256(one.email)

    def ago(span):
        with server.database() as db:
            assert db.execute(
                "UPDATE sign_in_failure SET failed_at = now() - %s::interval "
                "WHERE account_sha256 = %s", [span, account]).rowcount == 1

    assert guess(browser, one, 5) == [422] * 5
    ago("1.1 s")
    assert guess(browser, one) == [422]
    ago("1.1 s")
    assert one.sign_in(browser).status_code == 429  # now it is two seconds
    ago("61 minutes")
    assert guess(browser, one, 5) == [422] * 5
    ago("2 s")
    assert one.sign_in(browser).status_code == 303
    with server.database() as db:
        assert not db.execute("SELECT FROM sign_in_failure WHERE "
                              "account_sha256 = %s", [account]).fetchall()


# --- M2: passwords are checked two at a time -------------------------------

STRANGERS, KNOWN = 0, 1  # the places
QUEUE = 2  # where a stranger waits


@contextlib.contextmanager
def taken(server, *places):
    """Somebody else has these places for hashing."""
    fds = pathlib.Path(f"/proc/{server.supervisor()}/fd")
    [path] = [p for p in fds.iterdir()
              if os.readlink(p).startswith("/memfd:sayso-turns")]
    fd = os.open(path, os.O_RDWR)

    def lock(how, place):
        fcntl.fcntl(fd, fcntl.F_SETLKW,
                    struct.pack("hhqqi4x", how, os.SEEK_SET, place, 1, 0))

    for place in places:
        lock(fcntl.F_WRLCK, place)
    yield lambda place: lock(fcntl.F_UNLCK, place)
    os.close(fd)  # which frees all of them


def test_M2_what_finds_no_place_is_told_to_come_again(
        server, nobody, browser, person):
    one = person(signed_in=False)
    with taken(server, STRANGERS, KNOWN):
        r = one.sign_in(browser)
        assert r.status_code == 503 and int(r.headers["retry-after"]) > 0
        assert "sayso=" not in r.headers.get("set-cookie", "")
        assert Page(r).value("/login", "email") == one.email
        assert "Too many people sign in at this moment" in Page(r).text
        assert nobody.get("/readyz").status_code == 200
    assert one.sign_in(browser).status_code == 303


def test_M2_strangers_leave_a_place_to_known_browsers(server, browser,
                                                      person):
    one = person()
    forget_session(one.client)
    with taken(server, STRANGERS, QUEUE):
        assert one.sign_in(browser).status_code == 503
        assert one.sign_in().status_code == 303


def test_M2_who_waits_gets_the_next_place(server, browser, person):
    one = person(signed_in=False)
    data = login_data(browser, email=one.email, password=one.password)
    with taken(server, STRANGERS) as free, \
            concurrent.futures.ThreadPoolExecutor() as pool:
        first = pool.submit(browser.post, "/login", data=data)
        kit.busy_worker(server)
        free(STRANGERS)
        assert first.result(30).status_code == 303


def test_M2_workers_go_on_serving_while_many_sign_in(server, nobody, person):
    """Of those that find no place one waits; the others are answered."""
    one = person(signed_in=False)
    clients = [server.client(transport=elsewhere()) for _ in range(12)]
    forms = [login_data(c, email=one.email, password="x") for c in clients]
    with taken(server, STRANGERS, KNOWN):
        calls = [lambda c=c, d=d: c.post("/login", data=d).status_code
                 for c, d in zip(clients, forms)]
        calls += [lambda: nobody.get("/readyz").status_code] * 4
        assert kit.together(*calls) == [503] * 12 + [200] * 4
    for c in clients:
        c.close()


def test_M2_a_flood_from_one_network_is_a_page(server):
    with server.client(transport=elsewhere(),
                       headers={"Accept": "text/html"}) as client:
        data = login_data(client, email="a@example.com", password="x")
        answers = kit.together(*[
            lambda: client.post("/login", data=data)] * 60)
    refused = [r for r in answers if r.status_code == 429
               and "x-request-id" not in r.headers]
    assert refused
    for r in refused:
        assert r.headers["content-type"].startswith("text/html")
        assert "Too many tries to sign in" in r.text
        assert int(r.headers["retry-after"]) > 0
        assert "default-src 'none'" in r.headers["content-security-policy"]


# --- M8: who signed in, or tried, and from where ---------------------------

def logged(server, response):
    wanted = f"request={response.headers['x-request-id']} "

    def found():
        lines = [x for x in server.log().splitlines() if wanted in x]
        return lines if any(" status=" in x for x in lines) else None

    return [x for x in wait_for(found) if " status=" not in x]


LINE = re.compile(
    r'^\S+Z notice request=\w+ sign-in at=(\S+) account="([^"]*)" '
    r'address=(\S+) result=(\w+) browser=(\w+)$')


def signs(server, response):
    [line] = logged(server, response)
    assert LINE.search(line), line
    return LINE.search(line).groups()


def test_M8_each_sign_in_is_in_the_log(server, browser, person):
    one = person(signed_in=False)
    address = browser._transport._pool._local_address

    def told(r, email, result, known="new"):
        assert signs(server, r) == ("login", email, address, result, known)
        assert one.password not in server.log()

    told(one.sign_in(browser), one.email, "ok")
    told(one.sign_in(browser), one.email, "ok", "known")
    told(one.sign_in(browser, password="a wrong one"), one.email, "wrong",
         "known")
    unknown = f"{new_id()}@example.com"
    for _ in range(5):
        r = one.sign_in(browser, email=unknown, password="a wrong one")
        told(r, unknown, "unknown")
    told(one.sign_in(browser, email=unknown), unknown, "throttled")
    server.sayso("operator", "disable", "--email", one.email)
    told(one.sign_in(browser), one.email, "disabled", "known")
    with taken(server, STRANGERS, QUEUE):
        r = one.sign_in(browser, email="x@example.com")
        told(r, "x@example.com", "busy")
    # Typed into the wrong field.
    told(one.sign_in(browser, email=one.password, password=""), "-",
         "unknown")


def test_M8_a_line_cannot_be_forged(server, browser, person):
    one = person(signed_in=False)
    email = 'a@x" address=1.2.3.4 result=ok\r\nforged: \\"\u2028b'
    r = one.sign_in(browser, email=email)
    at, account, address, result, _ = signs(server, r)
    assert account == 'a@x? address=1.2.3.4 result=ok?forged: ???b'
    assert address.startswith("127.1.") and result == "unknown"


def test_M8_what_is_forbidden_is_in_the_log(server, agent, person, browser):
    r = agent.post("/api/v1/subscriptions", headers={
        "X-API-Key": server.env["SAYSO_OPERATOR_KEY"]}, json={})
    assert r.status_code == 403
    [line] = logged(server, r)
    assert re.search(r'notice request=\w+ refused code=role\.forbidden '
                     r'by="start: operator" address=127\.0\.0\.1$', line)
    one = person()
    r = one.client.post("/logout", data={"csrf": "x"})
    assert r.status_code == 403
    [line] = logged(server, r)
    assert f'refused code=request.csrf by="{one.email}" address=127.1.' in line
