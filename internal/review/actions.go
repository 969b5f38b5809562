package review

import (
	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
)

var (
	reflects = []loci.Right{loci.RightReflect}
	changes  = []loci.Right{loci.RightReflect, loci.RightWrite}
)

// Actions are the actions of this package, with their rules.
var Actions = gate.Actions{}

// These are the actions on notes and candidates.
var (
	// Reflect extracts candidates and writes nothing.
	Reflect = Actions.Add("reflection.read", gate.Everyone, reflects, gate.Metered|gate.WithCall)
	// Persist stores what was extracted.
	Persist = Actions.Add("reflection.store", gate.Everyone, changes, gate.Metered|gate.WithChange)
	Read    = Actions.Add("review.read", gate.Everyone, reflects, gate.Metered|gate.OfReads)
	// Decide is to reject, defer, archive, edit, merge and undo.
	Decide = Actions.Add("review.decide", gate.Everyone, changes, gate.Metered|gate.WithChange)
	// Accept makes a memory of a candidate.
	Accept = Actions.Add("review.accept", gate.Everyone, changes, gate.Metered|gate.WithChange)
	// Decisions of the dream-cycle about candidates are recorded as Dream, too.
	Dream = Actions.Add("dream", gate.People, gate.Admin, gate.Metered|gate.WithChange|gate.Personal, gate.OrgAdmin)
	// DreamRead reads the receipts of the dream-cycle.
	DreamRead = Actions.Add("dream.read", gate.People, gate.Admin, 0, gate.OrgAdmin)
)
