-- People, their teams and workspaces, how they sign in, and what was done.

CREATE TABLE teams (
	id         BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
	name       TEXT NOT NULL UNIQUE COLLATE NOCASE CHECK (octet_length(name) BETWEEN 1 AND 400),
	created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Until now an org had one user: its owner. A pending user is being made, and
-- is nobody until the directory knows them.
ALTER TABLE users ADD COLUMN name TEXT NOT NULL DEFAULT '' CHECK (octet_length(name) <= 400);
ALTER TABLE users ADD COLUMN state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('pending', 'active', 'disabled', 'leaving'));
ALTER TABLE users ADD COLUMN org_role TEXT NOT NULL DEFAULT 'member' CHECK (org_role IN ('owner', 'admin', 'member'));
ALTER TABLE users ADD COLUMN team_id BLOB REFERENCES teams (id);
ALTER TABLE users ADD COLUMN team_role TEXT CHECK (team_role IN ('owner', 'admin', 'member') AND (team_id IS NULL) = (team_role IS NULL));
UPDATE users SET org_role = 'owner';

CREATE INDEX users_of_team ON users (team_id) WHERE team_id IS NOT NULL;

CREATE TABLE team_invites (
	id         BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
	email      TEXT NOT NULL,
	team_id    BLOB REFERENCES teams (id) ON DELETE CASCADE,
	org_role   TEXT NOT NULL CHECK (org_role IN ('owner', 'admin', 'member')),
	team_role  TEXT CHECK (team_role IN ('owner', 'admin', 'member') AND (team_id IS NULL) = (team_role IS NULL)),
	hash       BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
	invited_by BLOB NOT NULL CHECK (length(invited_by) = 16),
	state      TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'revoked')),
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX team_invites_of_team ON team_invites (team_id, created_at);
CREATE UNIQUE INDEX team_invites_pending ON team_invites (email, ifnull(team_id, x'')) WHERE state = 'pending';

CREATE TABLE workspaces (
	id         BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
	name       TEXT NOT NULL UNIQUE COLLATE NOCASE CHECK (octet_length(name) BETWEEN 1 AND 400),
	created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE workspace_members (
	user_id      BLOB NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	workspace_id BLOB NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
	PRIMARY KEY (user_id, workspace_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX workspace_members_of ON workspace_members (workspace_id);

CREATE TABLE passwords (
	user_id BLOB PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	encoded TEXT NOT NULL CHECK (encoded LIKE '$argon2id$%')
) STRICT, WITHOUT ROWID;

CREATE TABLE passkeys (
	id           BLOB PRIMARY KEY NOT NULL CHECK (length(id) BETWEEN 1 AND 1023),
	user_id      BLOB NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	name         TEXT NOT NULL,
	data         TEXT NOT NULL CHECK (json_type(data) = 'object'),
	created_at   INTEGER NOT NULL,
	last_used_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX passkeys_of_user ON passkeys (user_id, created_at);

-- Ids and counts only. Rows are added and, when they are old, removed; never
-- changed.
CREATE TABLE audit (
	number        INTEGER PRIMARY KEY AUTOINCREMENT,
	at            INTEGER NOT NULL,
	action        TEXT NOT NULL,
	allowed       INTEGER NOT NULL CHECK (allowed IN (0, 1)),
	kind          TEXT NOT NULL,
	method        TEXT NOT NULL,
	user_id       BLOB CHECK (length(user_id) = 16),
	vendor        TEXT NOT NULL,
	credential_id BLOB CHECK (length(credential_id) = 16),
	target        TEXT NOT NULL,
	count         INTEGER NOT NULL
) STRICT;

CREATE INDEX memories_shared ON memories (team_id, user_id) WHERE team_id IS NOT NULL;
CREATE INDEX memories_of_user ON memories (user_id);
