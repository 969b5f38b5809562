-- What the shared statements need of PostgreSQL. Ids are uuid, times microseconds UTC, lists JSON arrays as text. org_id
-- leads each primary, unique and foreign key, except in the registry, which Loci reads before it knows the org.

-- The registry.

CREATE TABLE orgs (
	id text PRIMARY KEY NOT NULL CHECK (length(id) BETWEEN 1 AND 64),
	name text NOT NULL,
	owner_id uuid NOT NULL,
	state text NOT NULL CHECK (state IN ('creating', 'active', 'suspended', 'deleting', 'deleted')),
	deletion text NOT NULL DEFAULT '' CHECK (deletion IN ('', 'step_up', 'api_key')),
	workspaces boolean NOT NULL DEFAULT FALSE,
	receipt text,
	listed boolean NOT NULL DEFAULT TRUE,
	created_at bigint NOT NULL,
	projects_version bigint NOT NULL DEFAULT 0,
	asset_bytes bigint NOT NULL DEFAULT 0 CHECK (asset_bytes >= 0),
	asset_total bigint NOT NULL DEFAULT 0 CHECK (asset_total >= 0),
	asset_types text NOT NULL DEFAULT '[]',
	events text NOT NULL DEFAULT '' CHECK (events IN ('', 'embedded', 'arc')),
	events_retention text NOT NULL DEFAULT '{}',
	legal_hold boolean NOT NULL DEFAULT FALSE,
	event_log boolean NOT NULL DEFAULT FALSE
);

CREATE TABLE people (
	user_id uuid PRIMARY KEY NOT NULL,
	org_id text NOT NULL REFERENCES orgs (id),
	email text UNIQUE,
	settled boolean NOT NULL DEFAULT TRUE
);

CREATE INDEX people_of_org ON people (org_id);
CREATE INDEX people_unsettled ON people (org_id) WHERE NOT settled;

CREATE TABLE invitations (
	hash bytea PRIMARY KEY NOT NULL,
	org_id text NOT NULL REFERENCES orgs (id),
	id uuid NOT NULL,
	email text NOT NULL,
	expires_at bigint NOT NULL
);

CREATE INDEX invitations_of_email ON invitations (email, expires_at);
CREATE INDEX invitations_of_org ON invitations (org_id);

CREATE TABLE oauth_clients (
	id text PRIMARY KEY NOT NULL CHECK (octet_length(id) BETWEEN 1 AND 2000),
	name text NOT NULL,
	redirect_uris text NOT NULL,
	uri text NOT NULL,
	vendor text NOT NULL DEFAULT '',
	created_at bigint NOT NULL,
	last_used_at bigint
);

CREATE TABLE oauth_grants (
	seq bigint GENERATED ALWAYS AS IDENTITY,
	id uuid PRIMARY KEY NOT NULL,
	org_id text NOT NULL REFERENCES orgs (id),
	user_id uuid NOT NULL,
	client_id text NOT NULL,
	client_name text NOT NULL,
	vendor text NOT NULL CHECK (vendor <> ''),
	rights text NOT NULL,
	resource text NOT NULL,
	workspace_id uuid,
	created_at bigint NOT NULL,
	expires_at bigint NOT NULL,
	revoked_at bigint,
	last_used_at bigint
);

CREATE INDEX oauth_grants_of_person ON oauth_grants (org_id, user_id, created_at);
CREATE INDEX oauth_grants_of_client ON oauth_grants (client_id);

CREATE TABLE oauth_codes (
	hash bytea PRIMARY KEY NOT NULL,
	grant_id uuid NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
	client_id text NOT NULL,
	redirect_uri text NOT NULL,
	challenge text NOT NULL,
	resource text NOT NULL,
	expires_at bigint NOT NULL,
	used_at bigint
);

CREATE INDEX oauth_codes_of_grant ON oauth_codes (grant_id);

CREATE TABLE oauth_refresh_tokens (
	hash bytea PRIMARY KEY NOT NULL,
	grant_id uuid NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
	expires_at bigint NOT NULL,
	used_at bigint
);

CREATE INDEX oauth_refresh_tokens_of_grant ON oauth_refresh_tokens (grant_id);

CREATE TABLE limits (
	key text NOT NULL,
	"window" bigint NOT NULL,
	used bigint NOT NULL,
	PRIMARY KEY (key, "window")
);

CREATE TABLE failures (
	key text PRIMARY KEY NOT NULL,
	n bigint NOT NULL,
	last bigint NOT NULL
);

CREATE TABLE projects (
	id text PRIMARY KEY NOT NULL,
	name text NOT NULL,
	description text NOT NULL DEFAULT '',
	db_path text NOT NULL,
	status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'archived')),
	created_at text NOT NULL,
	updated_at text NOT NULL,
	org_id text NOT NULL REFERENCES orgs (id),
	workspace_id uuid,
	everyone boolean NOT NULL DEFAULT TRUE,
	intent text CHECK (intent IN ('creating', 'archiving', 'restoring', 'deleting')),
	moves bigint NOT NULL DEFAULT 0,
	UNIQUE (org_id, name)
);

CREATE INDEX projects_status ON projects (status);
CREATE INDEX projects_name ON projects (name);
CREATE INDEX projects_unsettled ON projects (id) WHERE intent IS NOT NULL;

CREATE TABLE project_members (
	project_id text NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
	user_id uuid NOT NULL REFERENCES people (user_id) ON DELETE CASCADE,
	role text NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
	PRIMARY KEY (project_id, user_id)
);

CREATE INDEX project_members_of_user ON project_members (user_id);

CREATE TABLE mcp_sessions (
	key bytea PRIMARY KEY NOT NULL,
	org_id text NOT NULL REFERENCES orgs (id),
	user_id uuid NOT NULL REFERENCES people (user_id) ON DELETE CASCADE,
	project_id text NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
	used_at bigint NOT NULL
);

CREATE INDEX mcp_sessions_of_project ON mcp_sessions (project_id);
CREATE INDEX mcp_sessions_of_user ON mcp_sessions (user_id);
CREATE INDEX mcp_sessions_used ON mcp_sessions (used_at);

CREATE TABLE mcp_connections (
	key bytea PRIMARY KEY NOT NULL,
	org_id text NOT NULL REFERENCES orgs (id),
	user_id uuid NOT NULL REFERENCES people (user_id) ON DELETE CASCADE,
	subject bytea NOT NULL,
	state bytea NOT NULL,
	used_at bigint NOT NULL
);

CREATE INDEX mcp_connections_of_subject ON mcp_connections (subject, used_at);
CREATE INDEX mcp_connections_of_user ON mcp_connections (user_id);
CREATE INDEX mcp_connections_used ON mcp_connections (used_at);

CREATE TABLE arc_bindings (
	org_id text PRIMARY KEY NOT NULL REFERENCES orgs (id),
	url text NOT NULL,
	database text NOT NULL,
	measurement text NOT NULL,
	master_id text NOT NULL,
	key_nonce bytea NOT NULL,
	key_sealed bytea NOT NULL,
	created_at bigint NOT NULL,
	updated_at bigint NOT NULL
);

CREATE TABLE settings (
	key text PRIMARY KEY,
	value text NOT NULL,
	changed_at bigint NOT NULL
);

CREATE TABLE jobs (
	name text PRIMARY KEY NOT NULL,
	begun_at bigint NOT NULL,
	ended_at bigint NOT NULL,
	changed bigint NOT NULL,
	error text NOT NULL,
	next_at bigint
);

CREATE TABLE credentials (
	seq bigint GENERATED ALWAYS AS IDENTITY,
	id uuid PRIMARY KEY NOT NULL,
	org_id text NOT NULL REFERENCES orgs (id),
	user_id uuid NOT NULL,
	kind text NOT NULL CHECK (kind IN ('user', 'agent')),
	method text NOT NULL CHECK (method IN ('key', 'session', 'oauth', 'link', 'environment', 'disk')),
	vendor text NOT NULL CHECK ((kind = 'agent') = (vendor <> '')),
	name text NOT NULL,
	hash bytea NOT NULL UNIQUE,
	prefix text NOT NULL,
	rights text NOT NULL,
	projects text NOT NULL DEFAULT '[]',
	workspace_id uuid,
	grant_id uuid,
	replaces uuid UNIQUE,
	proved_at bigint,
	idle_after bigint NOT NULL DEFAULT 0,
	created_at bigint NOT NULL,
	expires_at bigint,
	revoked_at bigint,
	last_used_at bigint
);

CREATE INDEX credentials_of_person ON credentials (org_id, user_id, created_at);
CREATE INDEX credentials_of_grant ON credentials (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX credentials_usable ON credentials (method, kind, expires_at) WHERE revoked_at IS NULL;

CREATE TABLE locks (
	name text PRIMARY KEY NOT NULL,
	holder bigint NOT NULL,
	until bigint NOT NULL
);

CREATE TABLE state_keys (
	period bigint PRIMARY KEY NOT NULL,
	key text NOT NULL
);

CREATE FUNCTION close_connections() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM mcp_sessions WHERE org_id = NEW.id;
	DELETE FROM mcp_connections WHERE org_id = NEW.id;
	RETURN NULL;
END $$;
CREATE TRIGGER org_closed AFTER UPDATE OF state ON orgs FOR EACH ROW WHEN (NEW.state IN ('deleting', 'deleted'))
	EXECUTE FUNCTION close_connections();

CREATE FUNCTION close_project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM mcp_sessions WHERE project_id = NEW.id;
	RETURN NULL;
END $$;
CREATE TRIGGER project_closed AFTER UPDATE OF status ON projects FOR EACH ROW WHEN (NEW.status <> 'active')
	EXECUTE FUNCTION close_project();

-- What decides who belongs to which project has a version, in the row of the org.
CREATE FUNCTION count_project_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE orgs SET projects_version = projects_version + 1 WHERE id = CASE TG_TABLE_NAME
		WHEN 'project_members' THEN (SELECT p.org_id FROM projects p
			WHERE p.id = CASE TG_OP WHEN 'DELETE' THEN OLD.project_id ELSE NEW.project_id END)
		END;
	RETURN NULL;
END $$;
CREATE TRIGGER project_members_version AFTER INSERT OR DELETE ON project_members FOR EACH ROW
	EXECUTE FUNCTION count_project_version();

CREATE FUNCTION count_org_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE orgs SET projects_version = projects_version + 1
		WHERE id = CASE TG_OP WHEN 'DELETE' THEN OLD.org_id ELSE NEW.org_id END
		AND (TG_TABLE_NAME = 'projects' OR EXISTS (SELECT 1 FROM projects p WHERE p.org_id = NEW.org_id));
	RETURN NULL;
END $$;
CREATE TRIGGER projects_version AFTER INSERT
	OR DELETE ON projects FOR EACH ROW EXECUTE FUNCTION count_org_version();
CREATE TRIGGER projects_everyone AFTER UPDATE OF everyone ON projects FOR EACH ROW
	WHEN (NEW.everyone <> OLD.everyone) EXECUTE FUNCTION count_org_version();
CREATE TRIGGER people_version AFTER INSERT ON people FOR EACH ROW EXECUTE FUNCTION count_org_version();
