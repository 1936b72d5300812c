"""Files that agents upload: what is taken, who reads it, how it is shown, and
when it goes."""
import hashlib
import re
import struct
import zlib

import pytest
from kit import (answer, ask, configured, events, new_id, own_server, read,
                 refused, wait_for)
from page import Page
from server import place
from test_kinds import SUBJECTS

UPLOAD = "POST /api/v1/artifacts"
GET = "GET /api/v1/artifacts/{sha256}"
SHOW = "GET /artifacts/{sha256}"
route = pytest.mark.route
SANDBOX = "default-src 'none'; style-src 'unsafe-inline'; sandbox; "


def png(width=3, height=2, extra=b""):
    """A whole picture; extra: bytes that make it another one."""
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data)))
    rows = b"".join(b"\0" + b"\x20\x80\xc0" * width for _ in range(height))
    return (b"\x89PNG\r\n\x1a\n" +
            chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0,
                                       0)) +
            chunk(b"tEXt", b"Comment\0" + extra) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def sized(width, height, extra=b""):
    """One whose header has another size."""
    whole = png(extra=extra)
    return whole[:16] + struct.pack(">II", width, height) + whole[24:]


def jpeg(width, height):
    return (b"\xff\xd8\xff\xe0\0\x10JFIF\0" + bytes(9) + b"\xff\xc0\0\x11\x08" +
            struct.pack(">HH", height, width) + bytes(20))


def gif(width, height, right=None):
    return (b"GIF89a" + struct.pack("<HH", width, height) + b"\0\0\0" +
            b"," + struct.pack("<HHHH", 0, 0, right or width, height) +
            b"\0\x02\x01\0\0;")


def webp(width, height):
    return (b"RIFF\x1e\0\0\0WEBPVP8X\x0a\0\0\0" + bytes(4) +
            struct.pack("<I", width - 1)[:3] + struct.pack("<I", height - 1)[:3])


def fresh():
    """Bytes of a picture that nobody has uploaded."""
    return png(extra=new_id().encode())


def upload(client, data, kind="image/png"):
    return client.post("/api/v1/artifacts", content=data,
                       headers={"Content-Type": kind})


def stored(client, data, kind="image/png"):
    r = upload(client, data, kind)
    assert r.status_code == 201, r.text
    return r.json()["ref"]


def shown(client, ref, **query):
    return client.get(f"/api/v1/artifacts/{ref}", params=query)


@route(UPLOAD)
@route(GET)
def test_its_ref_is_the_digest_of_its_bytes(agent):
    data = fresh()
    r = upload(agent, data)
    assert r.status_code == 201
    one = r.json()
    assert one["ref"] == hashlib.sha256(data).hexdigest()
    assert (one["media_type"], one["size"], one["width"], one["height"]) == \
        ("image/png", len(data), 3, 2)
    assert one["uploaded_by"] == "refunds-agent" and one["used"] is False
    assert one["unused_until"] > one["uploaded_at"]
    assert r.headers["location"] == str(agent.base_url.join(
        f"/api/v1/artifacts/{one['ref']}"))
    again = upload(agent, data)
    assert again.status_code == 200 and again.json()["ref"] == one["ref"]
    got = agent.get(r.headers["location"])
    assert got.content == data


@route(UPLOAD)
@pytest.mark.parametrize("data, kind, size", [
    (jpeg(640, 480), "image/jpeg", (640, 480)),
    (gif(20, 10), "image/gif", (20, 10)),
    (webp(300, 200), "image/webp", (300, 200)),
    (b"two\nlines\n", "text/plain; charset=utf-8", (None, None)),
    (b"# A title", "text/markdown", (None, None)),
    (b"@@ -1 +1 @@\n-a\n+b\n", "text/x-diff", (None, None)),
    (b'{"a": 1}', "application/json", (None, None))])
def test_these_types_are_taken(agent, data, kind, size):
    one = upload(agent, data, kind)
    assert one.status_code in (200, 201), one.text
    one = one.json()
    assert one["media_type"] == kind.split(";")[0]
    assert (one.get("width"), one.get("height")) == size


@route(UPLOAD)
@pytest.mark.parametrize("data, kind, status, code", [
    (png(), "image/jpeg", 415, "artifact.type"),
    (b"<svg/>", "image/svg+xml", 415, "artifact.type"),
    (b"<b>x</b>", "text/html", 415, "artifact.type"),
    (b"<b>x</b>", "image/png", 415, "artifact.type"),
    (b"x", "", 415, "artifact.type"),
    (png(), "text/plain", 415, "artifact.type"),
    (b"", "text/plain", 422, "artifact.empty"),
    (b"a\0b", "text/plain", 422, "artifact.text"),
    (b"\xff\xfe", "text/plain", 422, "artifact.text"),
    (b"\x89PNG\r\n\x1a\n\0\0", "image/png", 422, "artifact.image"),
    (png(8193, 1), "image/png", 422, "artifact.pixels"),
    (sized(5000, 5000), "image/png", 422, "artifact.pixels"),
    (jpeg(65535, 65535), "image/jpeg", 422, "artifact.pixels"),
    (gif(10, 10, right=60000), "image/gif", 422, "artifact.image"),
    (gif(60000, 60000), "image/gif", 422, "artifact.pixels"),
    (webp(16383, 16383), "image/webp", 422, "artifact.pixels"),
    (gif(10, 10)[:-1] + gif(10, 10)[13:], "image/gif", 422, "artifact.moves"),
    (b"x" * (1 << 20), "text/plain", 201, None),
    (b"x" * ((1 << 20) + 1), "text/plain", 413, "request.too_large")])
def test_these_are_refused(agent, data, kind, status, code):
    """An image bomb by its header: nothing of it is decoded."""
    r = upload(agent, data, kind)
    if code:
        refused(r, status, code)
    else:
        assert r.status_code in (200, status), r.text


@route(UPLOAD)
def test_only_agents_upload(operator, nobody):
    refused(upload(operator, fresh()), 403, "role.forbidden")
    refused(upload(nobody, fresh()), 401, "key.missing")


@route(UPLOAD)
def test_a_compressed_body_is_refused(agent):
    r = agent.post("/api/v1/artifacts", content=b"abc", headers={
        "Content-Type": "text/plain", "Content-Encoding": "gzip"})
    refused(r, 415, "request.encoding")


# --- In a question -------------------------------------------------------

@route(UPLOAD)
@route(GET)
@route(SHOW)
def test_whoever_sees_the_question_sees_it(agent, operator, person, server):
    data = fresh()
    ref = stored(agent, data)
    me = person("operator")
    refused(shown(operator, ref), 404, "artifact.unknown")
    assert me.client.get(f"/artifacts/{ref}").status_code == 404
    asked = ask(agent, evidence=[{"title": "A photo", "ref": ref}])
    assert read(agent, asked)["evidence"] == [{"title": "A photo", "ref": ref}]
    for r in (shown(operator, ref), me.client.get(f"/artifacts/{ref}"),
              shown(operator, ref, question=asked["suspension_id"])):
        assert r.status_code == 200 and r.content == data
        assert r.headers["content-type"] == "image/png"
        assert r.headers["x-content-type-options"] == "nosniff"
        assert r.headers["content-security-policy"].startswith(SANDBOX)
        assert r.headers["cache-control"] == "no-store"
        assert r.headers["content-disposition"] == \
            f'inline; filename="{ref[:12]}.png"'
    refused(shown(operator, ref, question=new_id()), 404, "artifact.unknown")
    # A user sees what was asked for them, another agent nothing of it.
    other = person("user")
    assert other.client.get(f"/artifacts/{ref}").status_code == 404
    ask(agent, evidence=[{"title": "A photo", "ref": ref}],
        intent={"title": "x", "initiated_by": other.email})
    assert other.client.get(f"/artifacts/{ref}").status_code == 200


@route(GET)
@route(UPLOAD)
def test_another_agent_neither_reads_nor_names_it(agent, other_agent):
    ref = stored(agent, fresh())
    ask(agent, evidence=[{"title": "A photo", "ref": ref}])
    refused(shown(other_agent, ref), 404, "artifact.unknown")
    r = other_agent.post("/api/v1/suspensions", json={
        "question": "Mine?", "evidence": [{"title": "Theirs", "ref": ref}]})
    refused(r, 422, "artifact.unknown")


@route(GET)
@route(UPLOAD)
def test_the_agent_that_is_asked_reads_it(agent, other_agent):
    ref = stored(agent, fresh())
    ask(agent, kind="handoff_acceptance", choices=None, response_type=None,
        responder={"mode": "agent", "who": "other-agent"},
        subject={**SUBJECTS["handoff_acceptance"],
                 "artifacts": [{"title": "The draft", "kind": "png",
                                "ref": ref}]})
    assert shown(other_agent, ref).status_code == 200


@route(UPLOAD)
@route(GET)
def test_tests_have_their_own(agent, server):
    data = fresh()
    ref = stored(agent, data)
    key = server.key("agent", "--agent", "tested-bot", "--test")
    with server.client(headers={"X-API-Key": key}) as tester:
        refused(shown(tester, ref), 404, "artifact.unknown")
        refused(tester.post("/api/v1/suspensions", json={
            "question": "Mine?", "artifacts": [
                {"title": "T", "ref": ref}]}), 422, "artifact.unknown")
        assert upload(tester, data).status_code == 201
        asked = ask(tester, artifacts=[{"title": "T", "ref": ref}])
        assert shown(tester, ref).json is not None
        assert asked["test"] is True


@route(UPLOAD)
def test_the_images_of_a_question_are_bounded_together(agent):
    refs = [stored(agent, sized(4000, 4000, new_id().encode()))
            for _ in range(5)]
    asked = [{"title": "x", "ref": ref} for ref in refs]
    refused(agent.post("/api/v1/suspensions", json={
        "question": "Now?", "evidence": asked}), 422, "artifact.pixels")
    ask(agent, evidence=asked[:4])


@route(UPLOAD)
def test_the_event_has_it(agent):
    data, text = fresh(), f"log {new_id()}".encode()
    refs = [stored(agent, data), stored(agent, text, "text/plain")]
    asked = ask(agent, evidence=[{"title": "A", "ref": refs[0]}],
                artifacts=[{"title": "B", "kind": "log", "ref": refs[1]},
                           {"title": "C", "ref": "run:1"}])
    [said] = [e for e in events(agent, asked["intent_id"])
              if e["event_type"] == "intent.suspended"]
    assert sorted(said["payload"]["artifacts"], key=lambda x: x["size"]) == \
        sorted([{"ref": refs[0], "media_type": "image/png",
                 "size": len(data)},
                {"ref": refs[1], "media_type": "text/plain",
                 "size": len(text)}], key=lambda x: x["size"])
    plain = ask(agent)
    assert "artifacts" not in events(agent, plain["intent_id"])[-1]["payload"]


@route(UPLOAD)
def test_the_page_shows_it(agent, person, operator):
    picture = stored(agent, fresh())
    text = stored(agent, b"first\nsecond \xe2\x80\x8b<b>\n" +
                  new_id().encode(), "text/plain")
    asked = ask(agent, evidence=[{"title": "The <photo>", "ref": picture},
                                 {"title": "The log", "ref": text}])
    r = person("operator").client.get(f"/suspensions/{asked['suspension_id']}")
    where = f"/artifacts/{picture}?question={asked['suspension_id']}"
    assert f'<img src="{where}" alt="The &lt;photo&gt;" width="3" height="2"' \
        in r.text
    assert "PNG image, 3 x 2" in Page(r).text
    assert '<code class="hid">U+200B</code>&lt;b&gt;' in r.text
    assert "The log" in Page(r).text and "3 lines" in Page(r).text
    assert answer(operator, asked).status_code == 200
    after = person("operator").client.get(r.url.path).text
    assert f'<img src="{where}"' in after and "The log" in after


@route(UPLOAD)
@pytest.mark.parametrize("data, kind, pieces", [
    ("-a\n+<b>\n c\n", "text/x-diff",
     ['class="del"', 'class="add"', "<bdi>&lt;b&gt;</bdi>"]),
    ('{"sum": {"of": 4711}}', "application/json", ["sum.of", "4711"]),
    ("# Notes\n\n- *one*\n<b>", "text/markdown",
     ["Notes</h3>", "<em>one</em>", "&lt;b&gt;"]),
    ('{"twice": 1, "twice": 2}', "application/json",
     ["<bdi>{&quot;twice&quot;: 1, &quot;twice&quot;: 2}"])])
def test_a_text_is_read_by_its_type(agent, person, data, kind, pieces):
    ref = upload(agent, data.encode(), kind).json()["ref"]
    asked = ask(agent, evidence=[{"title": "The file", "ref": ref}])
    r = person("operator").client.get(f"/suspensions/{asked['suspension_id']}")
    part = r.text.split("The file</bdi>")[1].split("</details>\n</div>")[0]
    for piece in pieces:
        assert piece in part, piece
    first = data.splitlines()[0].replace('"', "&quot;")
    assert f"<li><code><bdi>{first}</bdi></code></li>" in part


@route(UPLOAD)
def test_a_long_text_is_shown_by_its_beginning(agent, person):
    text = "\u20ac" * 21845 + "xy\u20ac" + "end"  # cut within a character
    ref = stored(agent, (new_id() + "\n" + text).encode(), "text/plain")
    asked = ask(agent, evidence=[{"title": "The file", "ref": ref}])
    r = person("operator").client.get(f"/suspensions/{asked['suspension_id']}")
    assert "Only the beginning is shown" in Page(r).text
    assert "2 lines shown" in Page(r).text and "\ufffd" not in r.text


@route(UPLOAD)
def test_hostile_files_make_a_page(agent, person):
    """Forty of them, each as costly as it may be."""
    many = ",".join(f'"{n}":[{n}]' for n in range(4000))
    files = [("@" + "*a* " * 1400, "text/markdown"),
             ("@" + "> " * 30000, "text/markdown"),
             ("@\n" + "- a\n" * 900, "text/markdown"),
             ("+@" + "\n+" * 5000, "text/x-diff"),
             ('{"@": 1,' + many + "}", "application/json"),
             ("[" * 30 + '"@"' + "]" * 30, "application/json"),
             ("@" + "\u200b" * 21000, "text/plain"),
             ("@" + "\n" * 60000, "text/plain")]
    refs = [{"title": f"File {n} {k}", "ref": stored(
        agent, text.replace("@", new_id()).encode(), kind)}
        for n in range(5) for k, (text, kind) in enumerate(files)]
    asked = ask(agent, evidence=refs[:20], artifacts=refs[20:])
    r = person("operator").client.get(f"/suspensions/{asked['suspension_id']}")
    assert r.status_code == 200 and len(r.content) < 8 << 20
    assert all(f"{one['title']}</bdi>" in r.text for one in refs)


@route(SHOW)
def test_a_stranger_is_led_to_the_login(browser):
    r = browser.get(f"/artifacts/{'0' * 64}")
    assert r.status_code == 303 and r.headers["location"].startswith("/login")


@route(SHOW)
@route(GET)
@pytest.mark.parametrize("ref", ["x", "0" * 63, "A" * 64, "0" * 64])
def test_an_unknown_one_is_not_found(agent, person, ref):
    refused(shown(agent, ref), 404, "artifact.unknown")
    assert person("operator").client.get(f"/artifacts/{ref}").status_code == 404


# --- Limits, and the end ---------------------------------------------------

@route(UPLOAD)
def test_a_key_has_so_many_unused_ones(server, agent):
    key = server.key("agent", "--agent", f"hoarder-{new_id()[:8]}")
    with server.client(headers={"X-API-Key": key}) as client, \
            configured(server, limit_rate=1000):
        first = stored(client, b"number 0 " + new_id().encode(), "text/plain")
        with server.database() as db:
            db.execute("INSERT INTO artifact (id, sha256, uploaded_by, key_id,"
                       " test, media_type, size, uploaded_at, bytes) SELECT"
                       " gen_random_uuid(), encode(sha256(n::text::bytea),"
                       " 'hex'), uploaded_by, key_id, test, media_type,"
                       " length(n::text), uploaded_at, n::text::bytea"
                       " FROM artifact,"
                       " generate_series(1, 199) n WHERE sha256 = %s", [first])
        refused(upload(client, fresh()), 429, "limit.artifacts")
        ask(client, evidence=[{"title": "One", "ref": first}])
        stored(client, fresh())


@route(UPLOAD)
def test_its_bytes_count(server):
    with configured(server, limit_bytes_mb=1):
        key = server.key("agent", "--agent", f"filler-{new_id()[:8]}")
        with server.client(headers={"X-API-Key": key}) as client:
            codes = []
            for n in range(8):
                r = upload(client, new_id().encode() * 20000, "text/plain")
                codes.append(r.status_code)
            assert codes[0] == 201 and codes[-1] == 429
            refused(r, 429, "limit.bytes")


def test_what_no_question_uses_goes_after_a_day(clock):
    with own_server(place("artifacts"), **clock.setting) as server, \
            server.client("agent", agent="refunds-agent") as agent:
        kept, gone = (stored(agent, fresh()) for _ in range(2))
        ask(agent, evidence=[{"title": "A photo", "ref": kept}])
        clock.forward(hours=23)
        late = stored(agent, fresh())
        assert shown(agent, gone).status_code == 200
        clock.forward(hours=2)
        wait_for(lambda: shown(agent, gone).status_code == 404)
        assert shown(agent, kept).status_code == 200
        assert shown(agent, late).status_code == 200
        refused(agent.post("/api/v1/suspensions", json={
            "question": "And now?", "evidence": [{"title": "x", "ref": gone}]}),
            422, "artifact.unknown")


@route(UPLOAD)
@route(GET)
def test_erased_bytes_stay_away(server, agent, person):
    data = fresh()
    ref = stored(agent, data)
    asked = ask(agent, evidence=[{"title": "A photo", "ref": ref}])
    with server.database("sayso_owner") as db:
        db.execute("UPDATE artifact SET bytes = NULL WHERE sha256 = %s", [ref])
    refused(shown(agent, ref), 404, "artifact.erased")
    refused(upload(agent, data), 409, "artifact.erased")
    page = Page(person("operator").client.get(
        f"/suspensions/{asked['suspension_id']}"))
    assert re.search("A photo ?: this file was erased", page.text)


@route("POST /api/v1/suspensions")
def test_a_ref_that_is_no_digest_stays_a_word(agent):
    for ref in ("A" * 64, "sha256:" + "0" * 64, "0" * 65):
        asked = ask(agent, evidence=[{"title": "x", "ref": ref}])
        assert re.fullmatch(".+", asked["suspension_id"])
