// Package sqlite is the storage engine of a data directory: _meta.db, the registry of orgs, people, credentials and
// projects; orgs/{org}.db, one file per tenant; and projects/{id}.db, one graph per project.
//
// It contains what only SQLite has: files and their locks, migrations, backup and restore, the bytes of attachments,
// the tokenizer of the full-text index, and postings, which are lists as index ranges. Package sqlstore has the
// statements that any SQL engine runs. This package gives it a connection and a dialect.
//
// A change of two files takes several steps, each of which may be repeated, by one process at a time: the holder of
// the lock people. Readers never see a change that a killed process left half done. The next start finishes or undoes
// it.
//
// The engine does not decide who may write, and it computes no scores. One rule always holds: whichever index finds a
// row, Loci returns or counts the row only if the visibility predicate of sqlstore admits it, or the posting that is
// derived from the same fields in the same transaction.
package sqlite
