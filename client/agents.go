package client

import (
	"context"
	"net/http"

	"github.com/loci-memory/loci"
)

// NewAgent is loci.NewAgent.
type NewAgent = loci.NewAgent

// AgentList is a list of agents, by name.
type AgentList struct {
	Agents []loci.Agent `json:"agents" nullable:"false"`
	More
}

// NewAgentSession is loci.NewAgentSession.
type NewAgentSession = loci.NewAgentSession

// AgentSessionList is a list of agent sessions, newest first.
type AgentSessionList struct {
	Sessions []loci.Session `json:"sessions" nullable:"false"`
	More
}

// AgentSessionQuery filters a list of sessions. Zero fields match everything.
type AgentSessionQuery struct {
	State   loci.SessionState
	AgentID loci.AgentID
	Limit   int    // 0: 50; at most 500
	Cursor  string // NextCursor of the previous page
}

// sessionHeader names the agent session of a request.
const sessionHeader = "Loci-Session"

// InSession returns a Client whose requests belong to an agent session: its writes are recorded for
// that session, and it reaches the memories of the session's agent. The zero id means no session.
// InSession does not change c.
func (c *Client) InSession(id loci.SessionID) *Client {
	in := *c
	in.session = id
	return &in
}

// CreateAgent registers an agent. It fails with Conflict if the vendor already has an agent with
// that name.
func (c *Client) CreateAgent(ctx context.Context, a NewAgent) (*loci.Agent, error) {
	return send[loci.Agent](ctx, c, "/agents", a)
}

// Agents returns one page of the person's agents, by name. If limit is 0, it is 50. cursor is "" or
// the NextCursor of the previous page.
func (c *Client) Agents(ctx context.Context, limit int, cursor string) (*AgentList, error) {
	return get[AgentList](ctx, c, query("/agents", paging(limit, cursor)))
}

// Agent returns an agent.
func (c *Client) Agent(ctx context.Context, id loci.AgentID) (*loci.Agent, error) {
	return get[loci.Agent](ctx, c, "/agents/"+id.String())
}

// OpenAgentSession opens an agent session, to use with InSession.
func (c *Client) OpenAgentSession(ctx context.Context, s NewAgentSession) (*loci.Session, error) {
	return send[loci.Session](ctx, c, "/sessions", s)
}

// AgentSessions returns one page of the person's agent sessions.
func (c *Client) AgentSessions(ctx context.Context, q AgentSessionQuery) (*AgentSessionList, error) {
	return get[AgentSessionList](ctx, c, query("/sessions", values("state", string(q.State),
		"agent_id", idOf(q.AgentID), "limit", number(q.Limit), "cursor", q.Cursor)))
}

// AgentSession returns an agent session.
func (c *Client) AgentSession(ctx context.Context, id loci.SessionID) (*loci.Session, error) {
	return get[loci.Session](ctx, c, "/sessions/"+id.String())
}

// CloseAgentSession closes an agent session. It fails with Conflict if the session is already
// closed.
func (c *Client) CloseAgentSession(ctx context.Context, id loci.SessionID) (*loci.Session, error) {
	return call[loci.Session](ctx, c, http.MethodPost, "/sessions/"+id.String()+"/close", nil)
}
