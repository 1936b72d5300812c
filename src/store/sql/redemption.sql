-- piece: redemption_columns
SELECT r.id, r.permit_id, r.n, r.operation_id, r.call_sha256, r.tool, r.amount, r.by,
       microseconds(r.at), r.result, r.result_ref, microseconds(r.result_at)
  FROM redemption r

-- name: redemption_of_operation
-- use: redemption_columns
 WHERE r.permit_id = $1 AND r.operation_id = $2

-- name: redemption_get
-- use: redemption_columns
 WHERE r.id = $1

-- name: redemption_list
-- The newest first.
-- use: redemption_columns
 WHERE r.permit_id = $1 ORDER BY r.n DESC LIMIT $2

-- name: redemption_insert
INSERT INTO redemption (id, permit_id, n, operation_id, call_sha256, tool, arguments, amount,
                        by, by_key, at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)

-- name: redemption_result
UPDATE redemption SET result = $2, result_ref = $3, result_at = $4
 WHERE id = $1 AND result IS NULL
