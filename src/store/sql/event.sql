-- name: event_insert
INSERT INTO event (intent_id, sequence, id, event_type, created_at, canonical, event_hash,
                   previous_event_hash)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)

-- name: event_list
SELECT sequence, id, event_type, microseconds(created_at), canonical, event_hash,
       previous_event_hash
  FROM event
 WHERE intent_id = $1 AND ($2::text IS NULL OR event_type = $2)
   AND ($3::timestamptz IS NULL OR created_at >= $3)
   AND ($4::bigint IS NULL OR sequence < $4)
 ORDER BY sequence DESC LIMIT $5 OFFSET $6

-- name: event_chain
-- Oldest first, behind a sequence: for checking and for the timeline.
SELECT sequence, id, event_type, microseconds(created_at), canonical, event_hash,
       previous_event_hash
  FROM event WHERE intent_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3

-- name: event_get
SELECT sequence, id, event_type, microseconds(created_at), canonical, event_hash,
       previous_event_hash
  FROM event WHERE intent_id = $1 AND sequence = $2

-- name: event_tails
-- Every chain's end as the intents know it, page by page.
SELECT id, event_sequence, event_hash FROM intent
 WHERE ($1::uuid IS NULL OR id > $1) ORDER BY id LIMIT 500
