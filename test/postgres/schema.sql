-- What the shared statements need of PostgreSQL to keep memories. Ids are uuid, times microseconds UTC, lists JSON arrays
-- as text. org_id leads each primary, unique and foreign key, except in the registry, which Loci reads before it knows
-- the org.

-- The registry.

CREATE TABLE orgs (
	id               text PRIMARY KEY,
	name             text NOT NULL,
	owner_id         uuid NOT NULL,
	state            text NOT NULL,
	deletion         text NOT NULL DEFAULT '',
	workspaces       boolean NOT NULL DEFAULT FALSE,
	created_at       bigint NOT NULL,
	projects_version bigint NOT NULL DEFAULT 0,
	asset_bytes      bigint NOT NULL DEFAULT 0,
	asset_total      bigint NOT NULL DEFAULT 0,
	asset_types      text NOT NULL DEFAULT '[]',
	events           text NOT NULL DEFAULT '',
	events_retention text NOT NULL DEFAULT '{}',
	legal_hold       boolean NOT NULL DEFAULT FALSE
);

CREATE TABLE people (
	user_id uuid PRIMARY KEY,
	org_id  text NOT NULL REFERENCES orgs (id),
	email   text UNIQUE,
	settled boolean NOT NULL DEFAULT TRUE
);

-- The rows of orgs.

-- Each Update locks its org's row first: the shared statements look before they write, which holds only in line.
CREATE TABLE org (
	org_id       text PRIMARY KEY REFERENCES orgs (id),
	position_key uuid NOT NULL,
	feed_end     bigint NOT NULL DEFAULT 0,
	stamp        bigint NOT NULL DEFAULT 0 -- how many transactions have changed the org
);

CREATE TABLE teams (
	org_id     text NOT NULL,
	id         uuid NOT NULL,
	name       text NOT NULL,
	created_at bigint NOT NULL,
	PRIMARY KEY (org_id, id),
	UNIQUE (org_id, name)
);

CREATE TABLE users (
	org_id     text NOT NULL,
	id         uuid NOT NULL,
	email      text,
	role       text NOT NULL,
	created_at bigint NOT NULL,
	name       text NOT NULL,
	state      text NOT NULL,
	org_role   text NOT NULL,
	team_id    uuid,
	team_role  text,
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
CREATE INDEX memories_by_look ON memories (org_id, user_id, replace(lower(key), ' ', ''), updated_at) WHERE key <> '';
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

CREATE TABLE suggestions (
	org_id     text NOT NULL,
	seq        bigint GENERATED ALWAYS AS IDENTITY,
	id         uuid NOT NULL,
	kind       text NOT NULL,
	memory_seq bigint,
	by_seq     bigint,
	origin     text NOT NULL,
	state      text NOT NULL,
	created_at bigint NOT NULL,
	settled_at bigint,
	-- Of a suggestion about a graph or another row, which has no memories.
	project_id      uuid,
	workspace_id    uuid,
	user_id         uuid,
	graph_rows      text,
	allowed_vendors text,
	row_kind        text,
	row_id          uuid,
	PRIMARY KEY (org_id, seq),
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, memory_seq) REFERENCES memories (org_id, seq) ON DELETE CASCADE,
	FOREIGN KEY (org_id, by_seq) REFERENCES memories (org_id, seq) ON DELETE CASCADE
);

CREATE UNIQUE INDEX suggestions_pending ON suggestions (org_id, memory_seq, by_seq, kind) WHERE state = 'pending';
CREATE UNIQUE INDEX suggestions_pending_secret ON suggestions (org_id, memory_seq)
	WHERE state = 'pending' AND kind = 'secret';
CREATE UNIQUE INDEX suggestions_pending_graph ON suggestions (org_id, project_id, graph_rows, user_id, origin)
	WHERE state = 'pending';
CREATE UNIQUE INDEX suggestions_pending_row ON suggestions (org_id, row_id) WHERE state = 'pending';
CREATE INDEX suggestions_by ON suggestions (org_id, by_seq);

-- The tags of memories, for each pool in which they may be seen. An index of tags in one column of memories (GIN) would
-- serve no statement: PostgreSQL applies the policy before an operator that may leak what it sees.
CREATE TABLE memory_tags (
	org_id text NOT NULL,
	pool   uuid NOT NULL,
	tag    text NOT NULL,
	at     bigint NOT NULL,
	seq    bigint NOT NULL,
	PRIMARY KEY (org_id, pool, tag, at, seq),
	FOREIGN KEY (org_id, seq) REFERENCES memories (org_id, seq) ON DELETE CASCADE
);

CREATE INDEX memory_tags_of ON memory_tags (org_id, seq);

-- A sequence would leave gaps, which readers of the feed take for changes that they have missed.
CREATE FUNCTION next_change() RETURNS bigint LANGUAGE sql AS
	$$ UPDATE org SET feed_end = feed_end + 1 WHERE org_id = current_setting('loci.org') RETURNING feed_end $$;

CREATE TABLE feed (
	org_id  text NOT NULL,
	seq     bigint NOT NULL DEFAULT next_change(),
	at      bigint NOT NULL,
	kind    text NOT NULL,
	row_id  uuid NOT NULL,
	change  text NOT NULL,
	version bigint NOT NULL,
	origin  text NOT NULL,
	access  bytea,
	before  bytea,
	PRIMARY KEY (org_id, seq)
);

-- The second line of defence: whatever a statement forgets, it reaches the rows of the transaction's org alone.
DO $$
DECLARE name text;
BEGIN
	FOR name IN SELECT c.table_name FROM information_schema.columns c WHERE c.table_schema = current_schema
		AND c.column_name = 'org_id' AND c.table_name <> 'people'
	LOOP
		EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
		EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
		EXECUTE format('CREATE POLICY tenant ON %I USING (org_id = current_setting(''loci.org''))', name);
	END LOOP;
END $$;
