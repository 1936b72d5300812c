"""The rules and the dashboard that ship fit the numbers that the server has."""
import concurrent.futures
import json
import re
import subprocess

import httpx
import pytest
import yaml

from kit import answer, ask, new_id, wait_for
from page import login_data
from server import TOP

route = pytest.mark.route
ALERTS = TOP / "monitoring/alerts.yml"
DASHBOARD = TOP / "monitoring/dashboard.json"
# Series that only some servers have.
SOMETIMES = {"sayso_replication_standbys", "sayso_replication_lag_seconds",
             "sayso_stream_lag_seconds", "sayso_log_lag_seconds",
             "sayso_log_broken_intents", "sayso_decisions_total"}


def promtool(*args, **more):
    done = subprocess.run(["promtool", *map(str, args)], text=True,
                          capture_output=True, timeout=60, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def monitor(server):
    """The second server of the site."""
    at = httpx.HTTPTransport(uds=str(server.socket.parent / "monitor.sock"))
    with httpx.Client(transport=at, base_url="http://monitor",
                      timeout=60) as client:
        yield client


def test_the_monitors_server(monitor, agent):
    ask(agent)
    assert monitor.get("/healthz").json()["site"] == "current"
    assert monitor.get("/readyz").json()["status"] == "ready"
    text = monitor.get("/metrics").text
    assert promtool("check", "metrics", input=text) == ""
    for path in ("/", "/inbox", "/api/v1/suspensions", "/static/app.js",
                 "/openapi.yaml", "/healthz/x"):
        r = monitor.get(path)
        assert r.status_code == 404 and r.json()["code"], path


def named(text):
    return set(re.findall(r"\bsayso_\w+?(?=_bucket|_sum|_count|\b)", text))


@route("GET /metrics")
def test_each_name_is_one_of_the_servers(server, nobody):
    told = set(re.findall(r"(?m)^# TYPE (\w+)", nobody.get("/metrics").text))
    for path in (ALERTS, DASHBOARD):
        assert named(path.read_text()) - {"sayso_build_info"} <= \
            told | SOMETIMES, path


def expressions():
    for panel in json.loads(DASHBOARD.read_text())["panels"]:
        for target in panel.get("targets", []):
            yield target["expr"].replace("$instance", ".+")


def test_the_rules_and_the_panels_are_read(tmp_path):
    promtool("check", "rules", ALERTS)
    panels = tmp_path / "panels.yml"
    panels.write_text(yaml.safe_dump({"groups": [{"name": "p", "rules": [
        {"record": f"p:{n}", "expr": e}
        for n, e in enumerate(expressions())]}]}))
    said = promtool("check", "rules", panels)
    assert re.search(r"SUCCESS: [2-9]\d rules found", said), said


def rules():
    return yaml.safe_load(ALERTS.read_text())["groups"][0]["rules"]


# The series that makes each alert fire, and what it is while all is well.
TRIALS = {
    "SaysoDown": ('up{job="sayso"}', 0, 1),
    "SaysoDatabaseDown": ("sayso_database_up", 0, 1),
    "SaysoNotReady": ("sayso_ready", 0, 1),
    "SaysoErrors": ('sayso_http_requests_total{status="503"}', "0+60x99",
                    "0+1x99"),
    "SaysoSlow": ('sayso_http_request_duration_seconds_bucket{le="1"}',
                  "0+0x99", "0+60x99"),
    "SaysoNoIdleWorker": ('sayso_workers{state="idle"}', 0, 1),
    "SaysoProcessSilent": ('sayso_process_age_seconds{kind="tick"}', 40, 1),
    "SaysoWorkersDie": ("sayso_worker_restarts_total", "0+1x99", 3),
    "SaysoRequestsOverMemory": ("sayso_requests_over_memory_total", "0+1x99",
                                3),
    "SaysoClockWrong": ("sayso_clock_skew_seconds", -1.5, 0.1),
    "SaysoDeadlinesLate": ("sayso_suspensions_late", 2, 0),
    "SaysoStreamsLate": ("sayso_stream_lag_seconds", 20, 0.5),
    "SaysoDeliveriesStopped": ("sayso_deliveries_waiting", 10001, 0),
    "SaysoDeliveriesGrow": ("sayso_deliveries_waiting", "0+2x240", 5),
    "SaysoDeliveriesFailed": ("sayso_deliveries_failed", "0+1x99", 4),
    "SaysoLogStopped": ('sayso_log_stopped{why="silent"}', 1, 0),
    "SaysoLogLate": ("sayso_log_lag_seconds", 100, 1),
    "SaysoLogBroken": ("sayso_log_broken_intents", 1, 0),
    "SaysoVerifyBroken": ('sayso_verify_broken{scope="all"}', 2, 0),
    # The time of the trial is 0 and more, so a run in the past is negative.
    "SaysoVerifyOld": (
        'sayso_verify_last_success_timestamp_seconds{scope="all"}', -180000,
        0),
    "SaysoStandbyGone": ('sayso_replication_standbys{sync="yes"}',
                         "1x5 0x99", 1),
    "SaysoStandbyLate": ("sayso_replication_lag_seconds", 30, 0.1),
    "SaysoSiteUnreachable": ('probe_success{job="sayso-site"}', 0, 1),
    "SaysoCertificateEnds": (
        'probe_ssl_earliest_cert_expiry{job="sayso-site"}', 86400, 9e9),
    "SaysoSiteOld": ("sayso_site_current", 0, 1),
    "SaysoVersionsDiffer": ('sayso_build_info{version="1"}', 1, None),
    "SaysoRefuses": ('sayso_refused_total{code="limit.rate"}', "0+9x240", 7),
    "SaysoSignInsFail": ('sayso_sign_ins_total{result="wrong"}', "0+60x99",
                         2),
}
# Other series that a rule reads too.
BESIDE = {
    "SaysoSlow": [
        ('sayso_http_request_duration_seconds_bucket{le="2.5"}', "0+60x99"),
        ('sayso_http_request_duration_seconds_bucket{le="+Inf"}', "0+60x99")],
    "SaysoProcessSilent": [
        (f'sayso_process_age_seconds{{kind="{k}"}}', "0x240")
        for k in ("web", "wait", "deliver", "seal", "erase")],
    "SaysoDeliveriesStopped": [("sayso_delivery_oldest_seconds", "90x240")],
    "SaysoVersionsDiffer": [('sayso_build_info{version="2"}', "1x240")],
}


def test_each_alert_fires_and_is_silent_again(tmp_path):
    assert set(TRIALS) == {one["alert"] for one in rules()}
    tests = []
    for name, (series, bad, good) in TRIALS.items():
        for value in (bad, good):
            if value is None:
                continue
            values = value if isinstance(value, str) else f"{value}x240"
            tests.append({
                "name": f"{name} {value}", "interval": "1m",
                "input_series": [{"series": series, "values": values}] + [
                    {"series": s, "values": v}
                    for s, v in BESIDE.get(name, [])],
                "promql_expr_test": [{
                    "expr": f'count(ALERTS{{alertname="{name}",'
                            'alertstate="firing"})',
                    "eval_time": "90m" if not isinstance(bad, str) or
                    "x240" not in bad else "200m",
                    "exp_samples": [{"labels": "{}", "value": 1}]
                    if value == bad else []}]})
    file = tmp_path / "tests.yml"
    file.write_text(yaml.safe_dump({
        "rule_files": [str(ALERTS)], "evaluation_interval": "1m",
        "tests": tests}))
    promtool("test", "rules", file)


def test_the_manual_says_what_to_do():
    manual = (TOP / "docs/operations/alerts.md").read_text()
    rows = re.findall(r"(?m)^\| `(\w+)` \| (\w+) \| .{10,} \| .{10,} \|$", manual)
    assert rows == [(one["alert"], one["labels"]["severity"])
                    for one in rules()]


@route("GET /metrics")
def test_decisions_by_kind_and_outcome(server, nobody, agent, operator):
    def numbers():
        return dict(re.findall(r"(?m)^(sayso_decision\S+) (\S+)$",
                               nobody.get("/metrics").text))

    yes = 'sayso_decisions_total{kind="none",outcome="authorized"}'
    no = 'sayso_decisions_total{kind="none",outcome="vetoed"}'
    gone = 'sayso_decisions_total{kind="none",outcome="withdrawn"}'
    count = "sayso_decision_seconds_count"
    quick = 'sayso_decision_seconds_bucket{le="10"}'
    before = numbers()
    for value in ("yes", "no"):
        assert answer(operator, ask(agent, choices=[
            {"value": "yes", "label": "Yes", "effect": "authorize"},
            {"value": "no", "label": "No", "effect": "veto"}
        ]), value).status_code == 200
    withdrawn = ask(agent)["suspension_id"]
    agent.post(f"/api/v1/suspensions/{withdrawn}/cancel", json={})
    after = numbers()
    for name, more in ((yes, 1), (no, 1), (gone, 1), (count, 2), (quick, 2)):
        assert int(after[name]) - int(before.get(name, 0)) == more, name


@route("GET /metrics")
def test_open_by_risk_and_past_their_end(server, nobody, agent, operator):
    def value(name):
        return int(re.search(rf"(?m)^{re.escape(name)} (\d+)$",
                             nobody.get("/metrics").text)[1])

    risk = 'sayso_suspensions_open_by_risk{severity="critical"}'
    before = value(risk)
    one = ask(agent, severity="critical", explanation="x")
    assert value(risk) == before + 1
    assert value("sayso_suspensions_late") == 0
    agent.post(f"/api/v1/suspensions/{one['suspension_id']}/cancel", json={})
    assert value(risk) == before


@route("GET /metrics")
def test_what_waits_now(server, nobody, agent):
    def reads():
        return int(re.search(r'sayso_waiting\{as="read"\} (\d+)',
                             nobody.get("/metrics").text)[1])

    one = ask(agent)["suspension_id"]
    before = reads()
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        held = [pool.submit(agent.get, f"/api/v1/suspensions/{one}?wait=20")
                for _ in range(3)]
        wait_for(lambda: reads() >= before + 3)
        agent.post(f"/api/v1/suspensions/{one}/cancel", json={})
        assert {h.result(30).status_code for h in held} == {200}
    wait_for(lambda: reads() <= before)


@route("POST /login")
def test_sign_ins_by_result(server, nobody, person):
    def number(result):
        return int(re.search(
            rf'sayso_sign_ins_total\{{result="{result}"\}} (\d+)',
            nobody.get("/metrics").text)[1])

    ok = number("ok")
    person("operator")
    assert number("ok") == ok + 1
    unknown = number("unknown")
    with server.client() as stranger:
        stranger.post("/login", data=login_data(
            stranger, email=f"{new_id()}@example.org", password="wrong"))
    assert number("unknown") == unknown + 1
