package client

import (
	"context"
	"net/http"

	"github.com/loci-memory/loci"
)

// SuggestionList is suggestions, the newest first.
type SuggestionList struct {
	Suggestions []loci.Suggestion `json:"suggestions" nullable:"false"`
	More
}

// SuggestionQuery narrows a list of suggestions. Zero fields do not filter.
type SuggestionQuery struct {
	State  loci.SuggestionState
	Limit  int    // 0: 50; at most 500
	Cursor string // NextCursor of the page before
}

// Suggestions returns one page of the suggestions of which the caller sees both memories.
func (c *Client) Suggestions(ctx context.Context, q SuggestionQuery) (*SuggestionList, error) {
	return get[SuggestionList](ctx, c, query("/suggestions",
		values("state", string(q.State), "limit", number(q.Limit), "cursor", q.Cursor)))
}

// AcceptSuggestion does what is suggested. People's keys only. The error has the code Conflict if it was decided about
// already, or one of its memories is not live any more.
func (c *Client) AcceptSuggestion(ctx context.Context, id loci.SuggestionID) (*loci.Suggestion, error) {
	return c.settle(ctx, id, "accept")
}

// DeclineSuggestion leaves the memory as it is. People's keys only.
func (c *Client) DeclineSuggestion(ctx context.Context, id loci.SuggestionID) (*loci.Suggestion, error) {
	return c.settle(ctx, id, "decline")
}

func (c *Client) settle(ctx context.Context, id loci.SuggestionID, how string) (*loci.Suggestion, error) {
	return call[loci.Suggestion](ctx, c, http.MethodPost, "/suggestions/"+id.String()+"/"+how, nil)
}
