-- Raw notes that somebody reflected, without secrets. The same writer's same notes have the same id.
CREATE TABLE reflections (
	seq             INTEGER PRIMARY KEY,
	id              BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
	user_id         BLOB NOT NULL REFERENCES users (id),
	workspace_id    BLOB CHECK (length(workspace_id) = 16),
	project_id      BLOB CHECK (length(project_id) = 16),
	reach           TEXT NOT NULL CHECK (reach IN ('org', 'team', 'private') AND (reach = 'team') = (team_id IS NOT NULL)),
	team_id         BLOB CHECK (length(team_id) = 16),
	origin          TEXT NOT NULL,
	allowed_vendors TEXT NOT NULL CHECK (json_type(allowed_vendors) = 'array'),
	created_at      INTEGER NOT NULL,
	body            TEXT NOT NULL CHECK (json_type(body) = 'object')
) STRICT;

CREATE INDEX reflections_of_user ON reflections (user_id);
CREATE INDEX reflections_of_project ON reflections (project_id) WHERE project_id IS NOT NULL;

-- Proposed memories. The columns are what is searched and what the visibility rule reads; the body has the rest.
CREATE TABLE candidates (
	seq             INTEGER PRIMARY KEY,
	id              BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
	user_id         BLOB NOT NULL REFERENCES users (id),
	workspace_id    BLOB CHECK (length(workspace_id) = 16),
	project_id      BLOB CHECK (length(project_id) = 16),
	reach           TEXT NOT NULL CHECK (reach IN ('org', 'team', 'private') AND (reach = 'team') = (team_id IS NOT NULL)),
	team_id         BLOB CHECK (length(team_id) = 16),
	origin          TEXT NOT NULL,
	allowed_vendors TEXT NOT NULL CHECK (json_type(allowed_vendors) = 'array'),
	kind            TEXT NOT NULL,
	state           TEXT NOT NULL CHECK (state IN ('pending', 'promoted', 'rejected', 'deferred', 'archived')),
	source_id       BLOB CHECK (length(source_id) = 16),
	memory_id       BLOB CHECK (length(memory_id) = 16),
	due             INTEGER, -- when the dream-cycle looks at it; NULL: never
	version         INTEGER NOT NULL,
	created_at      INTEGER NOT NULL,
	updated_at      INTEGER NOT NULL,
	body            TEXT NOT NULL CHECK (json_type(body) = 'object')
) STRICT;

CREATE INDEX candidates_of_user ON candidates (user_id);
CREATE INDEX candidates_of_project ON candidates (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX candidates_in_state ON candidates (state, seq);
CREATE INDEX candidates_due ON candidates (due, seq) WHERE due IS NOT NULL;
CREATE INDEX candidates_of_memory ON candidates (memory_id) WHERE memory_id IS NOT NULL;
CREATE INDEX candidates_of_source ON candidates (source_id) WHERE source_id IS NOT NULL;

-- What candidates were before they changed.
CREATE TABLE candidate_versions (
	candidate_seq INTEGER NOT NULL REFERENCES candidates (seq) ON DELETE CASCADE,
	version       INTEGER NOT NULL,
	body          TEXT NOT NULL CHECK (json_type(body) = 'object'),
	PRIMARY KEY (candidate_seq, version)
) STRICT, WITHOUT ROWID;
