-- What an answer that grants a permit costs the database.

-- The rules of a permit's row, as one function, like those of the other tables
-- (0013_checks.sql). Where a column may be NULL, NULL passes.
CREATE FUNCTION permit_fits(auth_req_id text, jkt text, asked_sha256 text, granted text,
                            granted_sha256 text, max_uses integer, use_seconds integer,
                            budget numeric, budget_of text, budget_unit text, used integer,
                            spent numeric, state text, granted_at timestamptz,
                            not_after timestamptz, ended_at timestamptz)
    RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN auth_req_id ~ '^sar_[A-Za-z0-9_-]{27}$'
       AND coalesce(jkt ~ '^[A-Za-z0-9_-]{43}$', true)
       AND length(asked_sha256) = 64
       AND coalesce(length(granted_sha256) = 64, true)
       AND max_uses BETWEEN 1 AND 1000
       AND use_seconds BETWEEN 1 AND 31622400
       AND used BETWEEN 0 AND max_uses
       AND spent >= 0 AND coalesce(budget > 0 AND spent <= budget, true)
       AND (budget IS NULL) = (budget_of IS NULL)
       AND (budget IS NULL) = (budget_unit IS NULL)
       AND (granted IS NULL) = (granted_sha256 IS NULL)
       AND (granted IS NULL) = (granted_at IS NULL)
       AND (granted IS NULL) = (not_after IS NULL)
       AND state IN ('asked', 'active', 'spent', 'refused', 'revoked')
       AND (state IN ('active', 'spent')) <= (granted IS NOT NULL)
       AND (state IN ('asked', 'refused')) <= (granted IS NULL)
       AND (state IN ('asked', 'active')) = (ended_at IS NULL);
END
$$;
ALTER TABLE permit
    DROP CONSTRAINT permit_auth_req_id_check, DROP CONSTRAINT permit_jkt_check,
    DROP CONSTRAINT permit_asked_sha256_check, DROP CONSTRAINT permit_granted_sha256_check,
    DROP CONSTRAINT permit_max_uses_check, DROP CONSTRAINT permit_use_seconds_check,
    DROP CONSTRAINT permit_budget_check, DROP CONSTRAINT permit_state_check,
    DROP CONSTRAINT permit_check, DROP CONSTRAINT permit_check1, DROP CONSTRAINT permit_check2,
    DROP CONSTRAINT permit_check3, DROP CONSTRAINT permit_check4, DROP CONSTRAINT permit_check5,
    ADD CONSTRAINT permit_fits
    CHECK (permit_fits(auth_req_id, jkt, asked_sha256, granted, granted_sha256, max_uses,
                       use_seconds, budget, budget_of, budget_unit, used, spent, state,
                       granted_at, not_after, ended_at));

-- A grant writes no column of an index any more, so that the new version of the row stays in
-- its page and no index gets an entry: the live ones are told by their end, which a grant
-- does not write.
DROP INDEX permit_live;
CREATE INDEX permit_live ON permit (created_at DESC, id DESC) WHERE ended_at IS NULL;
-- Room for the new version.
ALTER TABLE permit SET (fillfactor = 60);
