-- For the index, in which the memories of a session are each other's context.
CREATE INDEX memories_by_session ON memories (session_id, created_at, id) WHERE session_id IS NOT NULL;
