package rest

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/agent"
)

// registerAgents adds the routes about agents and their sessions.
func (s *server) registerAgents(at func(route) route) {
	add(s, at(routeCreateAgent), s.createAgent)
	add(s, at(routeAgents), s.agents)
	add(s, at(routeAgent), s.agent)
	add(s, at(routeOpenSession), s.openSession)
	add(s, at(routeAgentSessions), s.agentSessions)
	add(s, at(routeAgentSession), s.agentSession)
	add(s, at(routeCloseSession), s.closeSession)
}

// The routes about agents and their sessions.
var (
	routeCreateAgent = route{ID: "createAgent", Method: http.MethodPost, Atomic: true, Path: "/agents", Who: forAny,
		Action: agent.Create, Tag: "agents", Limit: expensive, Status: http.StatusCreated,
		Summary: "Register an agent",
		Text: "An agent belongs to a person and has a vendor. An agent key registers agents of its own vendor " +
			"only. 409 if that vendor already has an agent of that name.",
		In: exampleNewAgent, Out: exampleAgent}
	routeAgents = route{ID: "listAgents", Method: http.MethodGet, Path: "/agents", Who: forAny,
		Action: agent.Read, Tag: "agents",
		Summary: "List your agents",
		Text:    "By name. An agent key lists the agents of its vendor. Nobody sees another person's agents.",
		Out:     exampleAgents}
	routeAgent = route{ID: "getAgent", Method: http.MethodGet, Path: "/agents/{id}", Who: forAny,
		Action: agent.Read, Missing: noAgent, Tag: "agents",
		Summary: "Get an agent",
		Text:    "One of your agents. An agent key gets agents of its own vendor only.",
		Out:     exampleAgent}
	routeOpenSession = route{ID: "openSession", Method: http.MethodPost, Atomic: true, Path: "/sessions",
		Who: forAny, Action: agent.SessionOpen, Tag: "agents", Status: http.StatusCreated,
		Summary: "Open a session",
		Text: "Opens it in the active workspace. Send its id in the header Loci-Session of other requests: " +
			"they then reach the memories of its agent, and belong to the session.",
		In: exampleNewWork, Out: exampleWork}
	routeAgentSessions = route{ID: "listAgentSessions", Method: http.MethodGet, Path: "/sessions", Who: forAny,
		Action: agent.SessionRead, Tag: "agents",
		Summary: "List the sessions of your agents",
		Text: "Most recently opened first. An agent key lists the sessions of its vendor. For browser " +
			"sessions, see /users/me/sessions.",
		Out: exampleWorkList}
	routeAgentSession = route{ID: "getAgentSession", Method: http.MethodGet, Path: "/sessions/{id}", Who: forAny,
		Action: agent.SessionRead, Missing: noSession, Tag: "agents",
		Summary: "Get a session",
		Text:    "Active or closed. An agent key gets sessions of its own vendor only.",
		Out:     exampleWork}
	routeCloseSession = route{ID: "closeSession", Method: http.MethodPost, Atomic: true, Path: "/sessions/{id}/close",
		Who: forAny, Action: agent.SessionClose, Missing: noSession, Tag: "agents",
		Summary: "Close a session",
		Text: "No request can name it afterwards. Loci keeps what was written in it. 409 if it is already " +
			"closed.",
		Out: exampleWorkDone}
)

// AgentPath is an agent in a path. It is exported because huma skips
// embedded structs that are not.
type AgentPath struct {
	ID string `path:"id" doc:"Id of the agent, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

// SessionPath is a session of agents in a path, exported as AgentPath is.
type SessionPath struct {
	ID string `path:"id" doc:"Id of the session, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

func (p SessionPath) session() (id loci.SessionID) {
	read(&id, p.ID)
	return id
}

type newAgentInput struct{ Body client.NewAgent }

func (s *server) createAgent(ctx context.Context, p loci.Principal, in *newAgentInput) (*answer[loci.Agent], error) {
	return say(s.app.Agent.Create(ctx, p, in.Body))
}

type agentsInput struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"500" doc:"Default: 50"`
	Cursor string `query:"cursor" maxLength:"1024" doc:"next_cursor of the page before"`
}

func (s *server) agents(ctx context.Context, p loci.Principal, in *agentsInput) (*answer[client.AgentList], error) {
	page, err := s.app.Agent.List(ctx, p, agent.ListRequest{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return say(client.AgentList{Agents: orEmpty(page.Agents), More: moreAt(page.NextCursor)}, nil)
}

func (s *server) agent(ctx context.Context, p loci.Principal, in *AgentPath) (*answer[loci.Agent], error) {
	var id loci.AgentID
	read(&id, in.ID)
	return say(s.app.Agent.Get(ctx, p, id))
}

type newSessionInput struct{ Body client.NewAgentSession }

func (s *server) openSession(ctx context.Context, p loci.Principal,
	in *newSessionInput) (*answer[loci.Session], error) {
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
		read(&r.AgentID, in.AgentID)
	}
	page, err := s.app.Agent.Sessions(ctx, p, r)
	if err != nil {
		return nil, err
	}
	return say(client.AgentSessionList{Sessions: orEmpty(page.Sessions), More: moreAt(page.NextCursor)}, nil)
}

func (s *server) agentSession(ctx context.Context, p loci.Principal, in *SessionPath) (*answer[loci.Session], error) {
	return say(s.app.Agent.Session(ctx, p, in.session()))
}

func (s *server) closeSession(ctx context.Context, p loci.Principal, in *SessionPath) (*answer[loci.Session], error) {
	return say(s.app.Agent.CloseSession(ctx, p, in.session()))
}

// The examples about agents, of the same small world.
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
