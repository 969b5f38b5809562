package mcpserver

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
)

// sessionAsk asks for a new session, or for a closed one to go on.
type sessionAsk struct {
	agent.SessionDraft
	reopen string
}

func newSessionFields(c *call, in *sessionAsk) []field {
	return []field{
		text("agent", &in.Agent, 0, loci.MaxName).about("your name or id as an agent, such as reviewer").or("agent_id"),
		text("title", &in.Title, 0, loci.MaxSessionTitle),
		namedProject(c, &in.ProjectID),
		oneOf("reach", &in.Reach, loci.ReachOrg, loci.ReachTeam, loci.ReachPrivate).
			about("who sees it besides the person").otherwise(`"org"`),
		word("reopen", &in.reopen).about("instead: a closed session to continue, by id or title"),
	}
}

// work is what a model needs of a session.
type work struct {
	ID        loci.SessionID    `json:"id"`
	AgentID   loci.AgentID      `json:"agent_id,omitzero"`
	ProjectID loci.ProjectID    `json:"project_id,omitzero"`
	Title     string            `json:"title,omitempty"`
	State     loci.SessionState `json:"state"`
	Reach     loci.Reach        `json:"reach"`
}

func workOf(s loci.Session, err error) (any, error) {
	return work{s.ID, s.AgentID, s.ProjectID, s.Title, s.State, s.Reach}, err
}

func (s *Server) createSession(ctx context.Context, c *call, in *sessionAsk) (any, error) {
	if in.reopen != "" {
		return workOf(s.app.Agent.ReopenSession(ctx, c.principal, in.reopen))
	}
	return workOf(s.app.Agent.CreateSession(ctx, c.principal, in.SessionDraft))
}

func closeSessionFields(_ *call, in *string) []field {
	return []field{word("session_id", in).about("its id or title").must()}
}

func (s *Server) closeSession(ctx context.Context, c *call, in *string) (any, error) {
	return workOf(s.app.Agent.CloseSession(ctx, c.principal, *in))
}
