package graph

import "github.com/loci-memory/loci/internal/gate"

// These are the actions on graphs.
const (
	Read      gate.Action = "graph.read"
	Write     gate.Action = "graph.write"
	Delete    gate.Action = "graph.delete"
	Restore   gate.Action = "graph.restore"
	Merge     gate.Action = "graph.merge"
	ReadTrash gate.Action = "graph.read_trash"
	History   gate.Action = "graph.history"
	Vendors   gate.Action = "graph.vendors"
	Export    gate.Action = "graph.export"
	Import    gate.Action = "graph.import"
	Check     gate.Action = "graph.check"
)

// Actions defines who may take each of these actions.
var Actions = gate.Actions{
	// A change of a graph is recorded in the project's file, in its transaction. See store.GraphTx.
	Read:      {Kinds: gate.Everyone, Rights: gate.Graphs, Metered: true},
	Write:     {Kinds: gate.Everyone, Rights: gate.Graphs, Metered: true, Audit: gate.WithChange},
	Delete:    {Kinds: gate.Everyone, Rights: gate.Graphs, Metered: true, Audit: gate.WithChange},
	Restore:   {Kinds: gate.Everyone, Rights: gate.Graphs, Metered: true, Audit: gate.WithChange},
	Merge:     {Kinds: gate.Everyone, Rights: gate.Graphs, Metered: true, Audit: gate.WithChange},
	ReadTrash: {Kinds: gate.Everyone, Rights: gate.Graphs, Metered: true},
	History:   {Kinds: gate.Everyone, Rights: gate.Graphs, Metered: true},
	Vendors:   {Kinds: gate.People, Rights: gate.Graphs, Metered: true, Audit: gate.WithChange},
	Export:    {Kinds: gate.People, Rights: gate.Graphs, Metered: true, Audit: gate.WithChange, Closed: true},
	Import:    {Kinds: gate.People, Rights: gate.Graphs, Metered: true, Audit: gate.WithChange},
	Check:     {Kinds: gate.Operator},
}
