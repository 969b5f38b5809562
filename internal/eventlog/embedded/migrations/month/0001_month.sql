-- The events of one past month, compressed.

CREATE TABLE state (
	one INTEGER PRIMARY KEY CHECK (one = 1),
	batch INTEGER NOT NULL -- the last batch that was put here
) STRICT;

-- Events of a batch that the log doesn't know of yet are still in the log.
CREATE TABLE events (
	id BLOB PRIMARY KEY,
	stream INTEGER NOT NULL,
	class TEXT NOT NULL,
	type TEXT NOT NULL,
	importance INTEGER NOT NULL,
	recorded INTEGER NOT NULL,
	batch INTEGER NOT NULL,
	block INTEGER NOT NULL,
	place INTEGER NOT NULL -- where its body begins in the block
) STRICT, WITHOUT ROWID;

-- The bodies of some events in a row, each after its length, compressed with zstd.
CREATE TABLE blocks (
	n INTEGER PRIMARY KEY,
	first BLOB NOT NULL, -- ids
	last BLOB NOT NULL,
	data BLOB NOT NULL
) STRICT;

INSERT INTO state (one, batch) VALUES (1, 0);
