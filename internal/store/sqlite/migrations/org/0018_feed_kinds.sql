-- The feed tells of more kinds of rows. A CHECK cannot be changed, so the table is made again with what is in it; numbers
-- go on where they were, also if everything was deleted. Without a reader's access, those see a row who may list all of
-- its kind.
CREATE TABLE new_feed (
	seq     INTEGER PRIMARY KEY AUTOINCREMENT,
	at      INTEGER NOT NULL,
	kind    TEXT NOT NULL CHECK (kind IN ('memory', 'memory_node', 'candidate', 'suggestion', 'session', 'task', 'project',
		'graph', 'agent', 'key', 'grant', 'sign_in', 'member', 'team', 'invitation', 'workspace', 'org')),
	row_id  BLOB NOT NULL CHECK (length(row_id) = 16),
	change  TEXT NOT NULL CHECK (change IN ('created', 'updated', 'trashed', 'restored', 'erased')),
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
