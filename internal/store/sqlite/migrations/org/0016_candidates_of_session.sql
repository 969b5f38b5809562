-- A change of who may see a session changes at once who may see what comes from it.
ALTER TABLE candidates ADD COLUMN session_id BLOB CHECK (length(session_id) = 16);
ALTER TABLE reflections ADD COLUMN session_id BLOB CHECK (length(session_id) = 16);

UPDATE candidates SET session_id = unhex(replace(json_extract(body, '$.session_id'), '-', ''));
UPDATE reflections SET session_id = unhex(replace(json_extract(body, '$.session_id'), '-', ''));

CREATE INDEX candidates_of_session ON candidates (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX reflections_of_session ON reflections (session_id) WHERE session_id IS NOT NULL;
