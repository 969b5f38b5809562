package project

import "github.com/loci-memory/loci/internal/gate"

// Actions are the actions of this package, with their rules.
var Actions = gate.Actions{}

// These are the actions on projects.
var (
	// Most calls about a graph look up its project first. They are metered themselves, so this is not.
	Read    = Actions.Add("project.read", gate.Everyone, gate.Graphs, 0)
	Create  = Actions.Add("project.create", gate.Everyone, gate.Graphs, gate.Metered|gate.WithChange)
	Change  = Actions.Add("project.change", gate.People, gate.Graphs, gate.Metered|gate.WithChange)
	Archive = Actions.Add("project.archive", gate.Everyone, gate.Graphs, gate.Metered|gate.WithChange)
	Restore = Actions.Add("project.restore", gate.Everyone, gate.Graphs, gate.Metered|gate.WithChange)
	Delete  = Actions.Add("project.delete", gate.Everyone, gate.Graphs,
		gate.Metered|gate.WithChange|gate.Deletes|gate.Disk, gate.Command("loci project delete PROJECT"))
	ReadMembers  = Actions.Add("project.members", gate.People, gate.Graphs, gate.Metered)
	ChangeMember = Actions.Add("project.member", gate.People, gate.Graphs, gate.Metered|gate.WithChange)
)
