package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

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
	v := url.Values{}
	if q.State != "" {
		v.Set("state", string(q.State))
	}
	if q.Limit != 0 {
		v.Set("limit", strconv.Itoa(q.Limit))
	}
	if q.Cursor != "" {
		v.Set("cursor", q.Cursor)
	}
	return get[SuggestionList](ctx, c, query("/suggestions", v))
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
	var out loci.Suggestion
	if err := c.do(ctx, http.MethodPost, "/suggestions/"+id.String()+"/"+how, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}
