-- Whether the org has an event log in the data directory, so that a lost one is no empty one.
ALTER TABLE orgs ADD COLUMN event_log INTEGER NOT NULL DEFAULT 0 CHECK (event_log IN (0, 1));
