-- The feed also tells of new events of sessions and of receipts of the dream-cycle. A CHECK cannot be changed, so the
-- table is made again with what is in it; numbers go on where they were, also if everything was deleted. The CHECKs are
-- not IN (…), because SQLite fills a table with the list at each insert.
CREATE TABLE new_feed (
	seq     INTEGER PRIMARY KEY AUTOINCREMENT,
	at      INTEGER NOT NULL,
	kind    TEXT NOT NULL CHECK (kind = 'memory' OR kind = 'memory_node' OR kind = 'candidate' OR kind = 'suggestion' OR
		kind = 'session' OR kind = 'task' OR kind = 'project' OR kind = 'graph' OR kind = 'agent' OR kind = 'key' OR
		kind = 'grant' OR kind = 'sign_in' OR kind = 'member' OR kind = 'team' OR kind = 'invitation' OR
		kind = 'workspace' OR kind = 'org' OR kind = 'events' OR kind = 'dream'),
	row_id  BLOB NOT NULL CHECK (length(row_id) = 16),
	change  TEXT NOT NULL CHECK (change = 'created' OR change = 'updated' OR change = 'trashed' OR
		change = 'restored' OR change = 'erased'),
	version INTEGER NOT NULL,
	origin  TEXT NOT NULL,
	access  BLOB CHECK (length(access) > 16),
	before  BLOB CHECK (length(before) > 16)
) STRICT;

INSERT INTO new_feed SELECT seq, at, kind, row_id, change, version, origin, access, before FROM feed;
DELETE FROM sqlite_sequence WHERE name = 'new_feed';
INSERT INTO sqlite_sequence (name, seq) SELECT 'new_feed', seq FROM sqlite_sequence WHERE name = 'feed';
DROP TABLE feed;
ALTER TABLE new_feed RENAME TO feed;
