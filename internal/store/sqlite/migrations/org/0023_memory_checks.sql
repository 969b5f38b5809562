-- For a list of more than two values, SQLite makes a table each time that it checks a row. Three of them took a third
-- of the time of an insert. The conditions mean the same, so the rows stay as they are.
PRAGMA writable_schema = on;
UPDATE sqlite_schema SET sql = replace(replace(replace(sql,
	'scope IN (''global'', ''project'', ''agent'')',
	'scope = ''global'' OR scope = ''project'' OR scope = ''agent'''),
	'type IN (''semantic'', ''episodic'', ''procedural'')',
	'type = ''semantic'' OR type = ''episodic'' OR type = ''procedural'''),
	'change IN (''created'', ''updated'', ''trashed'', ''restored'')',
	'change = ''created'' OR change = ''updated'' OR change = ''trashed'' OR change = ''restored''')
	WHERE type = 'table' AND name = 'memories';
PRAGMA writable_schema = reset;
-- Other connections read the schema again after one of these.
CREATE TABLE checks_changed (x);
DROP TABLE checks_changed;
