// Package maintain is the upkeep that nobody asks for by hand: jobs on a
// schedule, and backups with their proof. It decides when and in which order;
// the store does the work.
//
// The invariants: a job that fails is tried again at its next turn and never
// ends the process; a backup has its name only when it is complete, and a
// restore never destroys what it replaces.
package maintain
