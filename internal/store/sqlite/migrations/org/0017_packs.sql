-- What sessions have received in context packs, so that nothing comes twice. There are no texts here.
CREATE TABLE packs_sent (
	session_id BLOB NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
	subject    TEXT NOT NULL,
	item       BLOB NOT NULL CHECK (length(item) = 16),
	version    INTEGER NOT NULL,
	place      INTEGER NOT NULL,
	cut        INTEGER NOT NULL,
	sent_at    INTEGER NOT NULL,
	PRIMARY KEY (session_id, subject, item)
) STRICT, WITHOUT ROWID;
