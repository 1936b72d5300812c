-- The trace of the request that asked (W3C Trace Context), passed on with the messages about the
-- end of the question. It ends with the open question, and with its deliveries.
ALTER TABLE open_question ADD COLUMN traceparent text CHECK (length(traceparent) = 55);
ALTER TABLE delivery ADD COLUMN traceparent text;
