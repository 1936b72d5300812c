"""The scenarios of the MCP project's own conformance tests that fit any server;
the others need the tools of its fixture."""
import json
import subprocess

import pytest
from programs import HERE, NEW_NODE, NODE

PACKAGE = NODE / "node_modules/@modelcontextprotocol/conformance"


@pytest.fixture(scope="module")
def address(server):
    given = {"url": server.url, "key": server.env["SAYSO_AGENT_KEY"],
             "agent": "refunds-agent"}
    proxy = subprocess.Popen(["node", HERE / "mcp_proxy.mjs",
                              json.dumps(given)], stdout=subprocess.PIPE,
                             text=True)
    yield f"http://localhost:{int(proxy.stdout.readline())}/mcp"
    proxy.kill()
    proxy.communicate()


@pytest.mark.parametrize("scenario", [
    "server-initialize", "ping", "tools-list", "dns-rebinding-protection"])
def test_a_scenario(address, scenario, tmp_path):
    done = subprocess.run(
        [NEW_NODE, PACKAGE / "dist/index.js", "server", "--url", address,
         "--scenario", scenario, "--output-dir", tmp_path],
        text=True, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    [found] = tmp_path.rglob("checks.json")
    results = [one["status"] for one in json.loads(found.read_text())]
    assert "SUCCESS" in results
    assert set(results) <= {"SUCCESS", "INFO"}, found.read_text()
