package loci

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"mime"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of attachments and sources of a memory.
const (
	MaxAssetName  = 255
	MaxMediaType  = 255
	MaxSources    = 50 // of one memory, from one writer
	MaxSourceRef  = 2_000
	MaxSourceText = MaxContent
	MaxQuote      = 10_000
)

// Asset is a binary attachment of a memory. Loci stores equal bytes once, by their SHA-256.
// Everyone who sees the memory sees the attachment.
type Asset struct {
	ID        AssetID   `json:"id" format:"uuid"`
	MemoryID  MemoryID  `json:"memory_id" format:"uuid"`
	UserID    UserID    `json:"user_id" format:"uuid"`
	Origin    string    `json:"origin"`
	Name      string    `json:"name" example:"diagram.png"`
	MediaType string    `json:"media_type" doc:"The type that Loci detected from the bytes" example:"image/png"`
	Size      int64     `json:"size" doc:"Size in bytes"`
	SHA256    string    `json:"sha256" doc:"SHA-256 in hexadecimal"`
	CreatedAt time.Time `json:"created_at"`
}

// Validate returns an Invalid error for the first field that breaks a limit.
func (a *Asset) Validate() error {
	if err := CheckText("name", a.Name, 1, MaxAssetName); err != nil {
		return err
	}
	if !isLine(a.Name) || strings.ContainsAny(a.Name, `/\`) || a.Name == "." || a.Name == ".." {
		return FieldErrorf("name", "must be the name of a file: one line without / and \\, not . or .., and not begin or "+
			"end with a space")
	}
	if err := CheckText("media_type", a.MediaType, 1, MaxMediaType); err != nil {
		return err
	}
	if kind, _, err := mime.ParseMediaType(a.MediaType); err != nil || !strings.Contains(kind, "/") {
		return FieldErrorf("media_type", "must be a media type such as image/png")
	}
	if sum, err := hex.DecodeString(a.SHA256); err != nil || len(sum) != 32 || strings.ToLower(a.SHA256) != a.SHA256 {
		return FieldErrorf("sha256", "must be 64 lower-case hexadecimal digits")
	}
	if a.Size < 0 {
		return FieldErrorf("size", "must not be negative")
	}
	return nil
}

// SourceKind is the kind of thing that a memory was derived from.
type SourceKind string

// The kinds of source.
const (
	SourceMessage SourceKind = "message"
	SourceSession SourceKind = "session"
	SourceEvent   SourceKind = "event"
	SourceURL     SourceKind = "url"
	SourceText    SourceKind = "text" // the raw text itself
)

// Source links a memory to where it comes from. A reader sees it if they see the memory and their vendor is allowed.
type Source struct {
	ID             SourceID   `json:"id" format:"uuid"`
	MemoryID       MemoryID   `json:"memory_id" format:"uuid"`
	Kind           SourceKind `json:"kind" enum:"message,session,event,url,text"`
	Ref            string     `json:"ref,omitempty" doc:"The id of a session or an event, or a URL; of a message of another system also its id there"`
	Text           string     `json:"text,omitempty" doc:"The raw text, for kind text or if the thing behind ref may disappear"`
	Quote          string     `json:"quote,omitempty" doc:"The passage that supports the memory"`
	Start          int        `json:"start,omitempty" doc:"Where the quote begins in the text, in characters"`
	End            int        `json:"end,omitempty" doc:"Where the quote ends in the text, in characters"`
	UserID         UserID     `json:"user_id" format:"uuid"`
	Origin         string     `json:"origin"`
	AllowedVendors []Vendor   `json:"allowed_vendors" nullable:"false"`
	CreatedAt      time.Time  `json:"created_at"`
}

// Validate returns an Invalid error for the first field that breaks a limit. field is the caller's
// name for the source. Validate removes duplicates in AllowedVendors.
func (s *Source) Validate(field string) error {
	s.AllowedVendors = Unique(s.AllowedVendors)
	ref, text := 0, 0
	switch s.Kind {
	case SourceSession, SourceEvent, SourceURL:
		ref = 1
	case SourceMessage:
		if s.Text == "" && s.Quote == "" {
			ref = 1
		}
	case SourceText:
		text = 1
	default:
		return FieldErrorf(field+".kind", "must be one of: message, session, event, url, text")
	}
	for _, c := range []struct {
		name, text     string
		minimum, limit int
	}{{"ref", s.Ref, ref, MaxSourceRef}, {"text", s.Text, text, MaxSourceText}, {"quote", s.Quote, 0, MaxQuote}} {
		if err := CheckText(field+"."+c.name, c.text, c.minimum, c.limit); err != nil {
			return err
		}
	}
	if !isLine(s.Ref) {
		return FieldErrorf(field+".ref", notOneLine)
	}
	if s.Kind == SourceURL && !isWebAddress(s.Ref) {
		return FieldErrorf(field+".ref", "must be a URL that begins with https:// or http://")
	}
	if err := s.checkSpan(field); err != nil {
		return err
	}
	return within(field, CheckVendors(s.AllowedVendors))
}

// CheckProof returns an Invalid error about a source that proves nothing: the id of a message of another system without
// its text or a quote. Loci cannot look such an id up. An import does not ask this, because old exports have such
// sources.
func (s *Source) CheckProof(field string) error {
	if s.Kind != SourceMessage || s.Text != "" || s.Quote != "" || isWebAddress(s.Ref) {
		return nil
	}
	return FieldErrorf(field+".quote", "or text is required, or a URL as ref: Loci cannot look up ids of messages")
}

// isLine reports whether s can be shown unchanged on one line.
func isLine(s string) bool {
	return s == Legible(s) && !strings.ContainsAny(s, "\n\t") && s == strings.TrimSpace(s)
}

func isWebAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

// checkSpan returns an error if the span is not in the text or differs from the quote.
func (s *Source) checkSpan(field string) error {
	if s.Start < 0 || s.End < s.Start || s.Text != "" && s.End > utf8.RuneCountInString(s.Text) {
		return FieldErrorf(field+".start", "must be before end, and both must be within the text")
	}
	if s.Text == "" || s.Quote == "" || s.End == 0 {
		return nil
	}
	if string([]rune(s.Text)[s.Start:s.End]) != s.Quote {
		return FieldErrorf(field+".quote",
			"must equal the text from start to end; otherwise leave out start and end")
	}
	return nil
}

func within(field string, err error) error {
	var e *Error
	if !errors.As(err, &e) || e.Field == "" {
		return err
	}
	return &Error{Code: e.Code, Field: field + "." + e.Field, Text: field + "." + e.Text, cause: e.cause}
}

// SuggestionKind is the kind of suggested change.
type SuggestionKind string

// The kinds of suggestion.
const (
	SuggestSupersede SuggestionKind = "supersede" // By replaces Memory
	SuggestCorrect   SuggestionKind = "correct"   // By says what is wrong with Memory
	SuggestDelete    SuggestionKind = "delete"    // moves rows of a graph to its trash
	SuggestMerge     SuggestionKind = "merge"     // merges an entity of a graph into another
	SuggestSecret    SuggestionKind = "secret"    // removes the secrets of Memory or Row

	// The kinds of a Row.
	RowEvent = "event"
	RowNode  = "memory_node"
	RowItem  = "node_item"
	RowTask  = "task"
)

// SuggestionState is the state of a suggestion.
type SuggestionState string

// The states of a suggestion.
const (
	SuggestionPending  SuggestionState = "pending"
	SuggestionAccepted SuggestionState = "accepted"
	SuggestionDeclined SuggestionState = "declined"
)

// Suggestion is a suggested change of a memory or of a graph. The memory's owner decides about it, or a person of the
// graph's project. Only readers who see both memories, or the rows of the graph, see it. One about a secret is visible
// to the row's owner alone, and to none of their assistants: accepting it removes the secret, declining keeps it.
type Suggestion struct {
	ID        SuggestionID    `json:"id" format:"uuid"`
	Kind      SuggestionKind  `json:"kind" enum:"supersede,correct,delete,merge,secret"`
	MemoryID  MemoryID        `json:"memory_id,omitzero" format:"uuid" doc:"The memory that would be superseded, or that has a secret. Absent for a graph and a row"`
	ByID      MemoryID        `json:"by_id,omitzero" format:"uuid" doc:"The memory that would replace it. Absent for a graph and a secret"`
	Graph     *SuggestedGraph `json:"graph,omitempty" doc:"The rows of a graph that would be deleted or merged, or that have a secret"`
	Row       *SecretRow      `json:"row,omitempty" doc:"The row that has a secret, if it is neither a memory nor in a graph"`
	UserID    UserID          `json:"user_id" format:"uuid" doc:"The person who decides: the owner of memory_id. Of a graph: the person whose assistant suggests it; everyone in the project decides, but about a secret only that person"`
	Origin    string          `json:"origin" doc:"Who suggests it"`
	State     SuggestionState `json:"state" enum:"pending,accepted,declined"`
	CreatedAt time.Time       `json:"created_at"`
	SettledAt time.Time       `json:"settled_at,omitzero"`
	// NoLongerShared exists so that nobody takes a fact from others in silence.
	NoLongerShared string `json:"no_longer_shared,omitempty" doc:"Who besides the owner can read the memory, but not the one that would replace it or has: the team, the project, or both. Accept with share to let them read the new one" example:"the team"`
	Hint           string `json:"hint,omitempty" doc:"After a secret was removed: where copies of it may still be"`
	// Memory and By are set in lists only.
	Memory *Excerpt `json:"memory,omitempty" doc:"The beginning of the memory that would be superseded, or that has a secret"`
	By     *Excerpt `json:"by,omitempty" doc:"The beginning of the memory that would replace it"`
}

// SecretRow is a row, other than a memory, that has a secret.
type SecretRow struct {
	Kind string  `json:"kind" enum:"event,memory_node,node_item,task"`
	ID   ID[any] `json:"id" format:"uuid"`
	// SessionID and Excerpt are set in lists only.
	SessionID SessionID `json:"session_id,omitzero" format:"uuid" doc:"The session of an event"`
	Excerpt   *Excerpt  `json:"excerpt,omitempty" doc:"The beginning of the row"`
}

// Noticed is what Loci notices of secrets in a row of the org.
type Noticed struct {
	SecretsKept bool     `json:"secrets_kept,omitempty" doc:"True if its person decided to keep the secrets in it. Otherwise, lists and packs show [secret] in their place"`
	Secrets     []string `json:"secrets,omitempty" doc:"After a save: which types of secrets the texts have. Loci stores them as sent, and puts them into the inbox of the person" example:"[\"password\"]"`
}

// SuggestedGraph is what a suggestion changes in the graph of a project.
type SuggestedGraph struct {
	ProjectID ProjectID `json:"project_id" format:"uuid"`
	GraphIDs
	Into EntityID `json:"into,omitzero" format:"uuid" doc:"The entity into which the one of a merge goes"`
	// Rows and More are set in answers only, as the reader sees them.
	Rows        []SuggestedRow `json:"rows,omitempty" doc:"What would leave the graph, with the visible observations and relations of its entities"`
	More        int            `json:"more,omitempty" doc:"Number of rows that the list leaves out"`
	WorkspaceID WorkspaceID    `json:"-"` // of the project
	// AllowedVendors are those that see all the rows.
	AllowedVendors []Vendor `json:"-"`
}

// SuggestedRow is one row of a graph that a suggestion names or that goes with such a row.
type SuggestedRow struct {
	Kind    string   `json:"kind" enum:"entity,observation,relation"`
	Text    string   `json:"text" doc:"The beginning of its name, content or path"`
	Origin  string   `json:"origin" doc:"Who wrote it"`
	Secrets []string `json:"secrets,omitempty" doc:"Which types of secrets it has. The text shows [secret] in their place" example:"[\"password\"]"`
}

// MaxSuggestedRows is how many rows a SuggestedGraph lists.
const MaxSuggestedRows = 100

// Excerpt is the beginning of a memory or of another row.
type Excerpt struct {
	Title   string   `json:"title"`
	Text    string   `json:"text" doc:"The first 300 characters of the content"`
	Origin  string   `json:"origin" doc:"Who wrote it"`
	Secrets []string `json:"secrets,omitempty" doc:"Which types of secrets the text has. The excerpt shows [secret] in their place" example:"[\"password\"]"`
	// SharedWith is Access.SharedWith.
	SharedWith string `json:"shared_with,omitempty" doc:"Who besides its owner can read it" example:"the team"`
}

// ExcerptLength is how many characters of a content an Excerpt has.
const ExcerptLength = 300

// NewExcerpt returns the beginning of m.
func NewExcerpt(m *Memory) *Excerpt {
	return &Excerpt{Title: m.Title, Text: Shorten(m.Content, ExcerptLength), Origin: m.Origin,
		SharedWith: m.SharedWith(theProject)}
}

// Limits of attachments.
const (
	DefaultAssetBytes = 25 << 20 // bytes in one attachment, if the org sets no limit
	MaxAssetBytes     = 1 << 40  // the highest limit an org may set
	MaxAssetTypes     = 50       // patterns in AssetRules
	MaxAssets         = 100      // attachments of one memory
)

// AssetRules are an org's limits for attachments. The zero value means the defaults.
type AssetRules struct {
	MaxBytes   int64    `json:"max_bytes,omitempty" minimum:"0" maximum:"1099511627776" doc:"Maximum size of one attachment in bytes. If 0 or absent: 26214400 (25 MiB)" example:"52428800"`
	TotalBytes int64    `json:"total_bytes,omitempty" minimum:"0" maximum:"1099511627776" doc:"Maximum size of all attachments of the org together, in bytes. If 0 or absent: no limit"`
	MediaTypes []string `json:"media_types,omitempty" nullable:"false" maxItems:"50" maxLength:"255" doc:"Allowed media types, such as application/pdf or image/*. If empty or absent: all"`
}

// Validate returns an Invalid error for the first field that breaks a limit. field is the caller's
// name for the rules. Validate converts MediaTypes to lower case and removes duplicates.
func (r *AssetRules) Validate(field string) error {
	for _, n := range []struct {
		name  string
		bytes int64
	}{{"max_bytes", r.MaxBytes}, {"total_bytes", r.TotalBytes}} {
		if n.bytes < 0 || n.bytes > MaxAssetBytes {
			return FieldErrorf(field+"."+n.name, "must be from 0 (the default) to %d bytes", int64(MaxAssetBytes))
		}
	}
	if len(r.MediaTypes) > MaxAssetTypes {
		return FieldErrorf(field+".media_types", "has %d entries; at most %d are allowed", len(r.MediaTypes), MaxAssetTypes)
	}
	for i, t := range r.MediaTypes {
		r.MediaTypes[i] = strings.ToLower(t)
		if !isTypePattern(t) {
			return FieldErrorf(fmt.Sprintf("%s.media_types[%d]", field, i),
				"must be a media type such as application/pdf, or a family such as image/*")
		}
	}
	r.MediaTypes = Unique(r.MediaTypes)
	return nil
}

func isTypePattern(t string) bool {
	kind, rest, err := mime.ParseMediaType(t)
	family, sub, ok := strings.Cut(kind, "/")
	return err == nil && ok && len(rest) == 0 && len(t) <= MaxMediaType && !strings.Contains(family, "*") &&
		(sub == "*" || !strings.Contains(sub, "*")) &&
		strings.EqualFold(kind, t)
}

// Largest returns the maximum size of an attachment, in bytes.
func (r *AssetRules) Largest() int64 { return cmp.Or(r.MaxBytes, DefaultAssetBytes) }

// Takes reports whether the rules allow an attachment of that media type. It ignores parameters of the type.
func (r *AssetRules) Takes(mediaType string) bool {
	kind, _, _ := strings.Cut(mediaType, ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	family, _, _ := strings.Cut(kind, "/")
	return len(r.MediaTypes) == 0 || slices.Contains(r.MediaTypes, kind) || slices.Contains(r.MediaTypes, family+"/*")
}
