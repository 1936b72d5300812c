"""The OAuth addresses with clients that others have written: openid-client 6
(with oauth4webapi and jose) and Authlib."""
import json
import os
import pathlib
import subprocess

import pytest
from authlib.integrations.base_client import OAuthError
from authlib.integrations.httpx_client import OAuth2Client

HERE = pathlib.Path(__file__).resolve().parent
GRANT = "urn:openid:params:grant-type:ciba"
DETAILS = ('[{"type":"tool_call","tool":"shop.refund","arguments":'
           '{"order":"12345"}}]')


def packages():
    """The folder with the packages of package.json beside this file."""
    build = os.environ.get("SAYSO_BUILD")
    places = [HERE / "node_modules"]
    if build:
        places.insert(0, pathlib.Path(build) / "node-compat/node_modules")
    for place in places:
        if (place / "openid-client").exists():
            return place
    raise AssertionError(f"openid-client is not there: npm install in {HERE}")


@pytest.fixture(scope="module")
def gateway(server):
    with server.resource("https://oauth.example/mcp",
                         "--allow-bearer") as client:
        yield client


def say_yes(operator, request_id):
    r = operator.post(f"/api/v1/suspensions/{request_id}/respond",
                      json={"value": "approve"})
    assert r.status_code == 200, r.text


@pytest.mark.parametrize("alg", ["ES256", "Ed25519"])
def test_openid_client(server, gateway, operator, alg):
    given = {"issuer": server.url, "alg": alg, "details": DETAILS,
             "packages": str(packages()), "resource": gateway.address,
             "agent": {"id": "refunds-agent",
                       "secret": server.env["SAYSO_AGENT_KEY"]},
             "gateway": {"id": gateway.label, "secret": gateway.key}}
    with subprocess.Popen(
            ["node", HERE / "oauth_client.mjs", json.dumps(given)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True) as process:
        steps = {}
        for line in process.stdout:
            told = json.loads(line)
            steps[told["step"]] = told["value"]
            if told["step"] == "asked":
                say_yes(operator, told["value"]["request_id"])
        assert process.wait(60) == 0, process.stderr.read()
    assert steps["metadata"]["issuer"] == server.url
    assert steps["token"]["token_type"] == "dpop"
    assert steps["token"]["authorization_details"] == json.loads(DETAILS)
    assert steps["live"]["active"] is True and steps["live"]["cnf"]["jkt"]
    assert steps["ended"] == {"active": False}


def test_authlib(server, gateway, operator):
    """Bearer tokens, which this gateway takes too."""
    key = server.env["SAYSO_AGENT_KEY"]
    with OAuth2Client("refunds-agent", key) as client:
        asked = client.request(
            "POST", server.url + "/oauth/bc-authorize", withhold_token=True,
            auth=("refunds-agent", key), data={
                "authorization_details": DETAILS,
                "resource": gateway.address}).json()

        def fetch():
            return client.fetch_token(server.url + "/oauth/token",
                                      grant_type=GRANT,
                                      auth_req_id=asked["auth_req_id"])

        with pytest.raises(OAuthError) as told:
            fetch()
        assert told.value.error == "authorization_pending"
        say_yes(operator, asked["request_id"])
        one = fetch()
        assert one["token_type"] == "Bearer"
        with OAuth2Client(gateway.label, gateway.key) as other:
            def seen():
                return other.introspect_token(
                    server.url + "/oauth/introspect",
                    token=one["access_token"]).json()

            assert seen()["active"] is True
            r = client.revoke_token(server.url + "/oauth/revoke",
                                    token=one["access_token"])
            assert r.status_code == 200
            assert seen() == {"active": False}
