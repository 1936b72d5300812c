"""Sign-in and roles: each fixed finding has a test with its name."""
import concurrent.futures
import contextlib
import fcntl
import hashlib
import os
import pathlib
import re
import socket
import ssl
import struct
import subprocess

import httpx
import pytest

import kit
from kit import elsewhere, new_id, wait_for
from page import Page, login_data, press
from server import TOP, free_port


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
    """Takes these places for hashing."""
    fds = pathlib.Path(f"/proc/{server.supervisor()}/fd")
    [path] = [p for p in fds.iterdir()
              if os.readlink(p).startswith("/memfd:sayso-turns")]
    fd = os.open(path, os.O_RDWR)

    def lock(how, place):
        fcntl.fcntl(fd, fcntl.F_SETLKW,
                    struct.pack("hhqqi4x", how, os.SEEK_SET, place, 1, 0))

    try:
        for place in places:
            lock(fcntl.F_WRLCK, place)
        yield lambda place: lock(fcntl.F_UNLCK, place)
    finally:
        os.close(fd)  # which frees all of them


def test_M2_what_finds_no_place_is_told_to_come_again(
        server, nobody, browser, person):
    one = person(signed_in=False)
    with taken(server, STRANGERS, KNOWN):
        r = one.sign_in(browser)
        assert r.status_code == 503 and int(r.headers["retry-after"]) > 0
        assert "sayso=" not in r.headers.get("set-cookie", "")
        assert Page(r).value("/login", "email") == one.email
        assert "Too many people are signing in" in Page(r).text
        assert nobody.get("/readyz").status_code == 200
    assert one.sign_in(browser).status_code == 303


def test_M2_a_new_password_finds_no_place_either(server, person):
    admin, one = person("admin").client, person("operator", signed_in=False)
    with server.database() as db:
        id_ = db.execute("SELECT id FROM principal WHERE email = %s",
                         [one.email]).fetchone()[0]
    path = f"/settings/people/{id_}"
    with taken(server, STRANGERS, KNOWN):
        r = press(admin, path, "password", f"{path}?do=password")
    assert r.status_code == 503 and "password.busy" in Page(r).text


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
    """Of those without a place one waits; the others are answered."""
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
    with server.client(transport=elsewhere(patient=False),
                       headers={"Accept": "text/html"}) as client:
        data = login_data(client, email="a@example.com", password="x")
        answers = kit.together(*[
            lambda: client.post("/login", data=data)] * 60)
    refused = [r for r in answers if r.status_code == 429
               and "x-request-id" not in r.headers]
    assert refused
    for r in refused:
        assert r.headers["content-type"].startswith("text/html")
        assert "Too many attempts" in r.text
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
    r'^\S+Z notice request=\S+ sign-in at=(\S+) account="([^"]*)" '
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
    assert re.search(r'notice request=\S+ refused code=role\.forbidden '
                     r'by="demo operator" address=127\.0\.0\.1$', line)
    one = person()
    r = one.client.post("/logout", data={"csrf": "x"})
    assert r.status_code == 403
    [line] = logged(server, r)
    assert f'refused code=request.csrf by="{one.email}" address=127.1.' in line


# --- Passwords that are tried first ----------------------------------------

@pytest.mark.parametrize("password", ["password1", "Password123!",
                                      "qwertyuiop", "11111111"])
def test_M2_common_passwords_are_refused(server, person, password):
    one = person()
    data = Page(one.client.get("/settings/profile")).data("/settings/profile")
    r = one.client.post("/settings/profile", data={
        "csrf": data["csrf"], "do": "password", "old": one.password,
        "password": password})
    assert r.status_code == 422 and password not in r.text
    assert "This password is too common" in Page(r).text
    for args in (["create", "--email", f"{new_id()}@example.com", "--name",
                  "X"], ["password", "--email", one.email]):
        done = server.sayso("operator", *args, "--password-stdin",
                            input=password + "\n")
        assert done.returncode == 2
        assert "This password is too common" in done.stderr
        assert password not in done.stderr
    forget_session(one.client)
    assert one.sign_in().status_code == 303


# --- L5: what processes see of root's environment --------------------------

def test_L5_processes_see_nothing_of_ours(server):
    """./start was run with the whole environment of this process, and more."""
    allowed = re.compile(r"(SAYSO_\w+|PATH|LC_ALL|PWD|SHLVL|_|PG\w+|"
                         r"[A-Z]+SAN_OPTIONS|OLDPWD|NGINX\w*)=")
    pids = [server.postmaster(), server.supervisor(), *server.workers()]
    pids += [p for p in kit.children(server.pid()) if kit.comm(p) == "nginx"]
    assert len(pids) >= 7
    for pid in pids:
        raw = pathlib.Path(f"/proc/{pid}/environ").read_bytes().decode()
        for text in raw.split("\0"):
            # nginx overwrites its environment with its title.
            assert not text or kit.comm(pid) == "nginx" and "=" not in text \
                or allowed.match(text), (kit.comm(pid), text.split("=")[0])


# --- L6: a secret is kept in one place --------------------------------------

def test_L6_a_replay_does_not_show_a_secret(server, agent):
    def post(at, body=None):
        with_key = {"Idempotency-Key": key}
        return agent.post(at, json=body, headers=with_key)

    key = new_id()
    asked = {"name": f"n {key}", "url": f"https://example.com/{key}"}
    first = post("/api/v1/endpoints", asked)
    assert first.status_code == 201
    secret = first.json()["secret"]
    again = post("/api/v1/endpoints", asked)
    assert again.headers["idempotency-replayed"] == "true"
    assert again.json() == {k: v for k, v in first.json().items()
                            if k != "secret"}
    assert again.headers["location"] == first.headers["location"]
    key = new_id()
    at = f"/api/v1/endpoints/{first.json()['endpoint_id']}/rotate"
    turned = post(at, {})
    assert turned.json()["secret"] not in (secret, None)
    again = post(at, {})
    assert again.status_code == 200 and "secret" not in again.json()
    assert again.headers["idempotency-replayed"] == "true"
    with server.database() as db:
        assert not db.execute("SELECT FROM idempotency WHERE body LIKE "
                              "'%whsec%'").fetchall()


# --- L7: what a spreadsheet would run --------------------------------------

@pytest.mark.parametrize("first", "\uff1d\uff0b\uff0d\uff20")
def test_L7_full_width_formulas_are_made_harmless(agent, operator, person,
                                                  first):
    asked = kit.ask(agent, response_type="text", choices=None)
    assert kit.answer(operator, asked, f"{first}1+1").status_code == 200
    text = person().client.get("/decided.csv").text
    [line] = [x for x in text.splitlines() if asked["suspension_id"] in x]
    assert f"\"'{first}1+1\"" in line


# --- L8: one address, and TLS as the manual sets it up -----------------------

def test_L8_a_form_comes_from_the_one_address(server, browser, person):
    one = person(signed_in=False)
    host = server.url.removeprefix("http://")
    for headers in ({"Origin": f"https://{host}"},
                    {"Origin": f"http://x{host}"},
                    {"Host": "sayso.example.org"},
                    {"Host": "sayso.example.org",
                     "Origin": "http://sayso.example.org"},
                    {"Host": f"localhost:{server.port}"}):
        r = one.sign_in(browser, headers=headers)
        assert r.status_code == 403, headers
        assert f"from another address than {server.url}" in Page(r).text
    assert one.sign_in(browser, headers={"Origin": server.url}
                       ).status_code == 303


@pytest.fixture(scope="module")
def tls(server):
    """Another nginx before the same workers, with the site's lines for
    TLS, and the client's address from a header, as behind a proxy."""
    at = server.state / "tls"
    at.mkdir()
    lines = re.search("(?s) *listen 443.*?ssl_protocols .*?\n", (
        TOP / "nginx/site-tls.conf.in").read_text())[0]
    port = free_port()
    lines = re.sub(r"(?m)^ *listen .*\n", "", lines)
    lines = lines.replace("/etc/ssl/sayso", str(at)) + (
        f"listen 127.0.0.1:{port} ssl http2;\n"
        "set_real_ip_from 127.0.0.1;\nreal_ip_header X-Real-IP;\n")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days",
         "2", "-subj", "/CN=sayso.example.org", "-keyout", at / "key.pem",
         "-out", at / "fullchain.pem"], check=True, capture_output=True)
    old = server.state / "nginx"
    site = (old / "site.conf").read_text()
    site = re.sub(r"(?m)^ *listen .*\n *server_name _;\n", lines, site)
    (at / "site.conf").write_text(site)
    main = (old / "nginx.conf").read_text()
    main = main.replace(str(old), str(at)).replace("error_log ", "#")
    (at / "nginx.conf").write_text(main)
    with kit.other_nginx(server, at, port):
        yield port


def test_L8_tls_is_said_on_every_answer(tls):
    with httpx.Client(base_url=f"https://127.0.0.1:{tls}", verify=False,
                      timeout=60) as client:
        for path, status in (("/login", 200), ("/static/app.css", 200),
                             ("/openapi.yaml", 200), ("/healthz", 200),
                             ("/nope", 404), ("/api/v1/intents", 401),
                             ("/_wait/x", 404), ("/static/nope", 404),
                             ("/metrics", 200)):
            r = client.get(path)
            assert r.status_code == status, path
            found = r.headers.get_list("strict-transport-security")
            assert found == ["max-age=31536000"], path
    with server_hello(tls, ssl.TLSVersion.TLSv1_2) as s:
        assert s.version() == "TLSv1.2"
    with pytest.raises((ssl.SSLError, ConnectionError)):
        server_hello(tls, ssl.TLSVersion.TLSv1_1)


def server_hello(port, version):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = context.maximum_version = version
    return context.wrap_socket(
        socket.create_connection(("127.0.0.1", port), 10))


def test_L8_without_tls_nothing_is_said_of_it(nobody):
    for path in ("/login", "/static/app.css", "/nope"):
        assert "strict-transport-security" not in nobody.get(path).headers


def test_M2_a_64_of_ipv6_is_one_client(tls):
    """Burst after burst from new addresses of one network, and from one
    address of each of as many networks."""
    def refused(address):
        with httpx.Client(base_url=f"https://127.0.0.1:{tls}", verify=False,
                          cookies={"__Host-sayso-browser": "x"},
                          timeout=60) as client:
            return sum(client.post("/login", headers={
                "X-Real-IP": address(n)}).status_code == 429
                for n in range(200))

    assert refused(lambda n: f"2001:db8:0:{n:x}::1") == 0
    assert refused(lambda n: f"198.51.100.{n}") == 0
    assert refused(lambda n: f"2001:db8:1:1:{n:x}::{n:x}") > 0
    assert refused(lambda n: "198.51.100.77") > 0


# --- L9: one key ------------------------------------------------------------

def test_L9_two_different_keys_are_refused(server, nobody):
    one, two = (server.env[f"SAYSO_{x}_KEY"] for x in ("AGENT", "OPERATOR"))
    for first, second in ((one, two), (two, one), (one, "x"), ("x", one)):
        kit.refused(nobody.get("/api/v1/intents", headers={
            "X-API-Key": first, "Authorization": f"Bearer {second}"}),
            400, "key.two")
    for headers in ({"X-API-Key": one, "Authorization": f"Bearer {one}"},
                    {"X-API-Key": one, "Authorization": "Basic eDp5"},
                    {"Authorization": f"bearer  {one}"}):
        assert nobody.get("/api/v1/intents", headers=headers
                          ).status_code == 200
