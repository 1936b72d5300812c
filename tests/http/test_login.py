"""Signing in and out: passwords, cookies, other sites, guessing."""
import hashlib
import re
import urllib.parse

import httpx
import pytest

from kit import ROUTES, elsewhere, fastcgi, fill, new_id
from page import Page, login_data

route = pytest.mark.route


def cookie_of(response):
    """The last cookie that an answer sets: its value and its attributes."""
    last = response.headers.get_list("set-cookie")[-1]
    name, _, rest = last.partition("=")
    value, *attributes = rest.split("; ")
    return name, value, set(attributes)


def with_cookie(server, value, **headers):
    return server.client(headers={"Cookie": f"sayso={value}",
                                  "Accept": "text/html", **headers})


@route("GET /login")
@route("POST /login")
@route("GET /inbox")
def test_signing_in(server, browser, person):
    one = person(signed_in=False)
    r = browser.get("/login")
    assert r.status_code == 200
    form = Page(r).form("/login")
    assert form["method"] == "post"
    r = one.sign_in(browser)
    assert r.status_code == 303 and r.headers["location"] == "/inbox"
    name, value, attributes = cookie_of(r)
    assert name == "sayso" and re.fullmatch(r"[A-Za-z0-9_-]{43}", value)
    # No TLS here, so neither Secure nor __Host-: a browser would refuse them.
    assert {"Path=/", "HttpOnly", "SameSite=Lax"} <= attributes
    assert "Secure" not in attributes
    assert not any(a.startswith("Domain") for a in attributes)
    r = browser.get("/inbox")
    assert r.status_code == 200
    assert one.name in Page(r).text
    with server.database() as db:
        digest = hashlib.sha256(value.encode()).hexdigest()
        rows = db.execute("SELECT to_json(s)::text FROM operator_session s "
                          "WHERE id_sha256 = %s", [digest]).fetchall()
    assert len(rows) == 1 and value not in rows[0][0]


def test_with_tls_the_cookie_is_bound_to_the_host(server, person):
    one = person(signed_in=False)
    path = server.socket
    host = server.url.removeprefix("http://")
    get = {"REQUEST_METHOD": "GET", "HTTPS": "on", "HTTP_HOST": host}
    r = fastcgi(path, {**get, "REQUEST_URI": "/login"})
    visit, _, rest = r.headers["set-cookie"].partition(";")
    assert visit.startswith("__Host-sayso-visit=") and "Secure" in rest
    token = re.search(rb'name="csrf" value="([^"]{60})"', r.body)[1].decode()
    body = urllib.parse.urlencode({
        "csrf": token, "email": one.email,
        "password": one.password}).encode()
    params = {"REQUEST_METHOD": "POST", "REQUEST_URI": "/login",
              "HTTPS": "on", "CONTENT_LENGTH": str(len(body)),
              "CONTENT_TYPE": "application/x-www-form-urlencoded",
              "HTTP_HOST": host, "HTTP_COOKIE": visit}
    r = fastcgi(path, params, body)
    assert r.status == 303, r
    name, _, rest = r.headers["set-cookie"].partition("=")
    value, *attributes = rest.split("; ")
    assert name == "__Host-sayso"
    assert {"Path=/", "HttpOnly", "SameSite=Lax", "Secure"} <= set(attributes)
    assert not any(a.startswith("Domain") for a in attributes)
    get["REQUEST_URI"] = "/inbox"
    assert fastcgi(path, {**get, "HTTP_COOKIE": f"__Host-sayso={value}"}
                   ).status == 200
    # A cookie with the other name is not accepted: another application could
    # set it.
    assert fastcgi(path, {**get, "HTTP_COOKIE": f"sayso={value}"}
                   ).status == 303


@route("GET /")
def test_home_is_the_inbox(browser):
    r = browser.get("/")
    assert r.status_code == 303 and r.headers["location"] == "/inbox"


def test_the_email_is_the_same_in_any_case(browser, person):
    one = person(signed_in=False)
    r = one.sign_in(browser, email=f" {one.email.upper()} ")
    assert r.status_code == 303


def test_a_wrong_password_and_an_unknown_person_read_the_same(
        browser, person):
    one = person(signed_in=False)
    said = []
    for email, password in ((one.email, "wrong-password"),
                            ("nobody@example.com", one.password),
                            (one.email, ""), ("", "")):
        r = one.sign_in(browser, email=email, password=password)
        assert r.status_code == 422
        assert "set-cookie" not in r.headers
        page = Page(r)
        assert page.value("/login", "email") == email  # typed, and kept
        assert page.value("/login", "password") == ""
        assert "wrong-password" not in r.text and one.password not in r.text
        said.append(page.text)
    assert len(set(said)) == 1


def test_a_hostile_email_is_only_shown(browser):
    email = '"><script>alert(1)</script>\u202e'
    r = browser.post("/login", data=login_data(browser, email=email,
                                               password="x"))
    assert r.status_code == 422
    assert "<script>alert" not in r.text
    assert Page(r).value("/login", "email") == email


@pytest.mark.parametrize("email, password", [
    ("x" * 255, "x"), ("x@example.com", "x" * 201)])
def test_too_long_for_a_login(browser, email, password):
    r = browser.post("/login", data=login_data(browser, email=email,
                                               password=password))
    assert r.status_code == 422 and "too long" in Page(r).text


@pytest.mark.parametrize("next_, to", [
    ("/decided", "/decided"), ("/suspensions/x?choice=a", None),
    ("//evil.example", "/inbox"), ("https://evil.example", "/inbox"),
    ("/\\evil.example", "/inbox"), ("\\\\evil.example", "/inbox"),
    ("/\t/evil.example", "/inbox"), ("javascript:alert(1)", "/inbox"),
    ("decided", "/inbox"), ("", "/inbox"), ("/" + "x" * 2000, "/inbox"),
    ("/x\r\nSet-Cookie: a=b", "/inbox")])
def test_where_to_after_signing_in(person, browser, next_, to):
    one = person(signed_in=False)
    if "\n" not in next_ and len(next_) < 1024:
        shown = browser.get("/login", params={"next": next_})
        if shown.status_code == 200:
            kept = Page(shown).value("/login", "next")
            assert kept == (next_ if to != "/inbox" else "")
    r = one.sign_in(browser, next=next_)
    assert r.status_code == 303
    assert r.headers["location"] == (to or next_)


def test_who_is_signed_in_already(person):
    one = person()
    r = one.client.get("/login")
    assert r.status_code == 303 and r.headers["location"] == "/inbox"
    r = one.client.get("/login", params={"next": "/decided"})
    assert r.headers["location"] == "/decided"


def test_pages_send_strangers_to_the_login(browser):
    for row in ROUTES:
        if row.proof != "COOKIE" or row.style != "HTML":
            continue
        r = browser.request(row.method, fill(row.pattern))
        assert r.status_code == 303, row.name
        wanted = "/login"
        if row.method == "GET" and row.pattern != "/inbox":
            wanted += "?next=" + fill(row.pattern).replace("/", "%2F")
        assert r.headers["location"] == wanted


@pytest.mark.parametrize("path", [
    "/inbox?view=all&kind=approval", "/decided?who=a%26b%3Dc&from=2026-01-01",
    "/inbox?q=%C3%84%20%2B%231&after=", "/suspensions/x?choice=yes"])
def test_the_query_comes_back_after_the_login(person, browser, path):
    one = person(signed_in=False)
    r = browser.get(path)
    assert r.status_code == 303
    shown = browser.get(r.headers["location"])
    r = one.sign_in(browser, next=Page(shown).value("/login", "next"))
    assert r.status_code == 303
    came, sent = httpx.URL(r.headers["location"]), httpx.URL(path)
    assert (came.path, came.params) == (sent.path, sent.params)


def test_a_query_that_is_too_long_is_left_out(browser):
    r = browser.get("/decided?who=" + "%C3%84" * 120 + "&agent=" + "a" * 400)
    assert r.headers["location"] == "/login?next=%2Fdecided"


# --- Another site ---------------------------------------------------------

FOREIGN = [{"Origin": "https://evil.example"}, {"Origin": "null"},
           {"Origin": ""}, {"Sec-Fetch-Site": "cross-site"},
           {"Sec-Fetch-Site": "same-site"}, {"Sec-Fetch-Site": ""}]


@pytest.mark.parametrize("headers", FOREIGN)
def test_a_form_from_another_site(browser, person, headers):
    one = person(signed_in=False)
    r = one.sign_in(browser, headers=headers)
    assert r.status_code == 403 and "set-cookie" not in r.headers


def test_a_form_from_this_site(browser, person, server):
    one = person(signed_in=False)
    r = one.sign_in(browser, headers={"Origin": server.url,
                                      "Sec-Fetch-Site": "same-origin"})
    assert r.status_code == 303


def test_the_login_form_has_a_token_too(server, browser, person):
    """No other site can sign a browser in as another person."""
    one = person(signed_in=False)
    first = browser.get("/login")
    name, _, attributes = cookie_of(first)
    assert name == "sayso-visit"
    assert {"Path=/", "HttpOnly", "SameSite=Lax"} <= attributes
    token = Page(first).data("/login")["csrf"]
    assert len(token) == 60
    with server.client(transport=elsewhere()) as other:
        theirs = login_data(other)["csrf"]
        # The token without the visit that it belongs to.
        data = {"email": one.email, "password": one.password, "csrf": token}
        other.cookies.clear()
        r = other.post("/login", data=data)
        assert r.status_code == 403 and "set-cookie" not in r.headers
    for wrong in ("", "A" * 43, theirs, token[:-1]):
        r = browser.post("/login", data={**data, "csrf": wrong})
        assert r.status_code == 403 and "set-cookie" not in r.headers
    assert browser.post("/login", data=data).status_code == 303


# --- The end of a session -------------------------------------------------

@route("POST /logout")
def test_signing_out(server, person):
    one = person()
    value = one.client.cookies["sayso"]
    page = Page(one.client.get("/inbox"))
    r = one.client.post("/logout", data=page.data("/logout"))
    assert r.status_code == 303 and r.headers["location"] == "/login"
    assert "Max-Age=0" in r.headers["set-cookie"]
    with with_cookie(server, value) as again:  # it is over for the server too
        assert again.get("/inbox").status_code == 303


@pytest.mark.parametrize("change", ["none", "empty", "wrong", "anothers"])
def test_signing_out_needs_the_pages_token(person, change):
    one = person()
    data = {"none": {}, "empty": {"csrf": ""}, "wrong": {"csrf": "A" * 43},
            "anothers": {"csrf": ""}}[change]
    if change == "anothers":
        other = person()
        data = Page(other.client.get("/inbox")).data("/logout")
        assert data != Page(one.client.get("/inbox")).data("/logout")
    r = one.client.post("/logout", data=data)
    assert r.status_code == 403
    assert one.client.get("/inbox").status_code == 200


def test_signing_out_from_another_site(person):
    one = person()
    data = Page(one.client.get("/inbox")).data("/logout")
    r = one.client.post("/logout", data=data,
                        headers={"Origin": "https://evil.example"})
    assert r.status_code == 403
    assert one.client.get("/inbox").status_code == 200


@pytest.mark.parametrize("value", ["", "x", "A" * 43, "A" * 44, "a b",
                                   "A" * 42 + '"'])
def test_a_cookie_that_is_none(server, value):
    with with_cookie(server, value) as client:
        assert client.get("/inbox").status_code == 303


def test_two_cookies_are_none(server, person):
    """Another application on this host could have set one of them."""
    one = person()
    value = one.client.cookies["sayso"]
    with with_cookie(server, f"{value}; sayso={value}") as client:
        assert client.get("/inbox").status_code == 303
    with with_cookie(server, f"{value}; other=1") as client:
        assert client.get("/inbox").status_code == 200


def test_a_disabled_operator_is_out_at_once(server, person, browser):
    one = person()
    done = server.sayso("operator", "disable", "--email", one.email)
    assert done.returncode == 0, done.stderr
    assert one.client.get("/inbox").status_code == 303
    assert one.sign_in(browser).status_code == 422
    server.sayso("operator", "enable", "--email", one.email)
    assert one.client.get("/inbox").status_code == 303  # the session is over
    assert one.sign_in(browser).status_code == 303


def test_a_new_password_ends_all_sessions(server, person, browser):
    one = person()
    fresh = new_id()
    done = server.sayso("operator", "password", "--email", one.email,
                        "--password-stdin", input=fresh + "\n")
    assert done.returncode == 0, done.stderr
    assert one.client.get("/inbox").status_code == 303
    assert one.sign_in(browser).status_code == 422
    assert one.sign_in(browser, password=fresh).status_code == 303


def test_a_new_password_is_in_force_only_with_the_sessions_over(
        server, person, browser):
    """Otherwise nobody would know the new one: it is printed at the end."""
    one = person()
    with server.database() as db:
        db.execute("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql "
                   "AS $$ BEGIN RAISE 'no'; END $$")
        db.execute("CREATE TRIGGER refuse BEFORE UPDATE ON operator_session "
                   "FOR EACH STATEMENT EXECUTE FUNCTION refuse()")
        try:
            for what in ("password", "disable"):
                done = server.sayso("operator", what, "--email", one.email)
                assert done.returncode == 1 and not done.stdout
        finally:
            db.execute("DROP TRIGGER refuse ON operator_session")
            db.execute("DROP FUNCTION refuse")
    assert one.client.get("/inbox").status_code == 200
    assert one.sign_in(browser).status_code == 303


@pytest.mark.parametrize("column, age", [
    ("expires_at", "1 second"), ("seen_at", "30 days")])
def test_a_session_ends_by_itself(server, person, column, age):
    one = person()
    digest = hashlib.sha256(one.client.cookies["sayso"].encode()).hexdigest()
    with server.database() as db:
        n = db.execute(f"UPDATE operator_session SET {column} = now() - "
                       "%s::interval WHERE id_sha256 = %s",
                       [age, digest]).rowcount
        assert n == 1
    assert one.client.get("/inbox").status_code == 303


def test_each_session_is_its_own(server, person, browser):
    one = person()
    assert one.sign_in(browser).status_code == 303
    first, second = one.client.cookies["sayso"], browser.cookies["sayso"]
    assert first != second
    data = Page(browser.get("/inbox")).data("/logout")
    assert browser.post("/logout", data=data).status_code == 303
    assert one.client.get("/inbox").status_code == 200


# --- The pages' headers ---------------------------------------------------

def test_what_a_page_allows_a_browser_to_do(browser, person):
    one = person()
    for r in (browser.get("/login"), one.client.get("/inbox"),
              one.client.get("/nope")):
        policy = r.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "form-action 'self'" in policy
        assert "unsafe" not in policy
        assert r.headers["x-content-type-options"] == "nosniff"
        assert r.headers["cache-control"] == "no-store"
        assert "referrer-policy" in r.headers
        assert not re.search(r"<script(?![^>]*src=)|<style|\son\w+=|"
                             r"\sstyle=|javascript:", r.text)


@pytest.mark.parametrize("body, status", [
    (b"email=%", 400), (b"email=%zz", 400), (b"email=%ff", 400),
    (b"email=%00", 400), (b"&".join([b"a=b"] * 401), 413),
    (b"x" * (128 * 1024 + 1), 413), (b"", 403), (b"&&&", 403), (b"=", 403)])
def test_a_body_that_is_no_form(browser, body, status):
    r = browser.post("/login", content=body, headers={
        "Content-Type": "application/x-www-form-urlencoded"})
    assert r.status_code == status
    assert r.headers["content-type"].startswith("text/html")
