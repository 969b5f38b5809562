package client

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/loci-memory/loci"
)

// NewAgent is what is said of an agent that is to be registered.
type NewAgent struct {
	Name   string          `json:"name" minLength:"1" maxLength:"100" doc:"One line, unique for the person and vendor" example:"reviewer"`
	Vendor loci.Vendor     `json:"vendor,omitzero" maxLength:"50" doc:"Whose product it is; an agent's key leaves it out or names its own" example:"claude"`
	Config json.RawMessage `json:"config,omitzero" doc:"A JSON object of at most 16,000 bytes, kept as it is" example:"{\"model\":\"large\"}"`
}

// AgentList is agents, by name.
type AgentList struct {
	Agents []loci.Agent `json:"agents" nullable:"false"`
	More
}

// NewAgentSession is what is said of a session of agents that is to be opened.
type NewAgentSession struct {
	AgentID   loci.AgentID   `json:"agent_id,omitzero" format:"uuid" doc:"Whose session it is, and so whose memories it reaches; left out: no registered agent's"`
	ProjectID loci.ProjectID `json:"project_id,omitzero" format:"uuid" doc:"What it is about; it gives nobody a right"`
	Vendor    loci.Vendor    `json:"vendor,omitzero" maxLength:"50" doc:"Whose keys may name it; left out: the agent's vendor, else that of the key"`
	Title     string         `json:"title,omitzero" maxLength:"500" example:"Review of the login page"`
}

// AgentSessionList is sessions of agents, the one opened last first.
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

// sessionHeader is how a request names the session of agents that it is a part of.
const sessionHeader = "Loci-Session"

// InSession returns a Client whose requests are a part of a session of agents: what it writes belongs to that session,
// and it reaches the memories of the session's agent. The zero id is no session. c stays as it is.
func (c *Client) InSession(id loci.SessionID) *Client {
	in := *c
	in.session = id
	return &in
}

// CreateAgent registers an agent. Conflict if there is one of that vendor and name.
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

// OpenAgentSession opens a session of agents; InSession names it.
func (c *Client) OpenAgentSession(ctx context.Context, s NewAgentSession) (*loci.Session, error) {
	return send[loci.Session](ctx, c, "/sessions", s)
}

// AgentSessions returns one page of the person's sessions of agents.
func (c *Client) AgentSessions(ctx context.Context, q AgentSessionQuery) (*AgentSessionList, error) {
	v := paging(q.Limit, q.Cursor)
	if q.State != "" {
		v.Set("state", string(q.State))
	}
	if !q.AgentID.IsZero() {
		v.Set("agent_id", q.AgentID.String())
	}
	return get[AgentSessionList](ctx, c, query("/sessions", v))
}

// AgentSession returns a session of agents.
func (c *Client) AgentSession(ctx context.Context, id loci.SessionID) (*loci.Session, error) {
	return get[loci.Session](ctx, c, "/sessions/"+id.String())
}

// CloseAgentSession ends a session of agents. Conflict if it is closed.
func (c *Client) CloseAgentSession(ctx context.Context, id loci.SessionID) (*loci.Session, error) {
	return call[loci.Session](ctx, c, http.MethodPost, "/sessions/"+id.String()+"/close", nil)
}
