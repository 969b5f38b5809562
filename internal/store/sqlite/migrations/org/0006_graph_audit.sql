-- Up to which of a project's entries the audit trail of the org has them.
CREATE TABLE audit_of_projects (
	project_id BLOB PRIMARY KEY NOT NULL CHECK (length(project_id) = 16),
	number     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
