package client

import (
	"context"

	"github.com/loci-memory/loci"
)

// PackRequest asks for what an assistant should know for a goal.
type PackRequest struct {
	Goal      string         `json:"goal" minLength:"1" maxLength:"4000" doc:"What the assistant is about to do, or the question" example:"plan the next deploy"`
	Intent    loci.Intent    `json:"intent,omitempty" enum:"build,plan,ideate,research,debug,decide,learn,general" doc:"Which kinds of things get room first: decisions to decide, plan and ideate, procedures to build and debug, facts to learn and research. Default: general"`
	Domain    string         `json:"domain,omitempty" maxLength:"100" doc:"Only memories of this category"`
	Project   string         `json:"project,omitempty" maxLength:"100" doc:"Memories of this project, by id or name, and of no project; events and entities of this one. The first of equal matches are its own"`
	SessionID loci.SessionID `json:"session_id,omitzero" format:"uuid" doc:"The session that asks. What it has received does not come again, unless it has changed"`
	MaxTokens int            `json:"max_tokens,omitempty" minimum:"200" maximum:"32000" doc:"The most tokens that the text may have. Default: 1000"`
	Limit     int            `json:"limit,omitempty" minimum:"1" maximum:"50" doc:"The most lines. Default: 24"`
	Fresh     bool           `json:"fresh,omitempty" doc:"Forget what the session has received, and begin again"`
	// MatchesOnly is for a context that nobody asked for, such as that of a hook for each prompt.
	MatchesOnly bool   `json:"matches_only,omitempty" doc:"Only what fits the goal by a word that says something. Nothing new stands in for matches, and a goal such as \"go on\" gets nothing"`
	Format      string `json:"format,omitempty" enum:"json,markdown" doc:"Default: json. markdown: only the text"`
}

// ContextPack returns what an assistant should know for a goal, within a budget of tokens. In a session, it returns
// only what the session has not received.
func (c *Client) ContextPack(ctx context.Context, r PackRequest) (*loci.ContextPack, error) {
	r.Format = ""
	return send[loci.ContextPack](ctx, c, "/context", r)
}
