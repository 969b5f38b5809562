-- Assistants with an agent key of the environment, or over stdio, have a row that only records their use.
CREATE TABLE new_credentials (
	id           BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
	org_id       TEXT NOT NULL REFERENCES orgs (id),
	user_id      BLOB NOT NULL CHECK (length(user_id) = 16),
	kind         TEXT NOT NULL CHECK (kind IN ('user', 'agent')),
	method       TEXT NOT NULL CHECK (method IN ('key', 'session', 'oauth', 'link', 'environment', 'disk')),
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

INSERT INTO new_credentials SELECT * FROM credentials ORDER BY rowid;
DROP TABLE credentials;
ALTER TABLE new_credentials RENAME TO credentials;

CREATE INDEX credentials_of_person ON credentials (org_id, user_id, created_at);
CREATE INDEX credentials_of_grant ON credentials (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX credentials_usable ON credentials (method, kind, expires_at) WHERE revoked_at IS NULL;
