package task

import "github.com/loci-memory/loci/internal/gate"

// Actions are the actions of this package, with their rules.
var Actions = gate.Actions{}

// These are the actions on tasks.
var (
	Create = Actions.Add("task.create", gate.Everyone, gate.Write, gate.Metered|gate.WithChange)
	Read   = Actions.Add("task.read", gate.Everyone, gate.Read, gate.Metered|gate.OfReads)
	Change = Actions.Add("task.change", gate.Everyone, gate.Both, gate.Metered|gate.WithChange)
	// A deleted task cannot be restored.
	Delete = Actions.Add("task.delete", gate.People, gate.Both, gate.Metered|gate.WithChange|gate.Deletes,
		gate.Command("loci task delete TASK"))
)
