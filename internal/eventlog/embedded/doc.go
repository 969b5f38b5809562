// Package embedded is the event log in files of the data directory, for one host. Each org has a
// directory with log.db, which has new and recent events, and one compressed file for each past month,
// such as 2026-01.db. Who searches events by a text passes their ids, which an index has found.
//
// An append is one transaction on log.db, with two trees to write: the events in the order in which
// they were stored, and their ids, which are in the order of time. Everything else is done behind it,
// by Upkeep: it moves those of past months into their files.
//
// A read takes its snapshots of log.db before those of the months, and an event moves in that order,
// too. So a read finds every event once, whatever moves meanwhile (see source).
//
// The visibility rule is loci.Viewer.SeesEvent and nothing else. Events refer to a stream and that to
// a class, which is a distinct access. A read asks the rule once for each class.
package embedded
