-- An event of the log is looked up by its intent and sequence, or by its position. With the epoch
-- first in both indexes, a plan that was made while the table was small took the wrong one of
-- them, and read all leaves for each event.
DROP INDEX log_leaf_position;
CREATE UNIQUE INDEX log_leaf_position ON log_leaf (position, epoch);
