-- When a process last had the model in use, in microseconds since 1970. Another process, which has another model, must
-- not remove the file meanwhile.
ALTER TABLE state ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
