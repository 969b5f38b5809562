-- Agents belong to the org, so a name occurs once. The step after this file gives the agents their names and moves them.
ALTER TABLE agents RENAME TO old_agents;

CREATE TABLE agents (
	id             BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
	user_id        BLOB REFERENCES users (id), -- who registered it; NULL: they left
	vendor         TEXT NOT NULL,
	name           TEXT NOT NULL UNIQUE CHECK (octet_length(name) BETWEEN 1 AND 400),
	description    TEXT NOT NULL,
	config         TEXT CHECK (json_type(config) = 'object'),
	created_at     INTEGER NOT NULL,
	updated_at     INTEGER NOT NULL,
	last_active_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX agents_of_user ON agents (user_id) WHERE user_id IS NOT NULL;

-- Sessions have a reach. Those that are there stay what they were: for one person, and for one vendor or none. An agent
-- may be deleted while its sessions stay.
CREATE TABLE new_sessions (
	seq             INTEGER PRIMARY KEY,
	id              BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
	user_id         BLOB NOT NULL REFERENCES users (id),
	workspace_id    BLOB CHECK (length(workspace_id) = 16),
	project_id      BLOB CHECK (length(project_id) = 16),
	reach           TEXT NOT NULL CHECK (reach IN ('org', 'team', 'private') AND (reach = 'team') = (team_id IS NOT NULL)),
	team_id         BLOB CHECK (length(team_id) = 16),
	origin          TEXT NOT NULL,
	allowed_vendors TEXT NOT NULL CHECK (json_type(allowed_vendors) = 'array'),
	agent_id        BLOB CHECK (length(agent_id) = 16),
	title           TEXT NOT NULL,
	metadata        TEXT CHECK (json_type(metadata) = 'object'),
	state           TEXT NOT NULL CHECK (state IN ('active', 'closed') AND (state = 'closed') = (closed_at IS NOT NULL)),
	created_at      INTEGER NOT NULL,
	updated_at      INTEGER NOT NULL,
	last_active_at  INTEGER NOT NULL,
	closed_at       INTEGER,
	expired         INTEGER NOT NULL CHECK (expired IN (0, 1)),
	reopened_at     INTEGER,
	revision        INTEGER NOT NULL
) STRICT;

INSERT INTO new_sessions (seq, id, user_id, workspace_id, project_id, reach, origin, allowed_vendors, agent_id, title,
	state, created_at, updated_at, last_active_at, closed_at, expired, revision)
SELECT seq, id, user_id, workspace_id, project_id, 'private', CASE vendor WHEN '' THEN 'api' ELSE vendor END,
	CASE vendor WHEN '' THEN json_array() ELSE json_array(vendor) END, agent_id, title, state, created_at,
	coalesce(closed_at, created_at),
	-- Nobody knows when an open session was last used, so it does not end at once.
	coalesce(closed_at, max(created_at, CAST(unixepoch('subsec') * 1000000 AS INTEGER))), closed_at, 0, 1
FROM sessions;

DROP TABLE sessions;
ALTER TABLE new_sessions RENAME TO sessions;

CREATE INDEX sessions_of_user ON sessions (user_id, team_id);
CREATE INDEX sessions_of_agent ON sessions (agent_id, seq) WHERE agent_id IS NOT NULL;
CREATE INDEX sessions_of_project ON sessions (project_id, seq) WHERE project_id IS NOT NULL;
CREATE INDEX sessions_active ON sessions (seq) WHERE state = 'active';
CREATE INDEX sessions_by_title ON sessions (title, seq) WHERE state = 'active';
CREATE INDEX sessions_idle ON sessions (last_active_at) WHERE state = 'active';

-- What the log of events must still learn of sessions.
CREATE TABLE session_changes (
	session_id BLOB PRIMARY KEY NOT NULL CHECK (length(session_id) = 16),
	revision   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
