-- A key that was revoked or has expired is told nothing any more: neither what it
-- subscribed to, nor at the endpoints of an agent that no key is left for.

-- Which keys may speak for an agent.
CREATE INDEX api_key_agents ON api_key USING gin (agents) WHERE revoked_at IS NULL;

-- The clock writes deliveries too, and so looks whether the key holds.
GRANT SELECT (id, agents, expires_at, revoked_at) ON api_key TO sayso_tick;
