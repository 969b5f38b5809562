-- Two orgs with the same 20 people, each of whom has 400 memories. Every other memory has the same id in both.
INSERT INTO users (org_id, id, role, created_at, name, state, org_role)
	SELECT o, md5('user' || u)::uuid, 'user', 0, o, 'active', 'member'
	FROM unnest(ARRAY['default', 'other']) o, generate_series(1, 20) u;

INSERT INTO memories (org_id, id, user_id, scope, type, deleted_at, team_id, project_id, agent_id, session_id,
		allowed_vendors, origin, created_at, updated_at, version, change, editor, importance, pinned, key, category,
		source, tags, title, summary, content, digest, superseded_by)
	SELECT o, md5('memory' || i || CASE WHEN o = 'other' AND i % 2 = 1 THEN o ELSE '' END)::uuid,
		md5('user' || i % 20 + 1)::uuid,
		CASE i % 7 WHEN 1 THEN 'project' WHEN 2 THEN 'agent' ELSE 'global' END, 'semantic',
		CASE WHEN i % 11 = 1 THEN i END,
		CASE WHEN i % 3 = 1 THEN md5('team' || i % 10 / 4)::uuid END,
		CASE WHEN i % 7 = 1 THEN md5('project' || i % 5)::uuid END,
		CASE WHEN i % 7 = 2 THEN md5('agent' || i % 30)::uuid END,
		md5('session' || i / 40)::uuid, '["*"]', 'origin' || i % 9, i, i, 1, 'created', 'a', 5, i % 23 = 1,
		CASE WHEN i % 4 = 1 THEN 'key' || i ELSE '' END, 'fact', '', '["t' || i % 9 || '"]', o, '', 'word' || i % 99, i,
		CASE WHEN i = 4001 THEN md5('memory22')::uuid END
	FROM unnest(ARRAY['default', 'other']) o, generate_series(1, 8000) i;

INSERT INTO memory_versions (org_id, seq, replaced_at, user_id, scope, type, allowed_vendors, origin, created_at,
		updated_at, version, change, editor, importance, pinned, key, category, source, tags, title, summary, content)
	SELECT org_id, seq, created_at + 1, user_id, scope, type, allowed_vendors, origin, created_at,
		updated_at, 0, change, editor, importance, pinned, key, category, source, tags, title, summary, content
	FROM memories;

INSERT INTO memory_tags (org_id, pool, tag, at, seq)
	SELECT org_id, user_id, tags::json ->> 0, created_at, seq FROM memories;

INSERT INTO suggestions (org_id, id, kind, memory_seq, by_seq, origin, state, created_at)
	SELECT org_id, id, 'supersede', seq, seq + 20, 'a', CASE WHEN seq % 4 = 1 AND seq % 5 <> 1 THEN 'pending' ELSE 'declined' END, 0
	FROM memories WHERE seq <= 7000;

INSERT INTO feed (org_id, seq, at, kind, row_id, change, version, origin)
	SELECT org_id, created_at, created_at, 'memory', id, 'created', 1, origin FROM memories;
UPDATE org SET feed_end = 8000;

ANALYZE memories, memory_versions, memory_tags, users, suggestions, feed;
