-- Through what a version was made.
ALTER TABLE memories ADD COLUMN editor_user BLOB CHECK (length(editor_user) = 16);
ALTER TABLE memories ADD COLUMN editor_credential BLOB CHECK (length(editor_credential) = 16);
ALTER TABLE memories ADD COLUMN editor_session BLOB CHECK (length(editor_session) = 16);
ALTER TABLE memory_versions ADD COLUMN editor_user BLOB;
ALTER TABLE memory_versions ADD COLUMN editor_credential BLOB;
ALTER TABLE memory_versions ADD COLUMN editor_session BLOB;

-- For the save that updates in place, and for what is to be undone.
CREATE INDEX memories_by_key ON memories (user_id, key, scope, updated_at) WHERE key <> '' AND deleted_at IS NULL;
DROP INDEX memories_of_user; -- the next one serves in its place
CREATE INDEX memories_edited ON memories (user_id, updated_at);
CREATE INDEX memory_versions_edited ON memory_versions (user_id, updated_at);
-- For reading what was stored at a time.
CREATE INDEX memory_versions_replaced ON memory_versions (replaced_at);

CREATE TABLE agents (
	id         BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
	user_id    BLOB NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	vendor     TEXT NOT NULL,
	name       TEXT NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 400),
	config     TEXT CHECK (json_type(config) = 'object'),
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	UNIQUE (user_id, name, vendor)
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
	seq          INTEGER PRIMARY KEY,
	id           BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
	user_id      BLOB NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	workspace_id BLOB CHECK (length(workspace_id) = 16),
	project_id   BLOB CHECK (length(project_id) = 16),
	agent_id     BLOB REFERENCES agents (id),
	vendor       TEXT NOT NULL,
	title        TEXT NOT NULL,
	state        TEXT NOT NULL CHECK (state IN ('active', 'closed') AND (state = 'closed') = (closed_at IS NOT NULL)),
	created_at   INTEGER NOT NULL,
	closed_at    INTEGER
) STRICT;

CREATE INDEX sessions_of_user ON sessions (user_id, seq);
CREATE INDEX sessions_of_vendor ON sessions (user_id, vendor, seq);
CREATE INDEX sessions_active ON sessions (user_id, seq) WHERE state = 'active';
CREATE INDEX sessions_of_agent ON sessions (agent_id, seq) WHERE agent_id IS NOT NULL;

CREATE TABLE suggestions (
	seq        INTEGER PRIMARY KEY,
	id         BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
	kind       TEXT NOT NULL CHECK (kind IN ('supersede', 'correct')),
	memory_seq INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
	by_seq     INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
	origin     TEXT NOT NULL,
	state      TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'declined')),
	created_at INTEGER NOT NULL,
	settled_at INTEGER
) STRICT;

CREATE UNIQUE INDEX suggestions_pending ON suggestions (memory_seq, by_seq, kind) WHERE state = 'pending';
CREATE INDEX suggestions_open ON suggestions (seq) WHERE state = 'pending';
CREATE INDEX suggestions_of_memory ON suggestions (memory_seq);
CREATE INDEX suggestions_by ON suggestions (by_seq);

CREATE TABLE assets (
	seq        INTEGER PRIMARY KEY,
	id         BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
	memory_seq INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
	user_id    BLOB NOT NULL,
	origin     TEXT NOT NULL,
	name       TEXT NOT NULL,
	media_type TEXT NOT NULL,
	size       INTEGER NOT NULL CHECK (size >= 0),
	sha256     BLOB NOT NULL CHECK (length(sha256) = 32),
	created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX assets_of_memory ON assets (memory_seq);
CREATE INDEX assets_by_sum ON assets (sha256);
CREATE INDEX assets_of_user ON assets (user_id, size);

CREATE TABLE sources (
	seq             INTEGER PRIMARY KEY,
	id              BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
	memory_seq      INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
	kind            TEXT NOT NULL CHECK (kind IN ('message', 'session', 'event', 'url', 'text')),
	ref             TEXT NOT NULL,
	text            TEXT NOT NULL,
	quote           TEXT NOT NULL,
	start           INTEGER NOT NULL,
	end             INTEGER NOT NULL,
	user_id         BLOB NOT NULL,
	origin          TEXT NOT NULL,
	allowed_vendors TEXT NOT NULL CHECK (json_type(allowed_vendors) = 'array'),
	created_at      INTEGER NOT NULL
) STRICT;

CREATE INDEX sources_of_memory ON sources (memory_seq);

CREATE TABLE memory_nodes (
	seq             INTEGER PRIMARY KEY,
	id              BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
	user_id         BLOB NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	scope           TEXT NOT NULL CHECK (scope IN ('global', 'project', 'agent')),
	deleted_at      INTEGER,
	expires_at      INTEGER,
	superseded_by   BLOB,
	team_id         BLOB CHECK (length(team_id) = 16),
	project_id      BLOB CHECK (length(project_id) = 16),
	agent_id        BLOB CHECK (length(agent_id) = 16),
	workspace_id    BLOB CHECK (length(workspace_id) = 16),
	allowed_vendors TEXT NOT NULL CHECK (json_type(allowed_vendors) = 'array'),
	origin          TEXT NOT NULL,
	name            TEXT NOT NULL,
	description     TEXT NOT NULL,
	tags            TEXT NOT NULL CHECK (json_type(tags) = 'array'),
	created_at      INTEGER NOT NULL,
	updated_at      INTEGER NOT NULL
) STRICT;

CREATE INDEX memory_nodes_changed ON memory_nodes (updated_at, seq);
CREATE INDEX memory_nodes_of_user ON memory_nodes (user_id);
CREATE INDEX memory_nodes_of_team ON memory_nodes (team_id) WHERE team_id IS NOT NULL;

CREATE TABLE node_items (
	seq             INTEGER PRIMARY KEY,
	id              BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
	node_seq        INTEGER NOT NULL REFERENCES memory_nodes (seq) ON DELETE CASCADE,
	parent_seq      INTEGER REFERENCES node_items (seq) ON DELETE CASCADE,
	rank            INTEGER NOT NULL,
	kind            TEXT NOT NULL CHECK (kind IN ('memory', 'entity', 'text')),
	memory_seq      INTEGER REFERENCES memories (seq) ON DELETE CASCADE,
	project_id      BLOB CHECK (length(project_id) = 16),
	entity_id       BLOB CHECK (length(entity_id) = 16),
	text            TEXT NOT NULL,
	user_id         BLOB NOT NULL,
	origin          TEXT NOT NULL,
	allowed_vendors TEXT NOT NULL CHECK (json_type(allowed_vendors) = 'array'),
	created_at      INTEGER NOT NULL
) STRICT;

CREATE INDEX node_items_of_node ON node_items (node_seq, parent_seq, rank);
CREATE INDEX node_items_of_parent ON node_items (parent_seq) WHERE parent_seq IS NOT NULL;
CREATE INDEX node_items_of_memory ON node_items (memory_seq) WHERE memory_seq IS NOT NULL;

-- What has changed, in order. access and before are what the visibility rule looks at, after and before the change: packed,
-- as small as it can be. before is absent where it says the same as access. Numbers are given once and without gaps, and
-- deleted from below, so that a reader notices what it has missed.
CREATE TABLE feed (
	seq     INTEGER PRIMARY KEY AUTOINCREMENT,
	at      INTEGER NOT NULL,
	kind    TEXT NOT NULL CHECK (kind IN ('memory', 'memory_node')),
	row_id  BLOB NOT NULL CHECK (length(row_id) = 16),
	change  TEXT NOT NULL CHECK (change IN ('created', 'updated', 'trashed', 'restored', 'erased')),
	version INTEGER NOT NULL,
	origin  TEXT NOT NULL,
	access  BLOB CHECK (length(access) > 16),
	before  BLOB CHECK (length(before) > 16)
) STRICT;

CREATE TABLE idempotency (
	key    BLOB PRIMARY KEY NOT NULL CHECK (length(key) = 32),
	body   BLOB NOT NULL CHECK (length(body) = 32),
	at     INTEGER NOT NULL,
	status INTEGER NOT NULL,
	answer BLOB
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_at ON idempotency (at);
