"""Operations: health, metrics, logs, doctor, verify."""
import re
import time

import pytest

import kit
from kit import (UNSUPPORTED, ask, answer, new_id, new_intent, respond, suspend,
                 wait_for)
from page import login_data
from test_streams import Stream

route = pytest.mark.route


@route("GET /healthz")
@route("GET /readyz")
def test_alive_and_ready(nobody):
    r = nobody.get("/healthz")
    assert r.status_code == 200 and r.json() == {"status": "ok",
                                                  "site": "current"}
    r = nobody.get("/readyz")
    assert r.status_code == 200 and r.json()["status"] == "ready"
    assert r.json()["migration"] >= 1


@route("GET /.well-known/openintent.json")
@route("GET /api/v1/server/config")
def test_discovery_needs_no_key(nobody):
    r = nobody.get("/.well-known/openintent.json")
    assert r.status_code == 200
    assert r.json()["protocol"] == "openintent"
    assert r.json()["api_base"] == "/api/v1"
    assert "suspension" in r.json()["capabilities"]
    r = nobody.get("/api/v1/server/config")
    assert r.status_code == 200 and r.json()["protocol_version"]
    # A published policy would override the one of each call.
    assert r.json()["suspension"] == {"default_retry_policy": None}


# An address of each capability; {id} is an intent.
CAPABILITIES = {
    "intents": "intents", "graph": "intents/{id}/graph",
    "events": "intents/{id}/events", "event_chain": "intents/{id}/events/verify",
    "streams": "intents/{id}/subscribe", "leases": "intents/{id}/leases",
    "assignments": "intents/{id}/agents", "subscriptions": "subscriptions",
    "suspension": "suspensions", "governance": "intents/{id}/governance",
    "approvals": "intents/{id}/approvals", "escalations": "escalations",
    "arbitration": "intents/{id}/arbitrate",
    "decisions": "intents/{id}/decisions", "portfolios": "portfolios",
    "tasks": "intents/{id}/tasks", "plans": "intents/{id}/plans",
    "coordinators": "intents/{id}/coordinators",
    "decision_records": "intents/{id}/coordinator-decisions",
    "costs": "intents/{id}/costs", "attachments": "intents/{id}/attachments",
    "retry_policy": "intents/{id}/retry-policy",
    "failures": "intents/{id}/failures", "acl": "intents/{id}/acl",
    "access_requests": "intents/{id}/access-requests"}
ASKED = {"approvals": {"action": "x", "reason": "x"},
         "arbitration": {"reason": "x"}}
POLICY = {"strategy": "fixed"}


def test_discovery_lists_what_answers(server, nobody, agent):
    listed = nobody.get("/.well-known/openintent.json").json()["capabilities"]
    assert sorted(listed) == sorted(CAPABILITIES)
    intent = new_intent(agent)
    at = {name: "/api/v1/" + path.format(**intent)
          for name, path in CAPABILITIES.items()}
    assert agent.put(at["retry_policy"], json=POLICY).status_code == 200
    for name, path in at.items():
        if name in ASKED:
            assert agent.post(path, json=ASKED[name]).status_code == 201, name
            continue
        if name != "streams":
            assert agent.get(path).status_code == 200, name
    stream = Stream(server, at["streams"], server.env["SAYSO_AGENT_KEY"])
    assert stream.status == 200


def test_discovery_lists_nothing_that_is_501(nobody, agent):
    """Nothing of a feature of which an address answers 501. The first word of
    such an address, after the intent or the agent, is the feature's."""
    listed = nobody.get("/.well-known/openintent.json").json()["capabilities"]
    nouns = set()
    for _, pattern in UNSUPPORTED:
        parts = [part for part in pattern.replace("-", "_").split("/")
                 if part and "{" not in part and part not in
                 ("api", "v1", "intents", "agents", ".well_known")]
        nouns |= {*parts[:1]}
    assert {"vaults", "channels", "triggers", "memory"} <= nouns
    assert not nouns & {*listed}


def test_every_answer_has_an_id(nobody):
    seen = set()
    for path in ("/healthz", "/api/v1/intents", "/nope", "/login"):
        seen.add(nobody.get(path).headers["x-request-id"])
    assert len(seen) == 4
    # The id is the server's, whatever a client sends.
    r = nobody.get("/healthz", headers={"X-Request-Id": "mine"})
    assert r.headers["x-request-id"] != "mine"


# --- Metrics --------------------------------------------------------------

LINE = re.compile(
    r'([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\]|\\.)*",?)+)\})? '
    r'(-?[0-9.]+(?:e[+-]?\d+)?|\+Inf|NaN)')


def scrape(nobody):
    r = nobody.get("/metrics")
    assert r.status_code == 200
    assert r.headers["content-type"].startswith("text/plain; version=0.0.4")
    values, kinds = {}, {}
    for line in r.text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name not in kinds, "one TYPE for a family"
            kinds[name] = kind
        elif not line.startswith("# HELP "):
            name, labels, value = LINE.fullmatch(line).groups()
            base = re.sub("_(bucket|sum|count)$", "", name)
            assert base in kinds or name in kinds, line
            assert (name, labels) not in values, line
            values[name, labels] = float(value)
    return values


@route("GET /metrics")
def test_metrics_count_what_happens(nobody, agent):
    label = 'route="GET /api/v1/intents/{id}",status="404"'
    counter = ("sayso_http_requests_total", label)
    # A call is counted after it was answered.
    def scraped(n):
        values = scrape(nobody)
        return values if values.get(counter, 0) == n else None

    before = -1
    while (now := scrape(nobody).get(counter, 0)) != before:
        before = now
        time.sleep(0.2)
    for _ in range(3):
        agent.get(f"/api/v1/intents/{new_id()}")
    after = wait_for(lambda: scraped(before + 3))
    at = 'route="GET /api/v1/intents/{id}"'
    buckets = [v for (name, labels), v in after.items()
               if name == "sayso_http_request_duration_seconds_bucket"
               and labels.startswith(at + ",")]
    assert buckets == sorted(buckets)
    total = after["sayso_http_request_duration_seconds_count", at]
    assert buckets[-1] == total > 0
    assert after["sayso_http_request_duration_seconds_sum", at] > 0
    assert after["sayso_database_up", None] == 1
    assert after["sayso_database_seconds_total", None] > 0
    workers = {labels: v for (name, labels), v in after.items()
               if name == "sayso_workers"}
    assert workers['state="busy"'] >= 1
    assert sum(workers.values()) == 4


def test_metrics_count_open_questions_by_age(server, nobody, agent, operator):
    def ages():
        values = scrape(nobody)
        return {labels: v for (name, labels), v in values.items()
                if name == "sayso_suspensions_open"}

    def more():
        """The increase by four questions, and the decrease by their answers."""
        before = ages()
        asked = [ask(agent) for _ in range(4)]
        with server.database() as db:
            for one, age in zip(asked[1:],
                                ("10 minutes", "2 hours", "2 days")):
                db.execute("UPDATE open_question SET suspended_at = now() - "
                           "%s::interval WHERE suspension_id = %s",
                           [age, one["suspension_id"]])
        after = ages()
        assert sorted(before) == sorted(after)
        for one in asked:
            assert answer(operator, one).status_code == 200
        last = ages()
        return ([after[k] - before[k] for k in after],
                [last[k] - after[k] for k in after])

    # None of the others' questions grows out of its class meanwhile; a few may
    # end.
    with server.database() as db:
        db.execute("UPDATE open_question SET suspended_at = now() - interval "
                   "'30 minutes' WHERE suspended_at BETWEEN now() - interval "
                   "'10 minutes' AND now()")
    seen = []
    while len(seen) < 10 and ([1] * 4, [-1] * 4) not in seen:
        seen.append(more())
    assert ([1] * 4, [-1] * 4) in seen, seen


def test_metrics_count_what_has_not_arrived(server, nobody, agent, channel):
    def waiting():
        values = scrape(nobody)
        return (values["sayso_deliveries_waiting", None],
                values["sayso_delivery_oldest_seconds", None])

    asked = ask(agent)
    to = channel("webhook", f"away {new_id()}")["endpoint_id"]
    before, _ = waiting()
    with server.database() as db:
        db.execute(
            "INSERT INTO delivery (id, endpoint_id, intent_id, "
            "event_sequence, type, body, next_at, created_at) VALUES "
            "(gen_random_uuid(), %s, %s, 1, 'event', '{}', "
            "now() + interval '1 hour', now() - interval '2 days')",
            [to, asked["intent_id"]])
    after, oldest = waiting()
    assert after == before + 1 and 172800 <= oldest < 172900
    with server.database() as db:
        db.execute("UPDATE endpoint SET paused_at = now() WHERE id = %s",
                   [to])
    assert waiting()[0] == before


def test_metrics_name_every_route_and_no_stranger(nobody):
    nobody.get("/" + new_id())
    from kit import ROUTES, UNSUPPORTED
    names = {r.name for r in ROUTES} | {"unmatched"} | {
        " ".join(row) for row in UNSUPPORTED}
    for name, labels in scrape(nobody):
        if labels and "route=" in labels:
            assert re.search('route="([^"]*)"', labels)[1] in names


# --- Logs -----------------------------------------------------------------

def log_of(server, response):
    """The line is written once the answer is on its way."""
    wanted = f"request={response.headers['x-request-id']} "
    return wait_for(lambda: [x for x in server.log().splitlines()
                             if wanted in x])


def test_one_line_for_a_request(server, agent, operator):
    intent, suspension = suspend(agent)
    r = respond(operator, intent, suspension, "approve")
    lines = log_of(server, r)
    assert len(lines) == 1
    assert re.search(
        r"^\S+Z info request=\S+ "
        r"POST /api/v1/intents/\{id\}/suspend/respond status=200 "
        r"principal=operator:\S+ database_ms=\d+\.\d total_ms=\d+\.\d",
        lines[0]), lines[0]
    r = operator.get("/nope")
    assert " unmatched status=404 principal=- " in log_of(server, r)[0]


def test_a_log_tells_no_secret(server, agent, operator, nobody):
    secrets = {name: f"secret-{name}-{new_id()}" for name in (
        "value", "reason", "question", "context", "password", "title",
        "meta", "query", "cookie", "agent")}
    asked = ask(agent, question=secrets["question"], response_type="text",
                choices=None, context={"a": secrets["context"]})
    answer(operator, asked, secrets["value"], reason=secrets["reason"],
           metadata={"a": secrets["meta"]})
    answer(operator, asked, secrets["value"])
    new_intent(agent, title=secrets["title"])
    agent.post("/api/v1/intents", content=secrets["title"])
    agent.get("/api/v1/intents", params={secrets["query"]: 1})
    agent.get("/api/v1/suspensions/" + secrets["query"])
    nobody.get("/api/v1/intents", headers={"X-API-Key": secrets["password"],
                                           "X-Agent-ID": secrets["agent"]})
    nobody.get("/inbox", headers={"Cookie": f"sayso={secrets['cookie']}"})
    r = nobody.post("/login", data=login_data(
        nobody, email="demo@example.com", password=secrets["password"]))
    assert r.status_code == 422
    for name in ("sayso", "nginx", "postgres"):
        text = server.log(name)
        for secret in secrets.values():
            assert secret not in text, (name, secret)
        for key in ("SAYSO_AGENT_KEY", "SAYSO_OPERATOR_KEY",
                    "SAYSO_ADMIN_KEY", "SAYSO_OPERATOR_PASSWORD"):
            assert server.env[key] not in text, (name, key)


def test_a_log_cannot_be_forged(server, nobody):
    r = nobody.get("/nope%0a2026-01-01T00:00:00Z%20info%20forged=1")
    assert r.status_code == 404
    assert "forged=1" not in server.log()


# --- Commands -------------------------------------------------------------

def test_doctor_names_keys_that_are_near_a_limit(server, tmp_path):
    key = server.key("agent", "--agent", "a", label="near its limits")
    with server.client(headers={"X-API-Key": key}) as client:
        asked = [ask(client)["suspension_id"] for _ in range(9)]
        for n in range(5):
            kit.made(client.post("/api/v1/endpoints", json={
                "name": new_id(), "url": f"https://{new_id()}.example/"}))
        lower = tmp_path / "sayso.conf"
        lower.write_text((server.state / "sayso.conf").read_text() +
                         "limit_open = 11\nlimit_endpoints = 6\n")
        said = server.sayso("doctor", conf=lower).stdout
        for name, n, most in (("limit_open", 9, 11), ("limit_endpoints", 5, 6)):
            assert re.search(rf"(?m)^note   the key \S+ \(near its limits\) "
                             rf"uses {n} of its {name}, {most}$", said), said
        roomy = server.sayso("doctor").stdout
        assert "near its limits" not in roomy
        for one in asked:
            client.post(f"/api/v1/suspensions/{one}/cancel", json={})


def test_doctor_names_what_is_wrong(server, tmp_path):
    done = server.sayso("doctor")
    lines = done.stdout.splitlines()
    assert lines[-1] == f"{sum(x.startswith('WRONG') for x in lines)} wrong"
    wrong = [x for x in lines if x.startswith("WRONG")]
    # The tests hash passwords cheaply, and doctor says so; all else is well.
    assert [x for x in wrong if "passwords" not in x] == []
    assert done.returncode == (1 if wrong else 0)

    conf = (server.state / "sayso.conf").read_text()
    broken = {
        "owner": (conf.replace("user=sayso_web", "user=sayso_owner"),
                  ["cannot make tables"]),
        "superuser": (conf.replace("user=sayso_web", "user=postgres"),
                      ["change or delete an event", "not a superuser"]),
        "database": (re.sub("host=\\S+", "host=/nowhere", conf),
                     ["the database answers"]),
        "templates": (re.sub("(?m)^templates = .*", "templates = /nowhere",
                             conf), ["templates"]),
        "socket": (re.sub("(?m)^socket = .*", "socket = /nowhere/web.sock",
                          conf), ["socket"]),
        "url": (re.sub("(?m)^public_url = .*",
                       "public_url = http://sayso.example.org", conf),
                ["public address"]),
    }
    for name, (text, said) in broken.items():
        path = tmp_path / name
        path.write_text(text)
        done = server.sayso("doctor", conf=path)
        wrong = [x for x in done.stdout.splitlines()
                 if x.startswith("WRONG")]
        assert done.returncode == 1, name
        for words in said:
            assert any(words in x for x in wrong), (name, done.stdout)


def test_commands_that_there_are_not(server):
    for args in (["bogus"], [], ["key"], ["key", "bogus"], ["operator"],
                 ["verify", "a", "b"], ["doctor", "--bogus"]):
        done = server.sayso(*args)
        assert done.returncode == 2, args
        assert done.stderr and not done.stdout, args
    assert server.sayso("help").returncode == 0


def test_migrating_twice_changes_nothing(server):
    done = server.sayso("migrate")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name, text, code", [
    ("0001_ours.sql", "SELECT 1;\n", "migrate.changed"),
    ("9001_of_the_next.sql", "SELECT 1;\n", "migrate.file"),
    ("9002_folder.sql", None, "migrate.file")])
def test_a_migration_that_cannot_be(server, tmp_path, name, text, code):
    one = tmp_path / name
    one.mkdir() if text is None else one.write_text(text)
    conf = tmp_path / "sayso.conf"
    lines = (server.state / "sayso.conf").read_text()
    conf.write_text(re.sub(r"(?m)^migrations = .*$",
                           f"migrations = {tmp_path}", lines))
    done = server.sayso("migrate", conf=conf)
    assert done.returncode == 1 and f"({code})" in done.stderr


def test_operators(server):
    email = f"{new_id()}@example.com"
    made = server.sayso("operator", "create", "--email", email.upper(),
                        "--name", "Émile")
    assert made.returncode == 0 and len(made.stdout.strip()) >= 12
    assert made.stdout.strip() not in made.stderr
    again = server.sayso("operator", "create", "--email", email, "--name",
                         "x")
    assert again.returncode == 1
    assert "(person.taken)" in again.stderr and not again.stdout
    listed = server.sayso("operator", "list").stdout
    assert f"{email}\toperator\tÉmile\t" in listed
    assert "argon2" not in listed
    for args in (["--email", "nobody", "--name", "x"], ["--name", "x"],
                 ["--email", email], ["--email", email, "--name", "x",
                                      "--role", "agent"]):
        assert server.sayso("operator", "create", *args).returncode == 2
    short = server.sayso("operator", "password", "--email", email,
                         "--password-stdin", input="short\n")
    assert short.returncode == 2
    with server.database() as db:
        stored = db.execute("SELECT password_hash FROM principal WHERE email "
                            "= %s", [email]).fetchone()[0]
    assert stored.startswith("$argon2id$")
    nobody = server.sayso("operator", "disable", "--email", "x@example.com")
    assert nobody.returncode == 1
