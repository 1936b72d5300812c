"""Answers that nginx makes by itself: JSON too, in every case."""
import json
import re

import pytest

from kit import plain
from server import TOP

KEY = "X-API-Key: x"


def request(line, *headers, body=b""):
    lines = [line, *headers, "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


HOST = "Host: x"
CASES = {
    "no http": (b"GARBAGE\r\n\r\n", 400),
    "not text": (bytes(range(128, 200)) + b"\r\n\r\n", 400),
    "tls": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 50
            + b"\r\n\r\n", 400),
    "no host": (request("GET /healthz HTTP/1.1"), 400),
    "two hosts": (request("GET /healthz HTTP/1.1", "Host: a", "Host: b"),
                  400),
    "bad host": (request("GET /healthz HTTP/1.1", "Host: a b"), 400),
    "long address": (request("GET /" + "x" * 9000 + " HTTP/1.1", HOST), 414),
    "long header": (request("GET /healthz HTTP/1.1", HOST,
                            "X-Long: " + "x" * 9000), 431),
    "long cookie": (request("GET /healthz HTTP/1.1", HOST,
                            "Cookie: sayso=" + "x" * 9000), 431),
    "many headers": (request("GET /healthz HTTP/1.1", HOST,
                             *[f"X-{i}: {'x' * 1000}" for i in range(40)]),
                     431),
    "bad header": (request("GET /healthz HTTP/1.1", HOST, "no colon"), 400),
    "nul in a header": (request("GET /healthz HTTP/1.1", HOST, "X: a\x00b"),
                        400),
    "trace": (request("TRACE / HTTP/1.1", HOST), 405),
    "connect": (request("CONNECT x:1 HTTP/1.1", HOST), {400, 405}),
    "version": (request("GET /healthz HTTP/9.9", HOST), 505),
    "encoding": (request("POST /api/v1/intents HTTP/1.1", HOST, KEY,
                         "Transfer-Encoding: gzip"), 501),
    "length and chunks": (request(
        "POST /api/v1/intents HTTP/1.1", HOST, KEY, "Content-Length: 5",
        "Transfer-Encoding: chunked", body=b"0\r\n\r\n"), 400),
    "bad length": (request("POST /api/v1/intents HTTP/1.1", HOST, KEY,
                           "Content-Length: -1"), 400),
    "two lengths": (request("POST /api/v1/intents HTTP/1.1", HOST, KEY,
                            "Content-Length: 1", "Content-Length: 2",
                            body=b"xx"), 400),
    "bad chunk": (request("POST /api/v1/intents HTTP/1.1", HOST, KEY,
                          "Transfer-Encoding: chunked", body=b"zz\r\n"),
                  400),
    "large body": (request("POST /api/v1/intents HTTP/1.1", HOST, KEY,
                           "Content-Length: 2000000"), 413),
    "no file": (request("GET /static/nothing.css HTTP/1.1", HOST), 404),
    "a directory": (request("GET /static/ HTTP/1.1", HOST), 403),
    "out of it": (request("GET /static/../sayso HTTP/1.1", HOST), 400),
    "out by escapes": (request("GET /static/%2e%2e/sayso HTTP/1.1", HOST),
                       400),
    "post a file": (request("POST /static/app.css HTTP/1.1", HOST,
                            "Content-Length: 0"), 405),
    "a range": (request("GET /static/app.css HTTP/1.1", HOST,
                        "Range: bytes=99999999-"), 416),
    "errors themselves": (request("GET /_error/json HTTP/1.1", HOST), 404),
    "pages of errors": (request("GET /_error/page HTTP/1.1", HOST), 404),
}


CODES = {400: "request.malformed", 403: "request.forbidden",
         404: "route.unknown", 405: "route.method", 413: "request.too_large",
         414: "request.target", 416: "request.range", 431: "request.header",
         501: "request.unsupported", 505: "request.http_version"}


@pytest.mark.parametrize("name", CASES)
def test_nginx_speaks_json(server, name):
    data, status = CASES[name]
    r = plain(server, data)
    allowed = status if isinstance(status, set) else {status}
    assert r.status in allowed, (r.status, r.body)
    assert "json" in r.headers["content-type"]
    body = json.loads(r.body)
    assert body["detail"] and body["code"] in (
        CODES[r.status], "request.path")  # the program's
    assert b"nginx" not in r.body
    assert "/" not in r.headers.get("server", "")  # no version
    assert r.headers["cache-control"] == "no-store"


def test_a_method_that_nobody_knows_goes_to_the_program(server):
    for line in ("BREW /healthz HTTP/1.1", "PUT /api/v1/intents HTTP/1.1",
                 "OPTIONS * HTTP/1.1", "OPTIONS /api/v1/intents HTTP/1.1"):
        r = plain(server, request(line, HOST, "Connection: close"))
        assert r.status in (400, 405), (line, r.body)
        assert json.loads(r.body)["code"]


def test_static_files(server, nobody):
    r = nobody.get("/static/app.css")
    assert r.status_code == 200
    assert r.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in r.headers["content-security-policy"]
    assert r.headers["cache-control"] == "public, max-age=300"
    r = nobody.get("/static/app.css?v=1")
    assert "immutable" in r.headers["cache-control"]


def test_only_static_files_are_files(server, nobody):
    for path in ("/sayso", "/templates/login.html", "/sql/roles.sql",
                 "/sayso.conf", "/sayso.env"):
        assert nobody.get(path).status_code == 404


def test_a_request_in_small_pieces(server):
    """nginx holds a slow client; the worker sees a whole request."""
    import socket
    import time
    body = b'{"title":"slow"}'
    data = request("POST /api/v1/intents HTTP/1.1", HOST,
                   f"X-API-Key: {server.env['SAYSO_AGENT_KEY']}",
                   f"Content-Length: {len(body)}", "Connection: close",
                   body=body)
    with socket.create_connection(("127.0.0.1", server.port), 10) as s:
        for i in range(0, len(data), 17):
            s.sendall(data[i:i + 17])
            time.sleep(0.01)
        got = b""
        while chunk := s.recv(4096):
            got += chunk
    assert got.startswith(b"HTTP/1.1 201 ")


@pytest.mark.parametrize("name, kind", [("busy", "ERR_RATE"),
                                        ("unavailable", "ERR_BUSY")])
def test_a_page_of_nginx_speaks_as_those_of_sayso_do(name, kind):
    page = (TOP / f"static/{name}.html").read_text()
    code = (TOP / "src/doors/pages/shell/page.c").read_text()
    said = re.search(rf'\[{kind}\] = "([^"]+)"', code)[1]
    assert re.findall(r"<h1>([^<]*)</h1>", page) == [said]
    old = ("question", "To the ", "just now", "tries")
    assert not [word for word in old if word in page]
