package graph

import "github.com/loci-memory/loci/internal/gate"

// Actions are the actions of this package, with their rules.
var Actions = gate.Actions{}

// These are the actions on graphs.
var (
	// A change of a graph is recorded in the project's file, in its transaction. See store.GraphTx.
	Read      = Actions.Add("graph.read", gate.Everyone, gate.Graphs, gate.Metered)
	Write     = Actions.Add("graph.write", gate.Everyone, gate.Graphs, gate.Metered|gate.WithChange)
	Delete    = Actions.Add("graph.delete", gate.Everyone, gate.Graphs, gate.Metered|gate.WithChange)
	Restore   = Actions.Add("graph.restore", gate.Everyone, gate.Graphs, gate.Metered|gate.WithChange)
	Merge     = Actions.Add("graph.merge", gate.Everyone, gate.Graphs, gate.Metered|gate.WithChange)
	ReadTrash = Actions.Add("graph.read_trash", gate.Everyone, gate.Graphs, gate.Metered)
	History   = Actions.Add("graph.history", gate.Everyone, gate.Graphs, gate.Metered)
	Vendors   = Actions.Add("graph.vendors", gate.People, gate.Graphs, gate.Metered|gate.WithChange)
	Export    = Actions.Add("graph.export", gate.People, gate.Graphs, gate.Metered|gate.WithChange|gate.Closed)
	Import    = Actions.Add("graph.import", gate.People, gate.Graphs, gate.Metered|gate.WithChange)
	Check     = Actions.Add("graph.check", gate.Operator, nil, 0)
)
