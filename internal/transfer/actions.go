package transfer

import "github.com/loci-memory/loci/internal/gate"

// These are the actions of exports and imports.
const (
	Export gate.Action = "transfer.export"
	Import gate.Action = "transfer.import"
)

// Actions defines who may take each of these actions.
var Actions = gate.Actions{
	Export: {Kinds: gate.People, Rights: gate.Read, Metered: true, Audit: gate.WithChange, Closed: true},
	Import: {Kinds: gate.Operator, Metered: true, Audit: gate.WithChange},
}
