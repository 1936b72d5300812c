-- A callback is a delivery of the agent that asked: an address that does not answer delays the
-- callbacks of this agent alone. NULL: any other delivery. A plain one is not signed: its body is
-- an answer, in the words of the agent or of a person.
ALTER TABLE delivery ADD COLUMN asked_by text,
    ADD COLUMN plain boolean NOT NULL DEFAULT false;
UPDATE delivery d SET asked_by = s.asked_by, plain = s.callback_body = 'answer'
  FROM suspension s WHERE s.id = d.suspension_id AND d.address IS NOT NULL;
