package rest

import (
	"context"
	"net/http"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

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
	list, added, err := s.app.AddSources(ctx, p, in.parse(), drafts)
	if err != nil {
		return nil, err
	}
	status := http.StatusOK
	if added > 0 {
		status = http.StatusCreated
	}
	return &sourcesOutput{status, client.SourceList{Sources: list}}, nil
}

func (s *server) sources(ctx context.Context, p loci.Principal, in *PathID) (*answer[client.SourceList], error) {
	list, err := s.app.Sources(ctx, p, in.parse())
	return say(client.SourceList{Sources: orEmpty(list)}, err)
}

func (s *server) deleteSource(ctx context.Context, p loci.Principal, in *sourcePath) (*nothing, error) {
	var id loci.SourceID
	read(&id, in.ID)
	return done(s.app.DeleteSource(ctx, p, id))
}

type sourcePath struct {
	ID string `path:"id" doc:"Of the source, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}
