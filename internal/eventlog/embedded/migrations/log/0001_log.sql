-- The log of one org: what is new or recent. See docs/adr/0014-event-log.md.

CREATE TABLE state (
	one INTEGER PRIMARY KEY CHECK (one = 1),
	epoch BLOB NOT NULL,       -- random: positions of another log are of no use here
	key BLOB NOT NULL CHECK (length(key) = 16), -- with which positions for callers are encrypted
	floor INTEGER NOT NULL,    -- the highest seq that was deleted; seqs are never used again
	sealed INTEGER NOT NULL,   -- the highest seq that was moved to the file of a month
	access INTEGER NOT NULL,   -- increases when the class of a stream changes
	forgotten INTEGER NOT NULL, -- the highest n of changes that was deleted
	dropped INTEGER NOT NULL   -- 1: the org was deleted, and the files are about to be
) STRICT;

-- A class is a distinct access, without the origin: all of its events have the same readers.
CREATE TABLE classes (
	n INTEGER PRIMARY KEY,
	access TEXT NOT NULL UNIQUE -- JSON of storedAccess
) STRICT;

-- A stream is the events of one agent with one access in one session. Without a session or an agent,
-- the id is zero. own is the class with which the events were stored, class the one that they have
-- since the access of their session was changed.
CREATE TABLE streams (
	n INTEGER PRIMARY KEY,
	session BLOB NOT NULL,
	agent BLOB NOT NULL,
	origin TEXT NOT NULL,
	own INTEGER NOT NULL REFERENCES classes,
	class INTEGER NOT NULL REFERENCES classes,
	UNIQUE (session, agent, origin, own)
) STRICT;

-- What the log was told of sessions.
CREATE TABLE sessions (
	id BLOB PRIMARY KEY,
	revision INTEGER NOT NULL,
	closed INTEGER NOT NULL,
	access TEXT NOT NULL -- JSON of storedAccess
) STRICT, WITHOUT ROWID;

-- seq is the order in which events were stored. The time of an event is in its id. body has the texts.
CREATE TABLE events (
	seq INTEGER PRIMARY KEY,
	id BLOB NOT NULL UNIQUE,
	stream INTEGER NOT NULL,
	class TEXT NOT NULL,
	type TEXT NOT NULL,
	importance INTEGER NOT NULL,
	recorded INTEGER NOT NULL,
	hash INTEGER NOT NULL, -- the beginning of the digest
	body BLOB NOT NULL
) STRICT;

-- The hashes of some events in a row, sorted, to find duplicates.
CREATE TABLE runs (
	n INTEGER PRIMARY KEY AUTOINCREMENT,
	level INTEGER NOT NULL,
	first INTEGER NOT NULL,    -- seqs
	last INTEGER NOT NULL,
	recorded INTEGER NOT NULL, -- when the last of them was recorded
	mark BLOB NOT NULL,        -- random
	bloom BLOB NOT NULL,
	fences BLOB NOT NULL       -- the first hash of each page
) STRICT;

CREATE TABLE run_pages (
	n INTEGER PRIMARY KEY, -- run and page
	data BLOB NOT NULL
) STRICT;

-- What happened to events after they were stored, for those who follow the log.
CREATE TABLE changes (
	n INTEGER PRIMARY KEY AUTOINCREMENT,
	session BLOB, -- its access changed
	gone BLOB     -- ids of deleted events
) STRICT;

-- The months that have a file.
CREATE TABLE months (
	month INTEGER PRIMARY KEY,
	batch INTEGER NOT NULL -- the last batch of events that was moved there completely
) STRICT;
