package rest

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/agent"
)

var agentRoutes = table{"agents", []served{
	serve("POST /agents", route{ID: "createAgent", Atomic: true, Who: forAny, Action: agent.Create,
		Status:  http.StatusCreated,
		Summary: "Register an agent",
		Text: "An agent belongs to the org and has a vendor. An agent key registers agents of its own vendor " +
			"only. 409 if the org already has an agent of that name.",
		In: exampleNewAgent, Out: exampleAgent}, (*server).createAgent),
	serve("GET /agents", route{ID: "listAgents", Who: forAny, Action: agent.Read,
		Summary: "List the agents of your org",
		Text:    "By name. Everybody in the org sees all of them, except keys that are limited to projects.",
		Out:     exampleAgents}, (*server).agents),
	serve("GET /agents/{id}", route{ID: "getAgent", Who: forAny, Action: agent.Read,
		Summary: "Get an agent",
		Text:    "By its id, the beginning of its id, or its name.",
		Out:     exampleAgent}, (*server).agent),
	serve("PATCH /agents/{id}", route{ID: "updateAgent", Who: forAny, Action: agent.Change,
		Summary: "Change fields of an agent",
		Text: "Only the person who registered it, agents of its vendor that act for this person, and admins of the " +
			"org may change it. A config replaces the whole present one. 409 if another agent has the name.",
		In: exampleAgentChange, Out: exampleAgent}, (*server).updateAgent),
	serve("DELETE /agents/{id}", route{ID: "deleteAgent", Who: forPeople, Action: agent.Delete,
		Summary: "Delete an agent permanently",
		Text: "What it wrote stays, and so do its sessions. Only the person who registered it and admins of the org " +
			"may delete it. Needs step-up unless the org deletes by key."}, (*server).deleteAgent),
	serve("GET /agents/{id}/stats", route{ID: "getAgentStats", Who: forAny, Action: agent.Read,
		Summary: "Count the work of an agent",
		Text:    "Counts the sessions that you can see.",
		Out:     exampleAgentStats}, (*server).agentStats),
}}

// AgentPath is an agent in a path. It is exported because huma skips embedded structs that are not.
type AgentPath struct {
	ID string `path:"id" doc:"Id or name of the agent" example:"reviewer"`
}

func (s *server) createAgent(ctx context.Context, p loci.Principal, in *body[client.NewAgent]) (
	*answer[loci.Agent], error) {
	return say(s.app.Agent.Create(ctx, p, in.Body))
}

func (s *server) agents(ctx context.Context, p loci.Principal, in *Page50) (*answer[client.AgentList], error) {
	page, err := s.app.Agent.List(ctx, p, agent.ListRequest{Limit: in.Limit, Cursor: in.Cursor})
	return say(client.AgentList{Agents: loci.OrEmpty(page.Items), More: moreAt(page.NextCursor)}, err)
}

func (s *server) agent(ctx context.Context, p loci.Principal, in *AgentPath) (*answer[loci.Agent], error) {
	return say(s.app.Agent.Get(ctx, p, in.ID))
}

type agentChangeInput struct {
	AgentPath
	Body client.AgentChange
}

func (s *server) updateAgent(ctx context.Context, p loci.Principal, in *agentChangeInput) (
	*answer[loci.Agent], error) {
	return say(s.app.Agent.Update(ctx, p, in.ID, in.Body))
}

func (s *server) deleteAgent(ctx context.Context, p loci.Principal, in *AgentPath) (*nothing, error) {
	return done(s.app.Agent.Delete(ctx, p, in.ID))
}

func (s *server) agentStats(ctx context.Context, p loci.Principal, in *AgentPath) (*answer[loci.AgentStats], error) {
	return say(s.app.Agent.Stats(ctx, p, in.ID))
}

var (
	exampleAgent = loci.Agent{ID: loci.AgentID(exampleID), UserID: exampleUser, Vendor: "claude", Name: "reviewer",
		Description: "Reviews changes of the login page", Config: json.RawMessage(`{"model":"large"}`),
		CreatedAt: exampleTime, UpdatedAt: exampleTime, LastActiveAt: exampleTime}
	exampleNewAgent = client.NewAgent{Name: "reviewer", Vendor: "claude",
		Description: "Reviews changes of the login page", Config: json.RawMessage(`{"model":"large"}`)}
	exampleAgentChange = client.AgentChange{Name: new("reviewer"), Config: json.RawMessage(`{"model":"large"}`)}
	exampleAgents      = client.AgentList{Agents: []loci.Agent{exampleAgent}}
	exampleAgentStats  = loci.AgentStats{AgentID: loci.AgentID(exampleID), Sessions: 12, Active: 1, Events: new(3481),
		LastActiveAt: exampleTime}
)
