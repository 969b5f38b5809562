package node

import "github.com/loci-memory/loci/internal/gate"

// Actions are the actions of this package, with their rules.
var Actions = gate.Actions{}

// These are the actions on memory nodes.
var (
	Create = Actions.Add("memory_node.create", gate.Everyone, gate.Write, gate.Metered|gate.WithChange)
	Read   = Actions.Add("memory_node.read", gate.Everyone, gate.Read, gate.Metered|gate.OfReads)
	Change = Actions.Add("memory_node.change", gate.Everyone, gate.Both, gate.Metered|gate.WithChange)
	Trash  = Actions.Add("memory_node.trash", gate.Everyone, gate.Both, gate.Metered|gate.WithChange|gate.Deletes,
		gate.Command("loci node trash NODE"))
	Restore = Actions.Add("memory_node.restore", gate.People, gate.Both, gate.Metered|gate.WithChange|gate.Deletes,
		gate.Command("loci node restore NODE"))
	Erase = Actions.Add("memory_node.erase", gate.People, gate.Both, gate.Metered|gate.WithChange|gate.Deletes,
		gate.Command("loci node delete NODE"))
)
