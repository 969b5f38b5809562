// Package sqlitedb makes one SQLite file safe to share: every connection is set up alike, one writer per process
// commits queued work in groups, readers see snapshots, and processes take turns through a lock file beside the
// database. It has no notion of memories, events or graphs. The engines supply the schema, SQL and extensions.
//
// It guarantees this: when [DB.Update] returns nil, the function's changes are on the disk
// (synchronous=FULL). When it returns an error, none of them are. The failure of one function
// never affects another that shared its transaction.
//
// A function given to Update may run on another goroutine. SQLite may roll back a whole shared
// transaction because of one member, for example when the disk is full. The others then run once
// more, each alone. So a function may run twice and must touch only its [Conn] and its local
// variables. It must never call Update of the same DB, because it would wait for itself.
package sqlitedb
