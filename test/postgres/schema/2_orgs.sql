-- The rows of orgs.

-- Each Update locks its org's row first: the shared statements look before they write, which holds only in line.
CREATE TABLE org (
	org_id       text PRIMARY KEY REFERENCES orgs (id),
	position_key uuid NOT NULL,
	feed_end     bigint NOT NULL DEFAULT 0,
	stamp        bigint NOT NULL DEFAULT 0 -- how many transactions have changed the org
);

CREATE TABLE teams (
	org_id text NOT NULL,
	id uuid NOT NULL,
	name text NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 400),
	created_at bigint NOT NULL,
	PRIMARY KEY (org_id, id),
	UNIQUE (org_id, name)
);

CREATE TABLE users (
	org_id text NOT NULL,
	id uuid NOT NULL,
	email text,
	role text NOT NULL CHECK (role IN ('admin', 'private-alpha', 'user')),
	created_at bigint NOT NULL,
	name text NOT NULL DEFAULT '' CHECK (octet_length(name) <= 400),
	state text NOT NULL DEFAULT 'active' CHECK (state IN ('pending', 'active', 'disabled', 'leaving')),
	org_role text NOT NULL DEFAULT 'member' CHECK (org_role IN ('owner', 'admin', 'member')),
	team_id uuid,
	team_role text CHECK (team_role IN ('owner', 'admin', 'member') AND (team_id IS NULL) = (team_role IS NULL)),
	PRIMARY KEY (org_id, id),
	UNIQUE (org_id, email),
	FOREIGN KEY (org_id, team_id) REFERENCES teams (org_id, id)
);

CREATE TABLE memories (
	org_id            text NOT NULL,
	seq               bigint GENERATED ALWAYS AS IDENTITY,
	id                uuid NOT NULL,
	user_id           uuid NOT NULL,
	scope             text NOT NULL,
	type              text NOT NULL,
	deleted_at        bigint,
	expires_at        bigint,
	superseded_by     uuid,
	team_id           uuid,
	project_id        uuid,
	agent_id          uuid,
	workspace_id      uuid,
	session_id        uuid,
	allowed_vendors   text NOT NULL,
	origin            text NOT NULL,
	created_at        bigint NOT NULL,
	updated_at        bigint NOT NULL,
	version           bigint NOT NULL,
	change            text NOT NULL,
	editor            text NOT NULL,
	importance        bigint NOT NULL,
	pinned            boolean NOT NULL,
	valid_from        bigint,
	valid_to          bigint,
	key               text NOT NULL,
	category          text NOT NULL,
	source            text NOT NULL,
	tags              text NOT NULL,
	title             text NOT NULL,
	summary           text NOT NULL,
	content           text NOT NULL,
	editor_user       uuid,
	editor_credential uuid,
	editor_session    uuid,
	secrets_kept      boolean NOT NULL DEFAULT false,
	digest            bigint,
	PRIMARY KEY (org_id, seq),
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id)
);

-- Lists walk one of these for each pool that the reader reaches, in the order of the list.
CREATE INDEX memories_of_user ON memories (org_id, user_id, created_at, seq);
CREATE INDEX memories_of_team ON memories (org_id, team_id, created_at, seq) WHERE team_id IS NOT NULL;
CREATE INDEX memories_of_project ON memories (org_id, project_id, created_at, seq) WHERE project_id IS NOT NULL;
CREATE INDEX memories_of_session ON memories (org_id, session_id, created_at, seq) WHERE session_id IS NOT NULL;
CREATE INDEX memories_of_agent ON memories (org_id, agent_id, created_at, seq) WHERE agent_id IS NOT NULL;
CREATE INDEX memories_by_origin ON memories (org_id, user_id, origin, created_at, seq);
CREATE INDEX memories_by_scope ON memories (org_id, user_id, scope, created_at, seq);
CREATE INDEX memories_pinned ON memories (org_id, user_id, created_at, seq) WHERE pinned;
CREATE INDEX memories_trashed ON memories (org_id, user_id, deleted_at, seq) WHERE deleted_at IS NOT NULL;
CREATE INDEX memories_trash ON memories (org_id, deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX memories_by_key ON memories (org_id, user_id, key, updated_at) WHERE key <> '';
CREATE INDEX memories_by_look ON memories (org_id, user_id, replace(lower(key), ' ', ''), updated_at)
	WHERE key <> '';
CREATE INDEX memories_by_text ON memories (org_id, digest, seq) WHERE deleted_at IS NULL AND superseded_by IS NULL;
CREATE INDEX memories_by_superseder ON memories (org_id, superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX memories_edited ON memories (org_id, user_id, updated_at);
CREATE INDEX memories_shared ON memories (org_id, team_id, user_id) WHERE team_id IS NOT NULL;

CREATE TABLE memory_versions (
	LIKE memories INCLUDING DEFAULTS,
	replaced_at bigint NOT NULL,
	PRIMARY KEY (org_id, seq, version),
	FOREIGN KEY (org_id, seq) REFERENCES memories (org_id, seq) ON DELETE CASCADE
);

ALTER TABLE memory_versions DROP COLUMN id, DROP COLUMN digest;
CREATE INDEX memory_versions_edited ON memory_versions (org_id, user_id, updated_at);
CREATE INDEX users_of_team ON users (org_id, team_id) WHERE team_id IS NOT NULL;

CREATE TABLE team_invites (
	org_id text NOT NULL,
	id uuid NOT NULL,
	email text NOT NULL,
	team_id uuid,
	org_role text NOT NULL CHECK (org_role IN ('owner', 'admin', 'member')),
	team_role text CHECK (team_role IN ('owner', 'admin', 'member') AND (team_id IS NULL) = (team_role IS NULL)),
	hash bytea NOT NULL,
	invited_by uuid NOT NULL,
	state text NOT NULL CHECK (state IN ('pending', 'accepted', 'revoked')),
	created_at bigint NOT NULL,
	expires_at bigint NOT NULL,
	PRIMARY KEY (org_id, id),
	FOREIGN KEY (org_id, team_id) REFERENCES teams (org_id, id) ON DELETE CASCADE,
	UNIQUE (org_id, hash)
);

CREATE INDEX team_invites_of_team ON team_invites (org_id, team_id, created_at);
CREATE UNIQUE INDEX team_invites_pending ON team_invites (org_id, email, coalesce(team_id,
	'00000000-0000-0000-0000-000000000000')) WHERE state = 'pending';

CREATE TABLE workspaces (
	org_id text NOT NULL,
	id uuid NOT NULL,
	name text NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 400),
	created_at bigint NOT NULL,
	PRIMARY KEY (org_id, id),
	UNIQUE (org_id, name)
);

CREATE TABLE workspace_members (
	org_id text NOT NULL,
	user_id uuid NOT NULL,
	workspace_id uuid NOT NULL,
	FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
	FOREIGN KEY (org_id, workspace_id) REFERENCES workspaces (org_id, id) ON DELETE CASCADE,
	PRIMARY KEY (org_id, user_id, workspace_id)
);

CREATE INDEX workspace_members_of ON workspace_members (org_id, workspace_id);

CREATE TABLE passwords (
	org_id text NOT NULL,
	user_id uuid NOT NULL,
	encoded text NOT NULL CHECK (encoded LIKE '$argon2id$%'),
	PRIMARY KEY (org_id, user_id),
	FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE
);

CREATE TABLE passkeys (
	org_id text NOT NULL,
	id bytea NOT NULL CHECK (length(id) BETWEEN 1 AND 1023),
	user_id uuid NOT NULL,
	name text NOT NULL,
	data text NOT NULL,
	created_at bigint NOT NULL,
	last_used_at bigint,
	PRIMARY KEY (org_id, id),
	FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE
);

CREATE INDEX passkeys_of_user ON passkeys (org_id, user_id, created_at);

CREATE TABLE audit (
	org_id text NOT NULL,
	number bigint GENERATED ALWAYS AS IDENTITY,
	at bigint NOT NULL,
	action text NOT NULL,
	allowed boolean NOT NULL,
	kind text NOT NULL,
	method text NOT NULL,
	user_id uuid,
	vendor text NOT NULL,
	credential_id uuid,
	target text NOT NULL,
	count bigint NOT NULL,
	PRIMARY KEY (org_id, number)
);

CREATE TABLE assets (
	org_id text NOT NULL,
	seq bigint GENERATED ALWAYS AS IDENTITY,
	id uuid NOT NULL,
	memory_seq bigint NOT NULL,
	user_id uuid NOT NULL,
	origin text NOT NULL,
	name text NOT NULL,
	media_type text NOT NULL,
	size bigint NOT NULL CHECK (size >= 0),
	sha256 bytea NOT NULL,
	created_at bigint NOT NULL,
	PRIMARY KEY (org_id, seq),
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, memory_seq) REFERENCES memories (org_id, seq) ON DELETE CASCADE
);

CREATE INDEX assets_of_memory ON assets (org_id, memory_seq);
CREATE INDEX assets_by_sum ON assets (org_id, sha256);
CREATE INDEX assets_of_user ON assets (org_id, user_id, size);

CREATE TABLE sources (
	org_id text NOT NULL,
	seq bigint GENERATED ALWAYS AS IDENTITY,
	id uuid NOT NULL,
	memory_seq bigint NOT NULL,
	kind text NOT NULL CHECK (kind IN ('message', 'session', 'event', 'url', 'text')),
	ref text NOT NULL,
	text text NOT NULL,
	quote text NOT NULL,
	start bigint NOT NULL,
	"end" bigint NOT NULL,
	user_id uuid NOT NULL,
	origin text NOT NULL,
	allowed_vendors text NOT NULL,
	created_at bigint NOT NULL,
	PRIMARY KEY (org_id, seq),
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, memory_seq) REFERENCES memories (org_id, seq) ON DELETE CASCADE
);

CREATE INDEX sources_of_memory ON sources (org_id, memory_seq);
