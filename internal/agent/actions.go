package agent

import "github.com/loci-memory/loci/internal/gate"

// Actions are the actions of this package, with their rules.
var Actions = gate.Actions{}

// These are the actions on agents and sessions.
var (
	Create = Actions.Add("agent.create", gate.Everyone, gate.Write, gate.Metered|gate.WithChange)
	Read   = Actions.Add("agent.read", gate.Everyone, gate.Read, gate.Metered)
	Change = Actions.Add("agent.change", gate.Everyone, gate.Both, gate.Metered|gate.WithChange)
	Delete = Actions.Add("agent.delete", gate.People, gate.Both, gate.Metered|gate.WithChange|gate.Deletes,
		gate.Command("loci agent delete AGENT"))
	SessionCreate = Actions.Add("session.create", gate.Everyone, gate.Write, gate.Metered|gate.WithChange|gate.Closed)
	SessionRead   = Actions.Add("session.read", gate.Everyone, gate.Read, gate.Metered)
	SessionChange = Actions.Add("session.change", gate.Everyone, gate.Both, gate.Metered|gate.WithChange|gate.Closed)
	SessionClose  = Actions.Add("session.close", gate.Everyone, gate.Write, gate.Metered|gate.WithChange|gate.Closed)
	SessionReopen = Actions.Add("session.reopen", gate.Everyone, gate.Write, gate.Metered|gate.WithChange|gate.Closed)
)
