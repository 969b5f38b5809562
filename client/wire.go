package client

import (
	"time"

	"github.com/loci-memory/loci"
)

// NewMemory is a memory to save. It has no field for the writer: the server takes that from the credential, and
// rejects a body that names it. If a memory with the key exists, fields that are left out stay unchanged.
type NewMemory struct {
	Title   string   `json:"title,omitzero" minLength:"1" maxLength:"500" doc:"Short title for lists. Required without key. Default: the key" example:"Deploys"`
	Content string   `json:"content,omitzero" minLength:"1" maxLength:"100000" doc:"The text of the memory; stored exactly as sent. Required" example:"We deploy on Tuesdays, never on Fridays."`
	Value   string   `json:"value,omitzero" minLength:"1" maxLength:"100000" doc:"Another name of content"`
	Tags    []string `json:"tags,omitzero" nullable:"false" maxItems:"50" minLength:"1" maxLength:"100" doc:"Tags to find it by" example:"[\"ops\"]"`
	// If AllowedVendors is nil, all vendors may read the memory. The server rejects an empty list.
	AllowedVendors []loci.Vendor `json:"allowed_vendors,omitzero" nullable:"false" minItems:"1" maxItems:"50" maxLength:"50" doc:"Vendors that may read it. Default: [\"*\"], all vendors. You may always read it" example:"[\"*\"]"`
	Attributes
	// ExpiresAtToo is another name of ExpiresAt.
	ExpiresAtToo time.Time       `json:"expiresAt,omitzero" pattern:"^(0{0,2}[^0]|000[^01]|$)" patternDescription:"a time after the year 1" doc:"Another name of expires_at"`
	TTL          int64           `json:"ttl,omitzero" minimum:"1" maximum:"3153600000" doc:"Lifetime in seconds from now, instead of expires_at"`
	Dedupe       string          `json:"dedupe,omitzero" enum:"update,create" doc:"What to do if a memory with that key, or without a key with the same text, exists in that scope and context: update it, or create another. Default: update"`
	Supersedes   []loci.MemoryID `json:"supersedes,omitzero" nullable:"false" maxItems:"50" format:"uuid" doc:"Memories that are no longer true. Loci hides yours from recall, and suggests the change to the owner of others"`
	Corrects     []loci.MemoryID `json:"corrects,omitzero" nullable:"false" maxItems:"50" format:"uuid" doc:"Memories that were never true. Works like supersedes"`
	// ShareWithTeam and ShareScope both share the memory with the person's team.
	ShareWithTeam bool   `json:"share_with_team,omitzero" doc:"True: share it with your team in the same step. False changes nothing"`
	ShareScope    string `json:"share_scope,omitzero" enum:"team" doc:"Another way to share it with your team"`
	// If Similar is nil, it is true.
	Similar *bool       `json:"similar,omitzero" nullable:"false" doc:"False: do not look for similar memories. This makes saves cheaper for programs that write much"`
	Sources []NewSource `json:"sources,omitzero" nullable:"false" maxItems:"50" doc:"Where the memory comes from"`
}

// NewSource is a source to add to a memory.
type NewSource struct {
	Kind  loci.SourceKind `json:"kind" enum:"message,session,event,url,text"`
	Ref   string          `json:"ref,omitzero" maxLength:"2000" doc:"A URL, the id of a session that you can see, or another id; required except for kind text" example:"https://wiki.example.org/deploys"`
	Text  string          `json:"text,omitzero" maxLength:"100000" doc:"The raw text; required for kind text, and for the id of a message without a quote"`
	Quote string          `json:"quote,omitzero" maxLength:"10000" doc:"The passage that supports the memory"`
	Start int             `json:"start,omitzero" minimum:"0" doc:"Where the quote begins in the text, in characters"`
	End   int             `json:"end,omitzero" minimum:"0" doc:"Where the quote ends in the text, in characters"`
	// If AllowedVendors is nil, the vendors of the memory may read the source.
	AllowedVendors []loci.Vendor `json:"allowed_vendors,omitzero" nullable:"false" minItems:"1" maxItems:"50" maxLength:"50" doc:"Vendors that may read it, among those that may read the memory. Default: all of them"`
}

// Draft returns the source in the form that the use cases take.
func (n *NewSource) Draft() loci.Source {
	return loci.Source{Kind: n.Kind, Ref: n.Ref, Text: n.Text, Quote: n.Quote, Start: n.Start, End: n.End,
		AllowedVendors: n.AllowedVendors}
}

// Replacement replaces the text of a memory, its tags and its vendors. Attributes that are left out stay unchanged.
type Replacement struct {
	Title          string        `json:"title" minLength:"1" maxLength:"500" doc:"Short title for lists" example:"Deploys"`
	Content        string        `json:"content" minLength:"1" maxLength:"100000" doc:"The text of the memory; stored exactly as sent" example:"We deploy on Tuesdays and Thursdays."`
	Tags           []string      `json:"tags" nullable:"false" maxItems:"50" minLength:"1" maxLength:"100" doc:"Tags to find it by; may be empty" example:"[\"ops\"]"`
	AllowedVendors []loci.Vendor `json:"allowed_vendors" nullable:"false" minItems:"1" maxItems:"50" maxLength:"50" doc:"Vendors that may read it; [\"*\"] means all. You may always read it" example:"[\"*\"]"`
	Attributes
}

// Attributes are the parts of a memory that requests rarely set.
type Attributes struct {
	Summary    *string         `json:"summary,omitzero" nullable:"false" maxLength:"2000" doc:"One or two sentences, for lists"`
	Key        string          `json:"key,omitzero" maxLength:"200" doc:"Name of the fact, to look it up or update it by"`
	Type       loci.MemoryType `json:"memory_type,omitzero" enum:"semantic,episodic,procedural" doc:"A fact, an event, or instructions. Default: semantic, a fact"`
	Category   string          `json:"category,omitzero" minLength:"1" maxLength:"100" doc:"Default: fact"`
	Importance int             `json:"importance,omitzero" minimum:"1" maximum:"10" doc:"1 to 10. Default: 5"`
	Pinned     *bool           `json:"pinned,omitzero" nullable:"false" doc:"Always show it: first in a briefing and in every context"`
	Source     string          `json:"source,omitzero" minLength:"1" maxLength:"64" doc:"How the memory was created. Default: manual"`
	Scope      loci.Scope      `json:"scope,omitzero" enum:"global,project,agent" doc:"Audience in addition to the owner. Default: global"`
	ProjectID  loci.ProjectID  `json:"project_id,omitzero" format:"uuid" doc:"Required for scope project"`
	AgentID    loci.AgentID    `json:"agent_id,omitzero" format:"uuid" doc:"Required for scope agent. Default: the agent of the session"`
	SessionID  loci.SessionID  `json:"session_id,omitzero" format:"uuid" doc:"The session in which the memory is written. Default: the session in the header Loci-Session"`
	ExpiresAt  time.Time       `json:"expires_at,omitzero" pattern:"^(0{0,2}[^0]|000[^01]|$)" patternDescription:"a time after the year 1" doc:"From this time on, no reader sees it. Default: never"`
	ValidFrom  time.Time       `json:"valid_from,omitzero" pattern:"^(0{0,2}[^0]|000[^01]|$)" patternDescription:"a time after the year 1" doc:"When the fact became true"`
	ValidTo    time.Time       `json:"valid_to,omitzero" pattern:"^(0{0,2}[^0]|000[^01]|$)" patternDescription:"a time after the year 1" doc:"When the fact stopped being true"`
}

// Edit is loci.Edit.
type Edit = loci.Edit

// Replayed answers a POST whose Idempotency-Key was used before and whose request was already carried out.
type Replayed struct {
	Replayed bool   `json:"replayed" doc:"Always true" example:"true"`
	Target   string `json:"target,omitempty" doc:"Id of what the request created or changed, if it is one thing" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

// ShareRequest names the memory to share.
type ShareRequest struct {
	MemoryID loci.MemoryID `json:"memory_id" format:"uuid"`
	Scope    string        `json:"scope,omitzero" enum:"team" doc:"Whom to share it with. Default: team"`
}

// Shared is a memory that its owner's team may read now.
type Shared struct {
	Shared   bool          `json:"shared" doc:"Always true" example:"true"`
	MemoryID loci.MemoryID `json:"memory_id" format:"uuid"`
	TeamID   loci.TeamID   `json:"team_id" format:"uuid"`
}

// DeletedMemory is a memory that was moved to the trash.
type DeletedMemory struct {
	Deleted         bool                   `json:"deleted" doc:"Always true" example:"true"`
	ID              loci.MemoryID          `json:"id" format:"uuid"`
	Title           string                 `json:"title" example:"Deploys"`
	Version         int                    `json:"version" example:"2"`
	DeletedAt       time.Time              `json:"deleted_at"`
	StillSuperseded []loci.StillSuperseded `json:"still_superseded,omitempty" doc:"Memories that stay replaced by this one. To bring one back, revert it"`
}

// Emptied is the answer to emptying the trash.
type Emptied struct {
	Deleted int `json:"deleted" doc:"How many memories were deleted permanently" example:"3"`
}

// Problem is an RFC 9457 problem document, the form of every error.
type Problem struct {
	Type   string         `json:"type" doc:"Always about:blank; use code instead" example:"about:blank"`
	Title  string         `json:"title" doc:"The status in words" example:"Bad Request"`
	Status int            `json:"status" doc:"The HTTP status" example:"400"`
	Detail string         `json:"detail" doc:"What is wrong and what to do" example:"title is longer than 500 characters; shorten it"`
	Error  string         `json:"error" doc:"Same as detail" example:"title is longer than 500 characters; shorten it"`
	Code   string         `json:"code" doc:"Stable; programs may switch on it" example:"invalid"`
	Field  string         `json:"field,omitempty" doc:"The wrong input" example:"title"`
	Errors []FieldProblem `json:"errors,omitempty" nullable:"false" doc:"Every wrong input if there are several; at most 10"`
	// Items is set if items of a call were rejected. The server then applied none of the items.
	Items []loci.ItemError `json:"items,omitempty" nullable:"false" doc:"Why items of the call were rejected. Nothing was changed"`
	// StepUpURL is set if the code is step_up_required.
	StepUpURL string `json:"step_up_url,omitempty" doc:"Where to prove who you are. Then repeat the request" example:"https://loci.example/app/step-up"`
	// DuplicateOf is set if Loci did not store an event because it has it.
	DuplicateOf loci.EventID `json:"duplicate_of,omitzero" format:"uuid" doc:"The earlier event that is equal"`
	// Stream is set if a stream of events stopped.
	Stream *StreamStopped `json:"stream,omitempty" doc:"Where a stream of events stopped"`
}

// FieldProblem is one input at fault.
type FieldProblem struct {
	Field  string `json:"field,omitempty" example:"title"`
	Detail string `json:"detail" example:"title is required"`
}
