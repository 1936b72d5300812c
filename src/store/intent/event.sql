-- An event without bytes may have been erased by a rule.

-- piece: event_rule row
  LEFT JOIN LATERAL (SELECT rule, microseconds(at) AS erased_at FROM event_erased x
                      WHERE {row}.canonical = '' AND x.intent_id = {row}.intent_id
                        AND x.sequence = {row}.sequence LIMIT 1) x ON true

-- name: event_insert
INSERT INTO event (intent_id, sequence, id, event_type, created_at, canonical, event_hash,
                   previous_event_hash)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)

-- name: event_list
-- Pages are limited in bytes too, as those of intents are.
SELECT p.sequence, id, event_type, at, canonical, event_hash, previous_event_hash, rule,
       erased_at, found
  FROM (SELECT q.*, octet_length(canonical) + 300 AS size, count(*) OVER () AS found,
               sum(octet_length(canonical) + 300)
                   OVER (ORDER BY sequence DESC ROWS UNBOUNDED PRECEDING) AS bytes
          FROM (SELECT intent_id, sequence, id, event_type, microseconds(created_at) AS at,
                       canonical, event_hash, previous_event_hash
                  FROM event
                 WHERE intent_id = $1 AND ($2::text IS NULL OR event_type = $2)
                   AND ($3::timestamptz IS NULL OR created_at >= $3)
                   AND ($4::bigint IS NULL OR sequence < $4)
                 ORDER BY sequence DESC LIMIT $5 OFFSET $6) q) p
-- use: event_rule p
 WHERE bytes - size < $7
 ORDER BY p.sequence DESC

-- name: event_chain
-- Of each of the intents $1, oldest first, after a sequence: for verifying and for the timeline.
-- The bytes of all are limited.
SELECT p.sequence, id, event_type, at, canonical, event_hash, previous_event_hash, rule,
       erased_at, found, n
  FROM (SELECT q.*, n, octet_length(canonical) + 300 AS size, count(*) OVER () AS found,
               sum(octet_length(canonical) + 300)
                   OVER (ORDER BY n, sequence ROWS UNBOUNDED PRECEDING) AS bytes
          FROM unnest($1::uuid[]) WITH ORDINALITY AS d (of, n)
         CROSS JOIN LATERAL (
               SELECT intent_id, sequence, id, event_type, microseconds(created_at) AS at,
                      canonical, event_hash, previous_event_hash
                 FROM event WHERE intent_id = d.of AND sequence > $2
                ORDER BY sequence LIMIT $3) q) p
-- use: event_rule p
 WHERE bytes - size < $4
 ORDER BY n, p.sequence

-- name: event_bytes
SELECT coalesce(sum(octet_length(canonical)), 0)::bigint FROM event WHERE intent_id = $1

-- name: event_get
SELECT e.sequence, id, event_type, microseconds(created_at), canonical, event_hash,
       previous_event_hash, rule, erased_at
  FROM event e
-- use: event_rule e
 WHERE e.intent_id = $1 AND e.sequence = $2

-- name: event_find
SELECT e.sequence, id, event_type, microseconds(created_at), canonical, event_hash,
       previous_event_hash, rule, erased_at
  FROM event e
-- use: event_rule e
 WHERE e.intent_id = $1 AND id = $2

-- name: event_tails
-- The end of every chain as stored with the intents, page by page.
SELECT id, event_sequence, event_hash FROM intent
 WHERE ($1::uuid IS NULL OR id > $1) ORDER BY id LIMIT 500
