-- Who belongs where, and every kind of credential in one table.

CREATE TABLE new_orgs (
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

-- The people of an org that is not listed are still to be read from its file.
INSERT INTO new_orgs (id, name, owner_id, state, listed, created_at) SELECT id, name, owner_id, state, 0, created_at FROM orgs;
DROP TABLE orgs;
ALTER TABLE new_orgs RENAME TO orgs;

-- The directory. The row of the user in the org's file is the truth: one that
-- is not there, or is pending, is nobody. One that is not settled is being
-- added, changed or removed.
CREATE TABLE people (
	user_id BLOB PRIMARY KEY NOT NULL CHECK (length(user_id) = 16),
	org_id  TEXT NOT NULL REFERENCES orgs (id),
	email   TEXT UNIQUE,
	settled INTEGER NOT NULL DEFAULT 1 CHECK (settled IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE INDEX people_of_org ON people (org_id);
CREATE INDEX people_unsettled ON people (org_id) WHERE settled = 0;

INSERT OR IGNORE INTO people (user_id, org_id) SELECT owner_id, id FROM orgs;

-- Which org an invitation belongs to. The row in the org's file is the truth.
CREATE TABLE invitations (
	hash       BLOB PRIMARY KEY NOT NULL CHECK (length(hash) = 32),
	org_id     TEXT NOT NULL REFERENCES orgs (id),
	id         BLOB NOT NULL CHECK (length(id) = 16),
	email      TEXT NOT NULL,
	expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX invitations_of_email ON invitations (email, expires_at);
CREATE INDEX invitations_of_org ON invitations (org_id);

CREATE TABLE new_credentials (
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

INSERT INTO new_credentials (id, org_id, user_id, kind, method, vendor, name, hash, prefix, rights, created_at, expires_at, revoked_at, last_used_at)
	SELECT id, org_id, user_id, kind, 'key', vendor, name, hash, prefix, rights, created_at, expires_at, revoked_at, last_used_at
	FROM credentials ORDER BY rowid;
DROP TABLE credentials;
ALTER TABLE new_credentials RENAME TO credentials;

CREATE INDEX credentials_of_person ON credentials (org_id, user_id, created_at);
CREATE INDEX credentials_of_grant ON credentials (grant_id) WHERE grant_id IS NOT NULL;

-- "Is there a usable agent key" is asked on every call to /mcp.
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

-- What is limited, for all processes on this directory.
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
