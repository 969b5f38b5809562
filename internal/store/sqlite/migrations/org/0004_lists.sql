-- Lists by key, scope, project, agent, session, and of what is pinned: what
-- postings.go derives of them, beside what is there of every live row.
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id)
	SELECT p.pool, p.vendor, t.value, p.at, p.seq, p.expires_at, p.agent_id, p.workspace_id
	FROM memory_postings p CROSS JOIN memories m ON m.seq = p.seq CROSS JOIN json_each(json_array(
		CASE WHEN m.key <> '' THEN 'k:' || m.key END,
		CASE WHEN m.scope = 'project' THEN 'c:project' END,
		'j:' || lower(hex(m.project_id)),
		'a:' || lower(hex(m.agent_id)),
		's:' || lower(hex(m.session_id)),
		CASE WHEN m.pinned THEN '!' END)) t
	WHERE p.token = '' AND t.value IS NOT NULL AND t.value NOT IN ('j:', 'a:', 's:');
