-- The clock asks people where no agent may take over after a failure.
GRANT UPDATE (next) ON intent_failure TO sayso_tick;
