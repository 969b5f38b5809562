package rest

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

type diffInput struct {
	PathID
	From int `query:"from" minimum:"1" doc:"The older version; left out: the one before to"`
	To   int `query:"to" minimum:"1" doc:"The newer version; left out: the current one"`
}

func (s *server) diff(ctx context.Context, p loci.Principal, in *diffInput) (*answer[*loci.Diff], error) {
	return say(s.app.Diff(ctx, p, in.parse(), in.From, in.To))
}

type revertInput struct {
	Target
	Body client.RevertRequest
}

func (s *server) revert(ctx context.Context, p loci.Principal, in *revertInput) (*memoryOutput, error) {
	id, version, err := in.parse()
	if err != nil {
		return nil, err
	}
	return oneMemory(s.app.Revert(ctx, p, id, version, in.Body.Version))
}

type undoInput struct{ Body client.UndoRequest }

func (in *undoInput) reads() bool { return in.Body.DryRun }

func (s *server) undo(ctx context.Context, p loci.Principal, in *undoInput) (*answer[*loci.UndoReport], error) {
	return say(s.app.Undo(ctx, p, in.Body.UndoSelection, in.Body.DryRun))
}
