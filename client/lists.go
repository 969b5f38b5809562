package client

import (
	"time"

	"github.com/loci-memory/loci"
)

// By is the kind of a Filter.
type By string

// The kinds of filter. By default, the other fields determine it.
const (
	ByAll     By = "all"
	ByTags    By = "tags"
	ByIDs     By = "ids"
	BySearch  By = "search" // best match first; the others are newest first
	ByOrigin  By = "origin"
	ByTrashed By = "trashed" // people only; with a term: those that match, best first
	ByExpired By = "expired" // the reader's own; people only; with a term as ByTrashed
)

// TagMode sets how many of several tags a memory must have.
type TagMode string

// The tag modes.
const (
	AnyTag   TagMode = "any" // at least one; the default
	EveryTag TagMode = "all"
)

// Within narrows a list or a search to the memories of something. A memory must match every field that is set.
type Within struct {
	Key       string         `json:"key,omitzero" query:"key" minLength:"1" maxLength:"200" doc:"Only memories with this key"`
	Scope     loci.Scope     `json:"scope,omitzero" query:"scope" enum:"global,project,agent" doc:"Only memories of this scope"`
	AgentID   loci.AgentID   `json:"agent_id,omitzero" query:"agent_id" format:"uuid" doc:"Only memories of this agent"`
	WrittenIn loci.SessionID `json:"written_in,omitzero" query:"written_in" format:"uuid" doc:"Only memories written in this session"`
	Pinned    bool           `json:"pinned,omitzero" query:"pinned" doc:"Only pinned memories"`
}

// When selects a time other than the present. The zero When is the present.
type When struct {
	AsOf       time.Time `json:"as_of,omitzero" query:"as_of" pattern:"^(0{0,2}[^0]|000[^01]|$)" patternDescription:"a time after the year 1" doc:"What was true then, or will be; left out: now"`
	KnownAt    time.Time `json:"known_at,omitzero" query:"known_at" pattern:"^(0{0,2}[^0]|000[^01]|$)" patternDescription:"a time after the year 1" doc:"What was stored then, as it was then; not in the future; left out: now"`
	Superseded bool      `json:"include_superseded,omitzero" query:"include_superseded" doc:"Also include superseded memories"`
}

// Conditions narrow a list or a search, in a body or in query parameters. A memory must match every
// field that is set.
type Conditions struct {
	Tags      []string        `json:"tags,omitzero" query:"tags,explode" nullable:"false" maxItems:"50" minLength:"1" maxLength:"100" doc:"As a query parameter, repeat it for several tags"`
	TagMode   TagMode         `json:"tag_mode,omitzero" query:"tag_mode" enum:"any,all" doc:"Default: any"`
	Origin    string          `json:"origin,omitzero" query:"origin" minLength:"1" maxLength:"50" doc:"The writer"`
	Type      loci.MemoryType `json:"memory_type,omitzero" query:"memory_type" enum:"semantic,episodic,procedural"`
	Category  string          `json:"category,omitzero" query:"category" minLength:"1" maxLength:"100"`
	ProjectID loci.ProjectID  `json:"project_id,omitzero" query:"project_id" format:"uuid"`
	From      time.Time       `json:"from,omitzero" query:"from" pattern:"^(0{0,2}[^0]|000[^01]|$)" patternDescription:"a time after the year 1" doc:"Written at or after this time"`
	To        time.Time       `json:"to,omitzero" query:"to" pattern:"^(0{0,2}[^0]|000[^01]|$)" patternDescription:"a time after the year 1" doc:"Written before this time"`
	// HiddenFrom selects what the reader sees, but the assistants of this vendor do not.
	HiddenFrom loci.Vendor `json:"hidden_from,omitzero" query:"hidden_from" minLength:"1" maxLength:"50" doc:"Only memories that assistants of this vendor do not get outside of a session"`
	Within
	When
}

// Filter selects memories. The zero Filter selects all of them. Conditions work with every kind
// except ids, and When with every kind except trashed and expired.
type Filter struct {
	By   By              `json:"by,omitzero" enum:"all,tags,ids,search,origin,trashed,expired" doc:"Default: what the other fields imply, or all"`
	IDs  []loci.MemoryID `json:"ids,omitzero" nullable:"false" maxItems:"500" format:"uuid" doc:"Loci leaves out ids that do not exist or that you may not see"`
	Term string          `json:"term,omitzero" minLength:"1" maxLength:"500" doc:"Words, \"phrases\", prefix*; with trashed and expired, too"`
	Conditions
}

// ListRequest asks people's /memories/list for one page.
type ListRequest struct {
	Filter Filter `json:"filter,omitzero" doc:"Default: all"`
	Limit  int    `json:"limit,omitzero" minimum:"1" maximum:"500" doc:"Default: 50"`
	Offset int    `json:"offset,omitzero" minimum:"0" maximum:"10000"`
	Cursor string `json:"cursor,omitzero" maxLength:"1024" doc:"next_cursor of the previous page, with the same filter"`
	Total  bool   `json:"total,omitzero" doc:"True to also count, up to 1000"`
}

// BrowseRequest asks for one page of summaries.
type BrowseRequest struct {
	Filter Filter `json:"filter,omitzero" doc:"Default: all"`
	Limit  int    `json:"limit,omitzero" minimum:"1" maximum:"200" doc:"Default: 50"`
	Offset int    `json:"offset,omitzero" minimum:"0" maximum:"10000"`
	Cursor string `json:"cursor,omitzero" maxLength:"1024" doc:"next_cursor of the previous page, with the same filter"`
	Total  *bool  `json:"total,omitzero" nullable:"false" doc:"Whether to also count, up to 1000. Default: true"`
}

// ByTagRequest asks for one page of the memories that have tags.
type ByTagRequest struct {
	Tags    []string `json:"tags" nullable:"false" minItems:"1" maxItems:"50" minLength:"1" maxLength:"100" example:"[\"ops\"]"`
	TagMode TagMode  `json:"tag_mode,omitzero" enum:"any,all" doc:"Default: any"`
	Limit   int      `json:"limit,omitzero" minimum:"1" maximum:"100" doc:"Default: 20"`
	Offset  int      `json:"offset,omitzero" minimum:"0" maximum:"10000"`
	Cursor  string   `json:"cursor,omitzero" maxLength:"1024" doc:"next_cursor of the previous page, with the same tags"`
	Total   *bool    `json:"total,omitzero" nullable:"false" doc:"Whether to also count, up to 1000. Default: true"`
	Within
	When
}

// SearchRequest asks for the memories that match a search, best first. Term and
// Query are two names of the same field; one of them is required.
type SearchRequest struct {
	Term  string `json:"term,omitzero" minLength:"1" maxLength:"500" doc:"Words, \"phrases\", prefix*" example:"deploy day"`
	Query string `json:"query,omitzero" minLength:"1" maxLength:"500" doc:"Another name of term"`
	Conditions
	Limit  int    `json:"limit,omitzero" minimum:"1" maximum:"50" doc:"Default: 10"`
	Offset int    `json:"offset,omitzero" minimum:"0" maximum:"10000"`
	Cursor string `json:"cursor,omitzero" maxLength:"1024" doc:"next_cursor of the previous page, with the same search"`
	Asked
}

// NewestRequest asks for the newest memories.
type NewestRequest struct {
	Limit  int    `json:"limit,omitzero" minimum:"1" maximum:"50" doc:"Default: 10"`
	Cursor string `json:"cursor,omitzero" maxLength:"1024"`
	When
}

// Page is the position of a page in a list.
type Page struct {
	Limit  int `json:"limit" example:"50"`
	Offset int `json:"offset" example:"0"`
	More
	Total             *int `json:"total,omitempty" nullable:"false" doc:"Number of items on all pages, if requested" example:"1"`
	TotalIsLowerBound bool `json:"total_is_lower_bound,omitempty" doc:"True if there are more items than total"`
}

// MemoryPage is one page of memories.
type MemoryPage struct {
	Memories []*loci.Memory `json:"memories" nullable:"false"`
	Hits     []Hit          `json:"hits,omitempty" nullable:"false" doc:"Of a search: why each memory matches, in the order of memories"`
	Page
	Stopped
}

// ReplacedMemories are the memories that another one replaced.
type ReplacedMemories struct {
	Memories []*loci.Memory `json:"memories" nullable:"false"`
}

// TeamPage is one page of the pool of the team, in the form that older clients read.
type TeamPage struct {
	Memories []*loci.Memory `json:"team_memories" nullable:"false"`
	Page
}

// SummaryPage is one page of summaries.
type SummaryPage struct {
	Memories []loci.MemorySummary `json:"memories" nullable:"false"`
	Page
}

// CountedPage is the newest memories, as /agent/memories/list returns them.
type CountedPage struct {
	Memories []*loci.Memory `json:"memories" nullable:"false"`
	Count    int            `json:"count" doc:"Number of memories in this answer" example:"1"`
	More
}

// SearchPage is one page of matching memories, best first.
type SearchPage struct {
	Memories []*loci.Memory `json:"memories" nullable:"false"`
	Hits     []Hit          `json:"hits" nullable:"false" doc:"Why each memory matches, in the order of memories"`
	Count    int            `json:"count" doc:"Number of memories in this answer" example:"1"`
	Page
	Stopped
}

// Stopped states whether a search is complete.
type Stopped struct {
	Partial   bool   `json:"partial,omitempty" doc:"True if memories may be missing, because the search stopped early (see stopped_by)"`
	StoppedBy string `json:"stopped_by,omitempty" enum:"time,rows" doc:"Set if the search stopped early: it used up its time, or there are too many memories to read. Older memories may be missing; search again, or use a filter or rarer words"`
}

// Hit is the reason why a memory matches.
type Hit struct {
	ID      loci.MemoryID `json:"id" format:"uuid"`
	Score   float64       `json:"score" doc:"Higher is better; comparable within one search only" example:"2.7"`
	Snippet string        `json:"snippet" doc:"The passage that fits best, with found words between **" example:"We **deploy** on Tuesdays"`
	Why     loci.Why      `json:"why"`
	loci.Disagreement
}

// Version is an old version of a memory. Its ID is that of the version.
type Version struct {
	loci.Version
	ID       loci.VersionID `json:"id" format:"uuid" doc:"Id of the version"`
	MemoryID loci.MemoryID  `json:"memory_id" format:"uuid"`
	Number   int            `json:"version_number" doc:"The same as version" example:"1"`
}

// History is the old versions of a memory, newest first.
type History struct {
	Versions       []Version `json:"versions" nullable:"false"`
	CurrentVersion int       `json:"current_version" example:"2"`
	HasMore        bool      `json:"has_more"`
	NextCursor     string    `json:"next_cursor" doc:"Send it as cursor to get older versions; empty on the last page"`
}
