-- Receipts, as the process "seal" writes them and others read them.

-- name: receipt_take
SELECT xid, suspension_id FROM receipt_end FOR UPDATE

-- name: receipt_due
-- The decisions that follow, in the order of their transactions, with what a receipt says.
-- The event that ended a question is the first of its transaction that names it.
SELECT {s.suspension}, d.xid, e.sequence, e.id, e.event_hash, e.previous_event_hash,
       q.event_hash, p.id, p.granted_sha256, p.max_uses, microseconds(p.not_after),
       l.position IS NOT NULL
  FROM (SELECT xid, suspension_id FROM decision
         WHERE (xid, suspension_id) > ($2::xid8, $3)
           AND xid < (SELECT stream_horizon(pg_current_snapshot()))
         ORDER BY xid, suspension_id LIMIT $4) d
  JOIN LATERAL (SELECT * FROM suspension_row WHERE id = d.suspension_id LIMIT 1) s ON true
  LEFT JOIN LATERAL (SELECT sequence, id, event_hash, previous_event_hash FROM event
                      WHERE xid = d.xid AND intent_id = s.intent_id
                        AND position(d.suspension_id IN canonical) > 0
                      ORDER BY sequence LIMIT 1) e ON true
  LEFT JOIN LATERAL (SELECT event_hash FROM event
                      WHERE intent_id = s.intent_id AND sequence = s.asked_sequence
                      LIMIT 1) q ON true
  LEFT JOIN LATERAL (SELECT * FROM permit_row
                      WHERE suspension_id = s.id AND granted IS NOT NULL LIMIT 1) p ON true
  LEFT JOIN LATERAL (SELECT position FROM log_leaf
                      WHERE epoch = $1 AND intent_id = s.intent_id AND sequence = e.sequence
                      LIMIT 1) l ON true
 ORDER BY d.xid, d.suspension_id

-- name: receipt_put
INSERT INTO receipt (suspension_id, event_sequence, salt, jws, kid, signed_at)
VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (suspension_id) DO NOTHING

-- name: receipt_end
UPDATE receipt_end SET xid = $1, suspension_id = $2

-- name: receipt_get
SELECT event_sequence, salt, jws, kid FROM receipt WHERE suspension_id = $1
