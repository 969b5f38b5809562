// Package sqlite is the storage engine of a data directory: _meta.db, the
// registry of orgs, of people, of every kind of credential and of limits, and
// orgs/{org}.db, one file per tenant with its users, memories and their
// versions, and what is derived from them: postings (lists as index ranges) and
// a full-text index.
//
// What changes both files goes in steps, each of which may be repeated, by one
// process at a time: the holder of people.lock. What a killed one leaves is seen
// by no reader, and finished or undone by the next start.
//
// It holds no rule about who may write, and it ranks nothing. The invariant:
// whatever index finds a row, the row is returned or counted only if the
// visibility predicate of visibility.go, or the posting that is derived from
// the same fields in the same transaction, admits it.
package sqlite
