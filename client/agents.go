package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/loci-memory/loci"
)

// NewAgent is loci.NewAgent.
type NewAgent = loci.NewAgent

// AgentChange is loci.AgentChange.
type AgentChange = loci.AgentChange

// AgentList is a list of agents, by name.
type AgentList struct {
	Agents []loci.Agent `json:"agents" nullable:"false"`
	More
}

// NewSession is loci.NewSession.
type NewSession = loci.NewSession

// SessionChange is loci.SessionChange.
type SessionChange = loci.SessionChange

// SessionList is a list of sessions, newest first.
type SessionList struct {
	Sessions []loci.Session `json:"sessions" nullable:"false"`
	More
}

// SessionQuery filters a list of sessions. Zero fields match everything.
type SessionQuery struct {
	Agent     string // an id or a name
	State     loci.SessionState
	ProjectID loci.ProjectID
	Reach     loci.Reach
	Key       string // NewSession.Key of one that the caller created
	Limit     int    // 0: 50; at most 500
	Cursor    string // NextCursor of the previous page
}

// sessionHeader names the session of a request.
const sessionHeader = "Loci-Session"

// InSession returns a Client whose requests belong to a session: its writes are recorded for that
// session, and it reaches the memories of the session's agent if it may act as that agent. The zero
// id means no session. InSession does not change c.
func (c *Client) InSession(id loci.SessionID) *Client {
	in := *c
	in.session = id
	return &in
}

// CreateAgent registers an agent. It fails with Conflict if the org already has an agent with that name.
func (c *Client) CreateAgent(ctx context.Context, a NewAgent) (*loci.Agent, error) {
	return send[loci.Agent](ctx, c, "/agents", a)
}

// Agents returns one page of the org's agents, by name. If limit is 0, it is 50. cursor is "" or
// the NextCursor of the previous page.
func (c *Client) Agents(ctx context.Context, limit int, cursor string) (*AgentList, error) {
	return get[AgentList](ctx, c, query("/agents", paging(limit, cursor)))
}

// Agent returns an agent by its id or name. The other methods about one agent take the same.
func (c *Client) Agent(ctx context.Context, agent string) (*loci.Agent, error) {
	return get[loci.Agent](ctx, c, agentPath(agent))
}

// UpdateAgent changes fields of an agent.
func (c *Client) UpdateAgent(ctx context.Context, agent string, change AgentChange) (*loci.Agent, error) {
	return call[loci.Agent](ctx, c, http.MethodPatch, agentPath(agent), change)
}

// DeleteAgent permanently deletes an agent. What it wrote stays. It requires a sign-in with a fresh
// proof, unless the org lets keys delete.
func (c *Client) DeleteAgent(ctx context.Context, agent string) error {
	return c.do(ctx, http.MethodDelete, agentPath(agent), nil, nil, nil)
}

// AgentStats returns how much an agent works.
func (c *Client) AgentStats(ctx context.Context, agent string) (*loci.AgentStats, error) {
	return get[loci.AgentStats](ctx, c, agentPath(agent)+"/stats")
}

func agentPath(agent string) string { return "/agents/" + url.PathEscape(agent) }

// CreateSession creates a session, to use with InSession.
func (c *Client) CreateSession(ctx context.Context, s NewSession) (*loci.Session, error) {
	return send[loci.Session](ctx, c, "/sessions", s)
}

// Sessions returns one page of the sessions that the caller can see.
func (c *Client) Sessions(ctx context.Context, q SessionQuery) (*SessionList, error) {
	return get[SessionList](ctx, c, query("/sessions", values("agent_id", q.Agent, "state", string(q.State),
		"project_id", idOf(q.ProjectID), "reach", string(q.Reach), "key", q.Key, "limit", number(q.Limit), "cursor",
		q.Cursor)))
}

// Session returns a session by its id, the beginning of its id or, if it is active, its title. The
// other methods about one session take the same.
func (c *Client) Session(ctx context.Context, session string) (*loci.Session, error) {
	return get[loci.Session](ctx, c, sessionPath(session))
}

// UpdateSession changes fields of a session, and merges its metadata.
func (c *Client) UpdateSession(ctx context.Context, session string, change SessionChange) (*loci.Session, error) {
	return call[loci.Session](ctx, c, http.MethodPatch, sessionPath(session), change)
}

// CloseSession closes a session. A closed one stays as it is.
func (c *Client) CloseSession(ctx context.Context, session string) (*loci.Session, error) {
	return call[loci.Session](ctx, c, http.MethodPost, sessionPath(session)+"/close", nil)
}

// ReopenSession makes a closed session active again. An active one stays as it is.
func (c *Client) ReopenSession(ctx context.Context, session string) (*loci.Session, error) {
	return call[loci.Session](ctx, c, http.MethodPost, sessionPath(session)+"/reopen", nil)
}

func sessionPath(session string) string { return "/sessions/" + url.PathEscape(session) }
