-- Of the name without case and blanks, to find names that are alike.
ALTER TABLE entities ADD COLUMN hash INTEGER NULL;
CREATE INDEX entities_hash ON entities (hash) WHERE deleted_at IS NULL;

-- Which names, types and observations changed after they were stored, for the index of the graph. It finds new ones
-- by their numbers. Only the last 20,000 or so are kept: an index that lacks more is built again.
CREATE TABLE text_changes (
	number INTEGER PRIMARY KEY AUTOINCREMENT,
	row_id TEXT NOT NULL,
	erased INTEGER NOT NULL -- 1: the earlier text must not be kept
) STRICT;

CREATE TRIGGER entity_text_changed AFTER UPDATE OF name, entity_type, deleted_at, allowed_vendors ON entities BEGIN
	INSERT INTO text_changes (row_id, erased)
	VALUES (old.id, old.name <> new.name OR old.entity_type <> new.entity_type);
END;
CREATE TRIGGER entity_text_erased AFTER DELETE ON entities BEGIN
	INSERT INTO text_changes (row_id, erased) VALUES (old.id, 1);
END;
CREATE TRIGGER observation_text_changed AFTER UPDATE OF content, deleted_at, allowed_vendors ON observations BEGIN
	INSERT INTO text_changes (row_id, erased) VALUES (old.id, old.content <> new.content);
END;
CREATE TRIGGER observation_text_erased AFTER DELETE ON observations BEGIN
	INSERT INTO text_changes (row_id, erased) VALUES (old.id, 1);
END;
CREATE TRIGGER text_changes_bound AFTER INSERT ON text_changes WHEN new.number % 1000 = 0 BEGIN
	DELETE FROM text_changes WHERE number <= new.number - 20000;
END;
