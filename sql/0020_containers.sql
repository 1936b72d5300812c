-- An intent's containers: portfolios that it is in, tasks, a coordinator. Bits, so that a change
-- of an intent that has none asks nothing.

ALTER TABLE intent ADD COLUMN containers smallint NOT NULL DEFAULT 0
    CHECK (containers BETWEEN 0 AND 7);
CREATE OR REPLACE VIEW intent_row AS
SELECT i.id, i.title, i.description, i.created_by, i.status, i.constraints, i.state,
       i.confidence, i.version, microseconds(i.created_at) AS created_us,
       microseconds(i.updated_at) AS updated_us, i.parent_intent_id,
       i.governance_policy, i.session_id, i.task_id, i.turn_id, i.initiated_by,
       i.event_sequence, i.event_hash,
       i.depends_on, i.created_at, i.owner, i.initiator_id, i.containers
  FROM intent i;
