-- A person may decide to keep the secrets of a row.
ALTER TABLE entities ADD COLUMN secrets_kept INTEGER NOT NULL DEFAULT 0 CHECK (secrets_kept IN (0, 1));
ALTER TABLE observations ADD COLUMN secrets_kept INTEGER NOT NULL DEFAULT 0 CHECK (secrets_kept IN (0, 1));
ALTER TABLE relations ADD COLUMN secrets_kept INTEGER NOT NULL DEFAULT 0 CHECK (secrets_kept IN (0, 1));
