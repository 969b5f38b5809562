-- For a save under a new key, which looks for keys that differ from it only in case or blanks.
CREATE INDEX memories_by_look ON memories (user_id, replace(lower(key), ' ', ''), scope, updated_at) WHERE key <> '' AND deleted_at IS NULL;
