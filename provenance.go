package loci

import (
	"strings"
	"time"
	"unicode/utf8"
)

// The limits of what hangs on a memory.
const (
	MaxAssetName  = 255
	MaxMediaType  = 255
	MaxSources    = 50 // of one memory
	MaxSourceRef  = 2_000
	MaxSourceText = MaxContent
	MaxQuote      = 10_000
)

// Asset is a binary attachment of a memory. Its bytes are kept once, by their
// SHA-256. Who sees the memory sees it.
type Asset struct {
	ID        AssetID   `json:"id" format:"uuid"`
	MemoryID  MemoryID  `json:"memory_id" format:"uuid"`
	UserID    UserID    `json:"user_id" format:"uuid"`
	Origin    string    `json:"origin"`
	Name      string    `json:"name" example:"diagram.png"`
	MediaType string    `json:"media_type" doc:"What the bytes are, as far as they tell" example:"image/png"`
	Size      int64     `json:"size" doc:"In bytes"`
	SHA256    string    `json:"sha256" doc:"In hexadecimal"`
	CreatedAt time.Time `json:"created_at"`
}

// SourceKind is what a memory was derived from.
type SourceKind string

// The kinds of source.
const (
	SourceMessage SourceKind = "message"
	SourceSession SourceKind = "session"
	SourceEvent   SourceKind = "event"
	SourceURL     SourceKind = "url"
	SourceText    SourceKind = "text" // the raw text itself
)

// Source links a memory to where it comes from. It is seen by who sees the
// memory and is of an allowed vendor.
type Source struct {
	ID             SourceID   `json:"id" format:"uuid"`
	MemoryID       MemoryID   `json:"memory_id" format:"uuid"`
	Kind           SourceKind `json:"kind" enum:"message,session,event,url,text"`
	Ref            string     `json:"ref,omitempty" doc:"An id or an address"`
	Text           string     `json:"text,omitempty" doc:"The raw text, of kind text or where the thing behind ref may go away"`
	Quote          string     `json:"quote,omitempty" doc:"The part that says it"`
	Start          int        `json:"start,omitempty" doc:"Where the quote begins in the text, in characters"`
	End            int        `json:"end,omitempty" doc:"Where it ends"`
	UserID         UserID     `json:"user_id" format:"uuid"`
	Origin         string     `json:"origin"`
	AllowedVendors []Vendor   `json:"allowed_vendors" nullable:"false"`
	CreatedAt      time.Time  `json:"created_at"`
}

// Validate returns an Invalid error about the first field that breaks a limit.
// field is what the caller calls the source.
func (s *Source) Validate(field string) error {
	switch s.Kind {
	case SourceMessage, SourceSession, SourceEvent, SourceURL:
		if err := CheckText(field+".ref", s.Ref, 1, MaxSourceRef); err != nil {
			return err
		}
	case SourceText:
		if err := CheckText(field+".text", s.Text, 1, MaxSourceText); err != nil {
			return err
		}
	default:
		return FieldErrorf(field+".kind", "must be one of: message, session, event, url, text")
	}
	if s.Kind == SourceURL && !strings.HasPrefix(s.Ref, "https://") && !strings.HasPrefix(s.Ref, "http://") {
		return FieldErrorf(field+".ref", "must be an address that begins with https:// or http://")
	}
	for _, c := range []struct {
		name, text string
		limit      int
	}{{"ref", s.Ref, MaxSourceRef}, {"text", s.Text, MaxSourceText}, {"quote", s.Quote, MaxQuote}} {
		if err := CheckText(field+"."+c.name, c.text, 0, c.limit); err != nil {
			return err
		}
	}
	if s.Start < 0 || s.End < s.Start || s.Text != "" && s.End > utf8.RuneCountInString(s.Text) {
		return FieldErrorf(field+".start", "and end must be a part of the text")
	}
	return CheckVendors(s.AllowedVendors)
}

// SuggestionKind is what is proposed.
type SuggestionKind string

// The kinds of suggestion.
const (
	SuggestSupersede SuggestionKind = "supersede" // By takes the place of Memory
	SuggestCorrect   SuggestionKind = "correct"   // By says what is wrong with Memory
)

// SuggestionState says what became of a suggestion.
type SuggestionState string

// The states of a suggestion.
const (
	SuggestionPending  SuggestionState = "pending"
	SuggestionAccepted SuggestionState = "accepted"
	SuggestionDeclined SuggestionState = "declined"
)

// Suggestion is a change of a memory that its owner decides about. It is seen
// by who sees both memories.
type Suggestion struct {
	ID        SuggestionID    `json:"id" format:"uuid"`
	Kind      SuggestionKind  `json:"kind" enum:"supersede,correct"`
	MemoryID  MemoryID        `json:"memory_id" format:"uuid" doc:"What would be superseded"`
	ByID      MemoryID        `json:"by_id" format:"uuid" doc:"What would take its place"`
	UserID    UserID          `json:"user_id" format:"uuid" doc:"Who decides: the owner of memory_id"`
	Origin    string          `json:"origin" doc:"Who suggests it"`
	State     SuggestionState `json:"state" enum:"pending,accepted,declined"`
	CreatedAt time.Time       `json:"created_at"`
	SettledAt time.Time       `json:"settled_at,omitzero"`
}
