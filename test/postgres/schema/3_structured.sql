CREATE TABLE memory_nodes (
	org_id text NOT NULL,
	seq bigint GENERATED ALWAYS AS IDENTITY,
	id uuid NOT NULL,
	user_id uuid NOT NULL,
	scope text NOT NULL CHECK (scope IN ('global', 'project', 'agent')),
	deleted_at bigint,
	expires_at bigint,
	superseded_by uuid,
	team_id uuid,
	project_id uuid,
	agent_id uuid,
	workspace_id uuid,
	allowed_vendors text NOT NULL,
	origin text NOT NULL,
	name text NOT NULL,
	description text NOT NULL,
	tags text NOT NULL,
	created_at bigint NOT NULL,
	updated_at bigint NOT NULL,
	secrets_kept boolean NOT NULL DEFAULT FALSE,
	PRIMARY KEY (org_id, seq),
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE
);

CREATE INDEX memory_nodes_changed ON memory_nodes (org_id, updated_at, seq);
CREATE INDEX memory_nodes_of_user ON memory_nodes (org_id, user_id);
CREATE INDEX memory_nodes_of_team ON memory_nodes (org_id, team_id) WHERE team_id IS NOT NULL;

CREATE TABLE node_items (
	org_id text NOT NULL,
	seq bigint GENERATED ALWAYS AS IDENTITY,
	id uuid NOT NULL,
	node_seq bigint NOT NULL,
	parent_seq bigint,
	rank bigint NOT NULL,
	kind text NOT NULL CHECK (kind IN ('memory', 'entity', 'text')),
	memory_seq bigint,
	project_id uuid,
	entity_id uuid,
	text text NOT NULL,
	user_id uuid NOT NULL,
	origin text NOT NULL,
	allowed_vendors text NOT NULL,
	created_at bigint NOT NULL,
	secrets_kept boolean NOT NULL DEFAULT FALSE,
	PRIMARY KEY (org_id, seq),
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, node_seq) REFERENCES memory_nodes (org_id, seq) ON DELETE CASCADE,
	FOREIGN KEY (org_id, parent_seq) REFERENCES node_items (org_id, seq) ON DELETE CASCADE,
	FOREIGN KEY (org_id, memory_seq) REFERENCES memories (org_id, seq) ON DELETE CASCADE
);

CREATE INDEX node_items_of_node ON node_items (org_id, node_seq, parent_seq, rank);
CREATE INDEX node_items_of_parent ON node_items (org_id, parent_seq) WHERE parent_seq IS NOT NULL;
CREATE INDEX node_items_of_memory ON node_items (org_id, memory_seq) WHERE memory_seq IS NOT NULL;

CREATE TABLE idempotency (
	org_id text NOT NULL,
	key bytea NOT NULL,
	body bytea NOT NULL,
	at bigint NOT NULL,
	status bigint NOT NULL,
	answer bytea,
	PRIMARY KEY (org_id, key)
);

CREATE INDEX idempotency_at ON idempotency (org_id, at);

CREATE TABLE agents (
	org_id text NOT NULL,
	id uuid NOT NULL,
	user_id uuid,
	vendor text NOT NULL,
	name text NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 400),
	description text NOT NULL,
	config text,
	created_at bigint NOT NULL,
	updated_at bigint NOT NULL,
	last_active_at bigint,
	PRIMARY KEY (org_id, id),
	FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id),
	UNIQUE (org_id, name)
);

CREATE INDEX agents_of_user ON agents (org_id, user_id) WHERE user_id IS NOT NULL;

CREATE TABLE sessions (
	org_id text NOT NULL,
	seq bigint GENERATED ALWAYS AS IDENTITY,
	id uuid NOT NULL,
	user_id uuid NOT NULL,
	workspace_id uuid,
	project_id uuid,
	reach text NOT NULL CHECK (reach IN ('org', 'team', 'private') AND (reach = 'team') = (team_id IS NOT NULL)),
	team_id uuid,
	origin text NOT NULL,
	allowed_vendors text NOT NULL,
	agent_id uuid,
	title text NOT NULL,
	metadata text,
	state text NOT NULL CHECK (state IN ('active', 'closed') AND (state = 'closed') = (closed_at IS NOT NULL)),
	created_at bigint NOT NULL,
	updated_at bigint NOT NULL,
	last_active_at bigint NOT NULL,
	closed_at bigint,
	expired boolean NOT NULL,
	reopened_at bigint,
	revision bigint NOT NULL,
	PRIMARY KEY (org_id, seq),
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id)
);

CREATE INDEX sessions_of_user ON sessions (org_id, user_id, team_id);
CREATE INDEX sessions_of_agent ON sessions (org_id, agent_id, seq) WHERE agent_id IS NOT NULL;
CREATE INDEX sessions_of_project ON sessions (org_id, project_id, seq) WHERE project_id IS NOT NULL;
CREATE INDEX sessions_active ON sessions (org_id, seq) WHERE state = 'active';
CREATE INDEX sessions_by_title ON sessions (org_id, title, seq) WHERE state = 'active';
CREATE INDEX sessions_idle ON sessions (org_id, last_active_at) WHERE state = 'active';

CREATE TABLE session_changes (
	org_id text NOT NULL,
	session_id uuid NOT NULL,
	revision bigint NOT NULL,
	PRIMARY KEY (org_id, session_id)
);

CREATE TABLE tasks (
	org_id text NOT NULL,
	seq bigint GENERATED ALWAYS AS IDENTITY,
	id uuid NOT NULL,
	user_id uuid NOT NULL,
	workspace_id uuid,
	project_id uuid NOT NULL,
	reach text NOT NULL CHECK (reach = 'org'),
	team_id uuid CHECK (team_id IS NULL),
	origin text NOT NULL,
	allowed_vendors text NOT NULL,
	title text NOT NULL,
	notes text NOT NULL,
	state text NOT NULL CHECK (state IN ('todo', 'doing', 'done') AND (state = 'done') = (done_at IS NOT NULL)),
	created_at bigint NOT NULL,
	updated_at bigint NOT NULL,
	done_at bigint,
	version bigint NOT NULL CHECK (version >= 1),
	secrets_kept boolean NOT NULL DEFAULT FALSE,
	PRIMARY KEY (org_id, seq),
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id)
);

CREATE INDEX tasks_of_user ON tasks (org_id, user_id);
CREATE INDEX tasks_of_project ON tasks (org_id, project_id, seq);
CREATE INDEX tasks_in_progress ON tasks (org_id, project_id, seq) WHERE state = 'doing';
CREATE INDEX tasks_by_title ON tasks (org_id, title, seq);

CREATE TABLE reflections (
	org_id text NOT NULL,
	seq bigint GENERATED ALWAYS AS IDENTITY,
	id uuid NOT NULL,
	user_id uuid NOT NULL,
	workspace_id uuid,
	project_id uuid,
	reach text NOT NULL CHECK (reach IN ('org', 'team', 'private') AND (reach = 'team') = (team_id IS NOT NULL)),
	team_id uuid,
	origin text NOT NULL,
	allowed_vendors text NOT NULL,
	created_at bigint NOT NULL,
	body text NOT NULL,
	PRIMARY KEY (org_id, seq),
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id)
);

CREATE INDEX reflections_of_user ON reflections (org_id, user_id);
CREATE INDEX reflections_of_project ON reflections (org_id, project_id) WHERE project_id IS NOT NULL;

CREATE TABLE candidates (
	org_id text NOT NULL,
	seq bigint GENERATED ALWAYS AS IDENTITY,
	id uuid NOT NULL,
	user_id uuid NOT NULL,
	workspace_id uuid,
	project_id uuid,
	reach text NOT NULL CHECK (reach IN ('org', 'team', 'private') AND (reach = 'team') = (team_id IS NOT NULL)),
	team_id uuid,
	origin text NOT NULL,
	allowed_vendors text NOT NULL,
	kind text NOT NULL,
	state text NOT NULL CHECK (state IN ('pending', 'promoted', 'rejected', 'deferred', 'archived')),
	source_id uuid,
	memory_id uuid,
	due bigint,
	version bigint NOT NULL,
	created_at bigint NOT NULL,
	updated_at bigint NOT NULL,
	body text NOT NULL,
	PRIMARY KEY (org_id, seq),
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id)
);

CREATE INDEX candidates_of_user ON candidates (org_id, user_id);
CREATE INDEX candidates_of_project ON candidates (org_id, project_id) WHERE project_id IS NOT NULL;
CREATE INDEX candidates_in_state ON candidates (org_id, state, seq);
CREATE INDEX candidates_due ON candidates (org_id, due, seq) WHERE due IS NOT NULL;
CREATE INDEX candidates_of_memory ON candidates (org_id, memory_id) WHERE memory_id IS NOT NULL;
CREATE INDEX candidates_of_source ON candidates (org_id, source_id) WHERE source_id IS NOT NULL;

CREATE TABLE candidate_versions (
	org_id text NOT NULL,
	candidate_seq bigint NOT NULL,
	version bigint NOT NULL,
	body text NOT NULL,
	FOREIGN KEY (org_id, candidate_seq) REFERENCES candidates (org_id, seq) ON DELETE CASCADE,
	PRIMARY KEY (org_id, candidate_seq, version)
);

CREATE TABLE dreams (
	org_id text NOT NULL,
	seq bigint GENERATED ALWAYS AS IDENTITY,
	id uuid NOT NULL,
	started_at bigint NOT NULL,
	body text NOT NULL,
	PRIMARY KEY (org_id, seq),
	UNIQUE (org_id, id)
);

CREATE TABLE dream_progress (
	org_id text NOT NULL,
	one bigint NOT NULL CHECK (one = 1),
	body text NOT NULL,
	PRIMARY KEY (org_id, one)
);

CREATE TABLE candidate_sessions (
	org_id text NOT NULL,
	session_id uuid NOT NULL,
	candidate_seq bigint NOT NULL,
	FOREIGN KEY (org_id, candidate_seq) REFERENCES candidates (org_id, seq) ON DELETE CASCADE,
	PRIMARY KEY (org_id, session_id, candidate_seq)
);

CREATE INDEX candidate_sessions_of ON candidate_sessions (org_id, candidate_seq);

CREATE TABLE reflection_sessions (
	org_id text NOT NULL,
	session_id uuid NOT NULL,
	reflection_seq bigint NOT NULL,
	FOREIGN KEY (org_id, reflection_seq) REFERENCES reflections (org_id, seq) ON DELETE CASCADE,
	PRIMARY KEY (org_id, session_id, reflection_seq)
);

CREATE INDEX reflection_sessions_of ON reflection_sessions (org_id, reflection_seq);

CREATE TABLE packs_sent (
	org_id text NOT NULL,
	session_id uuid NOT NULL,
	subject text NOT NULL,
	item uuid NOT NULL,
	version bigint NOT NULL,
	place bigint NOT NULL,
	cut bigint NOT NULL,
	sent_at bigint NOT NULL,
	FOREIGN KEY (org_id, session_id) REFERENCES sessions (org_id, id) ON DELETE CASCADE,
	PRIMARY KEY (org_id, session_id, subject, item)
);

CREATE TABLE golden_questions (
	org_id text NOT NULL,
	seq bigint GENERATED ALWAYS AS IDENTITY,
	id uuid NOT NULL,
	user_id uuid NOT NULL,
	workspace_id uuid,
	question text NOT NULL,
	expected text NOT NULL,
	created_at bigint NOT NULL,
	updated_at bigint NOT NULL,
	PRIMARY KEY (org_id, seq),
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id)
);

CREATE INDEX golden_questions_of_user ON golden_questions (org_id, user_id, seq);

CREATE TABLE golden_runs (
	org_id text NOT NULL,
	seq bigint GENERATED ALWAYS AS IDENTITY,
	id uuid NOT NULL,
	user_id uuid NOT NULL,
	workspace_id uuid,
	body text NOT NULL,
	PRIMARY KEY (org_id, seq),
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id)
);

CREATE INDEX golden_runs_of_user ON golden_runs (org_id, user_id, seq);

CREATE TABLE suggestions (
	org_id text NOT NULL,
	seq bigint GENERATED ALWAYS AS IDENTITY,
	id uuid NOT NULL,
	kind text NOT NULL CHECK (kind IN ('supersede', 'correct', 'delete', 'merge', 'secret')),
	memory_seq bigint,
	by_seq bigint,
	origin text NOT NULL,
	state text NOT NULL CHECK (state IN ('pending', 'accepted', 'declined')),
	created_at bigint NOT NULL,
	settled_at bigint,
	project_id uuid,
	workspace_id uuid,
	user_id uuid,
	graph_rows text,
	allowed_vendors text,
	row_kind text,
	row_id uuid,
	PRIMARY KEY (org_id, seq),
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, memory_seq) REFERENCES memories (org_id, seq) ON DELETE CASCADE,
	FOREIGN KEY (org_id, by_seq) REFERENCES memories (org_id, seq) ON DELETE CASCADE,
	FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
	CHECK ((memory_seq IS NULL) = (project_id IS NOT NULL OR row_id IS NOT NULL)
		AND (by_seq IS NULL) = (memory_seq IS NULL OR kind = 'secret')
			AND (graph_rows IS NULL) = (project_id IS NULL) AND (graph_rows IS NULL) = (allowed_vendors IS NULL)
				AND (row_id IS NULL) = (row_kind IS NULL) AND (row_id IS NULL OR kind = 'secret' AND project_id IS NULL))
);

CREATE UNIQUE INDEX suggestions_pending ON suggestions (org_id, memory_seq, by_seq, kind) WHERE state = 'pending';
CREATE UNIQUE INDEX suggestions_pending_secret ON suggestions (org_id, memory_seq)
	WHERE state = 'pending' AND kind = 'secret';
CREATE UNIQUE INDEX suggestions_pending_graph ON suggestions (org_id, project_id, graph_rows, user_id,
	origin) WHERE state = 'pending';
CREATE UNIQUE INDEX suggestions_pending_row ON suggestions (org_id, row_id) WHERE state = 'pending';
CREATE INDEX suggestions_open ON suggestions (org_id, seq) WHERE state = 'pending';
CREATE INDEX suggestions_of_memory ON suggestions (org_id, memory_seq);
CREATE INDEX suggestions_by ON suggestions (org_id, by_seq);
CREATE INDEX suggestions_of_row ON suggestions (org_id, row_id) WHERE row_id IS NOT NULL;
CREATE INDEX suggestions_of_user ON suggestions (org_id, user_id) WHERE user_id IS NOT NULL;

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

-- The bytes of attachments, in parts. sum is NULL until all parts are there.
CREATE TABLE blobs (
	org_id text NOT NULL,
	id uuid NOT NULL,
	sum bytea,
	size bigint NOT NULL,
	at bigint NOT NULL,
	PRIMARY KEY (org_id, id),
	UNIQUE (org_id, sum)
);

CREATE TABLE blob_parts (
	org_id text NOT NULL,
	blob_id uuid NOT NULL,
	n bigint NOT NULL,
	data bytea NOT NULL,
	PRIMARY KEY (org_id, blob_id, n),
	FOREIGN KEY (org_id, blob_id) REFERENCES blobs (org_id, id) ON DELETE CASCADE
);
