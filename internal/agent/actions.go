package agent

import "github.com/loci-memory/loci/internal/gate"

// These are the actions on agents and sessions.
const (
	Create        gate.Action = "agent.create"
	Read          gate.Action = "agent.read"
	Change        gate.Action = "agent.change"
	Delete        gate.Action = "agent.delete"
	SessionCreate gate.Action = "session.create"
	SessionRead   gate.Action = "session.read"
	SessionChange gate.Action = "session.change"
	SessionClose  gate.Action = "session.close"
	SessionReopen gate.Action = "session.reopen"
)

// Actions defines who may take each of these actions.
var Actions = gate.Actions{
	Create: {Kinds: gate.Everyone, Rights: gate.Write, Metered: true, Audit: gate.WithChange},
	Read:   {Kinds: gate.Everyone, Rights: gate.Read, Metered: true},
	Change: {Kinds: gate.Everyone, Rights: gate.Both, Metered: true, Audit: gate.WithChange},
	Delete: {Kinds: gate.People, Rights: gate.Both, Deletes: true, Metered: true, Audit: gate.WithChange,
		Command: "loci agent delete AGENT"},
	SessionCreate: {Kinds: gate.Everyone, Rights: gate.Write, Metered: true, Audit: gate.WithChange, Closed: true},
	SessionRead:   {Kinds: gate.Everyone, Rights: gate.Read, Metered: true},
	SessionChange: {Kinds: gate.Everyone, Rights: gate.Both, Metered: true, Audit: gate.WithChange, Closed: true},
	SessionClose:  {Kinds: gate.Everyone, Rights: gate.Write, Metered: true, Audit: gate.WithChange, Closed: true},
	SessionReopen: {Kinds: gate.Everyone, Rights: gate.Write, Metered: true, Audit: gate.WithChange, Closed: true},
}
