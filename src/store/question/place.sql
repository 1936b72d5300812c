-- The position of an open question in the inbox: the number of questions before it,
-- counted up to $6, and the one before. $1 kinds; $2 the class of its rank, $3 its end, $4
-- the time of its asking and $5 its id. A union of scans like the lists, in an index's
-- order (inbox.sql).

-- piece: place_before t
               AND ({t}.ending, {t}.suspended_at, {t}.suspension_id)
                 < (CASE WHEN r.class = $2 THEN $3::timestamptz ELSE 'infinity' END,
                    CASE WHEN r.class = $2 THEN $4::timestamptz ELSE 'infinity' END, $5)

-- piece: place_last t
             ORDER BY {t}.ending DESC, {t}.suspended_at DESC,
                      {t}.suspension_id DESC
             LIMIT 1) p
         ORDER BY p.class DESC, p.ending DESC, p.suspended_at DESC, p.id DESC LIMIT 1)

-- name: place_all
SELECT (SELECT count(*) FROM (
            SELECT 1 FROM unnest($1::text[]) k (kind)
             CROSS JOIN inbox_until($2::smallint) r (rank, class)
             CROSS JOIN LATERAL (
                SELECT 1 FROM open_question o
                 WHERE coalesce(o.kind, '') = replace(k.kind, 'none', '')
                   AND o.inbox_rank = r.rank
-- use: place_before o
                 ORDER BY o.ending LIMIT $6) s LIMIT $6) c),
       (SELECT p.id FROM unnest($1::text[]) k (kind)
         CROSS JOIN inbox_until($2::smallint) r (rank, class)
         CROSS JOIN LATERAL (
            SELECT o.suspension_id AS id, r.class, o.ending, o.suspended_at
              FROM open_question o
             WHERE coalesce(o.kind, '') = replace(k.kind, 'none', '')
               AND o.inbox_rank = r.rank
-- use: place_before o
-- use: place_last o

-- name: place_for
-- Of the audiences $7, as in the column audience, those that $8 may answer.
SELECT (SELECT count(*) FROM (
            SELECT 1 FROM unnest($7::text[]) a (audience)
             CROSS JOIN unnest($1::text[]) k (kind)
             CROSS JOIN inbox_until($2::smallint) r (rank, class)
             CROSS JOIN LATERAL (
                SELECT 1 FROM inbox_entry e
                 WHERE e.audience = a.audience AND e.not_for IS DISTINCT FROM $8
                   AND coalesce(e.kind, 'none') = k.kind AND e.inbox_rank = r.rank
-- use: place_before e
                 ORDER BY e.ending LIMIT $6) s LIMIT $6) c),
       (SELECT p.id FROM unnest($7::text[]) a (audience)
         CROSS JOIN unnest($1::text[]) k (kind)
         CROSS JOIN inbox_until($2::smallint) r (rank, class)
         CROSS JOIN LATERAL (
            SELECT e.suspension_id AS id, r.class, e.ending, e.suspended_at
              FROM inbox_entry e
             WHERE e.audience = a.audience AND e.not_for IS DISTINCT FROM $8
               AND coalesce(e.kind, 'none') = k.kind AND e.inbox_rank = r.rank
-- use: place_before e
-- use: place_last e
