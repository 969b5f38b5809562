-- A person may decide to keep the secrets of a memory node, an item of one and a task.
ALTER TABLE memory_nodes ADD COLUMN secrets_kept INTEGER NOT NULL DEFAULT 0 CHECK (secrets_kept IN (0, 1));
ALTER TABLE node_items ADD COLUMN secrets_kept INTEGER NOT NULL DEFAULT 0 CHECK (secrets_kept IN (0, 1));
ALTER TABLE tasks ADD COLUMN secrets_kept INTEGER NOT NULL DEFAULT 0 CHECK (secrets_kept IN (0, 1));
