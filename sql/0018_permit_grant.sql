-- A grant writes no column of an index any more, so that the new version of the row stays in
-- its page and no index gets an entry: the live ones are told by their end, which a grant
-- does not write.

DROP INDEX permit_live;
CREATE INDEX permit_live ON permit (created_at DESC, id DESC) WHERE ended_at IS NULL;
-- Room for the new version.
ALTER TABLE permit SET (fillfactor = 60);
