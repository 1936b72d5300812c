-- name: notice_send
-- A lost notice costs only time, so its commit need not wait for the disk.
SELECT pg_notify('sayso', $1), set_config('synchronous_commit', 'off', true)

-- name: notice_listen
LISTEN sayso
