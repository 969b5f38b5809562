-- A suggestion to remove a secret may also be about a row that is not a memory, such as an event. A CHECK cannot be
-- changed, so the table is made again with what is in it.
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
	row_kind        TEXT,
	row_id          BLOB CHECK (length(row_id) = 16),
	CHECK ((memory_seq IS NULL) = (project_id IS NOT NULL OR row_id IS NOT NULL) AND
		(by_seq IS NULL) = (memory_seq IS NULL OR kind = 'secret') AND
		(graph_rows IS NULL) = (project_id IS NULL) AND (graph_rows IS NULL) = (allowed_vendors IS NULL) AND
		(row_id IS NULL) = (row_kind IS NULL) AND (row_id IS NULL OR kind = 'secret' AND project_id IS NULL))
) STRICT;

INSERT INTO new_suggestions (seq, id, kind, memory_seq, by_seq, origin, state, created_at, settled_at, project_id,
	workspace_id, user_id, graph_rows, allowed_vendors)
SELECT seq, id, kind, memory_seq, by_seq, origin, state, created_at, settled_at, project_id, workspace_id, user_id,
	graph_rows, allowed_vendors FROM suggestions;
DROP TABLE suggestions;
ALTER TABLE new_suggestions RENAME TO suggestions;

CREATE UNIQUE INDEX suggestions_pending ON suggestions (memory_seq, by_seq, kind) WHERE state = 'pending';
CREATE UNIQUE INDEX suggestions_pending_secret ON suggestions (memory_seq) WHERE state = 'pending' AND kind = 'secret';
CREATE UNIQUE INDEX suggestions_pending_graph ON suggestions (project_id, graph_rows, user_id, origin) WHERE state = 'pending';
CREATE UNIQUE INDEX suggestions_pending_row ON suggestions (row_id) WHERE state = 'pending';
CREATE INDEX suggestions_open ON suggestions (seq) WHERE state = 'pending';
CREATE INDEX suggestions_of_memory ON suggestions (memory_seq);
CREATE INDEX suggestions_by ON suggestions (by_seq);
CREATE INDEX suggestions_of_row ON suggestions (row_id) WHERE row_id IS NOT NULL;
CREATE INDEX suggestions_of_user ON suggestions (user_id) WHERE user_id IS NOT NULL;
