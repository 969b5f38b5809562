package rest

import (
	"context"
	"net/http"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
)

var sourceRoutes = table{"sources", []served{
	serve("POST /memories/{id}/sources", route{ID: "addSources", Who: forAny, Action: memory.SourceAdd,
		Status: http.StatusCreated, Again: true, Atomic: true,
		Summary: "Add sources to a memory",
		Text: "All or none. If the same writer already added a source, Loci returns the existing one. An agent " +
			"can add sources only to memories that its vendor wrote.",
		In: exampleNewSources, Out: client.SourceList{Sources: exampleSources}}, (*server).addSources),
	serve("GET /memories/{id}/sources", route{ID: "listSources", Who: forAny, Action: memory.SourceRead,
		Summary: "List the sources of a memory",
		Text:    "Oldest first. Only sources that the vendor of the key may read.",
		Out:     client.SourceList{Sources: exampleSources}}, (*server).sources),
	serve("DELETE /sources/{id}", route{ID: "deleteSource", Who: forAny, Action: memory.SourceDelete,
		Summary: "Delete a source permanently",
		Text:    "Needs step-up unless the org deletes by key."}, (*server).deleteSource),
}}

type newSourcesInput struct {
	PathID
	Body client.NewSources
}

type sourcesOutput struct {
	Status int
	Body   client.SourceList
}

func (s *server) addSources(ctx context.Context, p loci.Principal, in *newSourcesInput) (*sourcesOutput, error) {
	drafts := make([]loci.Source, len(in.Body.Sources))
	for i := range drafts {
		drafts[i] = in.Body.Sources[i].Draft()
	}
	list, added, err := s.app.Memory.AddSources(ctx, p, in.parse(), drafts)
	if err != nil {
		return nil, err
	}
	status := http.StatusOK
	if added > 0 {
		status = http.StatusCreated
	}
	return &sourcesOutput{status, client.SourceList{Sources: list,
		Hint: loci.SecretHint(gate.SecretsOf(list...))}}, nil
}

func (s *server) sources(ctx context.Context, p loci.Principal, in *PathID) (*answer[client.SourceList], error) {
	list, err := s.app.Memory.Sources(ctx, p, in.parse())
	return say(client.SourceList{Sources: loci.OrEmpty(list)}, err)
}

func (s *server) deleteSource(ctx context.Context, p loci.Principal, in *sourcePath) (*nothing, error) {
	return done(s.app.Memory.DeleteSource(ctx, p, idOf[loci.SourceID](in.ID)))
}

type sourcePath struct {
	ID string `path:"id" doc:"Id of the source, or its beginning" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

var (
	exampleNewSources = client.NewSources{Sources: []client.NewSource{{Kind: loci.SourceURL,
		Ref: "https://wiki.example.org/deploys", Quote: "never on Fridays"}}}
	exampleSources = []loci.Source{{ID: loci.SourceID(exampleMemory.ID), MemoryID: exampleMemory.ID,
		Kind: loci.SourceURL, Ref: "https://wiki.example.org/deploys",
		Quote: "never on Fridays", UserID: exampleMemory.UserID, Origin: "claude",
		AllowedVendors: []loci.Vendor{loci.AnyVendor}, CreatedAt: exampleMemory.CreatedAt}}
)
