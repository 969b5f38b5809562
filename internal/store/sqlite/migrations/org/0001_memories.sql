-- One tenant. Ids are 16 bytes, times microseconds UTC, lists JSON arrays.

-- The tenant whose file this is, so that a file under a wrong name is refused.
CREATE TABLE org (
	one          INTEGER PRIMARY KEY CHECK (one = 1),
	id           TEXT NOT NULL,
	position_key BLOB NOT NULL CHECK (length(position_key) = 16),
	created_at   INTEGER NOT NULL
) STRICT;

CREATE TABLE users (
	id         BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
	email      TEXT UNIQUE,
	role       TEXT NOT NULL CHECK (role IN ('admin', 'private-alpha', 'user')),
	created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Small columns first: what decides about visibility is read without touching long text.
CREATE TABLE memories (
	seq             INTEGER PRIMARY KEY,
	id              BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
	user_id         BLOB NOT NULL REFERENCES users (id),
	scope           TEXT NOT NULL CHECK (scope IN ('global', 'project', 'agent')),
	type            TEXT NOT NULL CHECK (type IN ('semantic', 'episodic', 'procedural')),
	deleted_at      INTEGER,
	expires_at      INTEGER,
	superseded_by   BLOB CHECK (length(superseded_by) = 16),
	team_id         BLOB CHECK (length(team_id) = 16),
	project_id      BLOB CHECK (length(project_id) = 16),
	agent_id        BLOB CHECK (length(agent_id) = 16),
	workspace_id    BLOB CHECK (length(workspace_id) = 16),
	session_id      BLOB CHECK (length(session_id) = 16),
	allowed_vendors TEXT NOT NULL CHECK (json_type(allowed_vendors) = 'array'),
	origin          TEXT NOT NULL,
	created_at      INTEGER NOT NULL,
	updated_at      INTEGER NOT NULL,
	version         INTEGER NOT NULL CHECK (version >= 1),
	change          TEXT NOT NULL CHECK (change IN ('created', 'updated', 'trashed', 'restored')),
	editor          TEXT NOT NULL,
	importance      INTEGER NOT NULL CHECK (importance BETWEEN 1 AND 10),
	pinned          INTEGER NOT NULL CHECK (pinned IN (0, 1)),
	valid_from      INTEGER,
	valid_to        INTEGER,
	key             TEXT NOT NULL CHECK (octet_length(key) <= 800),
	category        TEXT NOT NULL CHECK (octet_length(category) <= 400),
	source          TEXT NOT NULL CHECK (octet_length(source) <= 256),
	tags            TEXT NOT NULL CHECK (json_type(tags) = 'array'),
	title           TEXT NOT NULL CHECK (octet_length(title) BETWEEN 1 AND 2000),
	summary         TEXT NOT NULL CHECK (octet_length(summary) <= 8000),
	content         TEXT NOT NULL CHECK (octet_length(content) BETWEEN 1 AND 400000)
) STRICT;

CREATE INDEX memories_trash ON memories (deleted_at) WHERE deleted_at IS NOT NULL;

-- Rows as they were. id is that of the memory.
CREATE TABLE memory_versions (
	seq             INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
	version         INTEGER NOT NULL CHECK (version >= 1),
	replaced_at     INTEGER NOT NULL,
	user_id         BLOB NOT NULL,
	scope           TEXT NOT NULL,
	type            TEXT NOT NULL,
	deleted_at      INTEGER,
	expires_at      INTEGER,
	superseded_by   BLOB,
	team_id         BLOB,
	project_id      BLOB,
	agent_id        BLOB,
	workspace_id    BLOB,
	session_id      BLOB,
	allowed_vendors TEXT NOT NULL CHECK (json_type(allowed_vendors) = 'array'),
	origin          TEXT NOT NULL,
	created_at      INTEGER NOT NULL,
	updated_at      INTEGER NOT NULL,
	change          TEXT NOT NULL,
	editor          TEXT NOT NULL,
	importance      INTEGER NOT NULL,
	pinned          INTEGER NOT NULL,
	valid_from      INTEGER,
	valid_to        INTEGER,
	key             TEXT NOT NULL,
	category        TEXT NOT NULL,
	source          TEXT NOT NULL,
	tags            TEXT NOT NULL CHECK (json_type(tags) = 'array'),
	title           TEXT NOT NULL,
	summary         TEXT NOT NULL,
	content         TEXT NOT NULL,
	PRIMARY KEY (seq, version)
) STRICT;

-- Derived from memories (postings.go says how): every list is a range of this
-- index for every reader, so its cost is that of the page and not of the pool.
CREATE TABLE memory_postings (
	pool         BLOB NOT NULL CHECK (length(pool) = 17),
	vendor       TEXT NOT NULL,
	token        TEXT NOT NULL,
	at           INTEGER NOT NULL,
	seq          INTEGER NOT NULL,
	expires_at   INTEGER,
	agent_id     BLOB,
	workspace_id BLOB,
	PRIMARY KEY (pool, vendor, token, at, seq)
) STRICT, WITHOUT ROWID;

-- Derived from memories (fts.go): the full-text index. It keeps no text of its
-- own. Trashed rows are in it too.
CREATE VIRTUAL TABLE memory_text USING fts5 (
	title, content, summary, key, category, tags,
	content = '', tokenize = 'loci'
);

-- What is deleted for good leaves the index at once, not at its next merge.
INSERT INTO memory_text (memory_text, rank) VALUES ('secure-delete', 1);

CREATE VIRTUAL TABLE memory_words USING fts5vocab (memory_text, instance);
