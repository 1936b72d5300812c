-- The verifiable log: what the process "seal" writes. It alone has the signing keys.
--
-- log_leaf numbers all events, below the oldest transaction that may still write; tiles, heads
-- and checkpoints are computed from it and nothing else. After a restore that lost something a
-- new log begins, with the epoch of the restore.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'sayso_seal') THEN
        RAISE EXCEPTION 'there is no role sayso_seal: run roles.sql of this version first';
    END IF;
END
$$;

CREATE TABLE signing_key (
    kid           text PRIMARY KEY CHECK (kid ~ '^[A-Za-z0-9_-]{43}$'), -- RFC 7638
    did           text NOT NULL UNIQUE,
    public_key    text NOT NULL CHECK (length(public_key) = 43),        -- base64url
    state         text NOT NULL CHECK (state IN ('next', 'current', 'retired', 'compromised')),
    created_at    timestamptz NOT NULL,
    current_from  timestamptz,
    current_until timestamptz,
    successor     text, -- a JWS by this key that names the next one
    CHECK ((state = 'next') = (current_from IS NULL)),
    CHECK ((state IN ('retired', 'compromised')) >= (current_until IS NOT NULL))
);
CREATE UNIQUE INDEX signing_key_current ON signing_key ((true)) WHERE state = 'current';
CREATE UNIQUE INDEX signing_key_next ON signing_key ((true)) WHERE state = 'next';

-- The end of each log, and the place in the order over all events after which it goes on.
CREATE TABLE log_end (
    epoch     integer PRIMARY KEY,
    size      bigint NOT NULL CHECK (size >= 0),
    xid       xid8 NOT NULL,
    intent_id uuid NOT NULL,
    sequence  bigint NOT NULL
);

CREATE TABLE log_leaf (
    epoch     integer NOT NULL,
    position  bigint NOT NULL CHECK (position >= 0),
    intent_id uuid NOT NULL,
    sequence  bigint NOT NULL CHECK (sequence >= 1),
    hash      bytea NOT NULL CHECK (octet_length(hash) = 32), -- of the event
    PRIMARY KEY (epoch, intent_id, sequence)
);
CREATE UNIQUE INDEX log_leaf_position ON log_leaf (epoch, position);

CREATE TABLE log_tile (
    epoch  integer NOT NULL,
    level  integer NOT NULL CHECK (level BETWEEN 0 AND 6),
    number bigint NOT NULL CHECK (number >= 0),
    hashes bytea NOT NULL CHECK (octet_length(hashes) BETWEEN 32 AND 8192
                                 AND octet_length(hashes) % 32 = 0),
    PRIMARY KEY (epoch, level, number)
);
ALTER TABLE log_tile ALTER hashes SET STORAGE EXTERNAL; -- digests do not compress

CREATE TABLE log_head (
    epoch     integer NOT NULL,
    size      bigint NOT NULL CHECK (size >= 1),
    root      bytea NOT NULL CHECK (octet_length(root) = 32),
    note      text NOT NULL, -- signed
    signed_at timestamptz NOT NULL,
    PRIMARY KEY (epoch, size)
);
CREATE INDEX log_head_signed_at ON log_head (signed_at);
-- What witnesses add to a head.
CREATE TABLE log_cosignature (
    epoch  integer NOT NULL,
    size   bigint NOT NULL,
    key    text NOT NULL, -- of the witness: name+id+key
    line   text NOT NULL,
    by     text NOT NULL,
    at     timestamptz NOT NULL,
    PRIMARY KEY (epoch, size, key),
    FOREIGN KEY (epoch, size) REFERENCES log_head
);

-- RFC-0019. The batches of an intent, and those of the server, follow each other without a gap.
CREATE TABLE log_checkpoint (
    id             text PRIMARY KEY CHECK (id ~ '^chk_[A-Za-z0-9_-]{22}$'),
    epoch          integer NOT NULL,
    scope          text NOT NULL CHECK (scope IN ('intent', 'server')),
    intent_id      uuid REFERENCES intent,
    merkle_root    text NOT NULL,
    event_count    bigint NOT NULL CHECK (event_count BETWEEN 1 AND 65536),
    first_sequence bigint NOT NULL CHECK (first_sequence >= 1),
    last_sequence  bigint NOT NULL,
    created_at     timestamptz NOT NULL,
    signed_by      text NOT NULL,
    signature      text NOT NULL,
    anchor         text, -- JSON; no part of what is signed
    CHECK ((scope = 'intent') = (intent_id IS NOT NULL)),
    CHECK (event_count = last_sequence - first_sequence + 1)
);
-- The server's stand under the nil UUID, so that a lookup by equality finds them too.
CREATE UNIQUE INDEX log_checkpoint_batch ON log_checkpoint
    (epoch, coalesce(intent_id, '00000000-0000-0000-0000-000000000000'), first_sequence DESC);
CREATE INDEX log_checkpoint_of_intent ON log_checkpoint (intent_id, created_at DESC, id DESC);
CREATE INDEX log_checkpoint_newest ON log_checkpoint (created_at DESC, id DESC);

-- A checkpoint that somebody asked for.
CREATE TABLE log_request (
    id            uuid PRIMARY KEY,
    intent_id     uuid REFERENCES intent, -- NULL: the server's
    by            text NOT NULL,
    at            timestamptz NOT NULL,
    ended_at      timestamptz,
    checkpoint_id text REFERENCES log_checkpoint -- NULL: nothing was new
);
CREATE INDEX log_request_open ON log_request (at) WHERE ended_at IS NULL;

-- Chains that do not hold. Nothing of such an intent is signed until they do. Late: an event came
-- before the one that it follows, whose transaction has a later number.
CREATE TABLE log_fault (
    intent_id uuid PRIMARY KEY REFERENCES intent,
    sequence  bigint NOT NULL,
    late      boolean NOT NULL,
    reason    text NOT NULL,
    found_at  timestamptz NOT NULL
);

-- The signed statement of how a question ended. The salt is of the names and words in it, and
-- is erased with them.
CREATE TABLE receipt (
    suspension_id  text PRIMARY KEY REFERENCES suspension,
    event_sequence bigint NOT NULL, -- of the event that ended it
    salt           text,
    jws            text NOT NULL,
    kid            text NOT NULL REFERENCES signing_key,
    signed_at      timestamptz NOT NULL
);
-- Decisions are signed in the order of the transactions that made them, up to here.
CREATE TABLE receipt_end (
    one           boolean PRIMARY KEY DEFAULT true CHECK (one),
    xid           xid8 NOT NULL,
    suspension_id text NOT NULL
);
INSERT INTO receipt_end (xid, suspension_id) VALUES ('0', '');

-- Append only, for the owner too: leaves, heads, checkpoints but for their anchor, receipts but
-- for their salt. A tile only grows. The clock removes heads that others follow.
CREATE FUNCTION log_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the log is append only' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER log_leaf_append_only BEFORE UPDATE OR DELETE ON log_leaf
    FOR EACH ROW EXECUTE FUNCTION log_append_only();
CREATE TRIGGER log_head_append_only BEFORE UPDATE ON log_head
    FOR EACH ROW EXECUTE FUNCTION log_append_only();
CREATE FUNCTION log_head_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM log_head WHERE epoch = OLD.epoch AND size > OLD.size) THEN
        RAISE EXCEPTION 'the newest head stays' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN OLD;
END $$;
CREATE TRIGGER log_head_stays BEFORE DELETE ON log_head
    FOR EACH ROW EXECUTE FUNCTION log_head_stays();
CREATE TRIGGER log_cosignature_append_only BEFORE UPDATE OR DELETE ON log_cosignature
    FOR EACH ROW EXECUTE FUNCTION log_append_only();
CREATE TRIGGER log_checkpoint_append_only BEFORE UPDATE OF id, epoch, scope, intent_id,
    merkle_root, event_count, first_sequence, last_sequence, created_at, signed_by, signature
    OR DELETE ON log_checkpoint FOR EACH ROW EXECUTE FUNCTION log_append_only();
CREATE TRIGGER log_tile_grows BEFORE UPDATE ON log_tile FOR EACH ROW
    WHEN (substr(NEW.hashes, 1, octet_length(OLD.hashes)) <> OLD.hashes
          OR (NEW.epoch, NEW.level, NEW.number) <> (OLD.epoch, OLD.level, OLD.number))
    EXECUTE FUNCTION log_append_only();
CREATE TRIGGER log_tile_stays BEFORE DELETE ON log_tile
    FOR EACH ROW EXECUTE FUNCTION log_append_only();
CREATE TRIGGER receipt_signed_once BEFORE UPDATE OF suspension_id, event_sequence, jws, kid,
    signed_at OR DELETE ON receipt FOR EACH ROW EXECUTE FUNCTION log_append_only();
CREATE TRIGGER log_leaf_no_truncate BEFORE TRUNCATE ON log_leaf
    FOR EACH STATEMENT EXECUTE FUNCTION log_append_only();
CREATE TRIGGER log_tile_no_truncate BEFORE TRUNCATE ON log_tile
    FOR EACH STATEMENT EXECUTE FUNCTION log_append_only();
CREATE TRIGGER log_head_no_truncate BEFORE TRUNCATE ON log_head
    FOR EACH STATEMENT EXECUTE FUNCTION log_append_only();
CREATE TRIGGER log_cosignature_no_truncate BEFORE TRUNCATE ON log_cosignature
    FOR EACH STATEMENT EXECUTE FUNCTION log_append_only();
CREATE TRIGGER log_checkpoint_no_truncate BEFORE TRUNCATE ON log_checkpoint
    FOR EACH STATEMENT EXECUTE FUNCTION log_append_only();
CREATE TRIGGER receipt_no_truncate BEFORE TRUNCATE ON receipt
    FOR EACH STATEMENT EXECUTE FUNCTION log_append_only();

GRANT SELECT ON migration, restore, intent, event, suspension, suspension_row, decision,
    permit_row, signing_key, log_end, log_leaf, log_tile, log_head, log_checkpoint,
    log_request, log_fault, receipt, receipt_end TO sayso_seal;
GRANT INSERT ON log_end, log_leaf, log_tile, log_head, log_checkpoint, log_fault,
    receipt TO sayso_seal;
GRANT UPDATE (size, xid, intent_id, sequence) ON log_end TO sayso_seal;
GRANT UPDATE (hashes) ON log_tile TO sayso_seal;
GRANT UPDATE (ended_at, checkpoint_id) ON log_request TO sayso_seal;
GRANT UPDATE (sequence, late, reason, found_at), DELETE ON log_fault TO sayso_seal;
GRANT UPDATE (xid, suspension_id) ON receipt_end TO sayso_seal;
GRANT UPDATE (successor) ON signing_key TO sayso_seal;

GRANT SELECT ON signing_key, log_end, log_leaf, log_tile, log_head, log_cosignature,
    log_checkpoint, log_request, log_fault, receipt TO sayso_web;
GRANT INSERT ON log_request, log_cosignature TO sayso_web;
GRANT SELECT (epoch, size, signed_at), DELETE ON log_head TO sayso_tick;
GRANT SELECT (epoch, size) ON log_cosignature TO sayso_tick;
GRANT SELECT (id, at), DELETE ON log_request TO sayso_tick;
