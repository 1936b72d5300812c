-- name: begin
BEGIN

-- name: commit
COMMIT

-- name: ping
SELECT max(version), clock_timestamp() FROM migration
