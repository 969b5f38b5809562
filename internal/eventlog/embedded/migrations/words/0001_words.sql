-- The full-text index of a log. Everything here follows from the events.

CREATE TABLE state (
	one INTEGER PRIMARY KEY CHECK (one = 1),
	epoch BLOB NOT NULL,      -- of the log
	done INTEGER NOT NULL,    -- events up to this seq are in the index
	changed INTEGER NOT NULL, -- changes up to this n were taken into account
	tables INTEGER NOT NULL   -- how many tables of words were ever made
) STRICT;

-- The index of a month is the table words_N. Another one may be under construction: it has the events
-- up to an id.
CREATE TABLE parts (
	month INTEGER PRIMARY KEY,
	words INTEGER,    -- N; NULL: no table is complete yet
	building INTEGER, -- N; NULL: none
	built BLOB,
	dirty INTEGER     -- since when the table has words of events that were deleted; NULL: it has none
) STRICT;
