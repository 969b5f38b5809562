-- What finds a text. The rows that are there get theirs from addDigests in schema.go.
ALTER TABLE memories ADD COLUMN digest INTEGER;
