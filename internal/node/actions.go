package node

import "github.com/loci-memory/loci/internal/gate"

// These are the actions on memory nodes.
const (
	Create  gate.Action = "memory_node.create"
	Read    gate.Action = "memory_node.read"
	Change  gate.Action = "memory_node.change"
	Trash   gate.Action = "memory_node.trash"
	Restore gate.Action = "memory_node.restore"
	Erase   gate.Action = "memory_node.erase"
)

// Actions defines who may take each of these actions.
var Actions = gate.Actions{
	Create: {Kinds: gate.Everyone, Rights: gate.Write, Metered: true, Audit: gate.WithChange},
	Read:   {Kinds: gate.Everyone, Rights: gate.Read, Metered: true, Audit: gate.OfReads},
	Change: {Kinds: gate.Everyone, Rights: gate.Both, Metered: true, Audit: gate.WithChange},
	Trash: {Kinds: gate.Everyone, Rights: gate.Both, Deletes: true, Metered: true, Audit: gate.WithChange,
		Command: "loci node trash NODE"},
	Restore: {Kinds: gate.People, Rights: gate.Both, Deletes: true, Metered: true, Audit: gate.WithChange,
		Command: "loci node restore NODE"},
	Erase: {Kinds: gate.People, Rights: gate.Both, Deletes: true, Metered: true, Audit: gate.WithChange,
		Command: "loci node delete NODE"},
}
