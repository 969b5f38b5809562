package rest

import (
	"net/http"

	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
)

// registerRecall adds the routes that find the memories that fit best.
func (s *server) registerRecall(at func(route) route) {
	add(s, at(routeRecall), s.recallByBody)
	add(s, at(routeRecallByQuery), s.recallByQuery)
}

// The part of the table about recall.
var (
	routeRecall = route{ID: "recallMemories", Method: http.MethodPost, Reads: true, Path: "/memories/recall", Who: forAny, Action: app.MemoryRead, Tag: "recall",
		Summary: "Recall the memories that fit best", Text: "Whole memories, best first, each with why it was found and its oldest 10 sources, without their raw texts. Words, \"phrases\" and prefix*; if nothing has the words, words that begin like them are taken, then text that contains them.",
		In: client.RecallRequest{Query: "deploy day"}, Out: exampleRecalled}
	routeRecallByQuery = route{ID: "recallMemoriesByQuery", Method: http.MethodGet, Path: "/memories/recall", Who: forAny, Action: app.MemoryRead, Tag: "recall",
		Summary: "Recall by query parameters", Text: "The same as POST /memories/recall, for the address bar and scripts.", Out: exampleRecalled}
)
