// Package sqlstore holds the statements, scans and filters that both SQL engines share. An engine
// gives it a [Conn] and a [Dialect] and gets the tables of the storage contract.
//
// SQLite keeps one file for each org. PostgreSQL keeps all orgs in the same tables, and org_id
// leads each of their keys. So that one text serves both, each table reference of a statement
// carries a marker, which the dialect expands:
//
//	SELECT m.id FROM memories m WHERE {m} m.id = ?       m.org_id = $n AND in PostgreSQL, nothing in SQLite
//	... {join} sources s ON {s} s.memory_seq = m.seq     the same in an ON clause
//	UPDATE teams SET name = ? WHERE {teams} id = ?       the name of the table where it has no alias
//	INSERT INTO teams ({org} id) VALUES ({?} ?)          the column and its value
//	... ON CONFLICT ({org} id) DO NOTHING                every key begins with org_id
//
// Loci reads the tables of the registry before it knows the org, for example to find the org of a
// key by its hash. Each reference to such a table is marked {global c}. The marker expands to
// nothing in both engines. Where the statement knows the org, it names org_id itself.
//
// The tables of a graph are keyed by org and project. {graph e} stands for both, and so do {graph} and {graph ?} in
// an INSERT. Expand rejects a statement with an unmarked table. Engines expand each text once, when they prepare it.
//
// The package imports no driver. It decides who may see a row only through the visibility rule of
// package loci, which visibility.go repeats as SQL.
package sqlstore
