-- On which project an MCP session works, and when a list of somebody's projects is out of date.

CREATE TABLE mcp_sessions (
	key        BLOB PRIMARY KEY NOT NULL CHECK (length(key) = 32),
	org_id     TEXT NOT NULL REFERENCES orgs (id),
	user_id    BLOB NOT NULL REFERENCES people (user_id) ON DELETE CASCADE,
	project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
	used_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX mcp_sessions_of_project ON mcp_sessions (project_id);
CREATE INDEX mcp_sessions_of_user ON mcp_sessions (user_id);
CREATE INDEX mcp_sessions_used ON mcp_sessions (used_at);

-- Whoever closes a project does so for all sessions in the same transaction.
CREATE TRIGGER mcp_sessions_closed AFTER UPDATE OF intent ON projects WHEN NEW.intent IS NOT NULL BEGIN
	DELETE FROM mcp_sessions WHERE project_id = NEW.id;
END;

CREATE TRIGGER mcp_sessions_org_closed AFTER UPDATE OF state ON orgs WHEN NEW.state IN ('deleting', 'deleted') BEGIN
	DELETE FROM mcp_sessions WHERE org_id = NEW.id;
END;

-- Changes whenever it changes who belongs to which project of the org. Nobody belongs to one
-- that is being made or deleted, so rows come and go without a change.
ALTER TABLE orgs ADD COLUMN projects_version INTEGER NOT NULL DEFAULT 0;

CREATE TRIGGER projects_version_changed AFTER UPDATE OF everyone, intent ON projects
WHEN NEW.everyone <> OLD.everyone OR (ifnull(NEW.intent, '') IN ('creating', 'deleting')) <> (ifnull(OLD.intent, '') IN ('creating', 'deleting')) BEGIN
	UPDATE orgs SET projects_version = projects_version + 1 WHERE id = NEW.org_id;
END;

CREATE TRIGGER projects_version_joined AFTER INSERT ON project_members BEGIN
	UPDATE orgs SET projects_version = projects_version + 1 WHERE id = (SELECT org_id FROM projects WHERE id = NEW.project_id);
END;

CREATE TRIGGER projects_version_left AFTER DELETE ON project_members BEGIN
	UPDATE orgs SET projects_version = projects_version + 1 WHERE id = (SELECT org_id FROM projects WHERE id = OLD.project_id);
END;

-- A project of everyone is somebody's from the moment that the directory has them.
CREATE TRIGGER projects_version_hired AFTER INSERT ON people WHEN EXISTS (SELECT 1 FROM projects WHERE org_id = NEW.org_id) BEGIN
	UPDATE orgs SET projects_version = projects_version + 1 WHERE id = NEW.org_id;
END;
