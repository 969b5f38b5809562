-- The vectors of one org's memories by one model. Everything here follows from the memories.

CREATE TABLE state (
	one INTEGER PRIMARY KEY CHECK (one = 1),
	model TEXT NOT NULL,
	dims INTEGER NOT NULL,
	begun INTEGER NOT NULL DEFAULT 0,
	position TEXT NOT NULL DEFAULT '', -- changes of memories up to here are in the queue, once begun
	walking INTEGER NOT NULL DEFAULT 0, -- 1: the memories before number rest are not in the queue yet
	rest INTEGER NOT NULL DEFAULT 0,
	complete INTEGER NOT NULL DEFAULT 0 -- 1: at one time, each memory had its vector
) STRICT;

-- A row without values says that a memory has no vector any more, so that other processes learn of it.
CREATE TABLE vectors (
	seq INTEGER PRIMARY KEY AUTOINCREMENT, -- higher with each change
	id BLOB NOT NULL UNIQUE,
	hash BLOB,   -- of the text
	scale REAL,
	packed BLOB, -- one byte for each dimension
	exact BLOB   -- four bytes for each dimension, little endian
) STRICT;

-- Memories whose vectors must be made. A process that takes one moves due, so that no other does the same. If it is
-- killed, another one takes it then.
CREATE TABLE queue (
	id BLOB PRIMARY KEY,
	due INTEGER NOT NULL,  -- microseconds since 1970
	tries INTEGER NOT NULL
) STRICT;

CREATE INDEX queue_due ON queue (due);
