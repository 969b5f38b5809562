package rest

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
)

// SuggestionPath is a suggestion in a path. It is exported because huma passes over embedded structs
// that are not.
type SuggestionPath struct {
	ID string `path:"id" doc:"Of the suggestion, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

func (p SuggestionPath) suggestion() (id loci.SuggestionID) {
	read(&id, p.ID)
	return id
}

type suggestionsInput struct {
	State  loci.SuggestionState `query:"state" enum:"pending,accepted,declined" doc:"Left out: all"`
	Limit  int                  `query:"limit" minimum:"1" maximum:"500" doc:"Left out: 50"`
	Cursor string               `query:"cursor" maxLength:"1024" doc:"next_cursor of the page before"`
}

func (s *server) suggestions(ctx context.Context, p loci.Principal, in *suggestionsInput) (*answer[client.SuggestionList], error) {
	page, err := s.app.Suggestions(ctx, p, app.SuggestionsRequest{State: in.State, Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return say(client.SuggestionList{Suggestions: orEmpty(page.Suggestions), More: moreAt(page.NextCursor)}, nil)
}

func (s *server) acceptSuggestion(ctx context.Context, p loci.Principal, in *SuggestionPath) (*answer[loci.Suggestion], error) {
	return say(s.app.AcceptSuggestion(ctx, p, in.suggestion()))
}

func (s *server) declineSuggestion(ctx context.Context, p loci.Principal, in *SuggestionPath) (*answer[loci.Suggestion], error) {
	return say(s.app.DeclineSuggestion(ctx, p, in.suggestion()))
}
