"""The running server keeps the contract for every input: Schemathesis makes
calls from the contract, valid ones and others, in the name of each role.

Its generated ids refer to nothing, so most of the valid calls are given the id
of an existing intent, question or lease. The same calls are made in every run.
"""
import functools
import itertools
import sys
import time

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from openapi_contract import DOC, TOP
from schemathesis import GenerationMode
from schemathesis import checks as general
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi import checks as openapi
from schemathesis.transport.requests import ManagedCookiesSession

sys.path.insert(0, str(TOP / "tests" / "http"))

from page import new_token  # noqa: E402

EXAMPLES = 15  # of each operation, beside the systematic ones
FEWER = 5      # where others have tried the operation already
ROLES = ("agent", "operator", "admin", "auditor", "user", "resource")
CHECKS = [
    general.not_a_server_error,
    openapi.status_code_conformance,
    openapi.content_type_conformance,
    openapi.response_headers_conformance,
    openapi.response_schema_conformance,
    openapi.negative_data_rejection,
    openapi.missing_required_header,
    openapi.unsupported_method,
]


def load(mode="all", **phases):
    """The operations of the API that take JSON, but for streams, which do not
    end."""
    return everything(mode, **phases).exclude(tag="oauth")


def everything(mode="all", **phases):
    """TRACE is left out of the methods that are tried: nginx refuses it for
    every address alike."""
    config = schemathesis.Config.from_dict({
        "generation": {"mode": mode, "deterministic": True,
                       "allow-x00": True, "with-security-parameters": False},
        "checks": {
            "negative_data_rejection": {"expected-statuses": [
                "400", "401", "403", "404", "409", "413", "422", "428"]},
            "missing_required_header": {"expected-statuses": [
                "400", "401", "403", "422", "428"]}},
        "phases": {"coverage": {"unexpected-methods": [
            "PUT", "PATCH", "DELETE", "OPTIONS"]}, **phases},
    })
    return schemathesis.openapi.from_dict(DOC, config=config) \
        .exclude(tag="pages").exclude(path_regex=r"^/openapi") \
        .exclude(tag="streams")


@schemathesis.hook
def before_call(context, case, kwargs):
    """A call that may wait waits for a second at most."""
    wait = (case.query or {}).get("wait")
    if str(wait).isdigit() and 1 < int(wait) <= 55:
        case.query["wait"] = 1


def limits(examples, **more):
    return settings(max_examples=examples, deadline=None, derandomize=True,
                    suppress_health_check=list(HealthCheck), **more)


NONE = {"enabled": False}


def roles(operation):
    return operation.definition.raw["x-roles"]


# ---- who calls, and what there is ------------------------------------------

@pytest.fixture(scope="session")
def keys(server):
    """The headers of each role."""
    made = {role: server.env[f"SAYSO_{role.upper()}_KEY"]
            for role in ("agent", "operator", "admin")}
    made["auditor"] = server.sayso(
        "key", "create", "--role", "auditor", "--label", "contract",
        check=True).stdout.strip()
    made["user"] = new_token(server)
    with server.resource("https://contract.example/mcp") as client:
        made["resource"] = client.key
    return {role: {"X-API-Key": key} for role, key in made.items()}


@pytest.fixture(scope="session")
def session():
    """All calls share a connection, and none looks for a proxy."""
    with ManagedCookiesSession() as one:
        one.headers, one.trust_env = {}, False
        yield one


class World:
    """Makes what calls can refer to."""

    def __init__(self, client, operator):
        self.client, self.operator = client, operator
        self.count = itertools.count()
        self.kept, self.made, self.asked = self.intent(), None, None

    def make(self, path, **body):
        return self.client.post(path, json=body).raise_for_status().json()

    def intent(self):
        return self.make("/api/v1/intents", title="Made")["id"]

    def version(self):
        at = f"/api/v1/intents/{self.kept}"
        return self.client.get(at).headers["ETag"]

    def question(self):
        """One that nearly any text answers."""
        return self.make("/api/v1/suspensions", question="What shall it say?",
                         response_type="text")["suspension_id"]

    def lease(self):
        return self.make(f"/api/v1/intents/{self.kept}/leases",
                         scope=f"scope {next(self.count)}")["id"]

    def coordinator(self):
        """Of a new intent."""
        return self.make("/api/v1/coordinators", intent_id=self.intent(),
                         agent_id="agent")["id"]

    def attachment(self):
        """The one before goes."""
        at = f"/api/v1/intents/{self.kept}/attachments"
        for one in self.client.get(at).json()["attachments"]:
            self.client.delete(f"{at}/{one['id']}")
        return self.make(at, filename="a", mime_type="b", storage_url="c",
                         size=1)["id"]

    def endpoint(self):
        """The one before goes, and its subscriptions with it."""
        if self.made:
            self.client.delete(f"/api/v1/endpoints/{self.made}")
        made = self.make("/api/v1/endpoints", name="Made",
                         url=f"https://made-{next(self.count)}.invalid/")
        self.made = made["endpoint_id"]
        return made

    def subscription(self):
        return self.make("/api/v1/subscriptions",
                         webhook_url=self.endpoint()["url"])["id"]

    def asked_permit(self):
        """A permit that is still asked for, and its question."""
        detail = {"type": "tool_call", "tool": "shop.refund", "arguments": {}}
        return self.make("/api/v1/authorizations", goal="Refund",
                         authorization_details=[detail])

    def redemption(self):
        asked = self.asked_permit()
        at = f"/api/v1/suspensions/{asked['request_id']}/respond"
        self.operator.post(at, json={"value": "approve"}).raise_for_status()
        return self.make("/api/v1/redemptions", operation_id="once",
                         permit_id=asked["permit_id"],
                         call={"tool": "shop.refund", "arguments": {}}
                         )["redemption_id"]

    def beside(self, kind, **body):
        """An approval or an escalation. The one before is taken back."""
        if self.asked:
            self.client.post(f"/api/v1/suspensions/{self.asked}/cancel")
        made = self.make(f"/api/v1/intents/{self.intent()}/{kind}",
                         reason="Made", **body)
        self.asked = made["id"]
        return self.asked

    def entry(self):
        return self.make(f"/api/v1/intents/{self.kept}/acl/entries",
                         principal_id="made")["id"]

    def portfolio(self):
        return self.make("/api/v1/portfolios", name="Made")["id"]

    def task(self):
        return self.make("/api/v1/tasks", name="Made",
                         intent_id=self.intent())

    def plan(self):
        """Its checkpoint waits for an approval."""
        task = self.task()
        plan = self.make("/api/v1/plans", intent_id=task["intent_id"],
                         tasks=[task["id"]], state="active", checkpoints=[
                             {"id": "made", "name": "Made",
                              "after_task": task["id"]}])
        self.client.patch(f"/api/v1/tasks/{task['id']}", headers={
            "If-Match": "1"}, json={"status": "skipped"}).raise_for_status()
        return plan["id"]

    def artifact(self):
        return self.client.post("/api/v1/artifacts", content="Made", headers={
            "Content-Type": "text/plain"}).raise_for_status().json()["ref"]

    @functools.cache
    def log(self):
        """A checkpoint of the log and an event that it covers."""
        ended = self.intent()
        self.client.post(f"/api/v1/intents/{ended}/status",
                         json={"status": "abandoned"},
                         headers={"If-Match": "1"}).raise_for_status()
        at = "/api/v1/checkpoints"
        while not (found := self.client.get(
                at, params={"intent_id": ended}).json()):
            time.sleep(0.05)
        event = self.client.get(f"/api/v1/intents/{ended}/events").json()[0]
        return {"checkpoint_id": found[0]["checkpoint_id"],
                "event_id": event["id"]}

    def named(self, path, name):
        if name == "checkpoint_id":
            return "made"
        if name == "id" and "/tasks/" in path:
            return self.task()["id"]
        if name == "id" and "/plans/" in path:
            return self.plan()
        if name == "id" and path.startswith("/api/v1/checkpoints/"):
            return self.log()["checkpoint_id"]
        if path.startswith("/log/"):
            return {"level": "0", "epoch": "1"}.get(name, "000")
        if name == "id" and "/escalations/" in path:
            return self.beside("escalations")
        if name == "id" and "/portfolios/" in path:
            return self.portfolio()
        if name == "id" and "/coordinators/" in path:
            return self.coordinator()
        if name == "id" and "/permits/" in path:
            return self.asked_permit()["permit_id"]
        if name == "id" and "/redemptions/" in path:
            return self.redemption()
        if name == "id" and "/endpoints/" in path:
            return self.endpoint()["endpoint_id"]
        if name == "id" and "/subscriptions/" in path:
            return self.subscription()
        if name == "id" and path.endswith(("/acl", "/entries",
                                                  "/status")):
            return self.intent()  # others go on with the one that is kept
        if name == "id":
            asks = "/suspensions/" in path or "/resume/" in path
            return self.question() if asks else self.kept
        return {"lease_id": self.lease, "dependency_id": self.intent,
                "agent_id": lambda: "mail-agent", "intent_id": self.intent,
                "client": lambda: "claude",
                "approval_id": lambda: self.beside("approvals", action="x"),
                "event_id": lambda: self.log()["event_id"],
                "attachment_id": self.attachment, "entry_id": self.entry,
                "sha256": self.artifact,
                "request_id": lambda: self.beside(
                    "access-requests", principal_id="made",
                    requested_permission="read")}[name]()


@pytest.fixture(scope="module")
def world(server):
    """With a key of its own: what the calls use up of theirs is no matter."""
    key = server.sayso("key", "create", "--role", "agent", "--agent", "agent",
                       "--label", "world", check=True).stdout.strip()
    with server.client(headers={"X-API-Key": key}) as client, \
            server.client("operator") as operator:
        yield World(client, operator)


def fits(case, where):
    part = case.meta.components.get(where)
    return part is None or part.mode is GenerationMode.POSITIVE


def lead(case, world):
    """Leads the fitting parts of three of four calls to what is there. A key
    for repeating a call is used once."""
    turn = next(world.count)
    if fits(case, ParameterLocation.HEADER):
        if "Idempotency-Key" in case.headers:
            case.headers["Idempotency-Key"] += f"-{turn}"
        if turn % 4:
            case.headers.pop("X-Agent-ID", None)
        if "If-Match" in case.headers and turn % 4:
            case.headers["If-Match"] = world.version() \
                if "/intents/" in case.path else "2" \
                if "/plans/" in case.path else "1"
    if fits(case, ParameterLocation.QUERY) and case.path.startswith("/hooks/"):
        case.query = {**(case.query or {}), "hold": 0}  # nobody answers
    if fits(case, ParameterLocation.PATH) and turn % 4:
        for name in case.path_parameters:
            case.path_parameters[name] = world.named(case.path, name)


# ---- each operation --------------------------------------------------------

def first(role):
    """Which operations name this role before all others."""
    return lambda ctx: roles(ctx.operation)[:1] == [role]


def further(role):
    """Which operations another role has tried before."""
    return lambda ctx: role in roles(ctx.operation)[1:]


def tried(role, api, examples):
    """The test of these operations in the name of a role."""
    @api.parametrize()
    @limits(examples)
    def test(case, server, session, keys, world):
        lead(case, world)
        answer = case.call(base_url=server.url, session=session,
                           headers=keys[role])
        case.validate_response(answer, checks=CHECKS)

    return test


test_agent, test_operator = [
    tried(role, load().include(first(role)), EXAMPLES)
    for role in ("agent", "operator")]
(test_operator_too, test_admin_too, test_auditor_too, test_user_too,
 test_resource_too) = [
    tried(role, load(coverage=NONE).include(further(role)), FEWER)
    for role in ("operator", "admin", "auditor", "user", "resource")]
test_oauth_agent, test_oauth_resource = [
    tried(role, everything().include(tag="oauth").include(first(role)),
          EXAMPLES)
    for role in ("agent", "resource")]


@load().include(lambda ctx: not roles(ctx.operation)).parametrize()
@limits(EXAMPLES)
def test_open_to_everybody(case, server, session):
    answer = case.call(base_url=server.url, session=session)
    case.validate_response(answer, checks=CHECKS)


def no_address(answer):
    """The request had no valid address, so no key was required."""
    body = answer.json()
    body = body.get("error", body)  # as the Agent Approval Protocol has it
    return body["code"].split(".")[0] in ("request", "route")


@load(coverage=NONE).include(
    lambda ctx: len(roles(ctx.operation)) > 0).parametrize()
@limits(FEWER)
def test_without_a_key(case, server, session):
    answer = case.call(base_url=server.url, session=session)
    case.validate_response(answer, checks=CHECKS)
    assert answer.status_code == 401 or no_address(answer)


@load(coverage=NONE).include(
    lambda ctx: 0 < len(roles(ctx.operation)) < len(ROLES)).parametrize()
@limits(FEWER)
def test_wrong_role(case, server, session, keys):
    for role in set(ROLES) - set(roles(case.operation)):
        answer = case.call(base_url=server.url, session=session,
                           headers=keys[role])
        case.validate_response(answer, checks=CHECKS)
        assert answer.status_code == 403 or no_address(answer)


# ---- one after the other ---------------------------------------------------

def test_stories(server, session, keys):
    """Asks and answers, takes and gives back, along the contract's links."""
    api = load("positive", stateful={"inference": {"algorithms": []}})
    done = set()

    class Story(api.as_state_machine()):
        def teardown(self):
            super().teardown()
            make_room()

        def get_call_kwargs(self, case):
            role = roles(case.operation)[0]
            if name(case) == "answer":
                role = "operator"  # an agent answers nothing but a handoff
            return {"base_url": server.url, "session": session,
                    "headers": keys[role]}

        def before_call(self, case):
            case.headers.pop("X-Agent-ID", None)
            case.headers.pop("Idempotency-Key", None)
            if name(case) == "answer":
                case.body = fitting(case)

        def validate_response(self, response, case, **kwargs):
            case.validate_response(response, checks=CHECKS)
            if response.status_code < 300:
                done.add(name(case))

    def make_room():
        """There are ceilings: each story finds what the one before found."""
        with server.database() as db:
            db.execute("DELETE FROM subscription")
            db.execute("UPDATE endpoint SET removed_at = now() "
                       "WHERE removed_at IS NULL")

    def name(case):
        return case.operation.definition.raw["operationId"]

    def fitting(case):
        """An answer that the question can accept, whatever it is."""
        with server.client("agent") as client:
            at = f"/api/v1/suspensions/{case.path_parameters['id']}"
            question = client.get(at).json()
        choices = question.get("choices") or [{"value": "words"}]
        value = {} if question.get("form") else choices[0]["value"]
        return {"value": value, "subject_sha256": None, "reason": "So."}

    make_room()
    Story.run(settings=limits(60, stateful_step_count=8))
    assert done >= {"ask", "readQuestion", "answer", "createIntent",
                    "readIntent"}
