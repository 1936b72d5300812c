-- name: view_list
-- The reader's own first, then those that others share.
SELECT v.id, v.name, v.path, v.query, v.shared, v.own, p.name
  FROM ((SELECT s.*, true AS own FROM saved_view s WHERE s.principal_id = $1
          ORDER BY s.name LIMIT $2)
        UNION ALL
        (SELECT s.*, false FROM saved_view s WHERE s.shared AND s.principal_id <> $1
          ORDER BY s.name LIMIT $2)) v
  JOIN principal p ON p.id = v.principal_id
 ORDER BY v.own DESC, v.name LIMIT $2

-- name: view_save
-- $8: the limit of a person. A view of the same name is replaced.
INSERT INTO saved_view (id, principal_id, name, path, query, shared, created_at)
SELECT $1, $2, $3, $4, $5, $6, $7
 WHERE (SELECT count(*) FROM saved_view WHERE principal_id = $2 AND name <> $3) < $8
ON CONFLICT (principal_id, name) DO UPDATE
   SET path = EXCLUDED.path, query = EXCLUDED.query, shared = EXCLUDED.shared,
       created_at = EXCLUDED.created_at

-- name: view_remove
DELETE FROM saved_view WHERE id = $1 AND principal_id = $2
