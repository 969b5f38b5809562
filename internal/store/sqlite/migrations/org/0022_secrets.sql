-- A person may decide to keep the secrets of a memory.
ALTER TABLE memories ADD COLUMN secrets_kept INTEGER NOT NULL DEFAULT 0 CHECK (secrets_kept IN (0, 1));
ALTER TABLE memory_versions ADD COLUMN secrets_kept INTEGER NOT NULL DEFAULT 0;

-- A suggestion may also be to remove the secrets of a memory. A CHECK cannot be changed, so the table is made again with
-- what is in it.
CREATE TABLE new_suggestions (
	seq             INTEGER PRIMARY KEY,
	id              BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
	kind            TEXT NOT NULL CHECK (kind IN ('supersede', 'correct', 'delete', 'merge', 'secret')),
	memory_seq      INTEGER REFERENCES memories (seq) ON DELETE CASCADE,
	by_seq          INTEGER REFERENCES memories (seq) ON DELETE CASCADE,
	origin          TEXT NOT NULL,
	state           TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'declined')),
	created_at      INTEGER NOT NULL,
	settled_at      INTEGER,
	project_id      BLOB CHECK (length(project_id) = 16),
	workspace_id    BLOB,
	user_id         BLOB REFERENCES users (id) ON DELETE CASCADE,
	graph_rows      TEXT,
	allowed_vendors TEXT,
	CHECK ((memory_seq IS NULL) = (project_id IS NOT NULL) AND (by_seq IS NULL) = (memory_seq IS NULL OR kind = 'secret') AND
		(project_id IS NULL) = (graph_rows IS NULL) AND (project_id IS NULL) = (allowed_vendors IS NULL))
) STRICT;

INSERT INTO new_suggestions SELECT * FROM suggestions;
DROP TABLE suggestions;
ALTER TABLE new_suggestions RENAME TO suggestions;

CREATE UNIQUE INDEX suggestions_pending ON suggestions (memory_seq, by_seq, kind) WHERE state = 'pending';
CREATE UNIQUE INDEX suggestions_pending_secret ON suggestions (memory_seq) WHERE state = 'pending' AND kind = 'secret';
CREATE UNIQUE INDEX suggestions_pending_graph ON suggestions (project_id, graph_rows, user_id, origin) WHERE state = 'pending';
CREATE INDEX suggestions_open ON suggestions (seq) WHERE state = 'pending';
CREATE INDEX suggestions_of_memory ON suggestions (memory_seq);
CREATE INDEX suggestions_by ON suggestions (by_seq);
CREATE INDEX suggestions_of_user ON suggestions (user_id) WHERE user_id IS NOT NULL;
