-- A callback is a delivery of the agent that asked: an address that does not answer delays the
-- callbacks of this agent alone. NULL: any other delivery.
ALTER TABLE delivery ADD COLUMN asked_by text;
UPDATE delivery d SET asked_by = s.asked_by
  FROM suspension s WHERE s.id = d.suspension_id AND d.address IS NOT NULL;
