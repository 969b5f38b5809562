// Package sqlite is the storage engine of a data directory: _meta.db, the
// registry of orgs and keys, and orgs/{org}.db, one file per tenant with its
// users, memories and their versions, and what is derived from them: postings
// (lists as index ranges) and a full-text index.
//
// It holds no rule about who may write, and it ranks nothing. The invariant:
// whatever index finds a row, the row is returned or counted only if the
// visibility predicate of visibility.go, or the posting that is derived from
// the same fields in the same transaction, admits it.
package sqlite
