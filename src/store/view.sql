-- name: view_list
-- The reader's own first, then those that others share.
SELECT {v.view}, v.own, p.name
  FROM ((SELECT s.*, true AS own FROM saved_view s WHERE s.principal_id = $1
          ORDER BY s.name LIMIT $2)
        UNION ALL
        (SELECT s.*, false FROM saved_view s WHERE s.shared AND s.principal_id <> $1
          ORDER BY s.name LIMIT $2)) v
  JOIN principal p ON p.id = v.principal_id
 ORDER BY v.own DESC, v.name LIMIT $2

-- name: view_save
-- $3: the limit of a person. A view of the same name is replaced.
INSERT INTO saved_view ({view.insert})
SELECT {view.places:4}
 WHERE (SELECT count(*) FROM saved_view WHERE principal_id = $1 AND name <> $2) < $3
ON CONFLICT (principal_id, name) DO UPDATE SET {view.excluded}

-- name: view_remove
DELETE FROM saved_view WHERE id = $1 AND principal_id = $2
