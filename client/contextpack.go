package client

import (
	"context"

	"github.com/loci-memory/loci"
)

// PackRequest asks for what an assistant should know for a goal.
type PackRequest struct {
	Goal      string `json:"goal" doc:"What the assistant is about to do, or the question" minLength:"1" maxLength:"4000"`
	Intent    string `json:"intent,omitempty" enum:"build,plan,ideate,research,debug,decide,learn,general" doc:"Which kinds of things come first. Default: general"`
	Domain    string `json:"domain,omitempty" doc:"Limit to memories of this category"`
	Project   string `json:"project,omitempty" doc:"Limit to a project, by id or name"`
	SessionID string `json:"session_id,omitempty" doc:"A session, by id: what it has received already does not come again"`
	MaxTokens int    `json:"max_tokens,omitempty" doc:"The most tokens of the text. Default: 1000" minimum:"200" maximum:"32000"`
	Limit     int    `json:"limit,omitempty" doc:"The most lines. Default: 24" minimum:"1" maximum:"50"`
	Fresh     bool   `json:"fresh,omitempty" doc:"Begin anew: forget what the session has received"`
	Format    string `json:"format,omitempty" enum:"json,markdown" doc:"Default: json"`
}

// ContextPack returns what an assistant should know for a goal, within a budget of tokens.
func (c *Client) ContextPack(ctx context.Context, r PackRequest) (*loci.ContextPack, error) {
	r.Format = ""
	return send[loci.ContextPack](ctx, c, "/context", r)
}
