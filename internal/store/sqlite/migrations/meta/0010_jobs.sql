-- What became of the last turn of each job of the server. next_at is NULL if the job waits for somebody.
CREATE TABLE jobs (
	name     TEXT PRIMARY KEY NOT NULL,
	begun_at INTEGER NOT NULL,
	ended_at INTEGER NOT NULL,
	changed  INTEGER NOT NULL,
	error    TEXT NOT NULL,
	next_at  INTEGER
) STRICT, WITHOUT ROWID;
