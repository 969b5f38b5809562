-- Where the events of an org are: '' is the server's default.

ALTER TABLE orgs ADD COLUMN events TEXT NOT NULL DEFAULT '' CHECK (events IN ('', 'embedded', 'arc'));

-- The Arc of an org. key_sealed is its API key, encrypted with the master key that master_id names.
CREATE TABLE arc_bindings (
	org_id      TEXT PRIMARY KEY NOT NULL REFERENCES orgs (id),
	url         TEXT NOT NULL,
	database    TEXT NOT NULL,
	measurement TEXT NOT NULL,
	master_id   TEXT NOT NULL,
	key_nonce   BLOB NOT NULL CHECK (length(key_nonce) = 12),
	key_sealed  BLOB NOT NULL CHECK (length(key_sealed) > 16),
	created_at  INTEGER NOT NULL,
	updated_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
