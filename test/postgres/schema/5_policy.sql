-- The second line of defence: whatever a statement forgets, it reaches the rows of the transaction's org alone. The
-- registry is read before the org is known.
DO $$
DECLARE name text;
BEGIN
	FOR name IN SELECT c.table_name FROM information_schema.columns c WHERE c.table_schema = current_schema
		AND c.column_name = 'org_id' AND c.table_name NOT IN ('people', 'invitations', 'oauth_grants', 'projects',
			'mcp_sessions', 'mcp_connections', 'arc_bindings', 'credentials')
	LOOP
		EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
		EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
		EXECUTE format('CREATE POLICY tenant ON %I USING (org_id = current_setting(''loci.org''))', name);
	END LOOP;
END $$;
