-- The visibility rule reads reach and team_id of a task, as it does of a session. All members of the project see a task.
CREATE TABLE tasks (
	seq             INTEGER PRIMARY KEY,
	id              BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
	user_id         BLOB NOT NULL REFERENCES users (id),
	workspace_id    BLOB CHECK (length(workspace_id) = 16),
	project_id      BLOB NOT NULL CHECK (length(project_id) = 16),
	reach           TEXT NOT NULL CHECK (reach = 'org'),
	team_id         BLOB CHECK (team_id IS NULL),
	origin          TEXT NOT NULL,
	allowed_vendors TEXT NOT NULL CHECK (json_type(allowed_vendors) = 'array'),
	title           TEXT NOT NULL,
	notes           TEXT NOT NULL,
	state           TEXT NOT NULL CHECK (state IN ('todo', 'doing', 'done') AND (state = 'done') = (done_at IS NOT NULL)),
	created_at      INTEGER NOT NULL,
	updated_at      INTEGER NOT NULL,
	done_at         INTEGER,
	version         INTEGER NOT NULL CHECK (version >= 1)
) STRICT;

CREATE INDEX tasks_of_user ON tasks (user_id);
CREATE INDEX tasks_of_project ON tasks (project_id, seq);
CREATE INDEX tasks_in_progress ON tasks (project_id, seq) WHERE state = 'doing';
CREATE INDEX tasks_by_title ON tasks (title, seq);
