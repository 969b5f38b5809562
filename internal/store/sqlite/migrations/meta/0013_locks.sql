-- Named locks. holder is the number of the process that has a lock until its lease is over or it ends.
CREATE TABLE locks (
	name   TEXT PRIMARY KEY NOT NULL,
	holder INTEGER NOT NULL,
	until  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
