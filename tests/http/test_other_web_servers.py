"""Sayso behind a web server that has none of the locations of its site: all
answers come at once."""
import httpx
import pytest

import kit
from server import free_port

SITE = """
daemon off; pid {at}/pid; error_log {at}/log;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {at}/body; fastcgi_temp_path {at}/fastcgi;
    proxy_temp_path {at}/proxy; scgi_temp_path {at}/scgi;
    uwsgi_temp_path {at}/uwsgi;
    server {{
        listen 127.0.0.1:{port};
        location / {{
            include /etc/nginx/fastcgi_params;
            fastcgi_pass unix:{socket};
        }}
    }}
}}
"""


@pytest.fixture(scope="module")
def plain(server):
    """The address of an nginx with Debian's parameters and nothing else."""
    at, port = server.state / "plain", free_port()
    at.mkdir()
    (at / "nginx.conf").write_text(
        SITE.format(at=at, port=port, socket=server.socket))
    with kit.other_nginx(server, at, port):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def far(server, plain):
    with httpx.Client(base_url=plain, timeout=60, headers={
            "X-API-Key": server.env["SAYSO_AGENT_KEY"],
            "X-Agent-ID": "refunds-agent"}) as client:
        yield client


def test_a_read_that_would_wait_answers_at_once(agent, operator, far):
    asked = kit.ask(agent)
    address = f"/api/v1/suspensions/{asked['suspension_id']}"
    for path in (address + "?wait=50", f"/api/v1/intents/{asked['intent_id']}"
                 f"?wait=50&since=1000",
                 "/api/v1/suspensions?ended_after=now&wait=50"):
        r = far.get(path)
        assert r.status_code == 200, (path, r.text)
        assert int(r.headers["Retry-After"]) >= 1, path
        assert "X-Accel-Redirect" not in r.headers
    assert far.get(address).json()["state"] == "pending"
    kit.answer(operator, asked)
    r = far.get(address + "?wait=50")
    assert r.json()["state"] == "resolved" and "Retry-After" not in r.headers


def test_a_question_of_mcp_is_answered_as_pending(far):
    r = far.post("/mcp", headers={"Accept": "application/json"}, json={
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "ask_human", "arguments": {"question": "Go on?"}}})
    assert r.status_code == 200, r.text
    asked = r.json()["result"]["structuredContent"]
    r = far.post("/mcp", headers={"Accept": "application/json"}, json={
        "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": {"name": "check_answer", "arguments": {
            "suspension_id": asked["suspension_id"], "wait_seconds": 50}}})
    assert r.status_code == 200, r.text
    assert r.json()["result"]["structuredContent"]["state"] == "pending"


def test_a_stream_is_not_here(agent, far):
    intent = kit.new_intent(agent)["id"]
    for path in (f"/api/v1/intents/{intent}/subscribe",
                 "/api/v1/agents/refunds-agent/subscribe"):
        r = far.get(path, headers={"Accept": "text/event-stream"})
        assert r.status_code == 501, (path, r.text)
        assert r.json()["code"] == "stream.web_server"
        assert "location" in r.json()["detail"]


def test_the_limits_count_here_too(server, plain):
    """Nothing was held, and so nothing was counted before."""
    key = server.key("agent", "--agent", f"far-{kit.new_id()[:8]}")
    with httpx.Client(base_url=plain, timeout=60, headers={
            "X-API-Key": key}) as client:
        with kit.configured(server, limit_bytes_mb=1):
            got = [client.post("/api/v1/intents", json={
                "title": "t", "state": {"x": "x" * 400_000}})
                for _ in range(5)]
            kit.refused(got[-1], 429, "limit.bytes")
        assert kit.new_intent(client)
