package rest

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/agent"
)

// The routes about agents and their sessions.
var agentRoutes = table{"agents", []served{
	serve("POST /agents", route{ID: "createAgent", Atomic: true, Who: forAny, Action: agent.Create,
		Limit: expensive, Status: http.StatusCreated,
		Summary: "Register an agent",
		Text: "An agent belongs to a person and has a vendor. An agent key registers agents of its own vendor " +
			"only. 409 if that vendor already has an agent of that name.",
		In: exampleNewAgent, Out: exampleAgent}, (*server).createAgent),
	serve("GET /agents", route{ID: "listAgents", Who: forAny, Action: agent.Read,
		Summary: "List your agents",
		Text:    "By name. An agent key lists the agents of its vendor. Nobody sees another person's agents.",
		Out:     exampleAgents}, (*server).agents),
	serve("GET /agents/{id}", route{ID: "getAgent", Who: forAny, Action: agent.Read, Missing: noAgent,
		Summary: "Get an agent",
		Text:    "One of your agents. An agent key gets agents of its own vendor only.",
		Out:     exampleAgent}, (*server).agent),
	serve("POST /sessions", route{ID: "openSession", Atomic: true, Who: forAny, Action: agent.SessionOpen,
		Status:  http.StatusCreated,
		Summary: "Open a session",
		Text: "Opens it in the active workspace. Send its id in the header Loci-Session of other requests: " +
			"they then reach the memories of its agent, and belong to the session.",
		In: exampleNewWork, Out: exampleWork}, (*server).openSession),
	serve("GET /sessions", route{ID: "listAgentSessions", Who: forAny, Action: agent.SessionRead,
		Summary: "List the sessions of your agents",
		Text: "Most recently opened first. An agent key lists the sessions of its vendor. For sign-ins, " +
			"see /users/me/sign-ins.",
		Out: exampleWorkList}, (*server).agentSessions),
	serve("GET /sessions/{id}", route{ID: "getAgentSession", Who: forAny, Action: agent.SessionRead,
		Missing: noSession,
		Summary: "Get a session",
		Text:    "Active or closed. An agent key gets sessions of its own vendor only.",
		Out:     exampleWork}, (*server).agentSession),
	serve("POST /sessions/{id}/close", route{ID: "closeSession", Atomic: true, Who: forAny,
		Action: agent.SessionClose, Missing: noSession,
		Summary: "Close a session",
		Text: "No request can name it afterwards. Loci keeps what was written in it. 409 if it is already " +
			"closed.",
		Out: exampleWorkDone}, (*server).closeSession),
}}

// AgentPath is an agent in a path. It is exported because huma skips
// embedded structs that are not.
type AgentPath struct {
	ID string `path:"id" doc:"Id of the agent, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

// SessionPath is a session of agents in a path, exported as AgentPath is.
type SessionPath struct {
	ID string `path:"id" doc:"Id of the session, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

func (p SessionPath) session() loci.SessionID { return idOf[loci.SessionID](p.ID) }

func (s *server) createAgent(ctx context.Context, p loci.Principal, in *body[client.NewAgent]) (
	*answer[loci.Agent], error) {
	return say(s.app.Agent.Create(ctx, p, in.Body))
}

type agentsInput struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"500" doc:"Default: 50"`
	Cursor string `query:"cursor" maxLength:"1024" doc:"next_cursor of the page before"`
}

func (s *server) agents(ctx context.Context, p loci.Principal, in *agentsInput) (*answer[client.AgentList], error) {
	page, err := s.app.Agent.List(ctx, p, agent.ListRequest{Limit: in.Limit, Cursor: in.Cursor})
	return say(client.AgentList{Agents: orEmpty(page.Items), More: moreAt(page.NextCursor)}, err)
}

func (s *server) agent(ctx context.Context, p loci.Principal, in *AgentPath) (*answer[loci.Agent], error) {
	return say(s.app.Agent.Get(ctx, p, idOf[loci.AgentID](in.ID)))
}

func (s *server) openSession(ctx context.Context, p loci.Principal,
	in *body[client.NewAgentSession]) (*answer[loci.Session], error) {
	return say(s.app.Agent.OpenSession(ctx, p, in.Body))
}

type agentSessionsInput struct {
	State   loci.SessionState `query:"state" enum:"active,closed" doc:"Default: both"`
	AgentID string            `query:"agent_id" format:"uuid" doc:"Only sessions of this agent"`
	Limit   int               `query:"limit" minimum:"1" maximum:"500" doc:"Default: 50"`
	Cursor  string            `query:"cursor" maxLength:"1024" doc:"next_cursor of the page before, with the same filter"`
}

func (s *server) agentSessions(ctx context.Context, p loci.Principal,
	in *agentSessionsInput) (*answer[client.AgentSessionList], error) {
	r := agent.SessionList{State: in.State, Limit: in.Limit, Cursor: in.Cursor}
	if in.AgentID != "" {
		r.AgentID = idOf[loci.AgentID](in.AgentID)
	}
	page, err := s.app.Agent.Sessions(ctx, p, r)
	return say(client.AgentSessionList{Sessions: orEmpty(page.Items), More: moreAt(page.NextCursor)}, err)
}

func (s *server) agentSession(ctx context.Context, p loci.Principal, in *SessionPath) (*answer[loci.Session], error) {
	return say(s.app.Agent.Session(ctx, p, in.session()))
}

func (s *server) closeSession(ctx context.Context, p loci.Principal, in *SessionPath) (*answer[loci.Session], error) {
	return say(s.app.Agent.CloseSession(ctx, p, in.session()))
}

// These are the examples about agents, of the same small world.
var (
	exampleAgent = loci.Agent{ID: loci.AgentID(exampleID), UserID: exampleUser, Vendor: "claude", Name: "reviewer",
		Config: json.RawMessage(`{"model":"large"}`), CreatedAt: exampleTime, UpdatedAt: exampleTime}
	exampleNewAgent = client.NewAgent{Name: "reviewer", Vendor: "claude", Config: json.RawMessage(`{"model":"large"}`)}
	exampleAgents   = client.AgentList{Agents: []loci.Agent{exampleAgent}}

	exampleWork = loci.Session{ID: loci.SessionID(exampleID), UserID: exampleUser, AgentID: loci.AgentID(exampleID),
		Vendor: "claude",
		Title:  "Review of the login page", State: loci.SessionActive, CreatedAt: exampleTime}
	exampleNewWork  = client.NewAgentSession{Vendor: "claude", Title: "Review of the login page"}
	exampleWorkList = client.AgentSessionList{Sessions: []loci.Session{exampleWork}}
	exampleWorkDone = loci.Session{ID: loci.SessionID(exampleID), UserID: exampleUser,
		AgentID: loci.AgentID(exampleID), Vendor: "claude",
		Title: "Review of the login page", State: loci.SessionClosed, CreatedAt: exampleTime, ClosedAt: exampleTime}
)
