-- The clock sends no webhook: it needs no secret of one.
REVOKE SELECT ON endpoint FROM sayso_tick;
GRANT SELECT (id, kind, name, address, agent, event_types, notify_to, detail, every_question,
              internal, created_at, created_by, paused_at, gone_at, removed_at, key_id,
              prefix, test)
    ON endpoint TO sayso_tick;
