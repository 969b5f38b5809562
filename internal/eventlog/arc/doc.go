// Package arc keeps the events of an org in Arc, a time-series database that the org runs itself.
//
// Arc answers a write before the rows are on its disk, so it is never the only one that has an event:
// a Log commits each event to a local log first, answers, and delivers the event later. The event
// leaves the local log only when a query has shown it in Arc. Reads join what Arc and the local log
// have. An event that Arc refuses becomes a dead letter, and stays readable.
//
// Its invariant: every statement that reaches Arc names the org, because only this package's
// statements can be sent, and none can be made without an org (see statement).
//
// It leaves out who may ask, where bindings and keys are stored, and deduplication, which the local log does.
package arc
