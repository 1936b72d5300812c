-- Signing in: the account, and the failures before.

-- name: sign_in_find
-- $1: the e-mail; $2: digest of the browser's cookie, or NULL; $3, $4: digest of
-- the account and the network; $5: failures until then do not count.
SELECT p.id, p.password_hash, p.disabled_at IS NOT NULL, k.principal_id IS NOT NULL,
       CASE WHEN k.principal_id IS NULL THEN f.failures
            WHEN k.failed_at > $5 THEN k.failures END,
       microseconds(CASE WHEN k.principal_id IS NULL THEN f.failed_at
                         ELSE k.failed_at END)
  FROM (SELECT) one
  LEFT JOIN principal p ON p.email = $1
  LEFT JOIN known_browser k ON k.principal_id = p.id AND k.browser_sha256 = $2
  LEFT JOIN sign_in_failure f
         ON f.account_sha256 = $3 AND f.network = $4 AND f.failed_at > $5

-- name: sign_in_guesses
-- Wrong passwords for the account with the digest $1 of the person $2 since $3, and the
-- networks and known browsers that they came from.
SELECT coalesce(sum(failures), 0), count(*)
  FROM (SELECT failures FROM sign_in_failure WHERE account_sha256 = $1 AND failed_at > $3
        UNION ALL
        SELECT failures FROM known_browser
         WHERE principal_id = $2 AND failures > 0 AND failed_at > $3) f

-- name: sign_in_known_failed
-- $3: now; $4: failures until then do not count.
UPDATE known_browser
   SET failures = CASE WHEN failed_at > $4 THEN least(failures, 1000) ELSE 0 END + 1,
       failed_at = $3
 WHERE browser_sha256 = $1 AND principal_id = $2

-- name: sign_in_failed
-- $3: now; $4: failures until then do not count.
INSERT INTO sign_in_failure AS f (account_sha256, network, failures, failed_at)
VALUES ($1, $2, 1, $3)
ON CONFLICT (account_sha256, network) DO UPDATE
   SET failures = CASE WHEN f.failed_at > $4 THEN least(f.failures, 1000) ELSE 0 END + 1,
       failed_at = $3

-- name: sign_in_forgive
DELETE FROM sign_in_failure WHERE account_sha256 = $1 AND network = $2

-- name: sign_in_known
-- The browser is known to this person from now on.
INSERT INTO known_browser (browser_sha256, principal_id, seen_at)
VALUES ($1, $2, $3)
ON CONFLICT (browser_sha256, principal_id) DO UPDATE
   SET failures = 0, failed_at = NULL, seen_at = $3
