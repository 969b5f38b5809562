CREATE TABLE _migrations (
	number INTEGER PRIMARY KEY,
	name TEXT NOT NULL,
	applied_at INTEGER NOT NULL
) STRICT;
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
CREATE VIRTUAL TABLE memory_text USING fts5 (
	title, content, summary, key, category, tags,
	content = '', tokenize = 'loci'
);
CREATE VIRTUAL TABLE memory_words USING fts5vocab (memory_text, instance);
INSERT INTO _migrations (number, name, applied_at) VALUES (1, 'memories', 1767323045678901);
INSERT INTO org (one, id, position_key, created_at) VALUES (1, 'default', X'F766BE5303324EFFC0973A6AC204E851', 1767323045678901);
INSERT INTO users (id, email, role, created_at) VALUES (X'01010000000000000000000000000000', NULL, 'user', 1767323045678901);
INSERT INTO users (id, email, role, created_at) VALUES (X'01020000000000000000000000000000', 'other@example.com', 'user', 1767323045678901);
INSERT INTO memories (seq, id, user_id, scope, type, deleted_at, expires_at, superseded_by, team_id, project_id, agent_id, workspace_id, session_id, allowed_vendors, origin, created_at, updated_at, version, change, editor, importance, pinned, valid_from, valid_to, key, category, source, tags, title, summary, content) VALUES (1, X'09000000000000000000000000000000', X'01010000000000000000000000000000', 'global', 'semantic', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '["*"]', 'claude', 1767323045678901, 1767323045678901, 1, 'created', 'claude', 5, 0, NULL, NULL, '', 'fact', 'manual', '["tag","it''s"]', 'Deployments <run> on Fridays', '', 'some content');
INSERT INTO memories (seq, id, user_id, scope, type, deleted_at, expires_at, superseded_by, team_id, project_id, agent_id, workspace_id, session_id, allowed_vendors, origin, created_at, updated_at, version, change, editor, importance, pinned, valid_from, valid_to, key, category, source, tags, title, summary, content) VALUES (2, X'09010000000000000000000000000000', X'01020000000000000000000000000000', 'project', 'semantic', NULL, NULL, NULL, NULL, X'05000000000000000000000000000000', NULL, NULL, NULL, '["claude","cursor"]', 'claude', 1767323045678901, 1767323045678901, 1, 'created', 'claude', 5, 0, NULL, NULL, 'a/key', 'fact', 'manual', '["tag","it''s"]', '日本 & café', 'line 1
line 2', 'some content');
INSERT INTO memories (seq, id, user_id, scope, type, deleted_at, expires_at, superseded_by, team_id, project_id, agent_id, workspace_id, session_id, allowed_vendors, origin, created_at, updated_at, version, change, editor, importance, pinned, valid_from, valid_to, key, category, source, tags, title, summary, content) VALUES (3, X'09020000000000000000000000000000', X'01010000000000000000000000000000', 'global', 'semantic', 1767323105678901, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '["*"]', 'claude', 1767323045678901, 1767323105678901, 2, 'trashed', 'claude', 5, 0, NULL, NULL, '', 'fact', 'manual', '["tag","it''s"]', 'In the trash', '', 'some content');
INSERT INTO memories (seq, id, user_id, scope, type, deleted_at, expires_at, superseded_by, team_id, project_id, agent_id, workspace_id, session_id, allowed_vendors, origin, created_at, updated_at, version, change, editor, importance, pinned, valid_from, valid_to, key, category, source, tags, title, summary, content) VALUES (4, X'09030000000000000000000000000000', X'01010000000000000000000000000000', 'global', 'semantic', NULL, 1767326645678901, NULL, NULL, NULL, NULL, NULL, NULL, '["*"]', 'claude', 1767323045678901, 1767323045678901, 1, 'created', 'claude', 5, 0, NULL, NULL, '', 'fact', 'manual', '["tag","it''s"]', 'Expired', '', 'some content');
INSERT INTO memory_versions (seq, version, replaced_at, user_id, scope, type, deleted_at, expires_at, superseded_by, team_id, project_id, agent_id, workspace_id, session_id, allowed_vendors, origin, created_at, updated_at, change, editor, importance, pinned, valid_from, valid_to, key, category, source, tags, title, summary, content) VALUES (3, 1, 1767323105678901, X'01010000000000000000000000000000', 'global', 'semantic', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '["*"]', 'claude', 1767323045678901, 1767323045678901, 'created', 'claude', 5, 0, NULL, NULL, '', 'fact', 'manual', '["tag","it''s"]', 'In the trash', '', 'some content');
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', '', '', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', '', 'o:claude', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', '', 't:it''s', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', '', 't:tag', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', 'claude', '', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', 'claude', 'o:claude', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', 'claude', 't:it''s', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', 'claude', 't:tag', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', 'cursor', '', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', 'cursor', 'o:claude', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', 'cursor', 't:it''s', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', 'cursor', 't:tag', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', '', 1767323045678901, 1, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', '', 1767323045678901, 4, 1767326645678901, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', 'd', 1767323105678901, 3, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', 'o:claude', 1767323045678901, 1, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', 'o:claude', 1767323045678901, 4, 1767326645678901, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', 'p', 1767323045678901, 3, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', 't:it''s', 1767323045678901, 1, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', 't:it''s', 1767323045678901, 4, 1767326645678901, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', 't:tag', 1767323045678901, 1, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', 't:tag', 1767323045678901, 4, 1767326645678901, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', '', '', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', '', 'o:claude', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', '', 't:it''s', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', '', 't:tag', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', 'claude', '', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', 'claude', 'o:claude', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', 'claude', 't:it''s', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', 'claude', 't:tag', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', 'cursor', '', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', 'cursor', 'o:claude', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', 'cursor', 't:it''s', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', 'cursor', 't:tag', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_text (memory_text, rank) VALUES ('secure-delete', 1);
INSERT INTO memory_text (rowid, title, content, summary, key, category, tags)
	SELECT seq, title, content, summary, key, category, (SELECT group_concat(value, char(10)) FROM json_each(m.tags)) FROM memories m;
