// Package sqlitedb is one SQLite file made safe to share: every connection is
// set up alike, one writer per process commits queued work in groups, readers
// see snapshots, and processes take turns through a lock file beside the
// database. It knows nothing of memories, events or graphs; the engines bring
// schema, SQL and extensions.
//
// The invariant: when [DB.Update] returns nil, the function's changes are on
// the disk (synchronous=FULL); when it returns an error, none of them are.
// One function's failure never touches another that shared its transaction.
//
// A function given to Update runs on the writer's goroutine. SQLite may throw
// away a whole shared transaction because of one member (a full disk, say);
// the others then run once more, each alone. So a function may run twice and
// touches only its [Conn] and its own locals, and it never calls Update of the
// same DB, which would wait for itself.
package sqlitedb
