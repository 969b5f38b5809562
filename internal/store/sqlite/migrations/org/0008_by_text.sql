-- For the save of a text that is there already. In a file of its own, so that it is built of digests that are there.
CREATE INDEX memories_by_text ON memories (digest) WHERE deleted_at IS NULL AND superseded_by IS NULL;
