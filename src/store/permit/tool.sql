-- name: tool_rules
SELECT {tools_rule} FROM tool_rule ORDER BY position LIMIT $1

-- name: tool_rule_insert
INSERT INTO tool_rule ({tools_rule.insert}) SELECT {tools_rule.places:2}
 WHERE (SELECT count(*) FROM tool_rule) < $1
    ON CONFLICT (position) DO NOTHING

-- name: tool_rule_delete
DELETE FROM tool_rule WHERE position = $1

-- name: tool_task
SELECT intent_id FROM tool_task
 WHERE agent = reader_name($1) AND task_id = $2 AND test = {reads_tests $1}

-- name: tool_task_insert
INSERT INTO tool_task (agent, task_id, intent_id, test)
VALUES (reader_name($1), $2, $3, {reads_tests $1})

-- name: tool_calls_insert
INSERT INTO suspension_call (suspension_id, ordinal, call_id, tool, sent, arguments,
                             arguments_sha256, rule)
SELECT $1, c.ordinal, c.call_id, c.tool, c.sent, c.arguments, c.sha256, nullif(c.rule, 0)
  FROM unnest($2::integer[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
              $8::integer[]) c (ordinal, call_id, tool, sent, arguments, sha256, rule)

-- name: tool_calls
SELECT sent FROM suspension_call WHERE suspension_id = $1 ORDER BY ordinal

-- name: tool_open_of_session
SELECT o.suspension_id, c.call_id
  FROM open_question o
  JOIN intent i ON i.id = o.intent_id AND i.session_id = $2
  JOIN suspension_call c ON c.suspension_id = o.suspension_id
 WHERE o.asked_by = reader_name($1) AND i.test = {reads_tests $1}
 ORDER BY o.suspension_id LIMIT 100
