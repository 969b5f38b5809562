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
) STRICT, WITHOUT ROWID;
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
INSERT INTO _migrations (number, name, applied_at) VALUES (1, 'registry', 1767323045678901);
INSERT INTO _migrations (number, name, applied_at) VALUES (2, 'identity', 1767323045678901);
INSERT INTO orgs (id, name, owner_id, state, deletion, workspaces, receipt, listed, created_at) VALUES ('default', 'Default', X'01010000000000000000000000000000', 'active', '', 0, NULL, 1, 1767323045678901);
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
