package rest

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/loci-memory/loci/internal/app"
)

// registerChanges adds the stream of what changes.
func (s *server) registerChanges(at func(route) route) {
	add(s, at(routeChanges), s.changes)
}

var routeChanges = route{ID: "followChanges", Method: http.MethodGet, Path: "/changes", Who: forAny, Action: app.ChangesRead, Tag: "recall",
	Summary: "Follow what changes", Text: "Server-sent events: ready, then change for each change that you may see. reset: what changed meanwhile is not known; read everything again. The data of change is a FeedEvent.",
	Alternatives: map[string]*huma.MediaType{eventStream: {Schema: &huma.Schema{Type: huma.TypeString}, Example: exampleStream}}}
