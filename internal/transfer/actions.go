package transfer

import "github.com/loci-memory/loci/internal/gate"

// Actions are the actions of this package, with their rules.
var Actions = gate.Actions{}

// These are the actions of exports and imports.
var (
	Export = Actions.Add("transfer.export", gate.People, gate.Read, gate.Metered|gate.WithChange|gate.Closed)
	Import = Actions.Add("transfer.import", gate.Operator, nil, gate.Metered|gate.WithChange)
)
