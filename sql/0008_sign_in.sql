-- Failed sign-ins are counted for a browser that its person has signed in from
-- before, and else for the account and the network that they come from: what
-- strangers try keeps nobody out.
--
-- principal.login_failures and login_failed_at are no longer used. They stay as
-- long as a program of before may still run while this file is applied.

-- A browser is known to a person once it has signed in as them.
CREATE TABLE known_browser (
    browser_sha256 text NOT NULL,        -- of what its cookie holds
    principal_id   uuid NOT NULL REFERENCES principal,
    seen_at        timestamptz NOT NULL, -- when it signed in last
    failures       integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
    failed_at      timestamptz,
    PRIMARY KEY (browser_sha256, principal_id)
);
CREATE INDEX known_browser_age ON known_browser (seen_at);

-- For accounts that are not there as well, so that nothing tells them apart.
CREATE TABLE sign_in_failure (
    account_sha256 text NOT NULL,
    network        text NOT NULL CHECK (length(network) <= 64),
    failures       integer NOT NULL CHECK (failures >= 1),
    failed_at      timestamptz NOT NULL,
    PRIMARY KEY (account_sha256, network)
);
CREATE INDEX sign_in_failure_age ON sign_in_failure (failed_at);

GRANT SELECT, INSERT, UPDATE ON known_browser TO sayso_web;
GRANT SELECT, INSERT, UPDATE, DELETE ON sign_in_failure TO sayso_web;
GRANT SELECT, DELETE ON known_browser, sign_in_failure TO sayso_tick;
