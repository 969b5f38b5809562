-- What an org takes as attachments; 0 and no types are the defaults.

ALTER TABLE orgs ADD COLUMN asset_bytes INTEGER NOT NULL DEFAULT 0 CHECK (asset_bytes >= 0);
ALTER TABLE orgs ADD COLUMN asset_total INTEGER NOT NULL DEFAULT 0 CHECK (asset_total >= 0);
ALTER TABLE orgs ADD COLUMN asset_types TEXT NOT NULL DEFAULT '[]' CHECK (json_type(asset_types) = 'array');
