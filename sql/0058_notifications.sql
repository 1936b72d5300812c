-- Mail to people about new requests, as each of them chose it. It goes through a channel for
-- mail whose list of recipients allows the person's address; without one there is none.

CREATE TABLE person_mail (
    principal_id uuid PRIMARY KEY REFERENCES principal,
    least        text NOT NULL CHECK (least IN ('low', 'medium', 'high', 'critical')),
    mine         boolean NOT NULL, -- only what names the person or a group of theirs
    every_hours  smallint NOT NULL CHECK (every_hours BETWEEN 0 AND 24),
                 -- between two digests; 0: each request at once; 24: a day, at
    daily_at     smallint NOT NULL DEFAULT 0 CHECK (daily_at BETWEEN 0 AND 1439),
                 -- minutes of the day in the person's time zone, as are
    quiet_from   smallint NOT NULL DEFAULT 0 CHECK (quiet_from BETWEEN 0 AND 1439),
    quiet_until  smallint NOT NULL DEFAULT 0 CHECK (quiet_until BETWEEN 0 AND 1439),
                 -- the same moment: there are no quiet hours
    since        timestamptz NOT NULL, -- requests before it are in digests alone
    next_at      timestamptz,          -- of the next digest; NULL: none is due, or not said yet
    hour_at      timestamptz,          -- the beginning of the hour in which
    in_hour      integer NOT NULL DEFAULT 0, -- so many mails were sent at once
    digest_id    uuid                  -- the newest digest, a delivery
);

-- The place in the order over all events up to which the clock has looked for new requests,
-- for mails at once; NULL: nobody wants any.
CREATE TABLE person_mail_place (
    one       boolean PRIMARY KEY DEFAULT true CHECK (one),
    xid       xid8,
    intent_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    sequence  bigint NOT NULL DEFAULT 0
);
INSERT INTO person_mail_place DEFAULT VALUES;

-- The audiences of a person, as in open_question and inbox_entry.
CREATE FUNCTION person_audiences(role text, email text, groups text, mine boolean)
    RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN role = 'user' THEN ARRAY['i:' || email]
            WHEN role IN ('operator', 'admin')
            THEN ARRAY['i:' || email, 'n:' || email]
                 || CASE WHEN mine THEN '{}' ELSE ARRAY['o'] END
                 || ARRAY(SELECT 'g:' || g FROM unnest(string_to_array(groups, ' ')) g)
            ELSE '{}' END;

GRANT SELECT, INSERT, DELETE,
      UPDATE (least, mine, every_hours, daily_at, quiet_from, quiet_until, since, next_at)
    ON person_mail TO sayso_web;
GRANT SELECT, UPDATE (next_at, hour_at, in_hour, digest_id) ON person_mail TO sayso_tick;
GRANT SELECT, UPDATE (xid, intent_id, sequence) ON person_mail_place TO sayso_tick;
GRANT SELECT (email, role, groups, time_zone) ON principal TO sayso_tick;
GRANT SELECT ON inbox_entry TO sayso_tick;
-- A digest that could not be sent is written anew before its next try.
GRANT UPDATE (body) ON delivery TO sayso_tick;
