-- migrate: no transaction
-- Some thousand rows a transaction; running it again goes on where it stopped.
CALL suspension_move();
