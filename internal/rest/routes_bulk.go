package rest

import (
	"net/http"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
)

// registerBulk adds the route about many memories at once.
func (s *server) registerBulk(at func(route) route) {
	add(s, at(routeBulk), s.bulk)
}

var (
	exampleBulkRequest = client.BulkRequest{Operations: []client.BulkOperation{
		{Op: "create", Memory: &client.NewMemory{Title: "Deploys", Content: "We deploy on Tuesdays, never on Fridays."}},
		{Op: "create", Memory: &client.NewMemory{Content: "Tuesdays", Attributes: client.Attributes{Key: "deploy.day"}}},
	}}
	exampleBulkAnswer = client.BulkAnswer{Succeeded: 2, Results: []loci.BulkResult{
		{Op: "create", ID: exampleMemory.ID, Version: 1, Created: true}, {Index: 1, Op: "create", ID: loci.MemoryID(exampleUser), Version: 1, Created: true}}}

	routeBulk = route{ID: "bulkMemories", Method: http.MethodPost, Atomic: true, Bulk: true, Path: "/memories/bulk", Who: forAny, Action: app.MemoryCreate,
		More: []app.Action{app.MemoryChange, app.MemoryTrash}, Tag: "memories", Limit: expensive,
		Summary: "Create, change and trash many memories",
		Text: "Up to 1,000 operations, in order. All of them or none, and items of the error say why; with atomic false each by itself, and its result says why not. " +
			"Similar memories are not looked for.",
		In: exampleBulkRequest, Out: exampleBulkAnswer}
)
