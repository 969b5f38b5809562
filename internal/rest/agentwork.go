package rest

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
)

// AgentPath is an agent in a path. It is exported because huma passes over
// embedded structs that are not.
type AgentPath struct {
	ID string `path:"id" doc:"Of the agent, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

// SessionPath is a session of agents in a path, exported as AgentPath is.
type SessionPath struct {
	ID string `path:"id" doc:"Of the session, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

func (p SessionPath) session() (id loci.SessionID) {
	read(&id, p.ID)
	return id
}

type newAgentInput struct{ Body client.NewAgent }

func (s *server) createAgent(ctx context.Context, p loci.Principal, in *newAgentInput) (*answer[loci.Agent], error) {
	return say(s.app.CreateAgent(ctx, p, app.AgentDraft{Name: in.Body.Name, Vendor: in.Body.Vendor, Config: in.Body.Config}))
}

type agentsInput struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"500" doc:"Left out: 50"`
	Cursor string `query:"cursor" maxLength:"1024" doc:"next_cursor of the page before"`
}

func (s *server) agents(ctx context.Context, p loci.Principal, in *agentsInput) (*answer[client.AgentList], error) {
	page, err := s.app.Agents(ctx, p, app.AgentList{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return say(client.AgentList{Agents: orEmpty(page.Agents), More: moreAt(page.NextCursor)}, nil)
}

func (s *server) agent(ctx context.Context, p loci.Principal, in *AgentPath) (*answer[loci.Agent], error) {
	var id loci.AgentID
	read(&id, in.ID)
	return say(s.app.Agent(ctx, p, id))
}

type newSessionInput struct{ Body client.NewAgentSession }

func (s *server) openSession(ctx context.Context, p loci.Principal, in *newSessionInput) (*answer[loci.Session], error) {
	b := &in.Body
	return say(s.app.OpenAgentSession(ctx, p, app.AgentSessionDraft{AgentID: b.AgentID, ProjectID: b.ProjectID, Vendor: b.Vendor, Title: b.Title}))
}

type agentSessionsInput struct {
	State   loci.SessionState `query:"state" enum:"active,closed" doc:"Left out: both"`
	AgentID string            `query:"agent_id" format:"uuid" doc:"Only sessions of this agent"`
	Limit   int               `query:"limit" minimum:"1" maximum:"500" doc:"Left out: 50"`
	Cursor  string            `query:"cursor" maxLength:"1024" doc:"next_cursor of the page before, with the same filter"`
}

func (s *server) agentSessions(ctx context.Context, p loci.Principal, in *agentSessionsInput) (*answer[client.AgentSessionList], error) {
	r := app.AgentSessionList{State: in.State, Limit: in.Limit, Cursor: in.Cursor}
	if in.AgentID != "" {
		read(&r.AgentID, in.AgentID)
	}
	page, err := s.app.AgentSessions(ctx, p, r)
	if err != nil {
		return nil, err
	}
	return say(client.AgentSessionList{Sessions: orEmpty(page.Sessions), More: moreAt(page.NextCursor)}, nil)
}

func (s *server) agentSession(ctx context.Context, p loci.Principal, in *SessionPath) (*answer[loci.Session], error) {
	return say(s.app.AgentSession(ctx, p, in.session()))
}

func (s *server) closeSession(ctx context.Context, p loci.Principal, in *SessionPath) (*answer[loci.Session], error) {
	return say(s.app.CloseAgentSession(ctx, p, in.session()))
}
