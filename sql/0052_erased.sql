-- Events whose bytes a rule of retention erased. Such a row has an empty canonical text, and keeps
-- its hash and its place, so that the chain and the log go on holding. The record here names the
-- rule and the time: without one, missing bytes are a fault. Nobody may write here yet.
CREATE TABLE event_erased (
    intent_id uuid NOT NULL,
    sequence  bigint NOT NULL,
    rule      text NOT NULL CHECK (length(rule) BETWEEN 1 AND 200),
    at        timestamptz NOT NULL,
    PRIMARY KEY (intent_id, sequence)
);
CREATE TRIGGER event_erased_append_only BEFORE UPDATE OR DELETE ON event_erased
    FOR EACH ROW EXECUTE FUNCTION log_append_only();
CREATE TRIGGER event_erased_no_truncate BEFORE TRUNCATE ON event_erased
    FOR EACH STATEMENT EXECUTE FUNCTION log_append_only();
GRANT SELECT ON event_erased TO sayso_web, sayso_wait, sayso_tick, sayso_seal;
