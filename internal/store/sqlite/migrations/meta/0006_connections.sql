-- MCP connections that were opened over HTTP, so that any process can continue them.

CREATE TABLE mcp_connections (
	key       BLOB PRIMARY KEY NOT NULL CHECK (length(key) = 32),
	org_id    TEXT NOT NULL REFERENCES orgs (id),
	user_id   BLOB NOT NULL REFERENCES people (user_id) ON DELETE CASCADE,
	subject   BLOB NOT NULL CHECK (length(subject) = 32),
	state     BLOB NOT NULL,
	used_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX mcp_connections_of_subject ON mcp_connections (subject, used_at);
CREATE INDEX mcp_connections_of_user ON mcp_connections (user_id);
CREATE INDEX mcp_connections_used ON mcp_connections (used_at);

CREATE TRIGGER mcp_connections_org_closed AFTER UPDATE OF state ON orgs WHEN NEW.state IN ('deleting', 'deleted') BEGIN
	DELETE FROM mcp_connections WHERE org_id = NEW.id;
END;
