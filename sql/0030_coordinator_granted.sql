-- The terms of a coordinator lease are those of the one who set them: a person's name, or NULL
-- where the agent made itself the coordinator, as all have so far.
ALTER TABLE coordinator ADD COLUMN granted_by text;
