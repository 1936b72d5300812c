"""A database's machine dies, is cut off, or is taken out of service, while
agents ask and operators answer through two pools: nothing that was
acknowledged is lost or done twice, and both pools go on with the new primary.

The standby is promoted by the test, as an operator or a failover manager
would. CLUSTER_ANSWERS says how many answers are given in each story, half of
them before it happens."""
import contextlib
import json
import os
import pathlib
import re
import signal
import threading
import time
import uuid

import pytest

import kit
from pools import POOLS, PORT, environment
from story import all_go_on, hosts, nothing_is_lost, story

NOTICED = 0.5  # seconds until somebody promotes the standby


def call(cluster, pool, method, path, body=None, role="agent"):
    """The status and the JSON of a request on a pool's machine. OAuth's bodies
    are forms."""
    sent = ["--json", json.dumps(body)]
    if path.startswith("/oauth/"):
        sent = [word for item in body.items()
                for word in ("--data-urlencode", "=".join(item))]
    done = cluster.net.run(pool, [
        "curl", "-s", "-m", "10", "-w", "\\n%{http_code}", "-X", method,
        "-H", f"X-API-Key: {cluster.keys[role]}", "-H", "X-Agent-ID: one",
        *(sent if body else []),
        f"http://127.0.0.1:{PORT}{path}"], env=environment())
    text, _, status = done.stdout.rpartition("\n")
    return int(status or 0), json.loads(text or "{}")


@contextlib.contextmanager
def stopped(cluster, pool):
    """All processes of a pool that look for the primary by themselves stand
    still: its workers do when they need one."""
    pids = [pid for pid in cluster.net.pids(pool) if re.fullmatch(
        "sayso: (wait|tick|deliver|seal|erase)\n",
        pathlib.Path(f"/proc/{pid}/comm").read_text())]
    assert len(pids) == 5, pids
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


SUSPENSIONS = "/api/v1/suspensions"
METRICS = {'sayso_database_host{host="192.0.2.1"} 1',
           'sayso_replication_standbys{sync="yes"} 1',
           'sayso_replication_standbys{sync="no"} 0'}


def test_doctor_and_metrics_say_who_is_primary_and_who_follows(cluster):
    said = cluster.sayso("doctor").stdout
    assert "ok     the primary is 192.0.2.1\n" in said, said
    assert "ok     standby b at 192.0.2.2: sync, streaming, " in said, said
    assert "ok     an answer is on two machines" in said, said
    for pool in POOLS:
        kit.wait_for(lambda p=pool: METRICS <= set(
            cluster.get(p, "/metrics")[1].splitlines()))
        body = cluster.get(pool, "/metrics")[1]
        assert "\nsayso_replication_lag_seconds " in body


@pytest.fixture(scope="module")
def killed(cluster, figures):
    def happens(_):
        cluster.kill(cluster.primary)
        time.sleep(NOTICED)
        return cluster.promote()
    return story(cluster, figures, "G1, the primary is killed", happens)


def test_G1_the_primary_is_killed_and_no_answer_is_lost(killed):
    nothing_is_lost(killed)


def test_doctor_calls_it_wrong_when_the_standby_is_gone(cluster, killed):
    done = cluster.sayso("doctor")
    assert done.returncode == 1
    assert "ok     the primary is 192.0.2.2\n" in done.stdout, done.stdout
    assert "WRONG  an answer is on two machines" in done.stdout, done.stdout
    body = cluster.get("web1", "/metrics")[1]
    assert '\nsayso_database_host{host="192.0.2.2"} 1\n' in body


def test_G1_both_pools_go_on_with_the_new_primary(cluster, killed):
    all_go_on(cluster, killed)


@pytest.fixture(scope="module")
def cut(cluster, figures, killed):
    old = cluster.primary
    cluster.add_standbys()

    def happens(_):
        cluster.net.cut(old)
        time.sleep(NOTICED)
        return cluster.promote()
    told = story(cluster, figures, "G2, the primary is cut off", happens)
    # It is fenced before it is heard again.
    cluster.kill(old)
    cluster.net.heal(old)
    return told


def test_G2_the_primary_is_cut_off_and_no_answer_is_lost(cut):
    nothing_is_lost(cut)


def test_G2_both_pools_leave_the_primary_that_is_cut_off(cluster, cut):
    all_go_on(cluster, cut)


@pytest.fixture(scope="module")
def healed(cluster, figures, cut):
    """The old primary is heard again and nobody has ended it: it takes
    connections, and shows what was true before."""
    old, new = cluster.primary, cluster.standby
    cluster.add_standbys()
    used = {}

    def happens(_):
        cluster.net.cut(old)
        time.sleep(NOTICED)
        promoted = cluster.promote()
        cluster.net.heal(old)
        # A pool that has not seen the new one yet finds it within 5 s.
        kit.wait_for(lambda: hosts(cluster, 1) == {
            cluster.net.address(new)}, 60)
        used["healed"] = hosts(cluster, 4)
        cluster.reload_pool("web1")
        used["reloaded"] = hosts(cluster, 6)
        return promoted
    told = story(cluster, figures, "G3, the old primary comes back", happens)
    cluster.restart_pool("web2")
    used["restarted"] = hosts(cluster, 2)
    cluster.kill(old)
    return told, used, cluster.net.address(new)


def test_G3_no_answer_is_lost_and_none_comes_from_the_old_one(cluster, healed):
    nothing_is_lost(healed[0])
    # An unknown question would be 404: it is one of the new primary alone.
    all_go_on(cluster, healed[0])


def test_G3_no_worker_uses_the_old_primary(healed):
    _, used, new = healed
    assert used == {"healed": {new}, "reloaded": {new}, "restarted": {new}}


def test_G3_both_pools_say_so(cluster, healed):
    for pool in POOLS:
        log = (cluster.log / f"sayso-{pool}.log").read_text()
        assert "is an old primary, of timeline" in log, pool
        body = cluster.get(pool, "/metrics")[1]
        assert re.search(r"(?m)^sayso_database_behind_total [1-9]", body), pool
        numbers = (cluster.state / pool / "database-history").read_text()
        assert re.fullmatch(r"\d+ 1 ([2-9]|\d\d+)\n", numbers), numbers


@pytest.fixture(scope="module")
def switched(cluster, figures, healed):
    cluster.add_standbys()

    def happens(_):
        cluster.stop(cluster.primary)
        return cluster.promote()
    return story(cluster, figures, "G4, a planned switchover", happens)


def test_G4_a_planned_switchover_loses_no_answer(switched):
    nothing_is_lost(switched)


def test_G4_a_planned_switchover_is_no_error_inside(cluster, switched):
    all_go_on(cluster, switched)


def ways(suspension):
    """The ways to it, by the API and by MCP."""
    at = f"{SUSPENSIONS}/{suspension}"
    return [("GET", at), ("POST", f"{at}/respond", {"value": "approve"},
                          "operator"),
            ("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                              "params": {"name": "check_answer", "arguments": {
                                  "suspension_id": str(suspension),
                                  "wait_seconds": 0}}})]


def done(cluster, *way):
    """The answer of the pool that uses the new primary."""
    status, body = call(cluster, "web1", *way)
    assert status in (200, 201), body
    return body


def unknown(cluster, way):
    return "suspension.unknown" in json.dumps(call(cluster, "web2", *way)[1])


def has_moved(cluster, pool):
    """Does the pool use the new primary?"""
    return f'host="{cluster.net.address(cluster.primary)}"' in \
        cluster.get(pool, "/metrics")[1]


def is_joined(cluster):
    """Has each of the four workers of web2 a connection?"""
    kit.together(*8 * [lambda: unknown(cluster, ways(uuid.uuid4())[0])])
    with cluster.database() as db:
        return db.execute("SELECT FROM pg_stat_activity WHERE client_addr = %s "
                          "AND usename = 'sayso_web'",
                          [cluster.net.address("web2")]).rowcount == 4


@contextlib.contextmanager
def heard_again(cluster):
    """The old primary is heard again, by a pool whose connections outlived the
    cut, and that has not seen the new one. The other pool uses the new one."""
    old = cluster.primary
    kit.wait_for(lambda: is_joined(cluster))
    with stopped(cluster, "web2"):
        cluster.net.cut(old)
        cluster.promote()
        cluster.reload_pool("web1")
        cluster.net.heal(old)
        kit.wait_for(lambda: has_moved(cluster, "web1"), 20)
        yield
    kit.wait_for(lambda: has_moved(cluster, "web2"), 20)
    cluster.kill(old)


def test_G3_what_the_old_primary_does_not_know_is_not_refused(cluster,
                                                              switched):
    """A pool whose connections outlived the cut, and that has not seen the new
    primary, knows nothing of what the other pool was told meanwhile."""
    cluster.add_standbys()
    for way in 4 * ways(uuid.uuid4()):
        assert unknown(cluster, way), way
    with heard_again(cluster):
        made = done(cluster, "POST", SUSPENSIONS,
                    {"question": "Refund?"})["suspension_id"]
        refused = [way for way in 4 * ways(made) if unknown(cluster, way)]
        assert not refused
    seen, answer, _ = ways(made)
    kit.wait_for(lambda: call(cluster, "web2", *answer)[0] in (200, 409), 20)
    assert call(cluster, "web2", *seen)[1]["outcome"] == "authorized"


GATEWAY = "https://gateway.example/mcp"
DENY, ASK, ALLOW = "deny", "ask", "allow"
RULES = [("AskUserQuestion", DENY, None, None), ("with a space*", DENY, None,
                                                 None),
         ("Night", ASK, "low", "group:night"), ("refund", ALLOW, None, None)]


def permit(tool, **more):
    """Asks for a permit of the gateway."""
    return ("POST", "/oauth/bc-authorize", {
        "resource": GATEWAY, "authorization_details": json.dumps(
            [{"type": "tool_call", "tool": tool, "arguments": {"a": 1}}]),
        **more})


def token(handle):
    return ("POST", "/oauth/token", {
        "grant_type": "urn:openid:params:grant-type:ciba",
        "auth_req_id": handle})


def revoke(text):
    return "POST", "/oauth/revoke", {"token": text}


def hook(tool, **given):
    """The same call of the tool each time."""
    return ("POST", "/hooks/claude?hold=0", {
        "hook_event_name": "PreToolUse", "session_id": "s", "tool_use_id": tool,
        "tool_name": tool, "tool_input": given or {"a": 1}})


HOOKS = [hook("AskUserQuestion", questions=[{
    "question": "Which one?", "options": [{"label": "A"}, {"label": "B"}]}]),
    hook("with a space"), hook("Night"), hook("Later")]
USED = hook("Used")


def why(cluster, way):
    """The word of an error of OAuth, or the reason of a hook's no; empty where
    it was done."""
    status, body = call(cluster, "web2", *way)
    if status == 503:
        return "try again"
    out = body.get("hookSpecificOutput", {})
    return body.get("error") or out.get("permissionDecisionReason", "")


def approved(cluster, way):
    """An operator approves the call of a hook."""
    assert "Nobody has answered" in why(cluster, way)
    asked = done(cluster, "GET", f"{SUSPENSIONS}?state=pending", None,
                 "operator")["suspensions"]
    one, = [a for a in asked if way[2]["tool_name"] in json.dumps(a["subject"])]
    done(cluster, "POST", f"{SUSPENSIONS}/{one['suspension_id']}/respond",
         {"value": "approve"}, "operator")


def set_up(cluster, rules, mara):
    """The rules; and whether Mara is there."""
    with cluster.database() as db:
        db.execute("UPDATE principal SET disabled_at = CASE WHEN %s THEN NULL "
                   "ELSE now() END WHERE name = 'Mara'", [mara])
        db.execute("DELETE FROM tool_rule")
        for n, (tool, effect, severity, by) in enumerate(rules, 1):
            db.execute("INSERT INTO tool_rule (position, agent, tool, effect, "
                       "severity, decides, created_at, created_by) VALUES "
                       "(%s, '*', %s, %s, %s, %s, now(), 'x')",
                       [n, tool, effect, severity, by])


def test_G3_a_no_of_the_old_primary_is_no_answer(cluster, switched):
    """Nor are those that are no error for HTTP, or that OAuth words."""
    cluster.add_standbys()
    cluster.sure("resource", "add", "--identifier", GATEWAY, "--name", "Shop",
                 "--allow-bearer")
    assert "Nobody has answered" in why(cluster, hook("Later"))
    cluster.sure("operator", "create", "--email", "mara@example.org",
                 "--name", "Mara", "--groups", "night")
    set_up(cluster, [*RULES, ("Later", DENY, None, None)], mara=False)
    for_mara = permit("tell", login_hint="mara@example.org")
    nos = [*HOOKS, token("sar_x"), for_mara]
    before = [why(cluster, way) for way in 4 * nos]
    assert set(before) == {
        "A rule forbids it.", "invalid_grant", "unknown_user_id",
        "No operator could answer this question. Nobody was asked. Do not run "
        "it."}, before
    assert not why(cluster, revoke("sar_x")) + why(cluster, revoke("sat_x"))
    approved(cluster, USED)
    assert why(cluster, USED).startswith("Approved by")
    with heard_again(cluster):
        set_up(cluster, [*RULES[2:], ("Used", DENY, None, None)], mara=True)
        given, kept, used = (done(cluster, *permit("refund"))["auth_req_id"]
                             for _ in range(3))
        text = done(cluster, *token(used))["access_token"]
        # The last one is a yes, until the rule is heard of.
        nos = [*HOOKS, token(given), for_mara, revoke(kept), revoke(text), USED]
        # While this one waits for the standby, the others hear at once that
        # one waits, and the connections stay.
        first = threading.Thread(target=unknown, args=(
            cluster, ways(uuid.uuid4())[0]))
        first.start()
        time.sleep(0.5)
        told = [why(cluster, way) for way in nos]
        waits = first.is_alive()
        first.join(20)
    assert waits
    assert set(told) == {"try again"}, told
    after = [why(cluster, way) for way in nos]
    assert all("Nobody has answered" in word for word in after[:len(HOOKS)])
    assert not any(after[len(HOOKS):-1]), after
    assert after[-1] == "A rule forbids it."
    assert why(cluster, token(kept)) == "access_denied"
    with cluster.database() as db:
        assert db.execute("SELECT FROM permit_token WHERE ended_why = 'revoked'"
                          ).rowcount == 1


def test_nothing_went_wrong_inside(cluster, switched):
    assert not cluster.complaints()
