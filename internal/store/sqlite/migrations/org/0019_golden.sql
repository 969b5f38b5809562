-- The golden questions of people, and how well searches answered them. Only the person whose they are sees them.
CREATE TABLE golden_questions (
	seq          INTEGER PRIMARY KEY,
	id           BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
	user_id      BLOB NOT NULL REFERENCES users (id),
	workspace_id BLOB CHECK (length(workspace_id) = 16),
	question     TEXT NOT NULL,
	expected     TEXT NOT NULL CHECK (json_type(expected) = 'array'),
	created_at   INTEGER NOT NULL,
	updated_at   INTEGER NOT NULL
) STRICT;

CREATE INDEX golden_questions_of_user ON golden_questions (user_id, seq);

-- The body has the rest.
CREATE TABLE golden_runs (
	seq          INTEGER PRIMARY KEY,
	id           BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
	user_id      BLOB NOT NULL REFERENCES users (id),
	workspace_id BLOB CHECK (length(workspace_id) = 16),
	body         TEXT NOT NULL CHECK (json_type(body) = 'object')
) STRICT;

CREATE INDEX golden_runs_of_user ON golden_runs (user_id, seq);
