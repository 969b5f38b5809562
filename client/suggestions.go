package client

import (
	"context"
	"net/http"

	"github.com/loci-memory/loci"
)

// SuggestionList is a list of suggestions, newest first.
type SuggestionList struct {
	Suggestions []loci.Suggestion `json:"suggestions" nullable:"false"`
	More
}

// SuggestionQuery filters a list of suggestions. Zero fields match everything.
type SuggestionQuery struct {
	State  loci.SuggestionState
	Limit  int    // 0: 50; at most 500
	Cursor string // NextCursor of the previous page
}

// Suggestions returns one page of the suggestions for which the caller sees both memories.
func (c *Client) Suggestions(ctx context.Context, q SuggestionQuery) (*SuggestionList, error) {
	return get[SuggestionList](ctx, c, query("/suggestions",
		values("state", string(q.State), "limit", number(q.Limit), "cursor", q.Cursor)))
}

// Acceptance is how to accept a suggestion.
type Acceptance struct {
	Share bool `json:"share,omitzero" doc:"Also share the new memory with the team and the project that can read the old one. Default: false"`
}

// AcceptSuggestion makes the suggested change. It works with people's keys only. It fails with
// Conflict if the suggestion was already accepted or declined, or if one of its memories is no
// longer live, and with Forbidden if it should share a memory of another person.
func (c *Client) AcceptSuggestion(ctx context.Context, id loci.SuggestionID, how Acceptance) (*loci.Suggestion,
	error) {
	return c.settle(ctx, id, "accept", how)
}

// DeclineSuggestion declines the suggested change and leaves the memory unchanged. It works with people's keys only.
func (c *Client) DeclineSuggestion(ctx context.Context, id loci.SuggestionID) (*loci.Suggestion, error) {
	return c.settle(ctx, id, "decline", nil)
}

func (c *Client) settle(ctx context.Context, id loci.SuggestionID, how string, body any) (*loci.Suggestion, error) {
	return call[loci.Suggestion](ctx, c, http.MethodPost, "/suggestions/"+id.String()+"/"+how, body)
}
