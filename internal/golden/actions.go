package golden

import "github.com/loci-memory/loci/internal/gate"

// These are the actions on golden questions.
const (
	Read   gate.Action = "golden.read"
	Change gate.Action = "golden.change"
	Run    gate.Action = "golden.run"
)

// Actions defines who may take each of these actions. A question is no memory, so the org's rule about deletion does
// not apply to it.
var Actions = gate.Actions{
	Read:   {Kinds: gate.People, Rights: gate.Read, Metered: true, Audit: gate.OfReads},
	Change: {Kinds: gate.People, Rights: gate.Both, Metered: true, Audit: gate.WithChange},
	Run:    {Kinds: gate.People, Rights: gate.Both, Metered: true, Audit: gate.WithChange},
}
