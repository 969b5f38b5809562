package rest

import (
	"net/http"

	"github.com/loci-memory/loci/internal/app"
)

// registerHistory adds the routes about what memories were before.
func (s *server) registerHistory(at func(route) route) {
	add(s, at(routeDiff), s.diff)
	add(s, at(routeRevert), s.revert)
	add(s, at(routeUndo), s.undo)
}

// noVersion is what those routes say that need a version, too: which of the two is not there is not said.
const noVersion missing = "memory or version"

// The part of the table about what memories were before.
var (
	routeDiff = route{ID: "diffVersions", Method: http.MethodGet, Path: "/memories/{id}/diff", Who: forPeople, Action: app.MemoryHistory, Missing: noVersion, Tag: "history",
		Summary: "Compare two versions of a memory", Text: "What differs: attributes with their old and new value, texts by lines, and within a line by words. Left out, to is the current version and from the one before it. 404 also for a version that there is not.", Out: exampleDiff}
	routeRevert = route{ID: "revertMemory", Method: http.MethodPost, Path: "/memories/{id}/revert", Who: forPeople, Action: app.MemoryRevert, Missing: noVersion, Tag: "history", Conditional: true, Atomic: true,
		Summary: "Go back to an old version", Text: "The memory says again what it said then, as a new version; nothing is lost. Whether it is shared stays as it is. 403 if its life gets shorter and you may not delete, 409 if its project is archived.", In: exampleRevert, Out: exampleReverted}
	routeUndo = route{ID: "undo", Method: http.MethodPost, Path: "/undo", Who: forPeople, Action: app.Undo, Tag: "history", Limit: expensive, Atomic: true,
		Summary: "Undo what was changed through something", Text: "Puts each of your memories that an origin, key or session changed in that time back to what it was, as a new version; new ones go to the trash. " +
			"What else has changed since is left alone, with a reason. 409 for more than 10,000. Needs step-up.", In: exampleUndo, Out: exampleUndone}
)
