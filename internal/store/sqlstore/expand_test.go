package sqlstore

import (
	"strings"
	"testing"
)

// other is a dialect that differs from SQLite's wherever it can.
var other = &Dialect{Tenant: "?0", Project: "?1", Join: "JOIN", Is: "IS NOT DISTINCT FROM",
	Each: "jsonb_array_elements_text(%s) AS each (value)"}

func TestExpand(t *testing.T) {
	for _, tt := range []struct{ text, file, table string }{
		{"SELECT m.id FROM memories m WHERE {m} m.id = ?", "SELECT m.id FROM memories m WHERE  m.id = ?",
			"SELECT m.id FROM memories m WHERE m.org_id = ?0 AND  m.id = ?"},
		{"UPDATE teams SET name = ? WHERE {teams} id = ?", "UPDATE teams SET name = ? WHERE  id = ?",
			"UPDATE teams SET name = ? WHERE teams.org_id = ?0 AND  id = ?"},
		{"INSERT INTO teams ({org} id) VALUES ({?} ?) ON CONFLICT ({org} id) DO UPDATE SET id = excluded.id",
			"INSERT INTO teams ( id) VALUES ( ?) ON CONFLICT ( id) DO UPDATE SET id = excluded.id",
			"INSERT INTO teams (org_id,  id) VALUES (?0,  ?) ON CONFLICT (org_id,  id) DO UPDATE SET id = excluded.id"},
		{"SELECT 1 FROM node_items i LEFT JOIN memories m ON {m} m.seq = i.seq WHERE {i} TRUE",
			"SELECT 1 FROM node_items i LEFT JOIN memories m ON  m.seq = i.seq WHERE  TRUE",
			"SELECT 1 FROM node_items i LEFT JOIN memories m ON m.org_id = ?0 AND  m.seq = i.seq WHERE i.org_id = ?0 AND  TRUE"},
		{"SELECT 1 FROM credentials c WHERE {global c} c.hash = ?", "SELECT 1 FROM credentials c WHERE  c.hash = ?",
			"SELECT 1 FROM credentials c WHERE  c.hash = ?"},
		{"SELECT 1 FROM entities e WHERE {graph e} e.id = ?", "SELECT 1 FROM entities e WHERE  e.id = ?",
			"SELECT 1 FROM entities e WHERE e.org_id = ?0 AND e.project_id = ?1 AND  e.id = ?"},
		{"INSERT INTO changes ({graph} at) VALUES ({graph ?} ?)", "INSERT INTO changes ( at) VALUES ( ?)",
			"INSERT INTO changes (org_id, project_id,  at) VALUES (?0, ?1,  ?)"},
		{"SELECT 1 FROM {each m.tags} WHERE value {is} ?", "SELECT 1 FROM json_each(m.tags) WHERE value IS ?",
			"SELECT 1 FROM jsonb_array_elements_text(m.tags) AS each (value) WHERE value IS NOT DISTINCT FROM ?"},
	} {
		file, err := (&Dialect{Is: "IS", Each: "json_each(%s)"}).Expand(tt.text)
		if err != nil || file != tt.file {
			t.Errorf("got  %s, %v\nwant %s", file, err, tt.file)
		}
		if table, err := other.Expand(tt.text); err != nil || table != tt.table {
			t.Errorf("got  %s, %v\nwant %s", table, err, tt.table)
		}
	}
}

func TestExpandRefusesUnmarkedTables(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT 1 FROM memories":                                                  "a table has no marker {memories}",
		"SELECT 1 FROM memories m WHERE m.id = ?":                                 "a table has no marker {m}",
		"SELECT 1 FROM memories AS m {join} sources s ON {s} s.id = m.id WHERE 1": "a table has no marker {m}",
		"SELECT 1 FROM memories m JOIN sources s ON s.id = m.id WHERE {m} TRUE":   "a table has no marker {s}",
		"SELECT 1 FROM memories m, sources s WHERE {m} {s} TRUE":                  "instead of a comma",
		"SELECT 1 WHERE EXISTS (SELECT 1 FROM teams WHERE id = ?)":                "a table has no marker {teams}",
		"SELECT 1 FROM a m WHERE {m} x IN (SELECT 1 FROM b m)":                    "a table has no marker {m}",
		"SELECT 1 FROM a WHERE {a} {b} TRUE":                                      "the marker {b} has no table",
		"UPDATE teams SET name = '{teams}' WHERE id = ?":                          "a table has no marker {teams}",
		"DELETE FROM teams":                                                          "a table has no marker {teams}",
		"INSERT INTO teams (id) VALUES ({?} ?)":                                      "INSERT INTO teams needs {org}",
		"INSERT INTO teams ({org} id) VALUES (?)":                                    "INSERT INTO teams needs {?}",
		"INSERT INTO teams ({org} id) VALUES ({?} ?) ON CONFLICT (id) DO NOTHING":    "ON CONFLICT needs {org}",
		"WITH x AS (SELECT 1 FROM teams) SELECT 1 FROM x":                            "a table has no marker {teams}",
		"INSERT INTO a ({org} id) SELECT {?} b.id FROM b WHERE b.id = ?":             "a table has no marker {b}",
		"SELECT 1 FROM a WHERE {a} TRUE UNION ALL SELECT 1 FROM b WHERE id = ?":      "a table has no marker {b}",
		"UPDATE a SET n = r.n FROM (SELECT n FROM a) r WHERE {a} a.id = r.id":        "a table has no marker {a}",
		"SELECT 1 FROM entities e WHERE {e} e.id = ?":                                "marker {",
		"INSERT INTO changes ({org} at) VALUES ({?} ?)":                              "INSERT INTO changes needs {graph}",
		"INSERT INTO changes ({graph} at) VALUES (?)":                                "INSERT INTO changes needs {graph ?}",
		"SELECT 1 FROM teams WHERE {teams":                                           "has no",
		"SELECT (SELECT max(h.version) FROM memory_versions h WHERE h.seq = 1) AS x": "a table has no marker {h}",
	} {
		if got, err := other.Expand(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %q, %v; want an error with %q", text, got, err, want)
		}
	}
}
