-- Another number for each file, also if one is removed and made again.
ALTER TABLE state ADD COLUMN identity INTEGER NOT NULL DEFAULT 0;
