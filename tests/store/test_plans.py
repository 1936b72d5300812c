"""The hot statements use their indexes: their plans are read, on tables large
enough that a scan of one would be slower and the planner knows it."""
import hashlib
import json
import re

import pytest
from statements import STATEMENTS, role

import questions

LARGE = {"intent", "suspension", "open_question", "inbox_entry", "decision",
         "event", "api_key", "operator_session",
         "lease", "idempotency", "intent_dependency", "assignment",
         "delivery", "subscription", "endpoint", "known_browser",
         "sign_in_failure", "portfolio", "portfolio_member", "coordinator",
         "intent_cost", "attachment", "intent_failure", "failure_policy",
         "task", "plan", "plan_checkpoint", "acl_entry", "artifact",
         "artifact_use",
         "event_erased", "log_leaf", "log_tile", "log_head", "log_checkpoint",
         "log_request", "receipt", "receipt_wait"}


@pytest.fixture(scope="module")
def large(server):
    """Many rows in every table; returns ids in the middle of them. One agent,
    one status and one state are far more frequent than the others, as in
    practice. None of it is due, so that the clock skips it."""
    with server.database() as db:
        db.execute("SET synchronous_commit = off")
        db.execute("""
            INSERT INTO intent (id, title, created_by, status, constraints,
                                state, version, created_at, updated_at,
                                parent_intent_id)
            SELECT md5('i' || n)::uuid, 'x', 'x',
                   CASE WHEN n % 10 = 0 THEN 'draft' ELSE 'active' END, '{}',
                   '{}', 1, now() - n * interval '1 second', now(),
                   CASE WHEN n % 100 = 1 THEN md5('i' || n - 1)::uuid END
              FROM generate_series(0, 19999) n""")
        questions.many(db, """
            INSERT INTO question (id, intent_id, seq, record, response_type,
                question, severity, subject, subject_sha256, context, choices,
                asked_by, suspended_at, expires_at, next_attempt_at,
                fallback_policy, on_reject, asked_sequence, state, outcome,
                responded_at)
            SELECT 's' || n, md5('i' || n)::uuid, 1, '{}', 'text', '?',
                   (ARRAY['low', 'medium', 'high', 'critical'])[n % 5],
                   '{}', repeat('0', 64), '{}', '[]',
                   CASE WHEN n % 20 = 0 THEN 'rare' ELSE 'busy' END,
                   now() - n * interval '1 second',
                   CASE WHEN n % 3 = 0 THEN now() + interval '1 day' END,
                   CASE WHEN n % 6 = 0
                        THEN now() + n * interval '1 hour' END,
                   'fail', 'resume', 1,
                   CASE WHEN n % 8 = 0 THEN 'pending' ELSE 'resolved' END,
                   CASE WHEN n % 8 > 0 THEN 'none' END,
                   CASE WHEN n % 8 > 0 THEN now() END
              FROM generate_series(0, 19999) n""")
        db.execute("""
            INSERT INTO event (intent_id, sequence, id, event_type,
                               created_at, canonical, event_hash,
                               previous_event_hash)
            SELECT md5('i' || i)::uuid, s, gen_random_uuid(),
                   CASE WHEN s % 50 = 0 THEN 'intent.resumed'
                        ELSE 'comment' END, now() - s * interval '1 second',
                   '{}', 'h', CASE WHEN s > 1 THEN 'h' END
              FROM generate_series(0, 99) i,
                   generate_series(1, CASE i WHEN 50 THEN 5000
                                             ELSE 200 END) s""")
        db.execute("""
            INSERT INTO api_key (id, key_sha256, prefix, role, label,
                                 created_at, reach)
            SELECT gen_random_uuid(), lpad(md5('k' || n), 64, '0'), 'x',
                   'auditor', 'x', now(), 'all' FROM generate_series(1, 5000) n""")
        db.execute("""
            INSERT INTO artifact (id, sha256, uploaded_by, key_id, test,
                media_type, size, uploaded_at, used, bytes)
            SELECT md5('a' || n)::uuid, encode(sha256(n::text::bytea), 'hex'),
                   CASE WHEN n % 20 = 0 THEN 'rare' ELSE 'busy' END,
                   (SELECT id FROM api_key LIMIT 1), false, 'text/plain',
                   length(n::text), now() - n * interval '1 second',
                   n % 8 > 0, n::text::bytea
              FROM generate_series(0, 9999) n""")
        db.execute("""
            INSERT INTO artifact_use (suspension_id, artifact_id)
            SELECT 's' || n, md5('a' || n)::uuid
              FROM generate_series(0, 9999) n WHERE n % 8 > 0""")
        db.execute("""
            INSERT INTO operator_session (id_sha256, principal_id, created_at,
                                          seen_at, expires_at)
            SELECT lpad(md5('o' || n), 64, '0'), (SELECT id FROM principal
                   LIMIT 1), now(), now(), now()
              FROM generate_series(1, 5000) n""")
        db.execute("""
            INSERT INTO known_browser (browser_sha256, principal_id, seen_at)
            SELECT lpad(md5('b' || n), 64, '0'), (SELECT id FROM principal
                   LIMIT 1), now() - n * interval '1 second'
              FROM generate_series(1, 5000) n""")
        db.execute("""
            INSERT INTO sign_in_failure (account_sha256, network, failures,
                                         failed_at)
            SELECT lpad(md5('f' || n), 64, '0'), '192.0.2.1', 1,
                   now() - n * interval '1 second'
              FROM generate_series(1, 5000) n""")
        db.execute("""
            INSERT INTO lease (id, intent_id, agent_id, scope, status,
                               acquired_at, expires_at)
            SELECT gen_random_uuid(), md5('i' || n % 5000)::uuid, 'a',
                   's' || n, 'active', now(),
                   now() + n * interval '1 hour'
              FROM generate_series(1, 10000) n""")
        db.execute("""
            INSERT INTO idempotency (principal, key, request_sha256, status,
                                     body, created_at)
            SELECT 'p', 'k' || n, 'x', 200, '{}', now()
              FROM generate_series(1, 10000) n""")
        db.execute("""
            INSERT INTO intent_dependency (intent_id, dependency_id, added_at)
            SELECT md5('i' || n)::uuid, md5('i' || n + 1)::uuid, now()
              FROM generate_series(1, 9999) n""")
        db.execute("""
            INSERT INTO portfolio (id, name, created_by, status,
                                   governance_policy, metadata, deadline,
                                   version, created_at, updated_at)
            SELECT md5('p' || n)::uuid, 'x',
                   CASE WHEN n % 20 = 0 THEN 'rare' ELSE 'busy' END, 'active',
                   '{}', '{}', 'infinity', 1,
                   now() - n * interval '1 second', now()
              FROM generate_series(0, 4999) n""")
        db.execute("""
            INSERT INTO portfolio_member (id, portfolio_id, intent_id, role,
                                          priority, added_at)
            SELECT gen_random_uuid(), md5('p' || n % 5000)::uuid,
                   md5('i' || n)::uuid, 'member', n % 3, now()
              FROM generate_series(0, 9999) n""")
        db.execute("""
            INSERT INTO assignment (intent_id, agent_id, assigned_at,
                                    assigned_by)
            SELECT md5('i' || n)::uuid, 'a', now(), 'x'
              FROM generate_series(1, 9999) n""")
        db.execute("""
            INSERT INTO endpoint (id, kind, name, address, agent, secret,
                                  created_at, created_by, removed_at)
            SELECT CASE WHEN n = 1 THEN md5('e')::uuid
                        ELSE gen_random_uuid() END,
                   CASE WHEN n % 100 = 2 THEN 'slack' ELSE 'agent' END,
                   'large ' || n, 'x' || n,
                   CASE WHEN n % 100 = 3 THEN 'busy' END, 'x', now(), 'x',
                   CASE WHEN n % 10 > 3 OR n > 1000 THEN now() END
              FROM generate_series(1, 5000) n""")
        db.execute("""
            INSERT INTO subscription (id, endpoint_id, intent_id,
                                      subscriber_id, created_at, created_by,
                                      expires_at)
            SELECT gen_random_uuid(), md5('e')::uuid, md5('i' || n)::uuid,
                   'x', now(), gen_random_uuid(),
                   CASE WHEN n % 4 = 0 THEN now() + n * interval '1 day' END
              FROM generate_series(1, 10000) n""")
        db.execute("""
            INSERT INTO subscription (id, endpoint_id, portfolio_id,
                                      subscriber_id, created_at, created_by)
            SELECT gen_random_uuid(), md5('e')::uuid,
                   md5('p' || n % 5000)::uuid, 'x', now(), gen_random_uuid()
              FROM generate_series(1, 10000) n""")
        db.execute("""
            INSERT INTO delivery (id, endpoint_id, intent_id, event_sequence,
                                  type, body, state, next_at, created_at,
                                  ended_at)
            SELECT gen_random_uuid(), e.id, md5('i' || n % 10000 + 1)::uuid, 1, 'x',
                   '{}',
                   s.state, CASE WHEN s.state = 'pending'
                                 THEN now() + interval '30 days' END,
                   now() - n * interval '15 seconds',
                   CASE WHEN s.state <> 'pending'
                        THEN now() - n * interval '15 seconds' END
              FROM generate_series(1, 40000) n
              CROSS JOIN LATERAL (SELECT CASE n % 20 WHEN 0 THEN 'pending'
                         WHEN 1 THEN 'failed' ELSE 'delivered' END) s (state)
              JOIN endpoint e ON e.name = 'large ' || (n % 50 + 1)""")
        db.execute("""
            INSERT INTO delivery_try (delivery_id, n, at, ms, answer)
            SELECT id, 1, now(), 1, 'x' FROM delivery""")
        db.execute("""
            INSERT INTO coordinator (id, intent_id, agent_id, role, type,
                suspension_policy, guardrails, metadata, heartbeat_seconds,
                heartbeat_at, lapses_at, granted_at, ended_at, version)
            SELECT gen_random_uuid(), md5('i' || n % 5000)::uuid, 'a', 'x',
                   'llm', 'isolate', '{}', '{}', 60, now(),
                   CASE WHEN n < 5000 THEN now() + n * interval '1 day' END,
                   now(), CASE WHEN n >= 5000 THEN now() END, 1
              FROM generate_series(0, 9999) n""")
        db.execute("""
            INSERT INTO acl_entry (id, intent_id, principal_id, permission,
                                   granted_by, granted_at, expires_at)
            SELECT gen_random_uuid(), md5('i' || n % 5000)::uuid,
                   CASE WHEN n < 5000 THEN 'a' ELSE 'x' || n END, 'read',
                   'x', now(), CASE WHEN n % 4 = 0 THEN 'infinity'::timestamptz
                                    ELSE now() + n * interval '1 day' END
              FROM generate_series(0, 9999) n""")
        db.execute("""
            INSERT INTO intent_cost
            SELECT gen_random_uuid(), md5('i' || n % 5000)::uuid, 'a', 't', 1,
                   'u', NULL, '{}', now() FROM generate_series(1, 10000) n""")
        db.execute("""
            INSERT INTO attachment
            SELECT gen_random_uuid(), md5('i' || n % 5000)::uuid, 'a', 'b', 1,
                   'c', '{}', 'd', now() FROM generate_series(1, 10000) n""")
        db.execute("""
            INSERT INTO intent_failure
            SELECT gen_random_uuid(), md5('i' || n % 5000)::uuid, 'a', 1,
                   NULL, NULL, true, 'nothing', NULL, NULL,
                   CASE WHEN n % 2 = 0
                        THEN now() + n * interval '1 day' END, '{}', now()
              FROM generate_series(1, 10000) n""")
        db.execute("""
            INSERT INTO failure_policy
            SELECT md5('i' || n)::uuid, gen_random_uuid(), 'none', 1, 1, 1,
                   NULL, 1, now(), now() FROM generate_series(1, 5000) n""")
        db.execute("""
            INSERT INTO plan (id, intent_id, version, state, on_failure,
                              tasks, facts, created_by, created_at, updated_at)
            SELECT md5('p' || n)::uuid, md5('i' || n)::uuid, 1, 'draft',
                   'fail', '[]', '{}', 'x', now(), now()
              FROM generate_series(1, 9999) n""")
        db.execute("""
            INSERT INTO plan_checkpoint (plan_id, id, intent_id, place, name,
                after_task, requires_approval, approvers, of_group, on_timeout,
                silence_approves, on_reject, status)
            SELECT md5('p' || n)::uuid, 'one', md5('i' || n)::uuid, 0, 'x',
                   md5('t' || n)::uuid, true, '[]', false, 'fail', false,
                   'fail', 'pending'
              FROM generate_series(1, 9999) n""")
        db.execute("""
            INSERT INTO task (id, intent_id, plan_id, name, version, status,
                              depends_on, attempt, max_attempts, facts,
                              created_at)
            SELECT md5('t' || n)::uuid, md5('i' || n % 10000)::uuid, NULL,
                   'x', 1, 'ready', '[]', 1, 3, '{}', now()
              FROM generate_series(1, 20000) n""")
        # Of an epoch of their own: epoch 0 belongs to the server's process.
        db.execute("""
            INSERT INTO log_leaf (epoch, position, intent_id, sequence, hash)
            SELECT 7, row_number() OVER (ORDER BY intent_id, sequence) - 1,
                   intent_id, sequence, sha256('x') FROM event""")
        db.execute("""
            INSERT INTO event_erased (intent_id, sequence, rule, at)
            SELECT md5('i' || n)::uuid, 1, 'x', now()
              FROM generate_series(20001, 30000) n""")
        db.execute("""
            INSERT INTO log_tile (epoch, level, number, hashes)
            SELECT 7, 0, n, sha256('x') FROM generate_series(0, 4999) n""")
        db.execute("""
            INSERT INTO log_head (epoch, size, root, note, signed_at)
            SELECT 7, n, sha256('x'), 'x', now()
              FROM generate_series(1, 5000) n""")
        db.execute("""
            INSERT INTO log_checkpoint (id, epoch, scope, intent_id,
                merkle_root, event_count, first_sequence, last_sequence,
                created_at, signed_by, signature)
            SELECT 'chk_' || left(md5('c' || n), 22), 7, 'intent',
                   md5('i' || n % 10000)::uuid, 'x', 100,
                   n / 10000 * 100 + 1, n / 10000 * 100 + 100,
                   now() - n * interval '1 second', 'x', 'x'
              FROM generate_series(0, 19999) n UNION ALL
            SELECT 'chk_' || left(md5('s' || n), 22), 7, 'server', NULL, 'x',
                   5, n * 5 + 1, n * 5 + 5,
                   now() - n * interval '2 seconds', 'x', 'x'
              FROM generate_series(0, 4999) n""")
        db.execute("""
            INSERT INTO log_request (id, intent_id, by, at, ended_at)
            SELECT gen_random_uuid(), md5('i' || n)::uuid, 'x', now(), now()
              FROM generate_series(1, 5000) n""")
        db.execute("""
            INSERT INTO signing_key (kid, did, public_key, state, created_at,
                                     current_from, current_until)
            VALUES (repeat('x', 43), 'x', repeat('x', 43), 'retired', now(),
                    now(), now())""")
        db.execute("""
            INSERT INTO receipt (suspension_id, event_sequence, jws, kid,
                                 signed_at)
            SELECT 's' || n, 1, 'x', repeat('x', 43), now()
              FROM generate_series(0, 19999) n WHERE n % 8 > 0
                ON CONFLICT DO NOTHING""")
        db.execute("""
            INSERT INTO receipt_wait (suspension_id, since, lost)
            SELECT 's' || n, now(), true FROM generate_series(0, 19999) n
             WHERE n % 8 > 0 ON CONFLICT DO NOTHING""")
        db.execute("ANALYZE")
        one = db.execute("SELECT md5('i500')::uuid::text").fetchone()[0]
        log = db.execute("SELECT md5('i50')::uuid::text").fetchone()[0]
        portfolio = db.execute(
            "SELECT md5('p500')::uuid::text").fetchone()[0]
        endpoint = db.execute("SELECT md5('e')::uuid::text").fetchone()[0]
        # The tail's transaction of these rows, and one that is yet to come.
        xid = db.execute("SELECT max(xid)::text FROM event").fetchone()[0]
        yesterday = db.execute(
            "SELECT (now() - interval '1 day')::text").fetchone()[0]
    return {"intent": one, "log": log, "endpoint": endpoint,
            "portfolio": portfolio,
            "yesterday": yesterday, "key": digest("k7"),
            "session": digest("o7"), "chk": f"chk_{hashlib.md5(b'c7').hexdigest()[:22]}",
            "xid": xid, "now": str(int(xid) + 999)}


def digest(text):
    return hashlib.md5(text.encode()).hexdigest().rjust(64, "0")


def quote(value):
    if value is None:
        return "NULL"
    return "'" + str(value).replace("'", "''") + "'"


def filled(value, large):
    """With the ids of the fixture for their names."""
    for name, of in large.items():
        if isinstance(value, str):
            value = value.replace("$" + name, of)
    return value


# Statements that read in the order of an index even when there are few rows.
IN_ORDER = re.compile(r"(inbox|place|decided)_(?!.*words)|suspension_same|"
                      "group_list|log_checkpoint_list|tlog_of_intent|"
                      "tlog_waiting|agent_|answered_since")


def plan(db, name, values, generic):
    """The nodes of a statement's plan: for these values, or the one that the
    server falls back on after it has seen some."""
    off = "off" if IN_ORDER.match(name) else "on"
    for way in ("bitmapscan", "seqscan"):
        db.execute(f"SET enable_{way} = {off}")
    return plan_of(db, "PREPARE one AS " + STATEMENTS[name], values, generic)


def plan_of(db, prepare, values, generic):
    """The same of a statement that is prepared under the name `one`."""
    db.execute("DEALLOCATE ALL")
    db.execute(prepare.encode())
    mode = "force_generic_plan" if generic else "force_custom_plan"
    db.execute(f"SET plan_cache_mode = {mode}")
    given = f"({', '.join(map(quote, values))})" if values else ""
    rows = db.execute(f"EXPLAIN (FORMAT JSON) EXECUTE one{given}").fetchone()
    found = rows[0] if isinstance(rows[0], list) else json.loads(rows[0])
    nodes = []

    def walk(node):
        nodes.append(node)
        for child in node.get("Plans", []):
            walk(child)

    walk(found[0]["Plan"])
    return nodes


EARLIER = "2020-01-01T00:00:00Z"
LATER = "2030-01-01T00:00:00Z"
ANY_ID = "11111111-2222-4333-8444-555555555555"
DIGEST = hashlib.sha256(b"81").hexdigest()
NO_ID = "00000000-0000-0000-0000-000000000000"
MAX = "ffffffff-ffff-ffff-ffff-ffffffffffff"
KINDS = "{none,approval,permission,plan_review}"
PAGE = [500, 8 << 20]  # events, bytes

# statement: values, the index, and whether it has to hold for the generic plan
# too. $name is an id of the fixture.
HOT = [
    ("person_there", ["payments", None, LATER, False], "api_key_people"),
    ("person_there", [None, "x", LATER, False], "api_key_people"),
    ("suspension_list", [51, None, None, None, 9999, LATER], "suspension_newest"),
    ("suspension_list_open", [51, None, None, None, 9999, LATER],
     "open_question_newest"),
    ("suspension_list_ended", [51, None, None, None, 9999, LATER, "expired"],
     "decision_newest_by_state"),
    ("suspension_list", [51, "rare", None, None, 9999, LATER],
     "suspension_newest_by_agent"),
    ("suspension_list_open", [51, "rare", None, None, 9999, LATER],
     "open_question_newest_by_agent"),
    ("suspension_list", [51, None, LATER, "s1", 9999, LATER],
     "suspension_newest"),
    ("suspension_list_ended", [51, "rare", LATER, "s1", 9999, LATER,
                               "resolved"],
     "decision_newest_by_agent_state"),
    ("suspension_get", ["s77"], "suspension_pkey"),
    ("suspension_replacing", ["s77"], "suspension_supersedes"),
    ("place_all", [KINDS, 2, LATER, LATER, "s5000", 201],
     "open_question_all"),
    ("place_for", [KINDS, 2, LATER, LATER, "s5000", 201, "{o,n:a,g:b}", "a"],
     None),  # all are for any operator here, so two indexes are as good
    ("suspension_same", ["{" + "1" * 64 + "}", "{s8}", 3],
     "open_question_digest"),
    ("suspension_get", ["s77"], "decision_once"),
    ("suspension_open", ["s80"], "open_question_pkey"),
    ("suspension_open_of_intent", ["$intent"], "open_question_slot"),
    ("suspension_decide", ["x", None, None, "s80", "resolved", "none", None, None, None, None,
                           None, None, "a", None, "native", LATER, "x"],
     "open_question_pkey"),
    ("suspension_open_of", [ANY_ID, 100], "open_question_key"),
    ("suspension_asked", ["s80"], "suspension_pkey"),
    ("suspension_asked_newest", ["$intent"], "suspension_intent_id_seq_key"),
    ("suspension_decided", ["s80"], "decision_once"),
    ("suspension_beside", ["$intent"], "open_question_slot"),
    ("suspension_arbitration", ["$intent"], "open_question_slot"),
    ("suspension_end_beside", ["{$intent}", "a", "native", LATER, "x", "y"],
     "open_question_slot"),
    ("approval_of_completion", ["$intent", "complete", "x"],
     "suspension_intent_id_seq_key"),
    ("assignment_there", ["$intent", "a"], "assignment_pkey"),
    ("intent_govern", ["$intent", None], "intent_pkey"),
    ("intent_needed", ["$intent"], "intent_dependency_pkey"),
    ("suspension_escalations", ["a", LATER, None], "suspension_escalations"),
    # By the intent, or where escalations are few by these.
    ("suspension_escalations_of", ["a", LATER, None, "$intent"], None),
    ("suspension_of_intent", ["$intent"], "suspension_intent_id_seq_key"),
    ("intent_get", ["$intent", None, None], "intent_pkey"),
    ("intent_get", ["$intent", "(0,1)", "0" * 64], "intent_pkey"),
    ("intent_edges", ["$intent"], "intent_dependency_pkey"),
    ("intent_parent", ["$intent"], "intent_pkey"),
    ("intent_taken", ["$intent", None, LATER], "intent_pkey"),
    ("intent_taken", ["$intent", "a", LATER], "intent_pkey"),
    ("intent_kin", ["$intent", "a", LATER], "intent_parent"),
    ("intent_kin", ["$intent", "a", LATER], "intent_dependency_reverse"),
    ("intent_list_own", ["x", EARLIER, None, "infinity", MAX, 9999, 51, 0],
     "intent_newest_by_maker"),
    ("intent_list_own", ["a", EARLIER, None, "infinity", MAX, 9999, 51, 0],
     "assignment_newest_by_agent"),
    ("intent_list_own", ["a", EARLIER, "draft", "$yesterday", MAX, 9999, 51,
                         0],
     "lease_newest_by_agent"),
    ("intent_list_own", ["a", EARLIER, None, "infinity", MAX, 9999, 51, 0],
     "intent_newest_by_owner"),
    ("intent_taken_of_suspension", ["s77"], "suspension_pkey"),
    ("delivery_told", [], "endpoint_address"),
    ("intent_list", [None, 9999, 51, 0, "/a", LATER], "intent_newest"),
    ("intent_list", ["draft", 9999, 51, 0, None, LATER],
     "intent_newest_by_status"),
    ("intent_list_after", [None, 9999, 51, LATER, MAX, "/a", LATER],
     "intent_newest"),
    ("intent_list_after", ["draft", 9999, 51, LATER, MAX, None, LATER],
     "intent_newest_by_status"),
    ("intent_children", ["$intent", 9999, 51, None, None, "a", LATER],
     "intent_parent"),
    ("intent_ready", ["$intent", 9999, 51, None, None, "a", LATER],
     "intent_parent"),
    ("intent_waiting", ["$intent", 9999, 51, None, None, "a", LATER],
     "intent_parent"),
    ("intent_descendants", ["$intent", 9999, 1001, None, None, "a", LATER],
     "intent_parent"),
    ("intent_ancestors", ["$intent", 9999, 1001, None, None, "a", LATER],
     "intent_pkey"),
    ("intent_nodes", ["$intent", "a", LATER, 1000, 1001], "intent_parent"),
    ("intent_ring", ["$intent", "{$intent}"], "intent_dependency_reverse"),
    ("intent_open", ["$intent"], "intent_parent"),
    ("intent_dependencies", ["$intent", 9999, 51, None, None, "a", LATER],
     "intent_dependency_pkey"),
    ("intent_dependents", ["$intent", 9999, 51, None, None, "a", LATER],
     "intent_dependency_reverse"),
    ("portfolio_get", ["$portfolio", None, LATER], "portfolio_pkey"),
    ("portfolio_get", ["$portfolio", "a", LATER], "portfolio_member_order"),
    ("portfolio_take", ["$portfolio"], "portfolio_pkey"),
    ("portfolio_list", [51, None, LATER, None, None, None],
     "portfolio_newest"),
    ("portfolio_list", [51, None, LATER, "$portfolio", "rare", None],
     "portfolio_newest_by_creator"),
    ("portfolio_of_intent", ["$intent"], "portfolio_member_intent"),
    ("portfolio_members", ["$portfolio", "a", LATER],
     "portfolio_member_order"),
    ("portfolio_members", ["$portfolio", "a", LATER],
     "intent_dependency_pkey"),
    ("portfolio_intents", ["$portfolio", "a", LATER, 9999, 51, "$intent"],
     "portfolio_member_order"),
    ("portfolio_open", ["$portfolio", True], "portfolio_member_order"),
    ("portfolio_member", ["$portfolio", "$intent"],
     "portfolio_member_intent"),
    ("portfolio_leave", ["$portfolio", "$intent"],
     "portfolio_member_intent"),
    ("portfolio_active", ["$intent"], "portfolio_member_intent"),
    ("portfolio_take_many", ["{$portfolio}"], "portfolio_pkey"),
    ("portfolio_complete", ["{$portfolio}", "$intent", "sayso", LATER],
     "portfolio_member_order"),
    ("portfolio_over", ["{$intent}", LATER], "portfolio_member_intent"),
    ("portfolio_share", ["$intent"], "portfolio_member_intent"),
    ("portfolio_deadlines", ["{$intent}"], "open_question_slot"),
    ("portfolio_deadlines", ["{$intent}"], "portfolio_member_intent"),
    ("portfolio_waiting", ["$portfolio"], "open_question_slot"),
    ("portfolio_questions", ["$portfolio", 20], "portfolio_member_order"),
    ("portfolio_questions", ["$portfolio", 20], "open_question_slot"),
    ("portfolio_take_intents", ["{$intent}"], "intent_pkey"),
    ("portfolio_mark", ["$intent"], "portfolio_member_intent"),
    ("intent_list_own", ["a", EARLIER, None, "infinity", MAX, 9999, 51, 0],
     "coordinator_newest_by_agent"),
    ("intent_take_descendants", ["$intent"], "intent_parent"),
    ("coordinator_get", [ANY_ID], "coordinator_pkey"),
    ("coordinator_active", ["$intent"], "coordinator_one"),
    ("coordinator_list", ["$intent", 100], "coordinator_intent"),
    ("coordinator_active_of_portfolio", ["$portfolio"],
     "coordinator_portfolio"),
    ("coordinator_list_of_portfolio", ["$portfolio", 100],
     "coordinator_portfolio"),
    ("coordinator_end_of_portfolios", ["{$portfolio}", LATER], None),
    ("coordinator_over", ["$intent", 13, None], "coordinator_one"),
    ("coordinator_over", ["$intent", 13, "$intent"],
     "portfolio_member_intent"),
    ("acl_ties", ["$intent", EARLIER], None),
    ("acl_list", ["$intent", EARLIER], "acl_entry_principal"),
    ("acl_all", ["$intent"], "acl_entry_principal"),
    ("acl_remove", ["{%s}" % ANY_ID], "acl_entry_pkey"),
    ("acl_mark", ["$intent", "false"], "intent_pkey"),
    ("acl_end_leases", ["$intent", "{a}", LATER], "lease_pkey"),
    ("acl_end_deliveries", ["$intent", "{a}", LATER], "delivery_pkey"),
    ("acl_requests", ["$intent"], "suspension_access"),
    ("acl_requested", ["$intent", "a", "x"], "suspension_access"),
    ("due_acl", [LATER], "acl_entry_lapsing"),
    ("due_acl", [EARLIER], "acl_entry_lapsing"),
    ("due_acl_of", ["{$intent}", LATER], "acl_entry_principal"),
    ("intent_shut", ["$intent", "a", LATER], None),
    ("intent_list_own", ["a", EARLIER, None, "infinity", MAX, 9999, 51, 0],
     "acl_entry_newest_by_agent"),
    ("coordinator_end", ["$intent", LATER], "coordinator_one"),
    ("coordinator_below", ["$intent"], "intent_parent"),
    ("coordinator_mark", ["$intent"], "intent_parent"),
    ("coordinator_dependents", ["$intent", ANY_ID, 50],
     "intent_dependency_reverse"),
    ("due_coordinators", [LATER], "coordinator_lapsing"),
    ("due_coordinators", [EARLIER], "coordinator_lapsing"),
    ("due_coordinators_alone", [LATER], "coordinator_lapsing_of_portfolio"),
    ("due_lock_intents", ["{$intent}"], "intent_pkey"),
    ("due_coordinators_lapsed", ["{$intent}", LATER], None),
    ("due_coordinator_told", [ANY_ID, LATER], "coordinator_pkey"),
    ("cost_list", ["$intent"], "intent_cost_order"),
    ("cost_totals", ["$intent"], "intent_cost_order"),
    ("attachment_list", ["$intent"], "attachment_order"),
    ("attachment_delete", [ANY_ID, "$intent"], "attachment_pkey"),
    ("failure_list", ["$intent"], "intent_failure_order"),
    ("failure_counts", ["$intent", "a"], "intent_failure_order"),
    ("failure_policy_get", ["$intent"], "failure_policy_pkey"),
    ("due_failures", [LATER], "intent_failure_due"),
    ("due_failures", [EARLIER], "intent_failure_due"),
    ("due_failures_due", ["{$intent}", LATER], None),
    ("due_failure_moved", [ANY_ID, "retry", LATER, None],
     "intent_failure_pkey"),
    ("due_tasks", [LATER], "task_running"),
    ("due_tasks_of", ["{$intent}", LATER], None),
    ("due_task_later", [ANY_ID, LATER], "task_pkey"),
    ("due_leases_of", ["$intent", "a", LATER], "lease_intent"),
    ("due_unassign", ["$intent", "a"], "assignment_pkey"),
    ("event_list", ["$log", None, None, None, 100, 0, 9999], "event_pkey"),
    ("event_list", ["$log", None, None, 4000, 100, 0, 9999], "event_pkey"),
    ("event_list", ["$log", "intent.resumed", None, None, 20, 0, 9999],
     "event_by_type"),
    ("event_chain", ["{$log}", 0, 500, 9999], "event_pkey"),
    ("event_chain", ["{$intent,$log}", 0, 101, 8 << 20], "event_pkey"),
    ("event_get", ["$log", 7], "event_pkey"),
    ("event_cursor_read", ["$xid", "$log", 4000, *PAGE], "event_tail"),
    ("event_cursor_read", ["$now", "$log", 1, *PAGE], "event_tail"),
    ("event_cursor_intent", ["$log", 100, *PAGE], "event_pkey"),
    ("listener_keys", ["{$intent}", "{\"\"}", "{\"\"}", LATER],
     "api_key_pkey"),
    ("listener_keys", ["{$intent}", "{a}", "{$intent}", LATER],
     "api_key_pkey"),
    ("listener_sessions", ["{$session}", LATER, EARLIER],
     "operator_session_pkey"),
    ("key_find", ["$key"], "api_key_key_sha256_key"),
    ("session_find", ["$session"], "operator_session_pkey"),
    ("sign_in_find", ["x", "$session", "$session", "192.0.2.1", EARLIER],
     "known_browser_pkey"),
    ("sign_in_failed", ["$session", "192.0.2.1", LATER, EARLIER], None),
    ("sign_in_known_failed", ["$session", ANY_ID, LATER, EARLIER],
     "known_browser_pkey"),
    ("sign_in_forgive", ["$session", "192.0.2.1"], "sign_in_failure_pkey"),
    ("session_list", [201, ANY_ID, EARLIER, EARLIER],
     "operator_session_principal"),
    ("session_end", ["$session", None, LATER], "operator_session_pkey"),
    ("key_page", [101, None, None], "api_key_newest"),
    ("key_page", [101, LATER, ANY_ID], "api_key_newest"),
    ("key_get", [ANY_ID], "api_key_pkey"),
    ("key_end", [ANY_ID, LATER], "api_key_pkey"),
    ("lease_holder", ["$intent", "s7"], "lease_one_holder"),
    ("lease_list", ["$intent"], "lease_intent"),
    ("idempotency_get", ["p", "k77"], "idempotency_once"),
    ("assignment_list", ["$intent"], "assignment_pkey"),
    ("delivery_push", ["busy", "$intent", "s1", 1, "intent_vetoed", "{}",
                       LATER, "false", ""], "endpoint_address"),
    ("delivery_push", ["busy", "$intent", "s1", 1, "intent_vetoed", "{}",
                       LATER, "false", ""], "api_key_agents"),
    ("delivery_callback", [ANY_ID, "$intent", "s1", 1, "intent_vetoed", "{}",
                           LATER, "https://x.example/y", "busy", "false",
                           ""],
     "endpoint_pkey"),
    ("delivery_events", ["$intent", 1, 1, LATER], "subscription_intent"),
    ("delivery_events", ["$intent", 1, 1, LATER], "api_key_pkey"),
    ("delivery_member_events", ["$intent", 1, 1, LATER],
     "subscription_portfolio"),
    ("delivery_member_events", ["$intent", 1, 1, LATER],
     "portfolio_member_intent"),
    ("delivery_list", [51, None, None, None, None], "delivery_newest"),
    ("delivery_list", [51, "failed", None, None, None],
     "delivery_newest_by_state"),
    ("delivery_list", [51, None, "$endpoint", None, None],
     "delivery_newest_by_endpoint"),
    ("delivery_list", [51, None, None, LATER, MAX], "delivery_newest"),
    ("delivery_get", [ANY_ID], "delivery_pkey"),
    ("delivery_tries", [ANY_ID], "delivery_try_pkey"),
    ("delivery_counts", ["$yesterday"], "delivery_newest_by_state"),
    ("endpoint_channels", [], "endpoint_channel_name"),
    ("endpoint_get", ["$endpoint", None], "endpoint_pkey"),
    ("endpoint_give_up", ["$endpoint", LATER], "delivery_due"),
    ("subscription_list", [None, None, None, None], "subscription_pkey"),
    ("subscription_list", [None, "$intent", None, None],
     "subscription_intent"),
    ("subscription_list", [None, None, None, "$portfolio"],
     "subscription_portfolio"),
    ("subscription_keys_ended", ["{$intent}", LATER], "api_key_pkey"),
    ("lease_newest", ["$intent", "s7"], "lease_intent"),
    ("due_next", [], "open_question_due"),
    ("due_take", [LATER, "{}"], "open_question_due"),
    ("due_take", [LATER, "{s8,s16}"], "open_question_due"),
    ("due_take", [EARLIER, "{}"], "open_question_due"),
    ("due_intents", ["{$intent}"], "intent_pkey"),
    ("due_suspensions", ["{s80}"], "open_question_pkey"),
    ("due_intents_update", ["{$intent}", "{active}", "{}", "{1}", "{now}",
                            "{1}", "{h}"], "intent_pkey"),
    ("due_expire", ["{s8}", "{expired}", "{none}", "{NULL}", "{clock}",
                    "{clock}", "{now}", "{x}", "{NULL}", "{NULL}", "{NULL}",
                    "{y}"], "open_question_pkey"),
    ("due_remind", ["{s8}", "{2}", "{NULL}", "{NULL}"],
     "open_question_pkey"),
    ("task_of_intent", ["$intent"], "task_intent"),
    ("task_get", [ANY_ID], "task_pkey"),
    ("task_list", ["$intent", None, 100, 0], "task_intent"),
    ("task_stuck", ["$intent"], "task_intent"),
    ("task_update", [ANY_ID, "x", "[]", 3, "{}"], "task_pkey"),
    ("task_move", ["{%s}" % ANY_ID, "{NULL}", "{2}", "{ready}", "{NULL}",
                   "{NULL}", "{a}", "{1}", "{NULL}", "{NULL}", "{NULL}",
                   "{NULL}"], "task_pkey"),
    ("task_mark", ["$intent"], "intent_pkey"),
    ("plan_of_intent", ["$intent"], "plan_intent"),
    ("plan_checkpoints", ["$intent"], "plan_checkpoint_intent"),
    ("plan_get", [ANY_ID], "plan_pkey"),
    ("plan_until", ["$intent"], "open_question_slot"),
    ("plan_question", [ANY_ID, "one"], "plan_checkpoint_pkey"),
    ("plan_checkpoint_delete", [ANY_ID, "one"], "plan_checkpoint_pkey"),
    ("suspension_take_back", ["{s80}", "a", "native", LATER, "x", "y"],
     "open_question_pkey"),
    ("due_lapsed", [LATER, EARLIER, MAX], "lease_lapsing"),
    ("due_lease_intents", ["{$intent}"], "intent_pkey"),
    ("due_leases", ["{$intent}", LATER], None),
    ("artifact_unused", [ANY_ID, 200], "artifact_unused_key"),
    ("artifact_take", ["busy", False, "{%s}" % DIGEST], "artifact_once"),
    ("artifact_use", ["s80", "{%s}" % ANY_ID], "artifact_pkey"),
    ("artifact_of", ["s81", 65536], "artifact_use_pkey"),
    ("artifact_questions", [DIGEST], "artifact_use_of"),
    ("artifact_question", [DIGEST, "s81"], "artifact_use_pkey"),
    ("artifact_own", [DIGEST, "busy", False], "artifact_once"),
    ("artifact_get", [ANY_ID], "artifact_pkey"),
    ("due_artifact_delete", [EARLIER], "artifact_unused_age"),
    ("due_idempotency_delete", [LATER], "idempotency_age"),
    ("due_idempotency_delete", [EARLIER], "idempotency_age"),
    ("due_session_delete", [LATER], "operator_session_age"),
    ("due_delivery_delete", [LATER], "delivery_age"),
    ("due_subscription_delete", [LATER], "subscription_age"),
    ("due_known_browser_delete", [LATER], "known_browser_age"),
    ("due_sign_in_failure_delete", [LATER], "sign_in_failure_age"),
    ("tlog_take", [7], None),
    ("tlog_events", [7, "0", NO_ID, 0, *PAGE], "event_tail"),
    ("tlog_events", [7, "$xid", "$log", 90, *PAGE], "event_tail"),
    ("tlog_events", [7, "$now", NO_ID, 0, *PAGE], "event_tail"),
    ("tlog_newest", [7], "log_head_pkey"),
    ("tlog_newest", [7], "log_head_signed_at"),
    ("tlog_newest", [7], "log_checkpoint_newest"),
    ("tlog_size", [7], None),
    ("tlog_waiting", [7], "event_tail"),
    ("tlog_waiting", [7], "decision_feed"),
    ("tlog_events_of", [7, "$log", *PAGE], "event_pkey"),
    ("tlog_events_of", [7, "$intent", *PAGE], "log_leaf_pkey"),
    ("tlog_tile", [7, 0, 70], "log_tile_pkey"),
    ("tlog_edge", [7, 24000], "log_tile_pkey"),
    ("tlog_leaves", [7, 1000, 1256], "log_leaf_position"),
    ("tlog_of_intent", [7, "$log", 101, 200], "log_leaf_pkey"),
    ("tlog_position", [7, "$log", 101], "log_leaf_pkey"),
    ("tlog_head", [7], "log_head_pkey"),
    ("tlog_faults", [NO_ID, "late", 100], None),
    ("tlog_fault_end", ["$intent"], None),
    ("tlog_requests", [], "log_request_open"),
    ("tlog_request_end", [ANY_ID, LATER, None], "log_request_pkey"),
    ("tlog_export", [7, 1000, 24000], "log_leaf_position"),
    ("tlog_export_of", [7, 1, 24000, "$log"], "log_leaf_pkey"),
    ("log_check_leaves", [7, 1000, 1512], "log_leaf_position"),
    ("log_check_leaves_of", [7, "$log", 101, 200], "log_leaf_pkey"),
    ("log_check_heads", [7, 1000, 24000], "log_head_pkey"),
    ("log_check_checkpoints", [EARLIER, ""], "log_checkpoint_newest"),
    ("log_check_checkpoints", [EARLIER, ""], "log_checkpoint_batch"),
    ("log_check_written", [7, 1000, 1512], "log_leaf_position"),
    ("log_check_questions", ["{$intent}", 0, 21, 8 << 20],
     "suspension_intent_id_seq_key"),
    ("log_check_questions", ["{$intent,$log}", 0, 21, 8 << 20],
     "suspension_intent_id_seq_key"),
    ("log_check_intents", ["{$intent,$log}", 12 << 20], "intent_pkey"),
    ("log_checkpoint_get", ["$chk"], "log_checkpoint_pkey"),
    ("log_checkpoint_list", [None, None, None, 50], "log_checkpoint_newest"),
    ("log_checkpoint_list", [None, "server", "$chk", 50],
     "log_checkpoint_newest"),
    ("log_checkpoint_list", ["$intent", None, None, 50],
     "log_checkpoint_of_intent"),
    ("log_checkpoint_open", [7, "{$intent,$log}"], "log_checkpoint_batch"),
    ("log_checkpoint_open", [7, "{$intent,$log}"], "log_leaf_pkey"),
    ("log_checkpoint_covering", [7, "$intent", 120], "log_checkpoint_batch"),
    ("log_checkpoint_covering", [7, None, 5000], "log_checkpoint_batch"),
    ("log_checkpoint_server", [7], "log_checkpoint_batch"),
    ("log_checkpoint_event", [7, "$log", 101, 200, ANY_ID], None),
    ("log_checkpoint_event_server", [7, None, 1001, 1100, ANY_ID], None),
    ("log_checkpoint_between", [7, "$intent", 1, 200, 10001],
     "log_checkpoint_batch"),
    ("log_checkpoint_boundary", [7, "$log", 100], "log_leaf_pkey"),
    ("log_checkpoint_boundary", [7, None, 100], "log_leaf_position"),
    ("log_checkpoint_export", [7, 24000, EARLIER, ""],
     "log_checkpoint_newest"),
    ("log_checkpoint_export_of", [7, 24000, EARLIER, "", "$log"],
     "log_checkpoint_of_intent"),
    ("receipt_due", ["0", "", 100, 8 << 20], "decision_feed"),
    ("receipt_due", ["$xid", "s9", 100, 8 << 20], "decision_feed"),
    ("receipt_waiting", ["s9", 100, 8 << 20], "receipt_wait_pkey"),
    ("receipt_endings", [7, "{s77,s78}", "{$intent,$log}", "{1,1}",
                         "{intent.resumed,status_changed}", "{$xid,$xid}"],
     None),
    ("receipt_endings_ever", [7, "{s77,s78}", "{$intent,$log}", "{1,1}",
                              "{intent.resumed,status_changed}"],
     None),
    ("receipt_get", ["s77"], "receipt_pkey"),
    ("receipt_held", ["s77"], "receipt_wait_pkey"),
    ("receipt_wait_end", ["s77"], "receipt_wait_pkey"),
    ("agent_list", ["", 51, EARLIER], "decision_agent"),
    ("agent_figures", ["rare", EARLIER, 2001], "decision_agent"),
    ("agent_newest", ["rare", 10], "decision_agent"),
    ("agent_open", ["rare", 201], None),  # any index that begins with it
    ("agent_on_target", ["rare", "s1", 500, "x"], "decision_agent"),
    ("answered_since", ["a", EARLIER, 2001], "decision_who"),
]

# Their WHERE has parts for absent filters, which only a plan for the current
# values can leave out; PostgreSQL makes one while it is so much cheaper.
ONE_FOR_ALL_FILTERS = {"suspension_list", "suspension_list_open",
                       "suspension_list_ended", "intent_list", "intent_list_after",
                       "event_list", "delivery_list", "subscription_list",
                       "session_list", "session_end", "key_page",
                       "portfolio_list", "log_checkpoint_list"}
# One plan for all values reckons with a third of all rows, and here the ceiling
# of what is counted is most of them.
COUNTED = {"delivery_counts", "agent_figures"}


def label(case):
    name, values, _ = case
    given = [i + 1 for i, v in enumerate(values) if v is not None]
    return f"{name}-{''.join(map(str, given))}"


# One plan for all values cannot leave out the filters that are absent.
PLANS = [(case, generic) for case in HOT for generic in (False, True)
         if not generic or case[0] not in ONE_FOR_ALL_FILTERS | COUNTED]


@pytest.mark.parametrize(
    "case, generic", PLANS,
    ids=[label(c) + ("-generic" if g else "-custom") for c, g in PLANS])
def test_a_plan(server, large, case, generic):
    name, values, index = case
    values = [filled(v, large) for v in values]
    with server.database(role(name)) as db:
        nodes = plan(db, name, values, generic)
    scans = [n["Relation Name"] for n in nodes
             if n["Node Type"] == "Seq Scan"]
    assert not LARGE & set(scans), json.dumps(nodes, indent=1)
    used = {n["Index Name"] for n in nodes if "Index Name" in n}
    assert index is None or index in used, used
    # Nothing of unknown length is sorted; the relations of one intent are few,
    # and events and lists come in the order of their index. Counted rows are
    # sorted where all rows are fewer than the ceiling, and of a question's
    # neighbours there is one for each kind and risk. A portfolio has at most
    # 1000 members, a page of the log or of a chain 500 events, one of 50 chains
    # 101 of each, one of receipts 100 questions; between two checkpoints at most
    # 10000 are looked at, and of an agent 2001 decisions.
    few = {"place_all", "place_for", "suspension_replacing",
           "intent_dependencies", "intent_dependents", "intent_children",
           "intent_ready", "intent_waiting", "intent_descendants",
           "intent_ancestors", "intent_nodes", "intent_open",
           "suspension_arbitration", "suspension_escalations",
           "intent_needed",
           "suspension_escalations_of",
           "lease_list", "lease_newest", "assignment_list",
           "intent_take_descendants", "coordinator_over",
           "coordinator_list", "cost_list", "attachment_list",
           "failure_list", "due_failures_due",
           "coordinator_dependents", "due_coordinators",
           "due_coordinators_lapsed", "coordinator_list_of_portfolio",
           "acl_ties", "acl_list", "acl_all", "due_tasks_of",
           "task_of_intent", "task_list", "plan_of_intent", "plan_checkpoints",
           "delivery_tries", "endpoint_channels", "subscription_list",
           "delivery_counts", "session_list",
           "portfolio_of_intent", "portfolio_active", "portfolio_members",
           "portfolio_intents", "portfolio_open", "portfolio_take_many",
           "portfolio_over", "portfolio_share", "portfolio_waiting",
           "portfolio_take_intents", "portfolio_questions", "task_stuck",
           "agent_list", "agent_figures", "agent_newest", "agent_on_target",
           "answered_since",
           "tlog_faults", "tlog_events", "tlog_events_of",
           "log_checkpoint_between",
           "tlog_export_of", "log_checkpoint_export_of", "log_check_leaves",
           "log_check_leaves_of",
           "log_check_written", "log_check_questions",
           "log_check_intents", "event_chain", "artifact_take",
           "receipt_due", "receipt_waiting", "receipt_endings",
           "receipt_endings_ever"}
    sorts = [n for n in nodes if "Sort" in n["Node Type"]]
    assert not sorts or name in few, json.dumps(sorts, indent=1)


@pytest.mark.parametrize("generic", [False, True])
@pytest.mark.parametrize("role", ["sayso_web", "sayso_wait", "sayso_tick"])
def test_a_tie_is_looked_up_by_index(server, large, role, generic):
    """The functions that statements call, whose plans theirs do not show."""
    with server.database(role) as db:
        source = db.execute("SELECT prosrc FROM pg_proc WHERE proname = "
                            "'intent_access_of' AND pronargs = 4"
                            ).fetchone()[0]
        asked = [re.search(r"EXISTS \(.*? > \$4\)", source, re.S)[0],
                 re.search(r"\(SELECT max.*? > \$4\)", source, re.S)[0]]
        for one in asked:
            nodes = plan_of(
                db, "PREPARE one (uuid, smallint, text, timestamptz) AS "
                "SELECT " + one.replace("= name", "= $3"),
                [large["intent"], "0", "a", LATER], generic)
            assert not [n for n in nodes if n["Node Type"] == "Seq Scan"]
            used = {n["Index Name"] for n in nodes if "Index Name" in n}
            assert {"intent_pkey", "assignment_pkey",
                    "acl_entry_principal"} <= used, used
            db.execute("DEALLOCATE ALL")


@pytest.mark.parametrize("case", [c for c in HOT
                                  if c[0] in ONE_FOR_ALL_FILTERS], ids=label)
def test_the_planner_keeps_to_it(web, large, case):
    """After many runs PostgreSQL may take the generic plan instead: only if
    it is as good."""
    name, values, _ = case
    values = [filled(v, large) for v in values]
    web.execute("SET plan_cache_mode = auto")
    web.execute("DEALLOCATE ALL")
    web.execute(f"PREPARE one AS {STATEMENTS[name]}".encode())
    given = f"({', '.join(map(quote, values))})"
    for _ in range(8):
        web.execute(f"EXECUTE one{given}")
    text = web.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE one{given}")
    found = text.fetchone()[0]

    def rows(node):
        """Rows that were looked at on the way."""
        own = node["Actual Rows"] + node.get("Rows Removed by Filter", 0)
        return (own * node["Actual Loops"]
                + sum(rows(c) for c in node.get("Plans", [])))

    assert rows(found[0]["Plan"]) < 3000, json.dumps(found, indent=1)


@pytest.mark.parametrize("generic", [False, True])
def test_groups_are_counted_without_reading_every_question(server, large,
                                                           generic):
    with server.database("sayso_web") as db:
        nodes = plan(db, "group_list", [200, LATER], generic)
    of = {n["Node Type"] for n in nodes
          if n.get("Relation Name") == "inbox_entry"}
    assert of and "Seq Scan" not in of
    used = {n["Index Name"] for n in nodes
            if n.get("Index Name", "").startswith("inbox_entry")}
    assert used == {"inbox_entry_for"}
