package task

import "github.com/loci-memory/loci/internal/gate"

// These are the actions on tasks.
const (
	Create gate.Action = "task.create"
	Read   gate.Action = "task.read"
	Change gate.Action = "task.change"
	Delete gate.Action = "task.delete"
)

// Actions defines who may take each of these actions.
var Actions = gate.Actions{
	Create: {Kinds: gate.Everyone, Rights: gate.Write, Metered: true, Audit: gate.WithChange},
	Read:   {Kinds: gate.Everyone, Rights: gate.Read, Metered: true, Audit: gate.OfReads},
	Change: {Kinds: gate.Everyone, Rights: gate.Both, Metered: true, Audit: gate.WithChange},
	// A deleted task cannot be restored.
	Delete: {Kinds: gate.People, Rights: gate.Both, Deletes: true, Metered: true, Audit: gate.WithChange,
		Command: "loci task delete TASK"},
}
