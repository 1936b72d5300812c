-- Questions of fifty agents, for operators, groups and single people; every
-- second one is decided. None is due, so that the clock leaves them alone.
SET synchronous_commit = off;
\ir ../tests/questions.sql
INSERT INTO intent (id, title, created_by, status, constraints, state, version,
                    created_at, updated_at)
SELECT md5('inbox' || n)::uuid, 'x', 'x', 'suspended_awaiting_input', '{}', '{}', 1,
       now(), now()
  FROM generate_series(1, :rows) n;
INSERT INTO question (id, intent_id, seq, record, response_type, title, question,
    severity, subject, subject_sha256, context, choices, asked_by, initiated_by,
    suspended_at, expires_at, fallback_policy, on_reject, asked_sequence, state, outcome,
    responded_at, responded_by, responded_via, kind, responder_mode, responder)
SELECT 'inbox' || n, md5('inbox' || n)::uuid, 1, '{}', 'choice',
       'Refund order ' || n || ' for customer ' || md5(n::text),
       'Shall the refund be made, and is item ' || n % 977 || ' back?',
       (ARRAY['low', 'medium', 'high', 'critical'])[1 + n / 2 * 7 % 5], '{"a":1}',
       repeat('0', 64), '{}',
       '[{"value":"approve","label":"Approve","effect":"authorize"}]',
       'agent-' || n % 50, 'p' || n % 100 || '@example.com',
       now() - n * interval '1 second',
       CASE WHEN n % 3 > 0 THEN now() + (n % 864000 + 7200) * interval '1 second' END,
       'fail', 'resume', 1,
       CASE WHEN n % 2 = 0 THEN 'pending' ELSE
            (ARRAY['resolved', 'resolved', 'resolved', 'expired', 'cancelled'])
            [1 + n / 2 % 5] END,
       CASE WHEN n % 2 = 1 THEN
            (ARRAY['authorized', 'vetoed', 'answered'])[1 + n / 2 % 3] END,
       CASE WHEN n % 2 = 1 THEN now() - n * interval '1 second' END,
       CASE WHEN n % 2 = 1 THEN 'op' || n % 40 || '@example.com' END,
       CASE WHEN n % 2 = 1 THEN
            (ARRAY['browser', 'native', 'openintent', 'clock'])[1 + n / 2 % 4] END,
       CASE WHEN n % 1000 = 998 THEN 'handoff_acceptance' WHEN n % 10 = 8 THEN NULL ELSE
            (ARRAY['approval', 'permission', 'plan_review', 'elicitation',
                   'credential_needed', 'cost_confirmation'])[1 + n / 2 % 6] END,
       (ARRAY['operators', 'group', 'group', 'initiator', 'named'])[1 + n / 2 % 5],
       (ARRAY[NULL, 'g' || n % 20, 'g' || n % 20, NULL,
              'op' || n % 40 || '@example.com'])[1 + n / 2 % 5]
  FROM generate_series(1, :rows) n;
SELECT pg_temp.questions_store();
