-- name: lease_list
SELECT {lease} FROM lease WHERE intent_id = $1 ORDER BY acquired_at DESC, id DESC LIMIT 200

-- name: lease_get
SELECT {lease} FROM lease WHERE id = $1 AND intent_id = $2

-- name: lease_holder
SELECT {lease} FROM lease WHERE intent_id = $1 AND scope = $2 AND status = 'active'

-- name: lease_newest
SELECT {lease} FROM lease WHERE intent_id = $1 AND scope = $2
 ORDER BY acquired_at DESC, id DESC LIMIT 1

-- name: lease_insert
INSERT INTO lease ({lease.insert}) VALUES ({lease.places})

-- name: lease_update
UPDATE lease SET {lease.set:2} WHERE id = $1
