-- The sessions from which candidates and notes come: a session that gets fewer readers limits them at once. Merged
-- candidates come from several.
CREATE TABLE candidate_sessions (
	session_id    BLOB NOT NULL CHECK (length(session_id) = 16),
	candidate_seq INTEGER NOT NULL REFERENCES candidates (seq) ON DELETE CASCADE,
	PRIMARY KEY (session_id, candidate_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX candidate_sessions_of ON candidate_sessions (candidate_seq);

CREATE TABLE reflection_sessions (
	session_id     BLOB NOT NULL CHECK (length(session_id) = 16),
	reflection_seq INTEGER NOT NULL REFERENCES reflections (seq) ON DELETE CASCADE,
	PRIMARY KEY (session_id, reflection_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX reflection_sessions_of ON reflection_sessions (reflection_seq);

INSERT INTO candidate_sessions (session_id, candidate_seq)
SELECT unhex(replace(json_extract(body, '$.session_id'), '-', '')), seq FROM candidates
WHERE json_extract(body, '$.session_id') IS NOT NULL;

INSERT INTO reflection_sessions (session_id, reflection_seq)
SELECT unhex(replace(json_extract(body, '$.session_id'), '-', '')), seq FROM reflections
WHERE json_extract(body, '$.session_id') IS NOT NULL;
