-- Where an open question stands in the inbox: how many come before it, counted up to $6,
-- and which is the one before. $1 kinds; $2 its risk's class, $3 its end, $4 when it
-- was asked and $5 its id. Put together from pieces as the lists are, in an index's
-- order (inbox.sql).

-- name: place_all
SELECT (SELECT count(*) FROM (
            SELECT 1 FROM unnest($1::text[]) k (kind)
             CROSS JOIN inbox_until($2::smallint) r (rank, class)
             CROSS JOIN LATERAL (
                SELECT 1 FROM suspension s
                 WHERE s.state = 'pending'
                   AND coalesce(s.kind, '') = replace(k.kind, 'none', '')
                   AND s.inbox_rank = r.rank
                   AND (coalesce(s.expires_at, 'infinity'), s.suspended_at, s.id)
                     < (CASE WHEN r.class = $2 THEN $3::timestamptz ELSE 'infinity' END,
                        CASE WHEN r.class = $2 THEN $4::timestamptz ELSE 'infinity' END, $5)
                 ORDER BY coalesce(s.expires_at, 'infinity') LIMIT $6) s LIMIT $6) c),
       (SELECT p.id FROM unnest($1::text[]) k (kind)
         CROSS JOIN inbox_until($2::smallint) r (rank, class)
         CROSS JOIN LATERAL (
            SELECT s.id, r.class, coalesce(s.expires_at, 'infinity') AS ending,
                   s.suspended_at
              FROM suspension s
             WHERE s.state = 'pending'
               AND coalesce(s.kind, '') = replace(k.kind, 'none', '')
               AND s.inbox_rank = r.rank
               AND (coalesce(s.expires_at, 'infinity'), s.suspended_at, s.id)
                 < (CASE WHEN r.class = $2 THEN $3::timestamptz ELSE 'infinity' END,
                    CASE WHEN r.class = $2 THEN $4::timestamptz ELSE 'infinity' END, $5)
             ORDER BY coalesce(s.expires_at, 'infinity') DESC, s.suspended_at DESC, s.id DESC
             LIMIT 1) p
         ORDER BY p.class DESC, p.ending DESC, p.suspended_at DESC, p.id DESC LIMIT 1)

-- name: place_for
-- Of those of $7, as the column audience has it, that $8 may answer.
SELECT (SELECT count(*) FROM (
            SELECT 1 FROM unnest($7::text[]) a (audience)
             CROSS JOIN unnest($1::text[]) k (kind)
             CROSS JOIN inbox_until($2::smallint) r (rank, class)
             CROSS JOIN LATERAL (
                SELECT 1 FROM suspension s
                 WHERE s.state = 'pending' AND s.audience = a.audience
                   AND NOT (s.not_initiator AND s.initiated_by IS NOT DISTINCT FROM $8)
                   AND coalesce(s.kind, 'none') = k.kind AND s.inbox_rank = r.rank
                   AND (coalesce(s.expires_at, 'infinity'), s.suspended_at, s.id)
                     < (CASE WHEN r.class = $2 THEN $3::timestamptz ELSE 'infinity' END,
                        CASE WHEN r.class = $2 THEN $4::timestamptz ELSE 'infinity' END, $5)
                 ORDER BY coalesce(s.expires_at, 'infinity') LIMIT $6) s LIMIT $6) c),
       (SELECT p.id FROM unnest($7::text[]) a (audience)
         CROSS JOIN unnest($1::text[]) k (kind)
         CROSS JOIN inbox_until($2::smallint) r (rank, class)
         CROSS JOIN LATERAL (
            SELECT s.id, r.class, coalesce(s.expires_at, 'infinity') AS ending,
                   s.suspended_at
              FROM suspension s
             WHERE s.state = 'pending' AND s.audience = a.audience
               AND NOT (s.not_initiator AND s.initiated_by IS NOT DISTINCT FROM $8)
               AND coalesce(s.kind, 'none') = k.kind AND s.inbox_rank = r.rank
               AND (coalesce(s.expires_at, 'infinity'), s.suspended_at, s.id)
                 < (CASE WHEN r.class = $2 THEN $3::timestamptz ELSE 'infinity' END,
                    CASE WHEN r.class = $2 THEN $4::timestamptz ELSE 'infinity' END, $5)
             ORDER BY coalesce(s.expires_at, 'infinity') DESC, s.suspended_at DESC, s.id DESC
             LIMIT 1) p
         ORDER BY p.class DESC, p.ending DESC, p.suspended_at DESC, p.id DESC LIMIT 1)
