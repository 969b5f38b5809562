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
, name TEXT NOT NULL DEFAULT '' CHECK (octet_length(name) <= 400), state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('pending', 'active', 'disabled', 'leaving')), org_role TEXT NOT NULL DEFAULT 'member' CHECK (org_role IN ('owner', 'admin', 'member')), team_id BLOB REFERENCES teams (id), team_role TEXT CHECK (team_role IN ('owner', 'admin', 'member') AND (team_id IS NULL) = (team_role IS NULL))) STRICT, WITHOUT ROWID;
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
, editor_user BLOB CHECK (length(editor_user) = 16), editor_credential BLOB CHECK (length(editor_credential) = 16), editor_session BLOB CHECK (length(editor_session) = 16), digest INTEGER) STRICT;
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
	content         TEXT NOT NULL, editor_user BLOB, editor_credential BLOB, editor_session BLOB,
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
CREATE TABLE teams (
	id         BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
	name       TEXT NOT NULL UNIQUE COLLATE NOCASE CHECK (octet_length(name) BETWEEN 1 AND 400),
	created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
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
CREATE INDEX memories_by_key ON memories (user_id, key, scope, updated_at) WHERE key <> '' AND deleted_at IS NULL;
CREATE INDEX memories_edited ON memories (user_id, updated_at);
CREATE INDEX memory_versions_edited ON memory_versions (user_id, updated_at);
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
CREATE TABLE audit_of_projects (
	project_id BLOB PRIMARY KEY NOT NULL CHECK (length(project_id) = 16),
	number     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX memories_by_text ON memories (digest) WHERE deleted_at IS NULL AND superseded_by IS NULL;
CREATE INDEX memories_by_superseder ON memories (superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX memories_by_session ON memories (session_id, created_at, id) WHERE session_id IS NOT NULL;
INSERT INTO _migrations (number, name, applied_at) VALUES (1, 'memories', 1767323045678901);
INSERT INTO _migrations (number, name, applied_at) VALUES (2, 'identity', 1767323045678901);
INSERT INTO _migrations (number, name, applied_at) VALUES (3, 'structured', 1767323045678901);
INSERT INTO _migrations (number, name, applied_at) VALUES (4, 'lists', 1767323045678901);
INSERT INTO _migrations (number, name, applied_at) VALUES (5, 'agent_scope', 1767323045678901);
INSERT INTO _migrations (number, name, applied_at) VALUES (6, 'graph_audit', 1767323045678901);
INSERT INTO _migrations (number, name, applied_at) VALUES (7, 'digests', 1767323045678901);
INSERT INTO _migrations (number, name, applied_at) VALUES (8, 'by_text', 1767323045678901);
INSERT INTO _migrations (number, name, applied_at) VALUES (9, 'by_superseder', 1767323045678901);
INSERT INTO _migrations (number, name, applied_at) VALUES (10, 'by_session', 1767323045678901);
INSERT INTO _migrations (number, name, applied_at) VALUES (11, 'no_full_text', 1767323045678901);
INSERT INTO org (one, id, position_key, created_at) VALUES (1, 'default', X'BE2198939A92BEC703A660B444353861', 1767323045678901);
INSERT INTO users (id, email, role, created_at, name, state, org_role, team_id, team_role) VALUES (X'01010000000000000000000000000000', NULL, 'user', 1767323045678901, '', 'active', 'owner', NULL, NULL);
INSERT INTO users (id, email, role, created_at, name, state, org_role, team_id, team_role) VALUES (X'01020000000000000000000000000000', 'other@example.com', 'private-alpha', 1767323045678901, 'Ada', 'disabled', 'admin', X'03000000000000000000000000000000', 'owner');
INSERT INTO memories (seq, id, user_id, scope, type, deleted_at, expires_at, superseded_by, team_id, project_id, agent_id, workspace_id, session_id, allowed_vendors, origin, created_at, updated_at, version, change, editor, importance, pinned, valid_from, valid_to, key, category, source, tags, title, summary, content, editor_user, editor_credential, editor_session, digest) VALUES (1, X'09000000000000000000000000000000', X'01010000000000000000000000000000', 'global', 'semantic', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '["*"]', 'claude', 1767323045678901, 1767323045678901, 1, 'created', 'claude', 5, 0, NULL, NULL, '', 'fact', 'manual', '["tag","it''s"]', 'Deployments <run> on Fridays', '', 'some content', NULL, NULL, NULL, -5223995788951101844);
INSERT INTO memories (seq, id, user_id, scope, type, deleted_at, expires_at, superseded_by, team_id, project_id, agent_id, workspace_id, session_id, allowed_vendors, origin, created_at, updated_at, version, change, editor, importance, pinned, valid_from, valid_to, key, category, source, tags, title, summary, content, editor_user, editor_credential, editor_session, digest) VALUES (2, X'09010000000000000000000000000000', X'01020000000000000000000000000000', 'project', 'semantic', NULL, NULL, NULL, NULL, X'05000000000000000000000000000000', NULL, NULL, NULL, '["claude","cursor"]', 'claude', 1767323045678901, 1767323045678901, 1, 'created', 'claude', 5, 0, NULL, NULL, 'a/key', 'fact', 'manual', '["tag","it''s"]', '日本 & café', 'line 1
line 2', 'some content', NULL, NULL, NULL, 1572323709764132349);
INSERT INTO memories (seq, id, user_id, scope, type, deleted_at, expires_at, superseded_by, team_id, project_id, agent_id, workspace_id, session_id, allowed_vendors, origin, created_at, updated_at, version, change, editor, importance, pinned, valid_from, valid_to, key, category, source, tags, title, summary, content, editor_user, editor_credential, editor_session, digest) VALUES (3, X'09020000000000000000000000000000', X'01010000000000000000000000000000', 'global', 'semantic', 1767323105678901, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '["*"]', 'claude', 1767323045678901, 1767323105678901, 2, 'trashed', 'claude', 5, 0, NULL, NULL, '', 'fact', 'manual', '["tag","it''s"]', 'In the trash', '', 'some content', NULL, NULL, NULL, 1417269698097243170);
INSERT INTO memories (seq, id, user_id, scope, type, deleted_at, expires_at, superseded_by, team_id, project_id, agent_id, workspace_id, session_id, allowed_vendors, origin, created_at, updated_at, version, change, editor, importance, pinned, valid_from, valid_to, key, category, source, tags, title, summary, content, editor_user, editor_credential, editor_session, digest) VALUES (4, X'09030000000000000000000000000000', X'01010000000000000000000000000000', 'global', 'semantic', NULL, 1767326645678901, NULL, NULL, NULL, NULL, NULL, NULL, '["*"]', 'claude', 1767323045678901, 1767323045678901, 1, 'created', 'claude', 5, 0, NULL, NULL, '', 'fact', 'manual', '["tag","it''s"]', 'Expired', '', 'some content', NULL, NULL, NULL, -895219223420805350);
INSERT INTO memories (seq, id, user_id, scope, type, deleted_at, expires_at, superseded_by, team_id, project_id, agent_id, workspace_id, session_id, allowed_vendors, origin, created_at, updated_at, version, change, editor, importance, pinned, valid_from, valid_to, key, category, source, tags, title, summary, content, editor_user, editor_credential, editor_session, digest) VALUES (5, X'09090000000000000000000000000000', X'01010000000000000000000000000000', 'global', 'semantic', NULL, NULL, NULL, X'03000000000000000000000000000000', NULL, NULL, X'04000000000000000000000000000000', NULL, '["*"]', 'claude', 1767323045678901, 1767323045678901, 1, 'created', 'claude', 5, 0, NULL, NULL, '', 'fact', 'manual', '[]', 'Shared', '', 'some content', NULL, NULL, NULL, 7858125951414281630);
INSERT INTO memories (seq, id, user_id, scope, type, deleted_at, expires_at, superseded_by, team_id, project_id, agent_id, workspace_id, session_id, allowed_vendors, origin, created_at, updated_at, version, change, editor, importance, pinned, valid_from, valid_to, key, category, source, tags, title, summary, content, editor_user, editor_credential, editor_session, digest) VALUES (6, X'0A000000000000000000000000000000', X'01010000000000000000000000000000', 'global', 'semantic', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '["claude","cursor"]', 'claude', 1767323045678901, 1767323045678901, 1, 'created', 'claude', 5, 1, NULL, NULL, 'it''s a "key"', 'fact', 'manual', '["structured"]', 'Always on', '', 'some content', X'01010000000000000000000000000000', NULL, NULL, -5563001569063778377);
INSERT INTO memories (seq, id, user_id, scope, type, deleted_at, expires_at, superseded_by, team_id, project_id, agent_id, workspace_id, session_id, allowed_vendors, origin, created_at, updated_at, version, change, editor, importance, pinned, valid_from, valid_to, key, category, source, tags, title, summary, content, editor_user, editor_credential, editor_session, digest) VALUES (7, X'0A010000000000000000000000000000', X'01010000000000000000000000000000', 'agent', 'semantic', NULL, NULL, NULL, NULL, NULL, X'07000000000000000000000000000000', NULL, NULL, '["*"]', 'claude', 1767323045678901, 1767323045678901, 1, 'created', 'claude', 5, 1, NULL, NULL, '', 'fact', 'manual', '["structured"]', 'For the agent', '', 'some content', X'01010000000000000000000000000000', NULL, NULL, -8685338474040650331);
INSERT INTO memories (seq, id, user_id, scope, type, deleted_at, expires_at, superseded_by, team_id, project_id, agent_id, workspace_id, session_id, allowed_vendors, origin, created_at, updated_at, version, change, editor, importance, pinned, valid_from, valid_to, key, category, source, tags, title, summary, content, editor_user, editor_credential, editor_session, digest) VALUES (8, X'0A020000000000000000000000000000', X'01010000000000000000000000000000', 'global', 'semantic', NULL, NULL, NULL, NULL, NULL, NULL, NULL, X'08000000000000000000000000000000', '["*"]', 'claude', 1767323045678901, 1767323045678901, 1, 'created', 'claude', 5, 0, NULL, NULL, '日本', 'fact', 'manual', '["structured"]', 'Of the session', '', 'some content', X'01010000000000000000000000000000', NULL, X'08000000000000000000000000000000', 2199422996873884460);
INSERT INTO memory_versions (seq, version, replaced_at, user_id, scope, type, deleted_at, expires_at, superseded_by, team_id, project_id, agent_id, workspace_id, session_id, allowed_vendors, origin, created_at, updated_at, change, editor, importance, pinned, valid_from, valid_to, key, category, source, tags, title, summary, content, editor_user, editor_credential, editor_session) VALUES (3, 1, 1767323105678901, X'01010000000000000000000000000000', 'global', 'semantic', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '["*"]', 'claude', 1767323045678901, 1767323045678901, 'created', 'claude', 5, 0, NULL, NULL, '', 'fact', 'manual', '["tag","it''s"]', 'In the trash', '', 'some content', NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', '', '', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', '', 'c:project', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', '', 'j:05000000000000000000000000000000', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', '', 'k:a/key', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', '', 'o:claude', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', '', 't:it''s', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', '', 't:tag', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', 'claude', '', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', 'claude', 'c:project', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', 'claude', 'j:05000000000000000000000000000000', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', 'claude', 'k:a/key', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', 'claude', 'o:claude', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', 'claude', 't:it''s', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', 'claude', 't:tag', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', 'cursor', '', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', 'cursor', 'c:project', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', 'cursor', 'j:05000000000000000000000000000000', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', 'cursor', 'k:a/key', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', 'cursor', 'o:claude', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', 'cursor', 't:it''s', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7005000000000000000000000000000000', 'cursor', 't:tag', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7403000000000000000000000000000000', '*', '', 1767323045678901, 5, NULL, NULL, X'04000000000000000000000000000000');
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7403000000000000000000000000000000', '*', 'o:claude', 1767323045678901, 5, NULL, NULL, X'04000000000000000000000000000000');
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '', '', 1767323045678901, 6, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '', '!', 1767323045678901, 6, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '', 'k:it''s a "key"', 1767323045678901, 6, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '', 'o:claude', 1767323045678901, 6, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '', 't:structured', 1767323045678901, 6, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', '', 1767323045678901, 1, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', '', 1767323045678901, 4, 1767326645678901, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', '', 1767323045678901, 5, NULL, NULL, X'04000000000000000000000000000000');
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', '', 1767323045678901, 7, NULL, X'07000000000000000000000000000000', NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', '', 1767323045678901, 8, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', '!', 1767323045678901, 7, NULL, X'07000000000000000000000000000000', NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', 'a:07000000000000000000000000000000', 1767323045678901, 7, NULL, X'07000000000000000000000000000000', NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', 'c:agent', 1767323045678901, 7, NULL, X'07000000000000000000000000000000', NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', 'd', 1767323105678901, 3, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', 'k:日本', 1767323045678901, 8, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', 'o:claude', 1767323045678901, 1, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', 'o:claude', 1767323045678901, 4, 1767326645678901, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', 'o:claude', 1767323045678901, 5, NULL, NULL, X'04000000000000000000000000000000');
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', 'o:claude', 1767323045678901, 7, NULL, X'07000000000000000000000000000000', NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', 'o:claude', 1767323045678901, 8, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', 'p', 1767323045678901, 3, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', 's:08000000000000000000000000000000', 1767323045678901, 8, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', 't:it''s', 1767323045678901, 1, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', 't:it''s', 1767323045678901, 4, 1767326645678901, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', 't:structured', 1767323045678901, 7, NULL, X'07000000000000000000000000000000', NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', 't:structured', 1767323045678901, 8, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', 't:tag', 1767323045678901, 1, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', '*', 't:tag', 1767323045678901, 4, 1767326645678901, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', 'claude', '', 1767323045678901, 6, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', 'claude', '!', 1767323045678901, 6, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', 'claude', 'k:it''s a "key"', 1767323045678901, 6, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', 'claude', 'o:claude', 1767323045678901, 6, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', 'claude', 't:structured', 1767323045678901, 6, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', 'cursor', '', 1767323045678901, 6, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', 'cursor', '!', 1767323045678901, 6, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', 'cursor', 'k:it''s a "key"', 1767323045678901, 6, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', 'cursor', 'o:claude', 1767323045678901, 6, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501010000000000000000000000000000', 'cursor', 't:structured', 1767323045678901, 6, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', '', '', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', '', 'c:project', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', '', 'j:05000000000000000000000000000000', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', '', 'k:a/key', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', '', 'o:claude', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', '', 't:it''s', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', '', 't:tag', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', 'claude', '', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', 'claude', 'c:project', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', 'claude', 'j:05000000000000000000000000000000', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', 'claude', 'k:a/key', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', 'claude', 'o:claude', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', 'claude', 't:it''s', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', 'claude', 't:tag', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', 'cursor', '', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', 'cursor', 'c:project', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', 'cursor', 'j:05000000000000000000000000000000', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', 'cursor', 'k:a/key', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', 'cursor', 'o:claude', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', 'cursor', 't:it''s', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id) VALUES (X'7501020000000000000000000000000000', 'cursor', 't:tag', 1767323045678901, 2, NULL, NULL, NULL);
INSERT INTO teams (id, name, created_at) VALUES (X'03000000000000000000000000000000', 'Plätze', 1767323045678901);
INSERT INTO team_invites (id, email, team_id, org_role, team_role, hash, invited_by, state, created_at, expires_at) VALUES (X'05000000000000000000000000000000', 'new@example.com', X'03000000000000000000000000000000', 'member', 'member', X'0505000000000000000000000000000000000000000000000000000000000000', X'01010000000000000000000000000000', 'pending', 1767323045678901, 1767927845678901);
INSERT INTO workspaces (id, name, created_at) VALUES (X'04000000000000000000000000000000', 'Main', 1767323045678901);
INSERT INTO workspace_members (user_id, workspace_id) VALUES (X'01020000000000000000000000000000', X'04000000000000000000000000000000');
INSERT INTO passwords (user_id, encoded) VALUES (X'01010000000000000000000000000000', '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA');
INSERT INTO passkeys (id, user_id, name, data, created_at, last_used_at) VALUES (X'060006', X'01010000000000000000000000000000', 'Key', '{"a":"''b''"}', 1767323045678901, 1767323046678901);
INSERT INTO audit (number, at, action, allowed, kind, method, user_id, vendor, credential_id, target, count) VALUES (1, 1767323045678901, 'key.create', 1, 'user', 'session', X'01010000000000000000000000000000', '', X'02000000000000000000000000000000', 'x', 1);
INSERT INTO agents (id, user_id, vendor, name, config, created_at, updated_at) VALUES (X'07000000000000000000000000000000', X'01010000000000000000000000000000', 'claude', 'Reviewer''s', '{"depth":3}', 1767323045678901, 1767323045678901);
INSERT INTO agents (id, user_id, vendor, name, config, created_at, updated_at) VALUES (X'07010000000000000000000000000000', X'01010000000000000000000000000000', 'cursor', 'Reviewer''s', '{"n":1}', 1767323046678901, 1767326646678901);
INSERT INTO agents (id, user_id, vendor, name, config, created_at, updated_at) VALUES (X'07020000000000000000000000000000', X'01020000000000000000000000000000', 'claude', 'Reviewer''s-2', '{"n":1}', 1767323047678901, 1767326647678901);
INSERT INTO agents (id, user_id, vendor, name, config, created_at, updated_at) VALUES (X'07030000000000000000000000000000', X'01020000000000000000000000000000', 'claude', 'Reviewer''s', '{"n":1}', 1767323048678901, 1767326648678901);
INSERT INTO agents (id, user_id, vendor, name, config, created_at, updated_at) VALUES (X'07040000000000000000000000000000', X'01010000000000000000000000000000', 'claude', 'éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé', '{"n":1}', 1767323049678901, 1767326649678901);
INSERT INTO agents (id, user_id, vendor, name, config, created_at, updated_at) VALUES (X'07050000000000000000000000000000', X'01010000000000000000000000000000', 'cursor', 'éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé', '{"n":1}', 1767323050678901, 1767326650678901);
INSERT INTO sessions (seq, id, user_id, workspace_id, project_id, agent_id, vendor, title, state, created_at, closed_at) VALUES (1, X'08000000000000000000000000000000', X'01010000000000000000000000000000', NULL, NULL, X'07000000000000000000000000000000', 'claude', 'café', 'active', 1767323045678901, NULL);
INSERT INTO sessions (seq, id, user_id, workspace_id, project_id, agent_id, vendor, title, state, created_at, closed_at) VALUES (2, X'08010000000000000000000000000000', X'01010000000000000000000000000000', X'04000000000000000000000000000000', X'05000000000000000000000000000000', NULL, '', '', 'closed', 1767323045678901, 1767323105678901);
INSERT INTO sessions (seq, id, user_id, workspace_id, project_id, agent_id, vendor, title, state, created_at, closed_at) VALUES (3, X'08020000000000000000000000000000', X'01010000000000000000000000000000', X'04000000000000000000000000000000', X'05000000000000000000000000000000', X'07010000000000000000000000000000', '', '', 'active', 1767323045678901, NULL);
INSERT INTO sessions (seq, id, user_id, workspace_id, project_id, agent_id, vendor, title, state, created_at, closed_at) VALUES (4, X'08030000000000000000000000000000', X'01020000000000000000000000000000', X'04000000000000000000000000000000', X'05000000000000000000000000000000', X'07030000000000000000000000000000', 'claude', '', 'active', 1767323045678901, NULL);
INSERT INTO feed (seq, at, kind, row_id, change, version, origin, access, before) VALUES (1, 1767323045678901, 'memory', X'09000000000000000000000000000000', 'created', 1, 'claude', X'8001010000000000000000000000000000', NULL);
INSERT INTO feed (seq, at, kind, row_id, change, version, origin, access, before) VALUES (2, 1767323045678901, 'memory', X'09010000000000000000000000000000', 'created', 1, 'claude', X'0901020000000000000000000000000000050000000000000000000000000000000206636C6175646506637572736F72', NULL);
INSERT INTO feed (seq, at, kind, row_id, change, version, origin, access, before) VALUES (3, 1767323045678901, 'memory', X'09020000000000000000000000000000', 'created', 1, 'claude', X'8001010000000000000000000000000000', NULL);
INSERT INTO feed (seq, at, kind, row_id, change, version, origin, access, before) VALUES (4, 1767323045678901, 'memory', X'09030000000000000000000000000000', 'created', 1, 'claude', X'8001010000000000000000000000000000', NULL);
INSERT INTO feed (seq, at, kind, row_id, change, version, origin, access, before) VALUES (5, 1767323045678901, 'memory', X'09020000000000000000000000000000', 'trashed', 2, 'claude', X'C001010000000000000000000000000000', X'8001010000000000000000000000000000');
INSERT INTO feed (seq, at, kind, row_id, change, version, origin, access, before) VALUES (6, 1767323045678901, 'memory', X'09090000000000000000000000000000', 'created', 1, 'claude', X'A4010100000000000000000000000000000400000000000000000000000000000003000000000000000000000000000000', NULL);
INSERT INTO feed (seq, at, kind, row_id, change, version, origin, access, before) VALUES (7, 1767323045678901, 'memory', X'0A000000000000000000000000000000', 'created', 1, 'claude', X'00010100000000000000000000000000000206636C6175646506637572736F72', NULL);
INSERT INTO feed (seq, at, kind, row_id, change, version, origin, access, before) VALUES (8, 1767323045678901, 'memory', X'0A010000000000000000000000000000', 'created', 1, 'claude', X'920101000000000000000000000000000007000000000000000000000000000000', NULL);
INSERT INTO feed (seq, at, kind, row_id, change, version, origin, access, before) VALUES (9, 1767323045678901, 'memory', X'0A020000000000000000000000000000', 'created', 1, 'claude', X'8001010000000000000000000000000000', NULL);
