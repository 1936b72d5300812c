-- Deliveries that failed and will be tried again: few, and an admin's pages ask for them.
CREATE INDEX delivery_failing ON delivery (endpoint_id, created_at)
    WHERE state = 'pending' AND tries > 0;

-- A session is shown to its owner by these.
ALTER TABLE operator_session
    ADD COLUMN browser text CHECK (length(browser) BETWEEN 1 AND 40),
    ADD COLUMN os      text CHECK (length(os) BETWEEN 1 AND 40),
    ADD COLUMN address text CHECK (length(address) BETWEEN 1 AND 64);
