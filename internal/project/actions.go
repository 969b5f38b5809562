package project

import "github.com/loci-memory/loci/internal/gate"

// These are the actions on projects.
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

// Actions defines who may take each of these actions.
var Actions = gate.Actions{
	// Most calls about a graph look up its project first. They are metered themselves, so this is not.
	Read:    {Kinds: gate.Everyone, Rights: gate.Graphs},
	Create:  {Kinds: gate.Everyone, Rights: gate.Graphs, Metered: true, Audit: gate.WithChange},
	Change:  {Kinds: gate.People, Rights: gate.Graphs, Metered: true, Audit: gate.WithChange},
	Archive: {Kinds: gate.Everyone, Rights: gate.Graphs, Metered: true, Audit: gate.WithChange},
	Restore: {Kinds: gate.Everyone, Rights: gate.Graphs, Metered: true, Audit: gate.WithChange},
	Delete: {Kinds: gate.Everyone, Rights: gate.Graphs, Deletes: true, Disk: true, Metered: true,
		Command: "loci project delete PROJECT", Audit: gate.WithChange},
	ReadMembers:  {Kinds: gate.People, Rights: gate.Graphs, Metered: true},
	ChangeMember: {Kinds: gate.People, Rights: gate.Graphs, Metered: true, Audit: gate.WithChange},
}
