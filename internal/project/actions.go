package project

import "github.com/loci-memory/loci/internal/gate"

// The actions.
const (
	Read         gate.Action = "project.read"
	Create       gate.Action = "project.create"
	Change       gate.Action = "project.change"
	Archive      gate.Action = "project.archive"
	Restore      gate.Action = "project.restore"
	Delete       gate.Action = "project.delete"
	ReadMembers  gate.Action = "project.members"
	ChangeMember gate.Action = "project.member"
)

// Actions says who may take each of them.
var Actions = gate.Actions{
	// Finding a project is a part of most calls about its graph, which are metered themselves.
	Read:    {Kinds: gate.Everyone, Rights: gate.Graphs},
	Create:  {Kinds: gate.Everyone, Rights: gate.Graphs, Metered: true, Audit: gate.WithChange},
	Change:  {Kinds: gate.People, Rights: gate.Graphs, Metered: true, Audit: gate.WithChange},
	Archive: {Kinds: gate.Everyone, Rights: gate.Graphs, Metered: true, Audit: gate.WithChange},
	Restore: {Kinds: gate.Everyone, Rights: gate.Graphs, Metered: true, Audit: gate.WithChange},
	Delete: {Kinds: gate.Everyone, Rights: gate.Graphs, Deletes: true, Disk: true, Metered: true,
		Audit: gate.WithChange},
	ReadMembers:  {Kinds: gate.People, Rights: gate.Graphs, Metered: true},
	ChangeMember: {Kinds: gate.People, Rights: gate.Graphs, Metered: true, Audit: gate.WithChange},
}
