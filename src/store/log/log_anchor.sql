-- Checkpoints of the log that are to be stamped.

-- name: log_anchor_ask
-- From the beginning, at once, where the last try failed.
INSERT INTO log_anchor AS a (checkpoint_id, intent_id, at, due_at) VALUES ($1, $2, $3, $3)
ON CONFLICT (checkpoint_id) DO UPDATE SET at = $3, due_at = $3, tries = 0, failure = NULL
 WHERE a.failure IS NOT NULL

-- name: log_anchor_failure
SELECT failure FROM log_anchor WHERE checkpoint_id = $1

-- name: log_anchor_take
-- The next one. It is due again at a later time, where this try gets no result.
UPDATE log_anchor a SET due_at = $2, tries = a.tries + 1, failure = NULL
  FROM log_checkpoint c
 WHERE c.id = a.checkpoint_id
   AND a.checkpoint_id = (SELECT checkpoint_id FROM log_anchor WHERE due_at <= $1
                           ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING c.id, c.merkle_root, a.tries

-- name: log_anchor_end
UPDATE log_anchor SET failure = $2, anchor = $3, due_at = $4
 WHERE checkpoint_id = $1 AND anchor IS NULL

-- name: due_anchors
-- The intents of stamps that are not with their checkpoint yet.
SELECT a.intent_id FROM log_anchor a JOIN log_checkpoint c ON c.id = a.checkpoint_id
 WHERE a.anchor IS NOT NULL AND a.intent_id IS NOT NULL AND c.anchor IS NULL AND a.at <= $1
 ORDER BY a.at LIMIT 20

-- name: due_anchors_of
SELECT {a.log_anchor} FROM log_anchor a JOIN log_checkpoint c ON c.id = a.checkpoint_id
 WHERE a.intent_id = ANY ($1::uuid[]) AND a.anchor IS NOT NULL AND c.anchor IS NULL AND a.at <= $2

-- name: due_anchor
UPDATE log_checkpoint SET anchor = $2 WHERE id = $1 AND anchor IS NULL

-- name: due_anchors_alone
-- Those of the server, which have no log for an event.
UPDATE log_checkpoint c SET anchor = a.anchor FROM log_anchor a
 WHERE c.id = a.checkpoint_id AND a.anchor IS NOT NULL AND a.intent_id IS NULL
   AND c.anchor IS NULL

-- name: due_anchors_done
DELETE FROM log_anchor a USING log_checkpoint c
 WHERE c.id = a.checkpoint_id AND c.anchor IS NOT NULL
RETURNING a.checkpoint_id
