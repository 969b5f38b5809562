package agent

import "github.com/loci-memory/loci/internal/gate"

// These are the actions on agents and sessions.
const (
	Create       gate.Action = "agent.create"
	Read         gate.Action = "agent.read"
	SessionOpen  gate.Action = "session.open"
	SessionRead  gate.Action = "session.read"
	SessionClose gate.Action = "session.close"
)

// Actions defines who may take each of these actions.
var Actions = gate.Actions{
	Create:       {Kinds: gate.Everyone, Rights: gate.Write, Metered: true, Audit: gate.WithChange},
	Read:         {Kinds: gate.Everyone, Rights: gate.Read, Metered: true},
	SessionOpen:  {Kinds: gate.Everyone, Rights: gate.Write, Metered: true, Audit: gate.WithChange},
	SessionRead:  {Kinds: gate.Everyone, Rights: gate.Read, Metered: true},
	SessionClose: {Kinds: gate.Everyone, Rights: gate.Write, Metered: true, Audit: gate.WithChange},
}
