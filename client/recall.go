package client

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
)

// RecallRequest asks for the memories that best match some words.
type RecallRequest struct {
	Query string `json:"query" query:"query" minLength:"1" maxLength:"500" doc:"Words, \"phrases\", prefix*" example:"deploy day"`
	Conditions
	// Kinds are memory and event.
	Kinds     []string       `json:"kinds,omitzero" query:"kinds" enum:"memory,event" maxItems:"2" doc:"What to find. Default: everything that you may read"`
	SessionID loci.SessionID `json:"session_id,omitzero" query:"session_id" format:"uuid" doc:"The session that asks. Recall then also finds the memories of the session's agent, if the credential may act as it"`
	Limit     int            `json:"limit,omitzero" query:"limit" minimum:"1" maximum:"50" doc:"Default: 5"`
	Cursor    string         `json:"cursor,omitzero" query:"cursor" maxLength:"1024" doc:"next_cursor of the previous page, with the same request"`
	// MinConfidence leaves out what has less. nil: the default; 0: nothing is left out.
	MinConfidence *float64 `json:"min_confidence,omitempty" minimum:"0" maximum:"1" doc:"Only what has this confidence, of the best 200 matches. 0: everything. By default, an answer is empty if nothing in it has the words of the query and none of the best 10 matches has 0.012"`
	Asked
}

// Asked is what a search can be asked beside its conditions.
type Asked struct {
	AskedAt time.Time `json:"asked_at,omitzero" query:"asked_at" pattern:"^(0{0,2}[^0]|000[^01]|$)" patternDescription:"a time after the year 1" doc:"When the question was asked: yesterday in it means the day before, in the zone of its offset. Default: now, in the zone of the server"`
	Explain bool      `json:"explain,omitzero" query:"explain" doc:"True to get why.signals: what each score consists of"`
}

// RecallPage is one page of recalled memories and events, each list with the best match first. Their ranks say how the
// two lists belong together.
type RecallPage struct {
	Memories []loci.Recalled      `json:"memories" nullable:"false"`
	Events   []loci.RecalledEvent `json:"events" nullable:"false" doc:"Events that match. Filters that only memories have, and another time, leave them out"`
	// EventsPartial is set if Events may be incomplete.
	EventsPartial bool   `json:"events_partial,omitempty" doc:"True if events may be missing: the newest ones, or all if their log did not answer in time"`
	Meaning       string `json:"meaning,omitempty" enum:"ready,partial,building,unavailable" doc:"Set if a model of embeddings is in use. ready: memories that share no word with the query were found, too. partial: the larger model was not ready, so the built-in one found them. building: some have no vector yet. unavailable: the model did not answer, so memories were found by their words only"`
	// MeaningDone is a whole percentage.
	MeaningDone int `json:"meaning_done,omitempty" minimum:"1" maximum:"100" doc:"With meaning building and kinds memory: the percentage of the memories that you may read and that can be found by meaning so far"`
	// NothingFits is set if the answer is empty because nothing fits well enough.
	NothingFits bool `json:"nothing_fits,omitempty" doc:"True if what was found hardly fits the query and was left out. Ask with min_confidence 0 to get it, or with other words"`
	More
	Total             int  `json:"total" doc:"Number of matches on all pages" example:"1"`
	TotalIsLowerBound bool `json:"total_is_lower_bound,omitempty" doc:"True if there are more matches than total"`
	Stopped
	Graph []loci.RecalledEntity `json:"graph,omitempty" doc:"Entities of the graphs of projects that answer the query, best first: at most 3, on the first page. Each has the 5 observations that fit best and its newest 8 relations; observations_left and relations_left count the others"`
}

// Recall returns the memories and events that best match some words, best match first. Each has the reason for the
// match, and a memory its sources.
func (c *Client) Recall(ctx context.Context, r RecallRequest) (*RecallPage, error) {
	return send[RecallPage](ctx, c, "/memories/recall", r)
}

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
	// MinConfidence is that of RecallRequest.
	MinConfidence *float64 `json:"min_confidence,omitempty" minimum:"0" maximum:"1" doc:"Only what has this confidence, as of a recall. 0: everything"`
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
