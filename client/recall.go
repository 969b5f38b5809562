package client

import (
	"context"

	"github.com/loci-memory/loci"
)

// RecallRequest asks for the few memories that fit some words best.
type RecallRequest struct {
	Query string `json:"query" query:"query" minLength:"1" maxLength:"500" doc:"Words, \"phrases\", prefix*" example:"deploy day"`
	Conditions
	SessionID loci.SessionID `json:"session_id,omitzero" query:"session_id" format:"uuid" doc:"The session that asks, so that recall also finds what belongs to its agent"`
	Limit     int            `json:"limit,omitzero" query:"limit" minimum:"1" maximum:"50" doc:"Default: 5"`
	Cursor    string         `json:"cursor,omitzero" query:"cursor" maxLength:"1024" doc:"next_cursor of the page before, with the same request"`
}

// RecallPage is one page of what was recalled, best first.
type RecallPage struct {
	Memories []loci.Recalled `json:"memories" nullable:"false"`
	More
	Total             int  `json:"total" doc:"How many fit on all pages" example:"1"`
	TotalIsLowerBound bool `json:"total_is_lower_bound,omitempty" doc:"There are more than total"`
	Stopped
}

// Recall returns the memories that fit some words, best first, with why and
// where they come from.
func (c *Client) Recall(ctx context.Context, r RecallRequest) (*RecallPage, error) {
	return send[RecallPage](ctx, c, "/memories/recall", r)
}
