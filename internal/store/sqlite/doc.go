// Package sqlite is the storage engine of a data directory: _meta.db, the
// registry of orgs, people, credentials and projects; orgs/{org}.db, one file
// per tenant; and projects/{id}.db, one graph per project.
//
// It keeps what only SQLite has: files and their locks, migrations, backup and
// restore, the bytes of attachments, the tokenizer of the full-text index, and
// postings, which are lists as index ranges. The statements that any SQL engine
// runs are in sqlstore, which this package gives a connection and a dialect.
//
// A change of two files goes in steps, each of which may be repeated, by one
// process at a time: the holder of people.lock. No reader sees what a killed
// process leaves half done. The next start finishes or undoes it.
//
// It decides nothing about who may write, and scores nothing. The invariant:
// whatever index finds a row, Loci returns or counts the row only if the
// visibility predicate of sqlstore admits it, or the posting that is derived
// from the same fields in the same transaction.
package sqlite
