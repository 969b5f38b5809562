-- One project's graph. Names are those of seed S3; what it lacks is who wrote a
-- row, who may read it, and what a deletion took along. seq is the rowid that the full-text tables
-- refer to: without a column of its own a VACUUM would renumber the rows.

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

-- Deletions, restorations and merges, which the rows themselves do not keep.
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

CREATE TRIGGER entities_ai AFTER INSERT ON entities BEGIN
	INSERT INTO entities_fts (rowid, name, entity_type) VALUES (new.seq, new.name, new.entity_type);
END;
CREATE TRIGGER entities_ad AFTER DELETE ON entities BEGIN
	INSERT INTO entities_fts (entities_fts, rowid, name, entity_type) VALUES ('delete', old.seq, old.name, old.entity_type);
END;
-- Only where the text changes: a deletion or a new time leaves the index as it is.
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

CREATE INDEX idx_entities_active ON entities (name, entity_type) WHERE deleted_at IS NULL;
CREATE INDEX idx_entities_type ON entities (entity_type) WHERE deleted_at IS NULL;
CREATE INDEX idx_observations_entity ON observations (entity_id) WHERE deleted_at IS NULL;
CREATE INDEX idx_relations_from ON relations (from_entity) WHERE deleted_at IS NULL;
CREATE INDEX idx_relations_to ON relations (to_entity) WHERE deleted_at IS NULL;
CREATE INDEX idx_relations_type ON relations (relation_type) WHERE deleted_at IS NULL;

CREATE INDEX observations_hash ON observations (hash) WHERE deleted_at IS NULL;
CREATE INDEX relations_hash ON relations (hash) WHERE deleted_at IS NULL;

-- What was deleted, for the trash.
CREATE INDEX entities_trash ON entities (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX observations_trash ON observations (deleted_at) WHERE deleted_at IS NOT NULL AND deleted_with IS NULL;
CREATE INDEX relations_trash ON relations (deleted_at) WHERE deleted_at IS NOT NULL AND deleted_with IS NULL;

-- And for restoring what went along, and for the history.
CREATE INDEX observations_deleted ON observations (entity_id) WHERE deleted_at IS NOT NULL;
CREATE INDEX relations_deleted_from ON relations (from_entity) WHERE deleted_at IS NOT NULL;
CREATE INDEX relations_deleted_to ON relations (to_entity) WHERE deleted_at IS NOT NULL;
