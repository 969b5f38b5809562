package rest

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/agent"
)

var sessionRoutes = table{"sessions", []served{
	serve("POST /sessions", route{ID: "createSession", Atomic: true, Who: forAny, Action: agent.SessionCreate,
		Status:  http.StatusCreated,
		Summary: "Create a session",
		Text: "A session is a bounded piece of work, in the active workspace. By default everybody in the org sees " +
			"it. Send its id in the header Loci-Session of other requests: they then belong to the session. If they " +
			"may act as its agent, they reach the agent's memories.",
		In: exampleNewSession, Out: exampleSession}, (*server).createSession),
	serve("GET /sessions", route{ID: "listSessions", Who: forAny, Action: agent.SessionRead,
		Summary: "List sessions",
		Text:    "Those that you can see, most recently created first. For sign-ins, see /users/me/sign-ins.",
		Out:     exampleSessions}, (*server).sessions),
	serve("GET /sessions/{id}", route{ID: "getSession", Who: forAny, Action: agent.SessionRead,
		Summary: "Get a session",
		Text: "Active or closed, by its id, the beginning of its id or its title. The title must be that of only one " +
			"active session that you can see, or of only one closed session if none is active.",
		Out: exampleSession}, (*server).session),
	serve("PATCH /sessions/{id}", route{ID: "updateSession", Who: forAny, Action: agent.SessionChange,
		Summary: "Change fields of a session",
		Text: "Merges the metadata (RFC 7396). Only the person who created it, and their agents that work in it, may " +
			"change it. Only that person may widen reach and allowed_vendors.",
		In: exampleSessionChange, Out: exampleSession}, (*server).updateSession),
	serve("POST /sessions/{id}/close", route{ID: "closeSession", Atomic: true, Who: forAny,
		Action:  agent.SessionClose,
		Summary: "Close a session",
		Text: "No request can work in it afterwards. Loci keeps what was written in it. A closed session stays as it " +
			"is. The same callers may close it as may change it.",
		Out: exampleSessionDone}, (*server).closeSession),
	serve("POST /sessions/{id}/reopen", route{ID: "reopenSession", Atomic: true, Who: forAny,
		Action:  agent.SessionReopen,
		Summary: "Reopen a session",
		Text:    "Makes a closed session active again. An active one stays as it is.",
		Out:     exampleSession}, (*server).reopenSession),
}}

// SessionPath is a session in a path, exported as AgentPath is.
type SessionPath struct {
	ID string `path:"id" doc:"Id or title of the session" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

type newSessionInput struct {
	Body    client.NewSession
	RawBody []byte
}

func (s *server) createSession(ctx context.Context, p loci.Principal, in *newSessionInput) (
	*answer[loci.Session], error) {
	if err := nullVendors(in.Body.AllowedVendors, in.RawBody); err != nil {
		return nil, err
	}
	return say(s.app.Agent.CreateSession(ctx, p, in.Body))
}

type sessionsInput struct {
	AgentID   string            `query:"agent_id" maxLength:"100" doc:"Only sessions of this agent, by id or name"`
	State     loci.SessionState `query:"state" enum:"active,closed" doc:"Default: both"`
	ProjectID loci.ProjectID    `query:"project_id" format:"uuid" doc:"Only sessions about this project"`
	Reach     loci.Reach        `query:"reach" enum:"org,team,private" doc:"Only sessions of this reach"`
	Key       string            `query:"key" maxLength:"200" doc:"Only the session that you have created with this key"`
	Limit     int               `query:"limit" minimum:"1" maximum:"500" doc:"Default: 50"`
	Cursor    string            `query:"cursor" maxLength:"1024" doc:"next_cursor of the page before, with the same filter"`
}

func (s *server) sessions(ctx context.Context, p loci.Principal, in *sessionsInput) (
	*answer[client.SessionList], error) {
	page, err := s.app.Agent.Sessions(ctx, p, agent.SessionList{Agent: in.AgentID, State: in.State,
		ProjectID: in.ProjectID, Reach: in.Reach, Key: in.Key, Limit: in.Limit, Cursor: in.Cursor})
	return say(client.SessionList{Sessions: loci.OrEmpty(page.Items), More: moreAt(page.NextCursor)}, err)
}

func (s *server) session(ctx context.Context, p loci.Principal, in *SessionPath) (*answer[loci.Session], error) {
	return say(s.app.Agent.Session(ctx, p, in.ID))
}

type sessionChangeInput struct {
	SessionPath
	Body    client.SessionChange
	RawBody []byte
}

func (s *server) updateSession(ctx context.Context, p loci.Principal, in *sessionChangeInput) (
	*answer[loci.Session], error) {
	if err := nullVendors(in.Body.AllowedVendors, in.RawBody); err != nil {
		return nil, err
	}
	return say(s.app.Agent.UpdateSession(ctx, p, in.ID, in.Body))
}

func (s *server) closeSession(ctx context.Context, p loci.Principal, in *SessionPath) (*answer[loci.Session], error) {
	return say(s.app.Agent.CloseSession(ctx, p, in.ID))
}

func (s *server) reopenSession(ctx context.Context, p loci.Principal, in *SessionPath) (*answer[loci.Session], error) {
	return say(s.app.Agent.ReopenSession(ctx, p, in.ID))
}

var (
	exampleSession = loci.Session{ID: loci.SessionID(exampleID), AgentID: loci.AgentID(exampleID),
		Title: "Review of the login page", Metadata: json.RawMessage(`{"ticket":"L-7"}`),
		EventAccess: loci.EventAccess{UserID: exampleUser, Reach: loci.ReachOrg, Origin: "claude",
			AllowedVendors: []loci.Vendor{loci.AnyVendor}},
		State: loci.SessionActive, CreatedAt: exampleTime, UpdatedAt: exampleTime, LastActiveAt: exampleTime}
	exampleNewSession = client.NewSession{Agent: "reviewer", Title: "Review of the login page",
		Metadata: json.RawMessage(`{"ticket":"L-7"}`)}
	exampleSessionChange = client.SessionChange{Reach: new(loci.ReachPrivate),
		Metadata: json.RawMessage(`{"ticket":null,"done":true}`)}
	exampleSessions    = client.SessionList{Sessions: []loci.Session{exampleSession}}
	exampleSessionDone = closedExample()
)

func closedExample() loci.Session {
	s := exampleSession
	s.State, s.ClosedAt = loci.SessionClosed, exampleTime
	return s
}
