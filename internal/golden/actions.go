package golden

import "github.com/loci-memory/loci/internal/gate"

// Actions are the actions of this package, with their rules. A question is no memory, so the org's rule
// about deletion does not apply to it.
var Actions = gate.Actions{}

// These are the actions on golden questions.
var (
	Read   = Actions.Add("golden.read", gate.People, gate.Read, gate.Metered|gate.OfReads)
	Change = Actions.Add("golden.change", gate.People, gate.Both, gate.Metered|gate.WithChange)
	Run    = Actions.Add("golden.run", gate.People, gate.Both, gate.Metered|gate.WithChange)
)
