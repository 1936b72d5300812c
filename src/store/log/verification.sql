-- How `sayso verify` ended last: written by the owner of the tables, read by the workers.

-- name: verification_put
-- A run that found something changes nothing about the last sound one. No commit waits for a
-- standby here: one that is gone would hold the command up, and the next run says it again.
INSERT INTO verification (scope, ended_at, broken, sound_at, checkpoint_id)
SELECT $1, $2::timestamptz, $3::bigint, CASE WHEN $3::bigint = 0 THEN $2::timestamptz END,
       CASE WHEN $3::bigint = 0 THEN $4 END
  FROM set_config('synchronous_commit', 'local', true)
ON CONFLICT (scope) DO UPDATE
   SET ended_at = excluded.ended_at, broken = excluded.broken,
       sound_at = coalesce(excluded.sound_at, verification.sound_at),
       checkpoint_id = CASE WHEN excluded.broken = 0 THEN excluded.checkpoint_id
                            ELSE verification.checkpoint_id END

-- name: verification_list
SELECT scope, microseconds(sound_at), broken FROM verification

-- name: verification_last
-- The checkpoint up to which the last sound run has checked.
SELECT checkpoint_id FROM verification WHERE sound_at IS NOT NULL ORDER BY sound_at DESC LIMIT 1
