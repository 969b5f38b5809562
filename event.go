package loci

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Reach is who reads a session and its events besides the person whose work it is.
type Reach string

// The reaches, the widest first.
const (
	ReachOrg     Reach = "org"     // everybody in the org
	ReachTeam    Reach = "team"    // the person's team
	ReachPrivate Reach = "private" // nobody else
)

// EventClass is what kind of memory an event is. Seed S5 calls it memory_type.
type EventClass string

// The classes of events.
const (
	EventEpisodic EventClass = "episodic" // something that happened: an action, an observation, a message
	EventSession  EventClass = "session"  // the state of a session, such as its goal
	EventDecision EventClass = "decision" // a choice with its reason
	EventEntity   EventClass = "entity"   // a fact about a person, a tool or a system
)

// EventClasses returns every class of events.
func EventClasses() []EventClass {
	return []EventClass{EventEpisodic, EventSession, EventDecision, EventEntity}
}

// Limits of events. Texts are limited in characters.
const (
	MaxActor         = 100
	MaxEventType     = 64
	MaxEventMetadata = 16_000 // bytes of JSON
	MaxDedupKey      = 200
	MaxEvents        = 10_000 // in one request
	// DedupPrefix is how many characters of a content its deduplication key reads.
	DedupPrefix = 200
	// EventsAhead and EventsBack limit the time that a client gives an event, from the server's time.
	EventsAhead = 10 * time.Minute
	EventsBack  = 10 * 366 * 24 * time.Hour
)

// DefaultEventType is the type of events whose writer gave none.
const DefaultEventType = "general"

// Members of a decision's metadata.
const (
	ReasonField       = "reasoning"
	AlternativesField = "alternatives" // a list of what was not chosen
	ConfidenceField   = "confidence"   // from 0 to 1
)

// Event is something that happened, usually in a session. Loci stores its text exactly as sent, and
// changes it only if its person removes a secret.
type Event struct {
	ID          EventID         `json:"id" format:"uuid"`
	Time        time.Time       `json:"time" doc:"When it happened"`
	RecordedAt  time.Time       `json:"recorded_at" doc:"When Loci stored it"`
	SessionID   SessionID       `json:"session_id,omitzero" format:"uuid"`
	AgentID     AgentID         `json:"agent_id,omitzero" format:"uuid"`
	Actor       string          `json:"actor,omitempty" doc:"Who spoke or acted" example:"user"`
	Class       EventClass      `json:"memory_type" enum:"episodic,session,decision,entity"`
	Type        string          `json:"event_type" example:"error"`
	Content     string          `json:"content" doc:"The text of the event, exactly as sent"`
	Metadata    json.RawMessage `json:"metadata,omitempty" doc:"A JSON object, stored unchanged"`
	Tags        []string        `json:"tags" nullable:"false"`
	Importance  int             `json:"importance" doc:"1 to 10"`
	ParentID    EventID         `json:"parent_id,omitzero" format:"uuid" doc:"The event that this one answers or belongs to"`
	DedupKey    string          `json:"dedup_key,omitempty" doc:"The writer's own key, if there is one"`
	SecretsKept bool            `json:"secrets_kept,omitempty" doc:"True if its person decided to keep the secrets in it. Otherwise, contexts show [secret] in their place"`
	EventAccess
}

// Detail returns MemberText of the metadata.
func (e *Event) Detail(name string) string { return MemberText(e.Metadata, name) }

// MemberText returns a member of a JSON object as text: strings without quotes, lists with semicolons. It is "" if the
// object has no such member.
func MemberText(object json.RawMessage, name string) (text string) {
	var members map[string]json.RawMessage
	var list []json.RawMessage
	if !bytes.Contains(object, []byte(name)) || json.Unmarshal(object, &members) != nil {
		return ""
	}
	value := members[name]
	if len(value) == 0 || json.Unmarshal(value, &text) == nil {
		return text
	}
	if json.Unmarshal(value, &list) != nil {
		return string(value)
	}
	parts := make([]string, len(list))
	for i, one := range list {
		if json.Unmarshal(one, &parts[i]) != nil {
			parts[i] = string(one)
		}
	}
	return strings.Join(parts, "; ")
}

// Reasoning returns why a decision was made and what was not chosen, or "".
func (e *Event) Reasoning() string {
	why, other := e.Detail(ReasonField), e.Detail(AlternativesField)
	if why != "" {
		why = "Reason: " + why
	}
	if other != "" {
		why = strings.TrimSpace(why + " Not chosen: " + other)
	}
	return why
}

// EventAccess is what the visibility rule reads of an event.
type EventAccess struct {
	OrgID          OrgID       `json:"-"`
	UserID         UserID      `json:"user_id" format:"uuid" doc:"The person who wrote it, or for whom it was written"`
	WorkspaceID    WorkspaceID `json:"workspace_id,omitzero" format:"uuid"`
	ProjectID      ProjectID   `json:"project_id,omitzero" format:"uuid"`
	Reach          Reach       `json:"reach" enum:"org,team,private" doc:"Who reads it besides that person"`
	TeamID         TeamID      `json:"team_id,omitzero" format:"uuid"`
	Origin         string      `json:"origin" doc:"Who wrote it. The server sets it from the credential"`
	AllowedVendors []Vendor    `json:"allowed_vendors" nullable:"false"`
}

// Open reports whether everybody in the org sees a, with any vendor and in any workspace.
func (a *EventAccess) Open() bool {
	return a.Reach == ReachOrg && a.ProjectID.IsZero() && a.WorkspaceID.IsZero() &&
		slices.Contains(a.AllowedVendors, AnyVendor)
}

// Access returns a as the visibility rule reads it. Two events with the same Access are visible to the same readers.
func (a *EventAccess) Access() Access {
	return Access{OrgID: a.OrgID, UserID: a.UserID, WorkspaceID: a.WorkspaceID, ProjectID: a.ProjectID,
		TeamID: a.TeamID, Reach: a.Reach, Origin: a.Origin, AllowedVendors: a.AllowedVendors}
}

// SeesEvent is the visibility rule for an event or a session.
func (v Viewer) SeesEvent(a *EventAccess) bool {
	access := a.Access()
	return v.Sees(&access, LiveOnly, time.Time{})
}

// SetDefaults sets the fields that the writer left out. now is the server's time.
func (e *Event) SetDefaults(now time.Time) {
	if e.RecordedAt.IsZero() {
		e.RecordedAt = now
	}
	if e.Time.IsZero() {
		e.Time = e.RecordedAt
	}
	e.Class = cmp.Or(e.Class, EventEpisodic)
	e.Type = cmp.Or(e.Type, DefaultEventType)
	e.Importance = cmp.Or(e.Importance, DefaultImportance)
	e.Tags = OrEmpty(e.Tags)
	if e.AllowedVendors == nil {
		e.AllowedVendors = []Vendor{AnyVendor}
	}
	e.Reach = cmp.Or(e.Reach, ReachOrg)
}

// Validate checks every limit and returns an Invalid error for the first field that breaks one. It
// only changes Tags and AllowedVendors, from which it removes duplicates.
func (e *Event) Validate() error {
	e.Tags, e.AllowedVendors = Unique(e.Tags), Unique(e.AllowedVendors)
	checks := []func() error{
		func() error { return CheckText("content", e.Content, 1, MaxContent) },
		func() error { return checkLine("actor", e.Actor, MaxActor) },
		func() error { return checkLine("dedup_key", e.DedupKey, MaxDedupKey) },
		func() error { return CheckTags("tags", e.Tags, 0) },
		func() error { return CheckVendors(e.AllowedVendors) },
		func() error { return CheckEventClass("memory_type", e.Class) },
		func() error { return CheckEventType("event_type", e.Type) },
		func() error { return CheckObject("metadata", e.Metadata, MaxEventMetadata) },
		func() error { return e.Reach.check(e.TeamID) },
		func() error { return checkImportance(e.Importance) },
		e.checkTime,
	}
	return firstError(checks...)
}

func (e *Event) checkTime() error {
	if e.Time.After(e.RecordedAt.Add(EventsAhead)) {
		return FieldErrorf("time", "is more than %d minutes in the future; correct the clock, or leave it out",
			int(EventsAhead.Minutes()))
	}
	if e.Time.Before(e.RecordedAt.Add(-EventsBack)) {
		return FieldErrorf("time", "is more than 10 years ago, which is the limit")
	}
	return nil
}

// check returns an Invalid error for an unknown reach, or for the reach of a team without one.
func (r Reach) check(team TeamID) error {
	switch {
	case r == ReachOrg || r == ReachPrivate:
		return nil
	case r != ReachTeam:
		return FieldErrorf("reach", "must be org, team or private")
	case team.IsZero():
		return FieldErrorf("reach", "cannot be team, because you are in no team; use org or private")
	}
	return nil
}

// checkLine is CheckText for a text that may be empty and must be one line.
func checkLine(field, s string, maximum int) error {
	if err := CheckText(field, s, 0, maximum); err != nil {
		return err
	}
	if !isLine(s) {
		return FieldErrorf(field, notOneLine)
	}
	return nil
}

// CheckEventClass returns an Invalid error unless c is one of EventClasses.
func CheckEventClass(field string, c EventClass) error {
	if slices.Contains(EventClasses(), c) {
		return nil
	}
	return FieldErrorf(field, "must be episodic, session, decision or entity")
}

// CheckEventType returns an Invalid error unless s is a letter, followed by letters, digits, _, - and dots.
func CheckEventType(field, s string) error {
	if len(s) == 0 || len(s) > MaxEventType || !isLetter(s[0]) || strings.ContainsFunc(s, notInType) {
		return FieldErrorf(field, "must be a word such as tool_call: a letter, then letters, digits, _, - and dots, at "+
			"most %d; %q is not", MaxEventType, Shorten(OneLine(s), MaxEventType))
	}
	return nil
}

func isLetter(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }

func notInType(r rune) bool {
	return r > 127 || !isLetter(byte(r)) && (r < '0' || r > '9') && r != '_' && r != '-' && r != '.'
}

// CheckObject returns an Invalid error unless text is empty or a JSON object of at most limit bytes.
func CheckObject(field string, text json.RawMessage, limit int) error {
	if len(text) == 0 {
		return nil
	}
	if len(text) > limit {
		return FieldErrorf(field, "is longer than %d bytes; keep large things elsewhere and name them here", limit)
	}
	object := bytes.TrimLeft(text, " \t\r\n")
	shallow := bytes.Count(text, []byte("{"))+bytes.Count(text, []byte("[")) <= MaxJSONDepth
	if !bytes.HasPrefix(object, []byte("{")) || !jsontext.Value(text).IsValid() || !shallow && CheckJSON(text) != nil {
		return FieldErrorf(field, "must be a JSON object")
	}
	return nil
}

// Digest returns the hash that makes two events duplicates: of the writer's own key, or else of
// agent_id, event_type and the first DedupPrefix characters of the content, joined by |. Without an agent, the
// credential's vendor and person stand in, so that one assistant's event is no duplicate of another's.
func (e *Event) Digest() [32]byte {
	if e.DedupKey != "" {
		return sha256.Sum256([]byte("key|" + e.DedupKey))
	}
	agent := e.UserID.String()
	switch {
	case !e.AgentID.IsZero():
		agent = e.AgentID.String()
	case !IsPersonal(e.Origin):
		agent = e.Origin + "/" + agent
	}
	return sha256.Sum256([]byte(agent + "|" + e.Type + "|" + FirstRunes(e.Content, DedupPrefix)))
}

// FirstRunes returns the first n characters of s.
func FirstRunes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// NewEventID returns a new id for an event at a time: a UUID of version 7 whose 12 bits after the
// milliseconds are a fraction of one (RFC 9562, section 6.2, method 3). So ids sort like the times of
// their events, exact to a microsecond. It panics only if the system has no randomness.
func NewEventID(at time.Time) (id EventID) {
	id = FirstEventID(at)
	_, _ = rand.Read(id[8:]) // never fails
	id[8] = id[8]&0x3f | 0x80
	return id
}

// FirstEventID returns the first of all ids of a time: those of earlier times are less, and those
// that NewEventID returns for the time or for later ones are not.
func FirstEventID(at time.Time) (id EventID) {
	micros := uint64(max(at.UnixMicro(), 0)) // #nosec G115 -- not negative
	fraction := micros % 1000 * 4096 / 1000
	binary.BigEndian.PutUint64(id[:8], micros/1000<<16|0x7000|fraction)
	id[8] = 0x80
	return id
}

// EventTime returns the time in an id of an event, cut to a microsecond. ok is false for an id that
// NewEventID did not make.
func EventTime(id EventID) (at time.Time, ok bool) {
	if id[6]>>4 != 7 {
		return time.Time{}, false
	}
	first := binary.BigEndian.Uint64(id[:8])
	millis, fraction := first>>16, first&0xfff
	micros := millis*1000 + (fraction*1000+4095)/4096
	return time.UnixMicro(int64(micros)).UTC(), true // #nosec G115 -- 58 bits
}

// EventContext is a text about events for a model to read.
type EventContext struct {
	SessionID SessionID      `json:"session_id,omitzero" format:"uuid" doc:"The session that it is about"`
	AgentID   AgentID        `json:"agent_id,omitzero" format:"uuid" doc:"The agent that it is about"`
	Context   string         `json:"context" doc:"Markdown. Stored words are quoted, between <memories> and </memories>"`
	Tokens    int            `json:"tokens" doc:"How many tokens the text has, by Loci's estimate" example:"310"`
	MaxTokens int            `json:"max_tokens" doc:"The most that it may have" example:"4000"`
	Events    int            `json:"events" doc:"How many events it is about" example:"12"`
	Shown     []EventID      `json:"shown" nullable:"false" doc:"The ids of the events that it has, in its order"`
	Groups    []ContextGroup `json:"groups" nullable:"false" doc:"What it has of each group, in its order"`
	Partial   bool           `json:"partial,omitempty" doc:"There may be older events, which Loci did not read"`
}

// ContextGroup is a part of an EventContext.
type ContextGroup struct {
	Name  string `json:"name" doc:"Decisions, Errors, Open questions, State of the work, Facts, or an event type" example:"Decisions"`
	Total int    `json:"total" doc:"How many events belong to it" example:"3"`
	Shown int    `json:"shown" doc:"How many of them the text has; the others were left out" example:"3"`
}
