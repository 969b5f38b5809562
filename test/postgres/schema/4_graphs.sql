-- The graphs of projects.

CREATE TABLE entities (
	org_id text NOT NULL,
	project_id uuid NOT NULL,
	seq bigint GENERATED ALWAYS AS IDENTITY,
	id text NOT NULL,
	name text NOT NULL,
	entity_type text NOT NULL,
	created_at text NOT NULL,
	updated_at text NOT NULL,
	deleted_at text,
	user_id text NOT NULL,
	origin text NOT NULL,
	allowed_vendors text NOT NULL DEFAULT '["*"]',
	secrets_kept boolean NOT NULL DEFAULT FALSE,
	hash bigint,
	PRIMARY KEY (org_id, project_id, seq),
	UNIQUE (org_id, project_id, id)
);

CREATE TABLE observations (
	org_id text NOT NULL,
	project_id uuid NOT NULL,
	seq bigint GENERATED ALWAYS AS IDENTITY,
	id text NOT NULL,
	entity_id text NOT NULL,
	created_at text NOT NULL,
	deleted_at text,
	user_id text NOT NULL,
	origin text NOT NULL,
	allowed_vendors text NOT NULL DEFAULT '["*"]',
	deleted_with text,
	hash bigint,
	content text NOT NULL,
	secrets_kept boolean NOT NULL DEFAULT FALSE,
	PRIMARY KEY (org_id, project_id, seq),
	UNIQUE (org_id, project_id, id),
	FOREIGN KEY (org_id, project_id, entity_id) REFERENCES entities (org_id, project_id, id) ON DELETE CASCADE
);

CREATE TABLE relations (
	org_id text NOT NULL,
	project_id uuid NOT NULL,
	seq bigint GENERATED ALWAYS AS IDENTITY,
	id text NOT NULL,
	from_entity text NOT NULL,
	to_entity text NOT NULL,
	relation_type text NOT NULL,
	created_at text NOT NULL,
	deleted_at text,
	user_id text NOT NULL,
	origin text NOT NULL,
	allowed_vendors text NOT NULL DEFAULT '["*"]',
	deleted_with text,
	hash bigint,
	secrets_kept boolean NOT NULL DEFAULT FALSE,
	PRIMARY KEY (org_id, project_id, seq),
	UNIQUE (org_id, project_id, id),
	FOREIGN KEY (org_id, project_id, from_entity) REFERENCES entities (org_id, project_id, id) ON DELETE CASCADE,
	FOREIGN KEY (org_id, project_id, to_entity) REFERENCES entities (org_id, project_id, id) ON DELETE CASCADE
);

CREATE TABLE changes (
	org_id text NOT NULL,
	project_id uuid NOT NULL,
	seq bigint GENERATED ALWAYS AS IDENTITY,
	at text NOT NULL,
	change text NOT NULL CHECK (change IN ('deleted', 'restored', 'merged')),
	kind text NOT NULL CHECK (kind IN ('entity', 'observation', 'relation')),
	row_id text NOT NULL,
	user_id text NOT NULL,
	origin text NOT NULL,
	merged_from text,
	merged_into text,
	PRIMARY KEY (org_id, project_id, seq),
	CHECK ((change = 'merged') = (merged_from IS NOT NULL AND merged_into IS NOT NULL))
);

CREATE INDEX changes_of_row ON changes (org_id, project_id, row_id);
CREATE INDEX entities_active ON entities (org_id, project_id, name, entity_type) WHERE deleted_at IS NULL;
CREATE INDEX entities_type ON entities (org_id, project_id, entity_type) WHERE deleted_at IS NULL;
CREATE INDEX observations_entity ON observations (org_id, project_id, entity_id) WHERE deleted_at IS NULL;
CREATE INDEX relations_from ON relations (org_id, project_id, from_entity) WHERE deleted_at IS NULL;
CREATE INDEX relations_to ON relations (org_id, project_id, to_entity) WHERE deleted_at IS NULL;
CREATE INDEX relations_type ON relations (org_id, project_id, relation_type) WHERE deleted_at IS NULL;
CREATE INDEX observations_hash ON observations (org_id, project_id, hash) WHERE deleted_at IS NULL;
CREATE INDEX relations_hash ON relations (org_id, project_id, hash) WHERE deleted_at IS NULL;
CREATE INDEX entities_trash ON entities (org_id, project_id, deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX observations_trash ON observations (org_id, project_id, deleted_at)
	WHERE deleted_at IS NOT NULL AND deleted_with IS NULL;
CREATE INDEX relations_trash ON relations (org_id, project_id, deleted_at)
	WHERE deleted_at IS NOT NULL AND deleted_with IS NULL;
CREATE INDEX observations_deleted ON observations (org_id, project_id, entity_id) WHERE deleted_at IS NOT NULL;
CREATE INDEX relations_deleted_from ON relations (org_id, project_id, from_entity) WHERE deleted_at IS NOT NULL;
CREATE INDEX relations_deleted_to ON relations (org_id, project_id, to_entity) WHERE deleted_at IS NOT NULL;
CREATE INDEX entities_hash ON entities (org_id, project_id, hash) WHERE deleted_at IS NULL;

CREATE TABLE text_changes (
	org_id text NOT NULL,
	project_id uuid NOT NULL,
	number bigint NOT NULL,
	row_id text NOT NULL,
	erased boolean NOT NULL,
	PRIMARY KEY (org_id, project_id, number)
);

-- What changed in the texts of a graph, in order, so that an index of them can follow. Writers of a graph stand in line.
CREATE FUNCTION change_text() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE last bigint;
BEGIN
	SELECT coalesce(max(number), 0) + 1 INTO last FROM text_changes
		WHERE org_id = OLD.org_id AND project_id = OLD.project_id;
	INSERT INTO text_changes (org_id, project_id, number, row_id, erased)
		VALUES (OLD.org_id, OLD.project_id, last, OLD.id, CASE WHEN TG_OP = 'DELETE' THEN TRUE
			WHEN TG_TABLE_NAME = 'entities' THEN to_jsonb(OLD) -> 'name' <> to_jsonb(NEW) -> 'name'
				OR to_jsonb(OLD) -> 'entity_type' <> to_jsonb(NEW) -> 'entity_type'
			ELSE to_jsonb(OLD) -> 'content' <> to_jsonb(NEW) -> 'content' END);
	IF last % 1000 = 0 THEN
		DELETE FROM text_changes WHERE org_id = OLD.org_id AND project_id = OLD.project_id AND number <= last - 20000;
	END IF;
	RETURN NULL;
END $$;
CREATE TRIGGER entity_text_changed AFTER DELETE
	OR UPDATE OF name, entity_type, deleted_at, allowed_vendors ON entities
	FOR EACH ROW EXECUTE FUNCTION change_text();
CREATE TRIGGER observation_text_changed AFTER DELETE
	OR UPDATE OF content, deleted_at, allowed_vendors ON observations
	FOR EACH ROW EXECUTE FUNCTION change_text();
