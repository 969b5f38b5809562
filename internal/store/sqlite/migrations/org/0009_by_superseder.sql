-- For the trash and undo, which name the memories that the trashed one had replaced.
CREATE INDEX memories_by_superseder ON memories (superseded_by) WHERE superseded_by IS NOT NULL;
