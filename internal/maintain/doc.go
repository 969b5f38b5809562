// Package maintain does automatic maintenance: scheduled jobs, and backups that are verified. It
// decides when to do what and in which order; the store does the work.
//
// The invariants: a failed job is retried at its next turn and never ends the process. A backup has
// its name only when it is complete. A restore never destroys what it replaces.
package maintain
