-- The events that another system is to get; see internal/eventlog/outbox.go. An org without one has no
-- rows here.

CREATE TABLE outbox (
	one INTEGER PRIMARY KEY CHECK (one = 1),
	last INTEGER NOT NULL,    -- the last number that was given
	offered INTEGER NOT NULL, -- entries up to this number may have been sent
	forgotten INTEGER NOT NULL, -- the last number of an entry that was forgotten
	sender TEXT NOT NULL,     -- who may send
	until INTEGER NOT NULL    -- until when
) STRICT;

CREATE TABLE queue (
	number INTEGER PRIMARY KEY,
	seq INTEGER NOT NULL UNIQUE, -- of the event
	id BLOB NOT NULL,
	digest BLOB NOT NULL,        -- to find duplicates when the event is not here any more
	erased INTEGER NOT NULL      -- 1: the event was deleted, but may be on its way
) STRICT;

CREATE INDEX queue_erased ON queue (number) WHERE erased = 1;

CREATE TABLE dead (
	number INTEGER PRIMARY KEY,
	seq INTEGER NOT NULL UNIQUE,
	digest BLOB NOT NULL,
	reason TEXT NOT NULL,
	buried INTEGER NOT NULL
) STRICT;

-- What deduplication needs of events that another system has.
CREATE TABLE forgotten (
	seq INTEGER PRIMARY KEY,
	id BLOB NOT NULL,
	stream INTEGER NOT NULL,
	recorded INTEGER NOT NULL,
	hash INTEGER NOT NULL,
	digest BLOB NOT NULL
) STRICT;

CREATE INDEX streams_moved ON streams (n) WHERE own <> class;
