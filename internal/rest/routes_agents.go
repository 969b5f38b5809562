package rest

import (
	"net/http"

	"github.com/loci-memory/loci/internal/app"
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

// The part of the table about agents and their sessions.
var (
	routeCreateAgent = route{ID: "createAgent", Method: http.MethodPost, Atomic: true, Path: "/agents", Who: forAny, Action: app.AgentCreate, Tag: "agents", Limit: expensive, Status: http.StatusCreated,
		Summary: "Register an agent", Text: "It belongs to the person and to a vendor; an agent's key registers agents of its own vendor. 409 if there is one of that vendor and name.", In: exampleNewAgent, Out: exampleAgent}
	routeAgents = route{ID: "listAgents", Method: http.MethodGet, Path: "/agents", Who: forAny, Action: app.AgentRead, Tag: "agents",
		Summary: "List your agents", Text: "By name. An agent's key sees those of its vendor, nobody sees another person's.", Out: exampleAgents}
	routeAgent = route{ID: "getAgent", Method: http.MethodGet, Path: "/agents/{id}", Who: forAny, Action: app.AgentRead, Missing: noAgent, Tag: "agents",
		Summary: "Get an agent", Text: "One of your own; for an agent's key, of its vendor.", Out: exampleAgent}
	routeOpenSession = route{ID: "openSession", Method: http.MethodPost, Atomic: true, Path: "/sessions", Who: forAny, Action: app.WorkOpen, Tag: "agents", Status: http.StatusCreated,
		Summary: "Open a session of an agent", Text: "In the active workspace. Name it in the header Loci-Session of other requests: they reach the memories of its agent then, and what they write is of the session.", In: exampleNewWork, Out: exampleWork}
	routeAgentSessions = route{ID: "listAgentSessions", Method: http.MethodGet, Path: "/sessions", Who: forAny, Action: app.WorkRead, Tag: "agents",
		Summary: "List sessions of your agents", Text: "The one opened last first. An agent's key sees those of its vendor. Browser sessions are at /users/me/sessions.", Out: exampleWorkList}
	routeAgentSession = route{ID: "getAgentSession", Method: http.MethodGet, Path: "/sessions/{id}", Who: forAny, Action: app.WorkRead, Missing: noSession, Tag: "agents",
		Summary: "Get a session of an agent", Text: "Closed ones too. For an agent's key, one of its vendor.", Out: exampleWork}
	routeCloseSession = route{ID: "closeSession", Method: http.MethodPost, Atomic: true, Path: "/sessions/{id}/close", Who: forAny, Action: app.WorkClose, Missing: noSession, Tag: "agents",
		Summary: "Close a session of an agent", Text: "No request can name it from then on; what was written in it stays. 409 if it is closed.", Out: exampleWorkDone}
)
