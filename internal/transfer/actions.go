package transfer

import "github.com/loci-memory/loci/internal/gate"

// The actions.
const (
	Export gate.Action = "transfer.export"
	Import gate.Action = "transfer.import"
)

// Actions says who may take each of them.
var Actions = gate.Actions{
	Export: {Kinds: gate.People, Rights: gate.Read, Metered: true, Audit: gate.WithChange},
	Import: {Kinds: gate.Operator, Metered: true, Audit: gate.WithChange},
}
