-- name: begin
BEGIN

-- name: commit
COMMIT

-- name: ping
SELECT max(version) FROM migration
