package client

import (
	"time"

	"github.com/loci-memory/loci"
)

// NewMemory is what a writer says of a memory. Who wrote it is not in here:
// the server takes that from the credential, and refuses a body that names it. Where there is a
// memory of that key, what is left out stays as it was.
type NewMemory struct {
	Title   string   `json:"title,omitzero" minLength:"1" maxLength:"500" doc:"Short label to browse by. Only with a key may it be left out, and is the key then" example:"Deploys"`
	Content string   `json:"content,omitzero" minLength:"1" maxLength:"100000" doc:"The memory itself; stored exactly as sent. Required" example:"We deploy on Tuesdays, never on Fridays."`
	Value   string   `json:"value,omitzero" minLength:"1" maxLength:"100000" doc:"Another name of content"`
	Tags    []string `json:"tags,omitzero" nullable:"false" maxItems:"50" minLength:"1" maxLength:"100" doc:"Words to find it by" example:"[\"ops\"]"`
	// AllowedVendors nil means everybody; an empty list is refused.
	AllowedVendors []loci.Vendor `json:"allowed_vendors,omitzero" nullable:"false" minItems:"1" maxItems:"50" maxLength:"50" doc:"Which vendors may read it; left out or [\"*\"]: all. You always may" example:"[\"*\"]"`
	Attributes
	// ExpiresAtToo is another name of ExpiresAt.
	ExpiresAtToo time.Time       `json:"expiresAt,omitzero" pattern:"^(0{0,2}[^0]|000[^01]|$)" patternDescription:"a time after the year 1" doc:"Another name of expires_at"`
	TTL          int64           `json:"ttl,omitzero" minimum:"1" maximum:"3153600000" doc:"Lifetime from now on in seconds, instead of expires_at"`
	Dedupe       string          `json:"dedupe,omitzero" enum:"update,create" doc:"If there is a memory of that key, scope and context already: update it (if left out), or create another"`
	Supersedes   []loci.MemoryID `json:"supersedes,omitzero" nullable:"false" maxItems:"50" format:"uuid" doc:"Memories that held until now: hidden from recall if they are yours, else it is suggested to their owner"`
	Corrects     []loci.MemoryID `json:"corrects,omitzero" nullable:"false" maxItems:"50" format:"uuid" doc:"The same of memories that never were right"`
	// Similar nil is true.
	Similar *bool       `json:"similar,omitzero" nullable:"false" doc:"false: do not look for similar memories, for programs that write much; the save costs less then"`
	Sources []NewSource `json:"sources,omitzero" nullable:"false" maxItems:"50" doc:"Where it comes from"`
}

// NewSource is what a writer says of where a memory comes from.
type NewSource struct {
	Kind  loci.SourceKind `json:"kind" enum:"message,session,event,url,text"`
	Ref   string          `json:"ref,omitzero" maxLength:"2000" doc:"A URL, the id of a session that you can see, or another id; required except for kind text" example:"https://wiki.example.org/deploys"`
	Text  string          `json:"text,omitzero" maxLength:"100000" doc:"The raw text; required for kind text, and for an id of kind message or event without a quote"`
	Quote string          `json:"quote,omitzero" maxLength:"10000" doc:"The part that says it"`
	Start int             `json:"start,omitzero" minimum:"0" doc:"Where the quote begins in the text, in characters"`
	End   int             `json:"end,omitzero" minimum:"0" doc:"Where it ends"`
	// AllowedVendors nil means those of the memory.
	AllowedVendors []loci.Vendor `json:"allowed_vendors,omitzero" nullable:"false" minItems:"1" maxItems:"50" maxLength:"50" doc:"Which vendors may read it, of those that may read the memory; left out: all of them"`
}

// Draft returns the source as the use cases take it.
func (n *NewSource) Draft() loci.Source {
	return loci.Source{Kind: n.Kind, Ref: n.Ref, Text: n.Text, Quote: n.Quote, Start: n.Start, End: n.End,
		AllowedVendors: n.AllowedVendors}
}

// Replacement takes the place of a whole memory. Tags and AllowedVendors must
// be said: a replacement that leaves them out must not widen who may read.
type Replacement struct {
	Title          string        `json:"title" minLength:"1" maxLength:"500" doc:"Short label to browse by" example:"Deploys"`
	Content        string        `json:"content" minLength:"1" maxLength:"100000" doc:"The memory itself; stored exactly as sent" example:"We deploy on Tuesdays and Thursdays."`
	Tags           []string      `json:"tags" nullable:"false" maxItems:"50" minLength:"1" maxLength:"100" doc:"Words to find it by; may be empty" example:"[\"ops\"]"`
	AllowedVendors []loci.Vendor `json:"allowed_vendors" nullable:"false" minItems:"1" maxItems:"50" maxLength:"50" doc:"Which vendors may read it; [\"*\"]: all. You always may" example:"[\"*\"]"`
	Attributes
}

// Attributes are the parts of a memory that are rarely said.
type Attributes struct {
	Summary    *string         `json:"summary,omitzero" nullable:"false" maxLength:"2000" doc:"One or two sentences, for lists"`
	Key        string          `json:"key,omitzero" maxLength:"200" doc:"Name of the fact, to look it up or update it by"`
	Type       loci.MemoryType `json:"memory_type,omitzero" enum:"semantic,episodic,procedural" doc:"A fact (if left out), something that happened, or how to do something"`
	Category   string          `json:"category,omitzero" minLength:"1" maxLength:"100" doc:"Left out: fact"`
	Importance int             `json:"importance,omitzero" minimum:"1" maximum:"10" doc:"1 to 10; left out: 5"`
	Pinned     *bool           `json:"pinned,omitzero" nullable:"false" doc:"Always in sight: first in a briefing and in every context"`
	Source     string          `json:"source,omitzero" minLength:"1" maxLength:"64" doc:"How it came here; left out: manual"`
	Scope      loci.Scope      `json:"scope,omitzero" enum:"global,project,agent" doc:"Who it is for, besides its owner; left out: global"`
	ProjectID  loci.ProjectID  `json:"project_id,omitzero" format:"uuid" doc:"Needed for scope project"`
	AgentID    loci.AgentID    `json:"agent_id,omitzero" format:"uuid" doc:"Needed for scope agent; left out: the agent of the session"`
	SessionID  loci.SessionID  `json:"session_id,omitzero" format:"uuid" doc:"The session in which it is written; left out: the one that the header Loci-Session names"`
	ExpiresAt  time.Time       `json:"expires_at,omitzero" pattern:"^(0{0,2}[^0]|000[^01]|$)" patternDescription:"a time after the year 1" doc:"From then on it is gone for every reader; left out: never"`
	ValidFrom  time.Time       `json:"valid_from,omitzero" pattern:"^(0{0,2}[^0]|000[^01]|$)" patternDescription:"a time after the year 1" doc:"Since when the fact holds"`
	ValidTo    time.Time       `json:"valid_to,omitzero" pattern:"^(0{0,2}[^0]|000[^01]|$)" patternDescription:"a time after the year 1" doc:"Until when the fact held"`
}

// Edit changes some fields of a memory, as a JSON merge patch (RFC 7396): what
// is left out stays, null clears. Title, content and allowed_vendors cannot be
// cleared.
type Edit struct {
	Title          Change[string]          `json:"title,omitzero" minLength:"1" maxLength:"500"`
	Content        Change[string]          `json:"content,omitzero" minLength:"1" maxLength:"100000" example:"We deploy on Tuesdays and Thursdays."`
	Summary        Change[string]          `json:"summary,omitzero" nullable:"true" maxLength:"2000"`
	Key            Change[string]          `json:"key,omitzero" nullable:"true" maxLength:"200"`
	Tags           Change[[]string]        `json:"tags,omitzero" nullable:"true" maxItems:"50" minLength:"1" maxLength:"100" doc:"The whole list; null: none"`
	AllowedVendors Change[[]loci.Vendor]   `json:"allowed_vendors,omitzero" nullable:"false" minItems:"1" maxItems:"50" maxLength:"50" doc:"The whole list"`
	Type           Change[loci.MemoryType] `json:"memory_type,omitzero" enum:"semantic,episodic,procedural"`
	Category       Change[string]          `json:"category,omitzero" nullable:"true" minLength:"1" maxLength:"100" doc:"null: fact"`
	Importance     Change[int]             `json:"importance,omitzero" nullable:"true" minimum:"1" maximum:"10" doc:"null: 5"`
	Pinned         Change[bool]            `json:"pinned,omitzero" nullable:"true"`
	Source         Change[string]          `json:"source,omitzero" nullable:"true" minLength:"1" maxLength:"64" doc:"null: manual"`
	ExpiresAt      Change[time.Time]       `json:"expires_at,omitzero" nullable:"true" pattern:"^(0{0,2}[^0]|000[^01]|$)" patternDescription:"a time after the year 1" doc:"null: never"`
	ValidFrom      Change[time.Time]       `json:"valid_from,omitzero" nullable:"true" pattern:"^(0{0,2}[^0]|000[^01]|$)" patternDescription:"a time after the year 1"`
	ValidTo        Change[time.Time]       `json:"valid_to,omitzero" nullable:"true" pattern:"^(0{0,2}[^0]|000[^01]|$)" patternDescription:"a time after the year 1"`
}

// Replayed answers a POST under an Idempotency-Key that was carried out before.
type Replayed struct {
	Replayed bool   `json:"replayed" doc:"Always true" example:"true"`
	Target   string `json:"target,omitempty" doc:"The id of what the request made or changed, if that is one thing" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

// Problem is an RFC 9457 problem document, the form of every error.
type Problem struct {
	Type   string         `json:"type" doc:"Always about:blank; the code says more" example:"about:blank"`
	Title  string         `json:"title" doc:"The status in words" example:"Bad Request"`
	Status int            `json:"status" doc:"The HTTP status" example:"400"`
	Detail string         `json:"detail" doc:"What is wrong and what to do" example:"title is longer than 500 characters; shorten it or split it in several"`
	Error  string         `json:"error" doc:"The same as detail" example:"title is longer than 500 characters; shorten it or split it in several"`
	Code   string         `json:"code" doc:"Stable; programs may switch on it" example:"invalid"`
	Field  string         `json:"field,omitempty" doc:"The input at fault" example:"title"`
	Errors []FieldProblem `json:"errors,omitempty" nullable:"false" doc:"Every input at fault, if there are several; at most 10"`
	// Items is set if items of a call were refused; none was done then.
	Items []loci.ItemError `json:"items,omitempty" nullable:"false" doc:"Why items of the call were refused; nothing was changed"`
	// StepUpURL is set if the code is step_up_required.
	StepUpURL string `json:"step_up_url,omitempty" doc:"Where to prove who you are; then repeat the request" example:"https://loci.example/app/step-up"`
}

// FieldProblem is one input at fault.
type FieldProblem struct {
	Field  string `json:"field,omitempty" example:"title"`
	Detail string `json:"detail" example:"title is required"`
}
