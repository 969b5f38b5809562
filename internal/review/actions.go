package review

import (
	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
)

// These are the actions on notes and candidates.
const (
	Reflect gate.Action = "reflection.read"  // extract candidates, and write nothing
	Persist gate.Action = "reflection.store" // store what was extracted
	Read    gate.Action = "review.read"
	Decide  gate.Action = "review.decide" // reject, defer, archive, edit, merge, undo
	Accept  gate.Action = "review.accept" // make a memory of a candidate
	Dream   gate.Action = "dream"
	// DreamRead reads the receipts of the dream-cycle.
	DreamRead gate.Action = "dream.read"
)

var (
	reflects = []loci.Right{loci.RightReflect}
	changes  = []loci.Right{loci.RightReflect, loci.RightWrite}
)

// Actions defines who may take each of these actions.
var Actions = gate.Actions{
	Reflect: {Kinds: gate.Everyone, Rights: reflects, Metered: true, Audit: gate.WithCall},
	Persist: {Kinds: gate.Everyone, Rights: changes, Metered: true, Audit: gate.WithChange},
	Read:    {Kinds: gate.Everyone, Rights: reflects, Metered: true, Audit: gate.OfReads},
	Decide:  {Kinds: gate.Everyone, Rights: changes, Metered: true, Audit: gate.WithChange},
	Accept:  {Kinds: gate.Everyone, Rights: changes, Metered: true, Audit: gate.WithChange},
	// Decisions of the dream-cycle about candidates are recorded as Dream, too.
	Dream: {Kinds: gate.People, Rights: gate.Admin, Role: loci.MemberAdmin, Metered: true, Audit: gate.WithChange,
		Personal: true},
	DreamRead: {Kinds: gate.People, Rights: gate.Admin, Role: loci.MemberAdmin},
}
