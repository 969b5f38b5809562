-- The receipts of runs of the dream-cycle. The body has the rest.
CREATE TABLE dreams (
	seq        INTEGER PRIMARY KEY,
	id         BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
	started_at INTEGER NOT NULL,
	body       TEXT NOT NULL CHECK (json_type(body) = 'object')
) STRICT;

-- How far the dream-cycle has come, and which run may write: one row.
CREATE TABLE dream_progress (
	one  INTEGER PRIMARY KEY CHECK (one = 1),
	body TEXT NOT NULL CHECK (json_type(body) = 'object')
) STRICT;
