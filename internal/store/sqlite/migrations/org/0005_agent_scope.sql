-- Owners list their memories of agent scope: what postings.go derives of these,
-- beside what is there of every live row.
INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id)
	SELECT p.pool, p.vendor, 'c:agent', p.at, p.seq, p.expires_at, p.agent_id, p.workspace_id
	FROM memory_postings p CROSS JOIN memories m ON m.seq = p.seq
	WHERE p.token = '' AND m.scope = 'agent';
