-- Projects of all orgs. Ids and times are text, as seed S3 shows them.

CREATE TABLE projects (
	id           TEXT PRIMARY KEY NOT NULL CHECK (length(id) = 36),
	name         TEXT NOT NULL,
	description  TEXT NOT NULL DEFAULT '',
	db_path      TEXT NOT NULL,
	status       TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'archived')),
	created_at   TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ')),
	updated_at   TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ')),
	org_id       TEXT NOT NULL REFERENCES orgs (id),
	workspace_id BLOB CHECK (length(workspace_id) = 16),
	everyone     INTEGER NOT NULL DEFAULT 1 CHECK (everyone IN (0, 1)),
	-- What is being done to the project's file. Nobody works on it meanwhile.
	intent       TEXT CHECK (intent IN ('creating', 'archiving', 'restoring', 'deleting')),
	-- Counts the moves of the file: who opened it before one must not use it after.
	moves        INTEGER NOT NULL DEFAULT 0,
	UNIQUE (org_id, name)
) STRICT;

CREATE INDEX idx_projects_status ON projects (status);
CREATE INDEX idx_projects_name ON projects (name);
CREATE INDEX projects_unsettled ON projects (id) WHERE intent IS NOT NULL;

CREATE TABLE project_members (
	project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
	user_id    BLOB NOT NULL REFERENCES people (user_id) ON DELETE CASCADE,
	role       TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
	PRIMARY KEY (project_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX project_members_of_user ON project_members (user_id);
