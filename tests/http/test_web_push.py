"""Web Push: browsers that subscribed through a channel of an admin get an empty,
signed message when somebody may have to answer. A server of its own, whose clock
the tests move, and a push service on the loopback."""
import base64
import json
import time

import kit
import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from kit import ask, new_id, wait_for
from page import Page, send, token
from receiver import Authority, Receiver
from server import place

route = pytest.mark.route
PAGE, CHANNELS = "/settings/notifications", "/settings/channels"


@pytest.fixture(scope="module")
def authority():
    return Authority(place("push-services"))


@pytest.fixture(scope="module")
def service(authority):
    one = Receiver(authority.context())
    yield one
    one.close()


@pytest.fixture(scope="module")
def server(authority, clock):
    one = kit.Watched(place("web-push"), SAYSO_CA_FILE=str(authority.file),
                      **clock.setting).start()
    yield one
    one.stop()
    assert not [x for x in kit.complaints(one) if "Sanitizer" in x]
    assert "signal 11" not in one.log() and "signal 6" not in one.log()
    assert "is skipped for a minute" not in one.log()


def looks(server, wanted):
    """Until the clock looks for what is to be pushed, or does not."""
    with server.database() as db:
        wait_for(lambda: (db.execute(
            "SELECT xid FROM person_mail_place").fetchone() != (None,))
            is wanted)


@pytest.fixture
def through(person, server):
    """through(internal=...) makes a channel as an admin does; its name."""
    made = []

    def make(**more):
        name = f"push-{new_id()}"
        r = send(person("admin").client, CHANNELS, {
            "Kind": "push", "Name": name, "Address": "ops@example.org",
            "Allowed recipients": "@example.com",
            "Message content": "title", **more})
        assert r.status_code == 303 and r.headers["Location"] == CHANNELS
        made.append(name)
        return name

    yield make
    with server.database() as db:
        db.execute("DELETE FROM person_push")
        db.execute("UPDATE endpoint SET removed_at = now() WHERE name = ANY "
                   "(%s)", [made])
    looks(server, False)


INTERNAL = {"Internal address": "true"}


def key_of(one):
    page = one.client.get(PAGE).text
    return page.split('data-push="')[1].split('"')[0] \
        if 'data-push="' in page else None


def subscribe(one, address, least="low", **more):
    return one.client.post(PAGE, data={
        "csrf": Page(one.client.get(PAGE)).value(PAGE, "csrf"), "do": "push",
        "address": address, "least": least, **more})


def subscribed(server, one, address, **more):
    r = subscribe(one, address, **more)
    assert r.status_code == 303, r.text
    looks(server, True)
    return one


def unpadded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def settled(server):
    time.sleep(1.5)
    with server.database() as db:
        wait_for(lambda: db.execute(
            "SELECT count(*) FROM delivery WHERE state = 'pending' AND "
            "tries = 0").fetchone() == (0,))


def subscriptions(server, one):
    with server.database() as db:
        return db.execute(
            "SELECT count(*) FROM person_push u JOIN principal p ON p.id = "
            "u.principal_id WHERE email = %s", [one.email]).fetchone()[0]


@route("POST /settings/notifications")
def test_an_empty_message_signed_for_the_push_service(
        server, agent, person, service, through, clock):
    through(**INTERNAL)
    me, path = person(), f"/{new_id()}"
    subscribed(server, me, service.url(path))
    ask(agent, title="Secret title", severity="high")
    got, = wait_for(lambda: service.at(path))
    assert got.body == b""
    headers = {k.lower(): v for k, v in got.headers.items()}
    assert int(headers["ttl"]) > 0 and headers["urgency"] == "high"
    assert "content-type" not in headers and "Secret" not in str(headers)
    scheme, _, fields = headers["authorization"].partition(" ")
    assert scheme == "vapid"
    parts = dict(f.strip().split("=", 1) for f in fields.split(","))
    assert parts["k"] == key_of(me)
    head, claims, signature = parts["t"].split(".")
    assert json.loads(unpadded(head)) == {"typ": "JWT", "alg": "ES256"}
    said = json.loads(unpadded(claims))
    assert said["aud"] == service.url("")
    assert said["sub"] == "mailto:ops@example.org"
    assert 0 < said["exp"] - time.time() - clock.seconds <= 86400
    raw = unpadded(signature)
    public = ec.EllipticCurvePublicKey.from_encoded_point(
        ec.SECP256R1(), unpadded(parts["k"]))
    public.verify(utils.encode_dss_signature(
        int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")),
        f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))


def test_by_risk_and_by_whom_it_names(server, agent, person, service, through):
    through(**INTERNAL)
    high, mine, other = person(), person(), person()
    paths = {one: f"/{new_id()}" for one in (high, mine, other)}
    subscribed(server, high, service.url(paths[high]), least="high")
    subscribed(server, mine, service.url(paths[mine]), mine="yes")
    subscribed(server, other, service.url(paths[other]))
    ask(agent, severity="low", responder={"mode": "named", "who": mine.email})
    wait_for(lambda: service.at(paths[mine]))
    settled(server)
    assert not service.at(paths[high]) and not service.at(paths[other])
    ask(agent, severity="high")
    wait_for(lambda: service.at(paths[high]) and service.at(paths[other]))
    settled(server)
    assert len(service.at(paths[mine])) == 1


def test_several_at_once_are_one_message(server, agent, person, service,
                                         through, clock):
    through(**INTERNAL)
    me, path = person(), f"/{new_id()}"
    subscribed(server, me, service.url(path))
    for _ in range(8):
        ask(agent)
    wait_for(lambda: service.at(path))
    settled(server)
    assert len(service.at(path)) == 1
    clock.forward(seconds=31)
    ask(agent)
    wait_for(lambda: len(service.at(path)) == 2)


@pytest.mark.parametrize("status", [404, 410])
def test_a_browser_that_is_gone_is_removed(server, agent, person, service,
                                           through, clock, status):
    name = through(**INTERNAL)
    me, path = person(), f"/{new_id()}"
    subscribed(server, me, service.url(path))
    service.answer(path, status, always=True)
    ask(agent)
    wait_for(lambda: service.at(path))
    wait_for(lambda: subscriptions(server, me) == 0)
    clock.forward(minutes=10)
    ask(agent)
    settled(server)
    assert len(service.at(path)) == 1
    with server.database() as db:
        assert db.execute("SELECT gone_at FROM endpoint WHERE name = %s",
                          [name]).fetchone() == (None,)


@route("POST /logout")
@route("POST /settings/notifications")
def test_signing_out_or_turning_off_ends_it(server, agent, person, service,
                                            through, clock):
    through(**INTERNAL)
    out, off = person(), person()
    paths = {one: f"/{new_id()}" for one in (out, off)}
    for one in (out, off):
        subscribed(server, one, service.url(paths[one]))
    assert out.client.post("/logout", data={
        "csrf": token(out.client)}).status_code == 303
    r = off.client.post(PAGE, data={
        "csrf": Page(off.client.get(PAGE)).value(PAGE, "csrf"),
        "do": "unpush", "address": service.url(paths[off])})
    assert r.status_code == 303 and subscriptions(server, off) == 0
    assert subscriptions(server, out) == 0
    ask(agent, severity="critical")
    settled(server)
    assert not service.at(paths[out]) and not service.at(paths[off])


def test_no_private_address_unless_an_admin_says_so(server, agent, person,
                                                    service, through):
    through()
    me, path = person(), f"/{new_id()}"
    subscribed(server, me, service.url(path, host="localhost"))
    ask(agent)
    with server.database() as db:
        answer, = wait_for(lambda: db.execute(
            "SELECT d.answer FROM delivery d WHERE d.type = 'push' AND "
            "d.address = %s AND tries > 0",
            [service.url(path, host="localhost")]).fetchone())
    assert not service.at(path), answer
    for wrong in (service.url(path), "https://10.0.0.1/x",
                  "http://127.0.0.1:9/x", "https://[::1]/x", "ftp://x/y",
                  "nothing", "", "https://user@x.example/"):
        assert subscribe(me, wrong).status_code == 422, wrong


def test_so_many_browsers_of_one_person(server, person, service, through):
    through(**INTERNAL)
    me, other = person(), person()
    for n in range(10):
        assert subscribe(me, service.url(f"/{n}")).status_code == 303
    assert subscribe(me, service.url("/9")).status_code == 303  # again
    for one, path, code in ((me, "/10", "push.too_many"),
                            (other, "/9", "push.taken")):
        r = subscribe(one, service.url(path))
        assert r.status_code == 409 and code in r.text
    assert subscriptions(server, me) == 10


def test_without_a_channel_there_is_none(person, service):
    me = person()
    assert key_of(me) is None
    assert subscribe(me, service.url("/x")).status_code == 400


def test_the_files_of_an_installed_page(server, person):
    me = person()
    assert 'rel="manifest" href="/static/sayso.webmanifest"' in \
        me.client.get(PAGE).text
    with server.client() as one:
        manifest = one.get("/static/sayso.webmanifest")
        assert manifest.json()["start_url"] == "/inbox"
        for icon in manifest.json()["icons"]:
            assert one.get(icon["src"]).content[:4] == b"\x89PNG"
        worker = one.get("/worker.js")
        assert worker.status_code == 200
        assert "javascript" in worker.headers["Content-Type"]
        assert worker.headers["Content-Security-Policy"] == \
            "default-src 'none'"
        for word in ("caches", "fetch", "importScripts", "postMessage"):
            assert word not in worker.text
