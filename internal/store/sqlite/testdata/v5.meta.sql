CREATE TABLE _migrations (
	number INTEGER PRIMARY KEY,
	name TEXT NOT NULL,
	applied_at INTEGER NOT NULL
) STRICT;
CREATE TABLE heartbeat (
	one INTEGER PRIMARY KEY CHECK (one = 1),
	at  INTEGER NOT NULL
) STRICT;
CREATE TABLE "orgs" (
	id         TEXT PRIMARY KEY NOT NULL CHECK (length(id) BETWEEN 1 AND 64),
	name       TEXT NOT NULL,
	owner_id   BLOB NOT NULL CHECK (length(owner_id) = 16),
	state      TEXT NOT NULL CHECK (state IN ('creating', 'active', 'suspended', 'deleting', 'deleted')),
	deletion   TEXT NOT NULL DEFAULT '' CHECK (deletion IN ('', 'step_up', 'api_key')),
	workspaces INTEGER NOT NULL DEFAULT 0 CHECK (workspaces IN (0, 1)),
	receipt    TEXT CHECK (json_type(receipt) = 'object'),
	listed     INTEGER NOT NULL DEFAULT 1 CHECK (listed IN (0, 1)),
	created_at INTEGER NOT NULL
, projects_version INTEGER NOT NULL DEFAULT 0, asset_bytes INTEGER NOT NULL DEFAULT 0 CHECK (asset_bytes >= 0), asset_total INTEGER NOT NULL DEFAULT 0 CHECK (asset_total >= 0), asset_types TEXT NOT NULL DEFAULT '[]' CHECK (json_type(asset_types) = 'array')) STRICT, WITHOUT ROWID;
CREATE TABLE people (
	user_id BLOB PRIMARY KEY NOT NULL CHECK (length(user_id) = 16),
	org_id  TEXT NOT NULL REFERENCES orgs (id),
	email   TEXT UNIQUE,
	settled INTEGER NOT NULL DEFAULT 1 CHECK (settled IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX people_of_org ON people (org_id);
CREATE INDEX people_unsettled ON people (org_id) WHERE settled = 0;
CREATE TABLE invitations (
	hash       BLOB PRIMARY KEY NOT NULL CHECK (length(hash) = 32),
	org_id     TEXT NOT NULL REFERENCES orgs (id),
	id         BLOB NOT NULL CHECK (length(id) = 16),
	email      TEXT NOT NULL,
	expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX invitations_of_email ON invitations (email, expires_at);
CREATE INDEX invitations_of_org ON invitations (org_id);
CREATE TABLE "credentials" (
	id           BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
	org_id       TEXT NOT NULL REFERENCES orgs (id),
	user_id      BLOB NOT NULL CHECK (length(user_id) = 16),
	kind         TEXT NOT NULL CHECK (kind IN ('user', 'agent')),
	method       TEXT NOT NULL CHECK (method IN ('key', 'session', 'oauth', 'link')),
	vendor       TEXT NOT NULL CHECK ((kind = 'agent') = (vendor <> '')),
	name         TEXT NOT NULL,
	hash         BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
	prefix       TEXT NOT NULL,
	rights       TEXT NOT NULL CHECK (json_type(rights) = 'array'),
	projects     TEXT NOT NULL DEFAULT '[]' CHECK (json_type(projects) = 'array'),
	workspace_id BLOB CHECK (length(workspace_id) = 16),
	grant_id     BLOB CHECK (grant_id IS NULL OR length(grant_id) = 16 AND method = 'oauth'),
	replaces     BLOB UNIQUE CHECK (length(replaces) = 16),
	proved_at    INTEGER,
	idle_after   INTEGER NOT NULL DEFAULT 0,
	created_at   INTEGER NOT NULL,
	expires_at   INTEGER,
	revoked_at   INTEGER,
	last_used_at INTEGER
) STRICT;
CREATE INDEX credentials_of_person ON credentials (org_id, user_id, created_at);
CREATE INDEX credentials_of_grant ON credentials (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX credentials_usable ON credentials (method, kind, expires_at) WHERE revoked_at IS NULL;
CREATE TABLE oauth_clients (
	id            TEXT PRIMARY KEY NOT NULL CHECK (octet_length(id) BETWEEN 1 AND 2000),
	name          TEXT NOT NULL,
	redirect_uris TEXT NOT NULL CHECK (json_type(redirect_uris) = 'array'),
	uri           TEXT NOT NULL,
	vendor        TEXT NOT NULL DEFAULT '',
	created_at    INTEGER NOT NULL,
	last_used_at  INTEGER
) STRICT;
CREATE TABLE oauth_grants (
	id           BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
	org_id       TEXT NOT NULL REFERENCES orgs (id),
	user_id      BLOB NOT NULL CHECK (length(user_id) = 16),
	client_id    TEXT NOT NULL,
	client_name  TEXT NOT NULL,
	vendor       TEXT NOT NULL CHECK (vendor <> ''),
	rights       TEXT NOT NULL CHECK (json_type(rights) = 'array'),
	resource     TEXT NOT NULL,
	workspace_id BLOB CHECK (length(workspace_id) = 16),
	created_at   INTEGER NOT NULL,
	expires_at   INTEGER NOT NULL,
	revoked_at   INTEGER,
	last_used_at INTEGER
) STRICT;
CREATE INDEX oauth_grants_of_person ON oauth_grants (org_id, user_id, created_at);
CREATE INDEX oauth_grants_of_client ON oauth_grants (client_id);
CREATE TABLE oauth_codes (
	hash         BLOB PRIMARY KEY NOT NULL CHECK (length(hash) = 32),
	grant_id     BLOB NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
	client_id    TEXT NOT NULL,
	redirect_uri TEXT NOT NULL,
	challenge    TEXT NOT NULL,
	resource     TEXT NOT NULL,
	expires_at   INTEGER NOT NULL,
	used_at      INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_codes_of_grant ON oauth_codes (grant_id);
CREATE TABLE oauth_refresh_tokens (
	hash       BLOB PRIMARY KEY NOT NULL CHECK (length(hash) = 32),
	grant_id   BLOB NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
	expires_at INTEGER NOT NULL,
	used_at    INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_refresh_tokens_of_grant ON oauth_refresh_tokens (grant_id);
CREATE TABLE limits (
	key    TEXT NOT NULL,
	window INTEGER NOT NULL,
	used   INTEGER NOT NULL,
	PRIMARY KEY (key, window)
) STRICT, WITHOUT ROWID;
CREATE TABLE failures (
	key  TEXT PRIMARY KEY NOT NULL,
	n    INTEGER NOT NULL,
	last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
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
CREATE TABLE mcp_sessions (
	key        BLOB PRIMARY KEY NOT NULL CHECK (length(key) = 32),
	org_id     TEXT NOT NULL REFERENCES orgs (id),
	user_id    BLOB NOT NULL REFERENCES people (user_id) ON DELETE CASCADE,
	project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
	used_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX mcp_sessions_of_project ON mcp_sessions (project_id);
CREATE INDEX mcp_sessions_of_user ON mcp_sessions (user_id);
CREATE INDEX mcp_sessions_used ON mcp_sessions (used_at);
CREATE TABLE mcp_connections (
	key       BLOB PRIMARY KEY NOT NULL CHECK (length(key) = 32),
	org_id    TEXT NOT NULL REFERENCES orgs (id),
	user_id   BLOB NOT NULL REFERENCES people (user_id) ON DELETE CASCADE,
	subject   BLOB NOT NULL CHECK (length(subject) = 32),
	state     BLOB NOT NULL,
	used_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX mcp_connections_of_subject ON mcp_connections (subject, used_at);
CREATE INDEX mcp_connections_of_user ON mcp_connections (user_id);
CREATE INDEX mcp_connections_used ON mcp_connections (used_at);
INSERT INTO _migrations (number, name, applied_at) VALUES (1, 'registry', 1767323045678901);
INSERT INTO _migrations (number, name, applied_at) VALUES (2, 'identity', 1767323045678901);
INSERT INTO _migrations (number, name, applied_at) VALUES (3, 'projects', 1767323045678901);
INSERT INTO _migrations (number, name, applied_at) VALUES (4, 'sessions', 1767323045678901);
INSERT INTO _migrations (number, name, applied_at) VALUES (5, 'assets', 1767323045678901);
INSERT INTO _migrations (number, name, applied_at) VALUES (6, 'connections', 1767323045678901);
INSERT INTO orgs (id, name, owner_id, state, deletion, workspaces, receipt, listed, created_at, projects_version, asset_bytes, asset_total, asset_types) VALUES ('default', 'Default', X'01010000000000000000000000000000', 'active', '', 0, NULL, 1, 1767323045678901, 5, 0, 0, '[]');
INSERT INTO people (user_id, org_id, email, settled) VALUES (X'01010000000000000000000000000000', 'default', NULL, 1);
INSERT INTO people (user_id, org_id, email, settled) VALUES (X'01020000000000000000000000000000', 'default', 'other@example.com', 1);
INSERT INTO invitations (hash, org_id, id, email, expires_at) VALUES (X'0505000000000000000000000000000000000000000000000000000000000000', 'default', X'05000000000000000000000000000000', 'new@example.com', 1767927845678901);
INSERT INTO credentials (id, org_id, user_id, kind, method, vendor, name, hash, prefix, rights, projects, workspace_id, grant_id, replaces, proved_at, idle_after, created_at, expires_at, revoked_at, last_used_at) VALUES (X'02000000000000000000000000000000', 'default', X'01010000000000000000000000000000', 'agent', 'key', 'claude', 'Claude Code', X'0304000000000000000000000000000000000000000000000000000000000000', 'loci_agent_ab', '["memories:read"]', '[]', NULL, NULL, NULL, NULL, 0, 1767323045678901, NULL, NULL, NULL);
INSERT INTO credentials (id, org_id, user_id, kind, method, vendor, name, hash, prefix, rights, projects, workspace_id, grant_id, replaces, proved_at, idle_after, created_at, expires_at, revoked_at, last_used_at) VALUES (X'07000000000000000000000000000000', 'default', X'01010000000000000000000000000000', 'user', 'session', '', 'Firefox', X'0700000000000000000000000000000000000000000000000000000000000000', '', '[]', '["05000000-0000-0000-0000-000000000000"]', X'04000000000000000000000000000000', NULL, NULL, 1767323045678901, 3600000000, 1767323045678901, 1767409445678901, NULL, NULL);
INSERT INTO credentials (id, org_id, user_id, kind, method, vendor, name, hash, prefix, rights, projects, workspace_id, grant_id, replaces, proved_at, idle_after, created_at, expires_at, revoked_at, last_used_at) VALUES (X'08000000000000000000000000000000', 'default', X'01010000000000000000000000000000', 'agent', 'oauth', 'claude', 'A', X'0803000000000000000000000000000000000000000000000000000000000000', '', '["memories:read"]', '[]', NULL, X'08000000000000000000000000000000', NULL, NULL, 0, 1767323045678901, 1767326645678901, NULL, NULL);
INSERT INTO oauth_clients (id, name, redirect_uris, uri, vendor, created_at, last_used_at) VALUES ('https://client.example/a', 'A', '["http://127.0.0.1/cb"]', 'https://client.example', '', 1767323045678901, 1767323045678901);
INSERT INTO oauth_grants (id, org_id, user_id, client_id, client_name, vendor, rights, resource, workspace_id, created_at, expires_at, revoked_at, last_used_at) VALUES (X'08000000000000000000000000000000', 'default', X'01010000000000000000000000000000', 'https://client.example/a', 'A', 'claude', '["memories:read"]', 'https://loci.example/mcp', NULL, 1767323045678901, 1775099045678901, NULL, 1767323045678901);
INSERT INTO oauth_codes (hash, grant_id, client_id, redirect_uri, challenge, resource, expires_at, used_at) VALUES (X'0801000000000000000000000000000000000000000000000000000000000000', X'08000000000000000000000000000000', 'https://client.example/a', 'http://127.0.0.1/cb', 'c', 'https://loci.example/mcp', 1767323105678901, 1767323045678901);
INSERT INTO oauth_refresh_tokens (hash, grant_id, expires_at, used_at) VALUES (X'0802000000000000000000000000000000000000000000000000000000000000', X'08000000000000000000000000000000', 1775099045678901, NULL);
INSERT INTO limits (key, window, used) VALUES ('client', 1767323045678901, 3);
INSERT INTO failures (key, n, last) VALUES ('sign-in', 1, 1767323045678901);
INSERT INTO projects (id, name, description, db_path, status, created_at, updated_at, org_id, workspace_id, everyone, intent, moves) VALUES ('05000000-0000-0000-0000-000000000000', 'Plan''s', 'line 1
line 2', 'projects/05000000-0000-0000-0000-000000000000.db', 'active', '2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z', 'default', X'04000000000000000000000000000000', 0, NULL, 0);
INSERT INTO projects (id, name, description, db_path, status, created_at, updated_at, org_id, workspace_id, everyone, intent, moves) VALUES ('06000000-0000-0000-0000-000000000000', '日本', '', 'archive/06000000-0000-0000-0000-000000000000.db', 'archived', '2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z', 'default', NULL, 1, NULL, 1);
INSERT INTO project_members (project_id, user_id, role) VALUES ('05000000-0000-0000-0000-000000000000', X'01010000000000000000000000000000', 'owner');
INSERT INTO project_members (project_id, user_id, role) VALUES ('05000000-0000-0000-0000-000000000000', X'01020000000000000000000000000000', 'admin');
INSERT INTO project_members (project_id, user_id, role) VALUES ('06000000-0000-0000-0000-000000000000', X'01010000000000000000000000000000', 'owner');
INSERT INTO mcp_sessions (key, org_id, user_id, project_id, used_at) VALUES (X'0606000000000000000000000000000000000000000000000000000000000000', 'default', X'01010000000000000000000000000000', '05000000-0000-0000-0000-000000000000', 1767323045678901);
CREATE TRIGGER mcp_sessions_closed AFTER UPDATE OF intent ON projects WHEN NEW.intent IS NOT NULL BEGIN
	DELETE FROM mcp_sessions WHERE project_id = NEW.id;
END;
CREATE TRIGGER mcp_sessions_org_closed AFTER UPDATE OF state ON orgs WHEN NEW.state IN ('deleting', 'deleted') BEGIN
	DELETE FROM mcp_sessions WHERE org_id = NEW.id;
END;
CREATE TRIGGER projects_version_changed AFTER UPDATE OF everyone, intent ON projects
WHEN NEW.everyone <> OLD.everyone OR (ifnull(NEW.intent, '') IN ('creating', 'deleting')) <> (ifnull(OLD.intent, '') IN ('creating', 'deleting')) BEGIN
	UPDATE orgs SET projects_version = projects_version + 1 WHERE id = NEW.org_id;
END;
CREATE TRIGGER projects_version_joined AFTER INSERT ON project_members BEGIN
	UPDATE orgs SET projects_version = projects_version + 1 WHERE id = (SELECT org_id FROM projects WHERE id = NEW.project_id);
END;
CREATE TRIGGER projects_version_left AFTER DELETE ON project_members BEGIN
	UPDATE orgs SET projects_version = projects_version + 1 WHERE id = (SELECT org_id FROM projects WHERE id = OLD.project_id);
END;
CREATE TRIGGER projects_version_hired AFTER INSERT ON people WHEN EXISTS (SELECT 1 FROM projects WHERE org_id = NEW.org_id) BEGIN
	UPDATE orgs SET projects_version = projects_version + 1 WHERE id = NEW.org_id;
END;
CREATE TRIGGER mcp_connections_org_closed AFTER UPDATE OF state ON orgs WHEN NEW.state IN ('deleting', 'deleted') BEGIN
	DELETE FROM mcp_connections WHERE org_id = NEW.id;
END;
