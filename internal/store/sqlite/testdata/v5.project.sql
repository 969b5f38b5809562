CREATE TABLE _migrations (
	number INTEGER PRIMARY KEY,
	name TEXT NOT NULL,
	applied_at INTEGER NOT NULL
) STRICT;
CREATE TABLE project (
	one        INTEGER PRIMARY KEY CHECK (one = 1),
	id         TEXT NOT NULL,
	org_id     TEXT NOT NULL,
	created_at TEXT NOT NULL
) STRICT;
CREATE TABLE entities (
	seq             INTEGER PRIMARY KEY,
	id              TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
	name            TEXT NOT NULL,
	entity_type     TEXT NOT NULL,
	created_at      TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ')),
	updated_at      TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ')),
	deleted_at      TEXT NULL,
	user_id         TEXT NOT NULL,
	origin          TEXT NOT NULL,
	allowed_vendors TEXT NOT NULL DEFAULT '["*"]' CHECK (json_type(allowed_vendors) = 'array')
) STRICT;
CREATE TABLE observations (
	seq             INTEGER PRIMARY KEY,
	id              TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
	entity_id       TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
	created_at      TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ')),
	deleted_at      TEXT NULL,
	user_id         TEXT NOT NULL,
	origin          TEXT NOT NULL,
	allowed_vendors TEXT NOT NULL DEFAULT '["*"]' CHECK (json_type(allowed_vendors) = 'array'),
	-- The entity whose deletion deleted this too; NULL: it was deleted by itself.
	deleted_with    TEXT NULL,
	-- Of the entity and the content, to find what says the same: the text itself
	-- would make the index as large as the table. A rebuild fills in what is NULL.
	hash            INTEGER NULL,
	-- Last, so that who may read a row is known without its text's pages.
	content         TEXT NOT NULL
) STRICT;
CREATE TABLE relations (
	seq             INTEGER PRIMARY KEY,
	id              TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
	from_entity     TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
	to_entity       TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
	relation_type   TEXT NOT NULL,
	created_at      TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ')),
	deleted_at      TEXT NULL,
	user_id         TEXT NOT NULL,
	origin          TEXT NOT NULL,
	allowed_vendors TEXT NOT NULL DEFAULT '["*"]' CHECK (json_type(allowed_vendors) = 'array'),
	deleted_with    TEXT NULL,
	hash            INTEGER NULL -- of both ends and the type
) STRICT;
CREATE TABLE changes (
	seq         INTEGER PRIMARY KEY,
	at          TEXT NOT NULL,
	change      TEXT NOT NULL CHECK (change IN ('deleted', 'restored', 'merged')),
	kind        TEXT NOT NULL CHECK (kind IN ('entity', 'observation', 'relation')),
	row_id      TEXT NOT NULL,
	user_id     TEXT NOT NULL,
	origin      TEXT NOT NULL,
	merged_from TEXT NULL,
	merged_into TEXT NULL,
	CHECK ((change = 'merged') = (merged_from IS NOT NULL AND merged_into IS NOT NULL))
) STRICT;
CREATE INDEX changes_of_row ON changes (row_id);
CREATE VIRTUAL TABLE entities_fts USING fts5(
	name,
	entity_type,
	content='entities',
	content_rowid='seq'
);
CREATE VIRTUAL TABLE observations_fts USING fts5(
	content,
	content='observations',
	content_rowid='seq'
);
CREATE INDEX idx_entities_active ON entities (name, entity_type) WHERE deleted_at IS NULL;
CREATE INDEX idx_entities_type ON entities (entity_type) WHERE deleted_at IS NULL;
CREATE INDEX idx_observations_entity ON observations (entity_id) WHERE deleted_at IS NULL;
CREATE INDEX idx_relations_from ON relations (from_entity) WHERE deleted_at IS NULL;
CREATE INDEX idx_relations_to ON relations (to_entity) WHERE deleted_at IS NULL;
CREATE INDEX idx_relations_type ON relations (relation_type) WHERE deleted_at IS NULL;
CREATE INDEX observations_hash ON observations (hash) WHERE deleted_at IS NULL;
CREATE INDEX relations_hash ON relations (hash) WHERE deleted_at IS NULL;
CREATE INDEX entities_trash ON entities (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX observations_trash ON observations (deleted_at) WHERE deleted_at IS NOT NULL AND deleted_with IS NULL;
CREATE INDEX relations_trash ON relations (deleted_at) WHERE deleted_at IS NOT NULL AND deleted_with IS NULL;
CREATE INDEX observations_deleted ON observations (entity_id) WHERE deleted_at IS NOT NULL;
CREATE INDEX relations_deleted_from ON relations (from_entity) WHERE deleted_at IS NOT NULL;
CREATE INDEX relations_deleted_to ON relations (to_entity) WHERE deleted_at IS NOT NULL;
CREATE TABLE audit (
	number        INTEGER PRIMARY KEY AUTOINCREMENT,
	at            INTEGER NOT NULL,
	action        TEXT NOT NULL,
	kind          TEXT NOT NULL,
	method        TEXT NOT NULL,
	user_id       BLOB CHECK (length(user_id) = 16),
	vendor        TEXT NOT NULL,
	credential_id BLOB CHECK (length(credential_id) = 16),
	count         INTEGER NOT NULL
) STRICT;
INSERT INTO _migrations (number, name, applied_at) VALUES (1, 'graph', 1767323045678901);
INSERT INTO _migrations (number, name, applied_at) VALUES (2, 'audit', 1767323045678901);
INSERT INTO project (one, id, org_id, created_at) VALUES (1, '05000000-0000-0000-0000-000000000000', 'default', '2026-01-02T03:04:05.678Z');
INSERT INTO entities (seq, id, name, entity_type, created_at, updated_at, deleted_at, user_id, origin, allowed_vendors) VALUES (1, '1db27770-abca-4dda-bb8b-28b151194289', 'Ada''s', 'person', '2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z', NULL, '01010000-0000-0000-0000-000000000000', 'claude', '["claude","cursor"]');
INSERT INTO entities (seq, id, name, entity_type, created_at, updated_at, deleted_at, user_id, origin, allowed_vendors) VALUES (2, 'bf6fac2f-071c-43a8-bd2a-7c25f62a2eab', 'café', 'place', '2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z', NULL, '01010000-0000-0000-0000-000000000000', 'claude', '["claude","cursor"]');
INSERT INTO observations (seq, id, entity_id, created_at, deleted_at, user_id, origin, allowed_vendors, deleted_with, hash, content) VALUES (1, '6df0deb0-8352-439c-8c6a-506ebe7c8193', '1db27770-abca-4dda-bb8b-28b151194289', '2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z', '01010000-0000-0000-0000-000000000000', 'claude', '["claude","cursor"]', NULL, -6214234304304246923, 'writes notes');
INSERT INTO observations (seq, id, entity_id, created_at, deleted_at, user_id, origin, allowed_vendors, deleted_with, hash, content) VALUES (2, 'c60ac6ee-c86b-4b78-9260-47782c3ebcbf', '1db27770-abca-4dda-bb8b-28b151194289', '2026-01-02T03:04:05.678Z', NULL, '01010000-0000-0000-0000-000000000000', 'claude', '["claude","cursor"]', NULL, -8331659274076123405, 'drinks ''tea''
at noon');
INSERT INTO relations (seq, id, from_entity, to_entity, relation_type, created_at, deleted_at, user_id, origin, allowed_vendors, deleted_with, hash) VALUES (1, '414db183-3ed1-42d3-b97c-88acb98cef5c', '1db27770-abca-4dda-bb8b-28b151194289', 'bf6fac2f-071c-43a8-bd2a-7c25f62a2eab', 'visits', '2026-01-02T03:04:05.678Z', NULL, '01010000-0000-0000-0000-000000000000', 'claude', '["claude","cursor"]', NULL, -4995400932759671041);
INSERT INTO changes (seq, at, change, kind, row_id, user_id, origin, merged_from, merged_into) VALUES (1, '2026-01-02T03:04:05.678Z', 'deleted', 'observation', '6df0deb0-8352-439c-8c6a-506ebe7c8193', '01010000-0000-0000-0000-000000000000', 'claude', NULL, NULL);
INSERT INTO entities_fts (entities_fts) VALUES ('rebuild');
INSERT INTO observations_fts (observations_fts) VALUES ('rebuild');
CREATE TRIGGER entities_ai AFTER INSERT ON entities BEGIN
	INSERT INTO entities_fts (rowid, name, entity_type) VALUES (new.seq, new.name, new.entity_type);
END;
CREATE TRIGGER entities_ad AFTER DELETE ON entities BEGIN
	INSERT INTO entities_fts (entities_fts, rowid, name, entity_type) VALUES ('delete', old.seq, old.name, old.entity_type);
END;
CREATE TRIGGER entities_au AFTER UPDATE OF seq, name, entity_type ON entities BEGIN
	INSERT INTO entities_fts (entities_fts, rowid, name, entity_type) VALUES ('delete', old.seq, old.name, old.entity_type);
	INSERT INTO entities_fts (rowid, name, entity_type) VALUES (new.seq, new.name, new.entity_type);
END;
CREATE TRIGGER observations_ai AFTER INSERT ON observations BEGIN
	INSERT INTO observations_fts (rowid, content) VALUES (new.seq, new.content);
END;
CREATE TRIGGER observations_ad AFTER DELETE ON observations BEGIN
	INSERT INTO observations_fts (observations_fts, rowid, content) VALUES ('delete', old.seq, old.content);
END;
CREATE TRIGGER observations_au AFTER UPDATE OF seq, content ON observations BEGIN
	INSERT INTO observations_fts (observations_fts, rowid, content) VALUES ('delete', old.seq, old.content);
	INSERT INTO observations_fts (rowid, content) VALUES (new.seq, new.content);
END;
