-- Which orgs there are, and which key belongs to whom. Ids are 16 bytes, times microseconds UTC.

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

-- "Is there a usable agent key" is asked on every call to /mcp.
CREATE INDEX credentials_usable ON credentials (kind, expires_at) WHERE revoked_at IS NULL;

-- One row that Ready writes to find out whether the disk takes writes.
CREATE TABLE heartbeat (
	one INTEGER PRIMARY KEY CHECK (one = 1),
	at  INTEGER NOT NULL
) STRICT;
