package rest

import (
	"encoding/json"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

// The examples about agents, of the same small world.
var (
	exampleAgent = loci.Agent{ID: loci.AgentID(exampleID), UserID: exampleUser, Vendor: "claude", Name: "reviewer",
		Config: json.RawMessage(`{"model":"large"}`), CreatedAt: exampleTime, UpdatedAt: exampleTime}
	exampleNewAgent = client.NewAgent{Name: "reviewer", Vendor: "claude", Config: json.RawMessage(`{"model":"large"}`)}
	exampleAgents   = client.AgentList{Agents: []loci.Agent{exampleAgent}}

	exampleWork = loci.Session{ID: loci.SessionID(exampleID), UserID: exampleUser, AgentID: loci.AgentID(exampleID), Vendor: "claude",
		Title: "Review of the login page", State: loci.SessionActive, CreatedAt: exampleTime}
	exampleNewWork  = client.NewAgentSession{Vendor: "claude", Title: "Review of the login page"}
	exampleWorkList = client.AgentSessionList{Sessions: []loci.Session{exampleWork}}
	exampleWorkDone = loci.Session{ID: loci.SessionID(exampleID), UserID: exampleUser, AgentID: loci.AgentID(exampleID), Vendor: "claude",
		Title: "Review of the login page", State: loci.SessionClosed, CreatedAt: exampleTime, ClosedAt: exampleTime}
)
