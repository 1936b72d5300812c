"""docs/openapi.yaml says of every route what src/doors/route.c says."""
import functools
import re

import pytest
import vocabulary
from openapi_contract import (BY_ID, DOC, PATH, TOP, closed, follow,
                              operations, parameters, sources)

SRC = TOP / "src"
ROUTE = (SRC / "doors" / "route.c").read_text()
MEDIA = {"DETAIL": "application/json", "PROBLEM": "application/problem+json",
         "HTML": "text/html", "OAUTH": "application/json",
         "AAP": "application/json"}
ROW = re.compile(
    r"\{(?P<method>GET|POST|PATCH|PUT|DELETE),\s*(?P<path>[^,]+),"
    r"\s*(?P<proof>OPEN|KEY|LOG|COOKIE|CLIENT),\s*(?P<who>[A-Z| ]+|0),"
    r'\s*"(?P<query>[^"]*)",\s*(?P<body>[0-9A-Z* ]+),'
    r"\s*(?P<style>DETAIL|PROBLEM|HTML|OAUTH|AAP),\s*(?P<handle>\w+),"
    r"\s*(?P<needs>NONE|READ|WRITE|FULL)\}")


# ---- reading the table ----------------------------------------------------

def macro(name):
    return re.search(rf"^#define {name} (.+)$", ROUTE, re.M)[1]


def text_of(words):
    """C string literals and macros beside each other, as one text."""
    out = ""
    for literal, name in re.findall(r'"([^"]*)"|(\w+)', words):
        out += literal if not name else text_of(macro(name))
    return out


@functools.cache
def roles_of(word):
    """The roles that a word of the table's enum stands for."""
    value = re.search(rf"^\s*{word} = ([A-Z_| ]+)", ROUTE, re.M)[1]
    if value.startswith("ROLE_"):
        return frozenset([value.removeprefix("ROLE_").strip().lower()])
    return frozenset().union(*(roles_of(w) for w in re.findall(r"\w+", value)))


def number_of(words):
    product = 1
    for factor in words.replace("KB", "1024").split("*"):
        product *= int(factor)
    return product


def table():
    start = ROUTE.index("const struct route routes[]")
    rows = ROUTE[start:ROUTE.index("\n};", start)]
    for row in ROW.finditer(rows):
        who = re.findall(r"[A-Z]+", row["who"])
        yield (row["method"].lower(), text_of(row["path"])), {
            "proof": row["proof"],
            "roles": sorted(frozenset().union(*map(roles_of, who))),
            "query": dict((w.split(":") + [""])[:2]
                          for w in row["query"].split()),
            "body": number_of(row["body"]),
            "media": MEDIA[row["style"]],
        }
    assert len(ROW.findall(rows)) == rows.count("    {"), "a row is not read"


ROUTES = dict(table())
OF_NGINX = [("/metrics", "403"), ("/login", "429")]
CONTRACT = {(m, p): o for m, p, o in operations() if "x-served-by" not in o}
both = pytest.mark.parametrize(
    "row", sorted(ROUTES.keys() & CONTRACT.keys()),
    ids=lambda row: f"{row[0].upper()} {row[1]}")


# ---- comparing ------------------------------------------------------------

def test_same_routes():
    assert len(ROUTES) > 30
    assert sorted(ROUTES) == sorted(CONTRACT)


@both
def test_same_row(row):
    route, operation = ROUTES[row], CONTRACT[row]
    assert sorted(operation["x-roles"]) == route["roles"]
    assert sorted(parameters(operation, "query")) == sorted(route["query"])
    assert operation.get("x-body-limit", 0) == route["body"]
    assert sorted(parameters(operation, "path")) == \
        sorted(re.findall(r"\{(\w+)\}", row[1]))
    schemes = {"OPEN": [], "KEY": [{"ApiKey": []}, {"Bearer": []}],
               "LOG": [{"ApiKey": []}, {"Bearer": []}],
               "COOKIE": [{"Session": []}],
               "CLIENT": [{"Basic": []}, {"ApiKey": []}]}
    assert operation["security"] == schemes[route["proof"]]


@both
def test_query_keys_have_the_same_types(row):
    for p in map(follow, CONTRACT[row].get("parameters", [])):
        wanted = p["in"] == "query" and ROUTES[row]["query"][p["name"]]
        schema = follow(p["schema"]) if wanted else None
        if wanted == "uuid":
            assert p["schema"] == {"$ref": "#/components/schemas/Uuid"}, p
        elif wanted == "time":
            assert schema["pattern"].startswith("^[0-9]{4}-"), p
        elif wanted:
            least, _, most = wanted.partition("-")
            assert schema["type"] == "integer", p
            assert schema["minimum"] == int(least), p
            assert schema.get("maximum", "") == (int(most) if most else ""), p


# Concurrent changes there do not conflict: the last one wins, or both count.
UNOPPOSED = {("post", "/api/v1/admin/checkpoints/{id}/anchor"),
             ("post", "/api/v1/admin/log/cosignatures"),
             ("patch", "/api/v1/endpoints/{id}"),
             ("post", "/api/v1/initiations"),
             ("post", "/mcp")}  # a conflict is a tool's result


@both
def test_errors_look_as_the_door_has_them(row):
    route, responses = ROUTES[row], CONTRACT[row]["responses"]
    wanted = {"400", "413", "503"}
    if route["proof"] in ("KEY", "LOG"):
        wanted |= {"401", "403"}
    if route["proof"] == "CLIENT":
        wanted |= {"401"}
    if route["proof"] == "COOKIE":
        wanted |= {"303" if route["media"] == "text/html" else "401", "403"}
    if route["body"] and route["proof"] == "KEY" and row not in UNOPPOSED:
        wanted |= {"409"}
    assert wanted <= responses.keys()
    assert "500" not in responses
    for status, response in responses.items():
        if status >= "400" and (row[1], status) not in OF_NGINX:
            assert route["media"] in follow(response)["content"]


# Each ticket is another one; a use is repeated by its operation_id, a result by
# itself; a heartbeat says that the agent lives now; a second checkpoint is none
# where nothing is new, and is stamped once; a head has one line of each witness.
REPEATED_OTHERWISE = {("post", "/api/v1/admin/checkpoints"),
                      ("post", "/api/v1/admin/checkpoints/{id}/anchor"),
                      ("post", "/api/v1/admin/log/cosignatures"),
                      ("post", "/api/v1/coordinators/{id}/heartbeat"),
                      ("post", "/api/v1/initiations"),
                      ("post", "/api/v1/artifacts"),  # by the bytes
                      ("post", "/v1/requests/{id}/outcome"),
                      ("post", "/api/v1/redemptions"),
                      ("post", "/api/v1/redemptions/{id}/result")}


@both
def test_repeatable_and_guarded(row):
    """Every POST of the API takes a key for repeating it, but for those with
    a reason; what changes an intent as it was read names the version."""
    operation = CONTRACT[row]
    headers = parameters(operation, "header")
    api = row[1].startswith(("/api/", "/v1/"))
    assert ("Idempotency-Key" in headers) == (
        api and row[0] == "post" and row not in REPEATED_OTHERWISE)
    last = row[1].split("/")[-1]
    guarded = api and row[0] in ("post", "put", "delete") and \
        last in ("status", "state", "dependencies", "{dependency_id}",
                 "governance")
    guarded = guarded or row in {("patch", "/api/v1/tasks/{id}"),
                                 ("patch", "/api/v1/plans/{id}")}
    assert ("If-Match" in headers) == guarded


def test_same_version():
    configure = (TOP / "configure.ac").read_text()
    assert f"[{DOC['info']['version']}]" in configure


def test_what_nginx_serves():
    served = [(m, p) for m, p, o in operations() if "x-served-by" in o]
    assert served == [("get", f"/openapi{part}.yaml")
                      for part in ("", "-agents", "-client")]
    site = (TOP / "nginx" / "server.conf.in").read_text()
    assert r"location ~ ^/openapi(-agents|-client)?\.yaml$" in site


# ---- the words of the code ------------------------------------------------

def define(header, name):
    found = re.search(rf"#define {name} (.+?)(?: /\*.*)?$",
                      (SRC / header).read_text(), re.M)
    return number_of(re.sub(r"INT64_C|[()]", "", found[1]))


CEILINGS = [
    ("domain/question/suspension.h", "SUSPENSION_QUESTION_MAX", "Ask/question"),
    ("domain/question/suspension.h", "SUSPENSION_TITLE_MAX", "Ask/title"),
    ("domain/question/suspension.h", "SUSPENSION_EXPLANATION_MAX", "Ask/explanation"),
    ("domain/question/suspension.h", "SUSPENSION_CHOICES_MAX", "Ask/choices"),
    ("domain/question/suspension.h", "SUSPENSION_TIMEOUT_MAX", "Ask/timeout_seconds"),
    ("domain/question/suspension.h", "SUSPENSION_ATTEMPTS_MAX",
     "RetryPolicy/max_attempts"),
    ("domain/question/suspension.h", "SUSPENSION_REASON_MAX", "Answer/reason"),
    ("domain/question/suspension.h", "SUSPENSION_REASON_MAX", "TakeBack/reason"),
    ("domain/question/suspension.h", "SUSPENSION_REASON_MAX", "Respond/reason"),
    ("domain/kind/form.h", "FORM_FIELDS_MAX", "Ask/form"),
    ("domain/kind/form.h", "FORM_TEXT_MAX", "FormField/max_length"),
    ("domain/intent/intent.h", "INTENT_TITLE_MAX", "IntentNew/title"),
    ("domain/intent/intent.h", "INTENT_DESCRIPTION_MAX", "IntentNew/description"),
    ("domain/intent/intent.h", "INTENT_DEPENDENCIES_MAX", "IntentNew/depends_on"),
    ("domain/intent/intent.h", "INTENT_PATCHES_MAX", "StatePatches/patches"),
    ("domain/intent/lease.h", "LEASE_SCOPE_MAX", "LeaseNew/scope"),
    ("domain/intent/lease.h", "LEASE_SECONDS_MAX", "LeaseNew/duration_seconds"),
    ("domain/intent/principal.h", "PRINCIPAL_AGENT_NAME_MAX",
     "AssignmentNew/agent_id"),
    ("domain/sending/endpoint.h", "ENDPOINT_NAME_MAX", "EndpointNew/name"),
    ("domain/sending/endpoint.h", "ENDPOINT_URL_MAX", "EndpointNew/url"),
    ("domain/sending/endpoint.h", "ENDPOINT_TYPES_MAX", "EndpointNew/event_types"),
    ("domain/sending/subscription.h", "SUBSCRIPTION_SUBSCRIBER_MAX",
     "SubscriptionNew/subscriber_id"),
]


@pytest.mark.parametrize("header,name,place", CEILINGS,
                         ids=[c[2] for c in CEILINGS])
def test_same_ceiling(header, name, place):
    schema, member = place.split("/")
    found = follow(DOC["components"]["schemas"][schema]["properties"][member])
    given = [found[k] for k in ("maxLength", "maxItems", "maximum")
             if k in found]
    assert given == [define(header, name)]


def words_of(path, pattern):
    return re.findall(pattern, (SRC / path).read_text())


def test_same_words():
    schemas = DOC["components"]["schemas"]
    assert schemas["EventType"]["enum"] == words_of(
        "domain/intent/event.c", r'\{"([\w.]+)", (?:ANYONE|SERVER|ECHO)\}')
    offered = set(vocabulary.table("effect")) - {"escalate"}  # no choice has it yet
    reads = schemas["Suspension"]["properties"]
    choice = schemas["ChoiceOffered"]["properties"]
    given = {
        "intent_status": schemas["IntentStatus"],
        "answer_type": schemas["ResponseType"],
        "suspension_state": schemas["SuspensionState"],
        "fallback_policy": schemas["FallbackPolicy"],
        "severity": schemas["Severity"],
        "responder_mode": schemas["ResponderMode"],
        "on_reject": reads["on_reject"],
        "callback_body": schemas["Ask"]["properties"]["callback_body"],
        "via": reads["responded_via"],
        "takes": choice["takes"],
        "reason_need": choice["reason"],
        "lease_status": schemas["Lease"]["properties"]["status"],
        "log_scope": schemas["LogScope"],
        "signing_key_state": schemas["SigningKey"]["properties"]["state"],
        "failure_strategy": schemas["FailureStrategy"],
        "failure_next": schemas["Failure"]["properties"]["next"],
        "coordinator_type": schemas["CoordinatorType"],
        "coordinator_policy": schemas["CoordinatorPolicy"],
        "coordinator_exceed": schemas["CoordinatorExceed"],
        "coordinator_decision": schemas["CoordinationType"],
        "coordinator_status":
            schemas["Coordinator"]["properties"]["status"],
    }
    for name, schema in given.items():
        assert set(schema["enum"]) - {None} == set(vocabulary.table(name)), name
    assert set(schemas["EffectOffered"]["enum"]) == offered
    assert set(schemas["Effect"]["enum"]) == {
        word for word, sent in vocabulary.table("effect").items() if sent}
    assert set(schemas["Outcome"]["enum"]) == vocabulary.OUTCOMES
    assert set(schemas["Kind"]["enum"]) == set(vocabulary.kinds())


def test_codes_exist():
    """Each code that the contract names is one that the program has."""
    program = "".join(sources())
    program += (TOP / "nginx" / "http.conf.in").read_text()
    named = set(re.findall(r"`([a-z]+\.[a-z_0-9]+)`", PATH.read_text()))
    named |= set(re.findall(r"\bcode: ([a-z]+\.[a-z_0-9]+)",
                            PATH.read_text()))
    named -= set(DOC["components"]["schemas"]["EventType"]["enum"])
    named -= {"state._suspension"}
    assert len(named) > 40
    assert [c for c in sorted(named) if c not in program] == []


def sentences():
    """The sentences of errors in the program, as patterns."""
    program = "".join(sources())
    joined = re.sub(r'"[\s\\]*\n\s*"', "", program)
    for text in re.findall(r'"((?:[^"\\\n]|\\.)+)"', joined):
        plain = text.replace('\\"', '"')
        parts = re.split(r"%(?:\.\*)?l*z?[dsu]", plain)
        yield re.compile(".+".join(map(re.escape, parts)))


def error_examples():
    places = [DOC["components"]["responses"]] + [
        o["responses"] for _, _, o in operations()]
    for responses in places:
        for response in responses.values():
            for media in follow(response).get("content", {}).values():
                for given in media.get("examples", {}).values():
                    value = follow(given)["value"]
                    if "code" in value:
                        yield value


def test_error_examples_are_true():
    known = [s for s in sentences() if len(s.pattern) > 12]
    seen = [e.get("message") or e["detail"] for e in error_examples()]
    assert len(seen) > 15
    assert [s for s in seen if not any(k.fullmatch(s) for k in known)] == []


def test_every_operation_is_explained():
    for method, path, operation in operations():
        where = f"{method} {path}"
        assert len(operation["summary"]) < 80, where
        assert operation["description"].strip()[-1] in ".:|", where
        assert BY_ID[operation["operationId"]][1] == path
        for response in operation["responses"].values():
            for media in follow(response).get("content", {}).values():
                assert closed(media["schema"]) is not None
