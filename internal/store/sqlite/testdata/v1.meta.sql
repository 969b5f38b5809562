CREATE TABLE _migrations (
	number INTEGER PRIMARY KEY,
	name TEXT NOT NULL,
	applied_at INTEGER NOT NULL
) STRICT;
CREATE TABLE orgs (
	id         TEXT PRIMARY KEY NOT NULL CHECK (length(id) BETWEEN 1 AND 64),
	name       TEXT NOT NULL,
	owner_id   BLOB NOT NULL CHECK (length(owner_id) = 16),
	state      TEXT NOT NULL CHECK (state IN ('creating', 'active')),
	created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE credentials (
	id           BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
	org_id       TEXT NOT NULL REFERENCES orgs (id),
	user_id      BLOB NOT NULL CHECK (length(user_id) = 16),
	kind         TEXT NOT NULL CHECK (kind IN ('user', 'agent')),
	vendor       TEXT NOT NULL CHECK ((kind = 'agent') = (vendor <> '')),
	name         TEXT NOT NULL,
	hash         BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
	prefix       TEXT NOT NULL,
	rights       TEXT NOT NULL CHECK (json_type(rights) = 'array'),
	created_at   INTEGER NOT NULL,
	expires_at   INTEGER,
	revoked_at   INTEGER,
	last_used_at INTEGER
) STRICT;
CREATE INDEX credentials_of_person ON credentials (org_id, user_id, created_at);
CREATE INDEX credentials_usable ON credentials (kind, expires_at) WHERE revoked_at IS NULL;
CREATE TABLE heartbeat (
	one INTEGER PRIMARY KEY CHECK (one = 1),
	at  INTEGER NOT NULL
) STRICT;
INSERT INTO _migrations (number, name, applied_at) VALUES (1, 'registry', 1767323045678901);
INSERT INTO orgs (id, name, owner_id, state, created_at) VALUES ('default', 'Default', X'01010000000000000000000000000000', 'active', 1767323045678901);
INSERT INTO credentials (id, org_id, user_id, kind, vendor, name, hash, prefix, rights, created_at, expires_at, revoked_at, last_used_at) VALUES (X'02000000000000000000000000000000', 'default', X'01010000000000000000000000000000', 'agent', 'claude', 'Claude Code', X'0304000000000000000000000000000000000000000000000000000000000000', 'loci_agent_ab', '["memories:read"]', 1767323045678901, NULL, NULL, NULL);
