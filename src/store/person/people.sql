-- name: person_list
-- A page of them by name, after the one of the name $2 with the e-mail address $3.
SELECT {person} FROM principal WHERE (lower(name), email) > (lower($2), $3)
 ORDER BY lower(name), email LIMIT $1

-- name: person_get
SELECT {person} FROM principal WHERE id = $1

-- name: person_names
SELECT name FROM principal
 WHERE id = ANY ($1::uuid[]) AND disabled_at IS NULL ORDER BY id

-- name: person_all
-- With the time of creation as text.
SELECT {person}, created_at::text FROM principal ORDER BY email

-- name: person_lock_email
SELECT {person} FROM principal WHERE email = $1 FOR UPDATE

-- name: person_lock
-- That person and every active admin, locked, so that the number of admins cannot change
-- meanwhile.
SELECT {person} FROM principal WHERE id = $1 OR (role = 'admin' AND disabled_at IS NULL)
 ORDER BY id FOR UPDATE

-- name: person_erase
-- alias NULL: nothing was changed.
SELECT alias, requests, events, open_requests, unsigned
  FROM person_erase($1, $2::timestamptz, $3)

-- name: person_insert
INSERT INTO principal ({person.insert}) VALUES ({person.places})

-- name: person_update
UPDATE principal SET {person.set:2} WHERE id = $1

-- name: person_profile
UPDATE principal SET {person.part:2} WHERE id = $1

-- name: person_password
UPDATE principal SET password_hash = $2 WHERE id = $1

-- name: person_signed_in
UPDATE principal SET signed_in_at = $2 WHERE id = $1

-- name: person_still
SELECT 1 FROM principal WHERE id = $1 AND password_hash = $2 AND disabled_at IS NULL
   FOR UPDATE

-- name: person_there
-- Is there a person or key that can answer? $1: the group, or with NULL $2: the name;
-- $3: now; $4: users count too.
SELECT 1 FROM principal
 WHERE disabled_at IS NULL AND (role IN ('operator', 'admin') OR ($4 AND role = 'user'))
   AND ($1::text = ANY (string_to_array(groups, ' ')) OR email = $2)
UNION ALL
SELECT 1 FROM api_key
 WHERE principal_id IS NULL AND revoked_at IS NULL AND role IN ('operator', 'admin')
   AND (expires_at IS NULL OR expires_at > $3::timestamptz)
   AND ($1::text = ANY (string_to_array(groups, ' ')) OR label = $2)
LIMIT 1

-- name: group_list
-- Every group that a person is in or that an open question names; the latter by a skip
-- scan of the index, however many questions there are.
WITH RECURSIVE asked (name) AS (
    (SELECT substr(e.audience, 3) FROM inbox_entry e
      WHERE e.audience >= 'g:' AND e.audience < 'g;' ORDER BY e.audience LIMIT 1)
    UNION ALL
    SELECT (SELECT substr(e.audience, 3) FROM inbox_entry e
             WHERE e.audience > 'g:' || asked.name AND e.audience < 'g;'
             ORDER BY e.audience LIMIT 1)
      FROM asked WHERE asked.name IS NOT NULL
), person (name, who) AS (
    SELECT regexp_split_to_table(groups, ' '), name
      FROM principal WHERE disabled_at IS NULL AND role <> 'auditor' AND groups IS NOT NULL
), program (name, who) AS (
    SELECT regexp_split_to_table(groups, ' '), label
      FROM api_key WHERE revoked_at IS NULL AND role <> 'auditor' AND groups IS NOT NULL
       AND (expires_at IS NULL OR expires_at > $2)
)
SELECT g.name,
       (SELECT count(*) FROM person p WHERE p.name = g.name),
       (SELECT string_agg(p.who, ', ' ORDER BY p.who) FROM person p WHERE p.name = g.name),
       (SELECT count(*) FROM program k WHERE k.name = g.name),
       (SELECT string_agg(k.who, ', ' ORDER BY k.who) FROM program k WHERE k.name = g.name),
       (SELECT count(*) FROM (SELECT 1 FROM inbox_entry e WHERE e.audience = 'g:' || g.name
                               ORDER BY coalesce(e.kind, 'none'), e.inbox_rank
                               LIMIT 1001) waiting)
  FROM (SELECT name FROM person UNION SELECT name FROM program
        UNION SELECT name FROM asked WHERE name IS NOT NULL) g
 ORDER BY g.name LIMIT $1
