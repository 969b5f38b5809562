-- What was done in the graph, until it is moved to the audit trail of the org (graphaudit.go).
-- Numbers are never given twice.
CREATE TABLE audit (
	number        INTEGER PRIMARY KEY AUTOINCREMENT,
	at            INTEGER NOT NULL,
	action        TEXT NOT NULL,
	kind          TEXT NOT NULL,
	method        TEXT NOT NULL,
	user_id       BLOB CHECK (length(user_id) = 16),
	vendor        TEXT NOT NULL,
	credential_id BLOB CHECK (length(credential_id) = 16),
	count         INTEGER NOT NULL
) STRICT;
