package app

import "github.com/loci-memory/loci"

// May lets the test of the table ask for a decision alone.
func (a *App) May(p loci.Principal, act Action) error { return a.may(p, act) }
