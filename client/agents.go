package client

import (
	"context"
	"net/http"

	"github.com/loci-memory/loci"
)

// NewAgent is loci.NewAgent.
type NewAgent = loci.NewAgent

// AgentList is agents, by name.
type AgentList struct {
	Agents []loci.Agent `json:"agents" nullable:"false"`
	More
}

// NewAgentSession is loci.NewAgentSession.
type NewAgentSession = loci.NewAgentSession

// AgentSessionList is sessions of agents, newest first.
type AgentSessionList struct {
	Sessions []loci.Session `json:"sessions" nullable:"false"`
	More
}

// AgentSessionQuery narrows a list of sessions. Zero fields do not filter.
type AgentSessionQuery struct {
	State   loci.SessionState
	AgentID loci.AgentID
	Limit   int    // 0: 50; at most 500
	Cursor  string // NextCursor of the page before
}

// sessionHeader names the agent session of a request.
const sessionHeader = "Loci-Session"

// InSession returns a Client whose requests belong to a session of agents: its writes belong to that session, and it
// reaches the memories of the session's agent. The zero id is no session. c does not change.
func (c *Client) InSession(id loci.SessionID) *Client {
	in := *c
	in.session = id
	return &in
}

// CreateAgent registers an agent. Conflict if the vendor has one of that name.
func (c *Client) CreateAgent(ctx context.Context, a NewAgent) (*loci.Agent, error) {
	return send[loci.Agent](ctx, c, "/agents", a)
}

// Agents returns one page of the person's agents, by name. limit 0 is 50; cursor is "" or the NextCursor of the
// page before.
func (c *Client) Agents(ctx context.Context, limit int, cursor string) (*AgentList, error) {
	return get[AgentList](ctx, c, query("/agents", paging(limit, cursor)))
}

// Agent returns an agent.
func (c *Client) Agent(ctx context.Context, id loci.AgentID) (*loci.Agent, error) {
	return get[loci.Agent](ctx, c, "/agents/"+id.String())
}

// OpenAgentSession opens a session of agents, to use with InSession.
func (c *Client) OpenAgentSession(ctx context.Context, s NewAgentSession) (*loci.Session, error) {
	return send[loci.Session](ctx, c, "/sessions", s)
}

// AgentSessions returns one page of the person's sessions of agents.
func (c *Client) AgentSessions(ctx context.Context, q AgentSessionQuery) (*AgentSessionList, error) {
	return get[AgentSessionList](ctx, c, query("/sessions", values("state", string(q.State),
		"agent_id", idOf(q.AgentID), "limit", number(q.Limit), "cursor", q.Cursor)))
}

// AgentSession returns a session of agents.
func (c *Client) AgentSession(ctx context.Context, id loci.SessionID) (*loci.Session, error) {
	return get[loci.Session](ctx, c, "/sessions/"+id.String())
}

// CloseAgentSession closes a session of agents. Conflict if it is closed already.
func (c *Client) CloseAgentSession(ctx context.Context, id loci.SessionID) (*loci.Session, error) {
	return call[loci.Session](ctx, c, http.MethodPost, "/sessions/"+id.String()+"/close", nil)
}
