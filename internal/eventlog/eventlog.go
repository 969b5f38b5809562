// Package eventlog is the contract of event logs: what a log must do to store the events of all
// orgs. The logs are sub-packages, and all of them pass the suite eventlogtest.
//
// A log is confined to the org of the viewer. It applies the visibility rule of package loci when it selects events:
// what the viewer may not see doesn't exist, also for deduplication. It knows nothing of credentials, and contains no
// rule about who may write. The contract knows nothing of files, so a log may also be a database or a service.
//
// Callers pass events that are valid, complete and cut to microseconds. The id of an event is one of
// loci.NewEventID for its time, so events sorted by id are sorted by time. Errors have the loci codes
// that each method documents, and Full or Unavailable if a log cannot be written or asked.
package eventlog

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/loci-memory/loci"
)

// Log stores events. It is safe for concurrent use, also by several processes.
type Log interface {
	// Append stores events, all or none of them, and returns after they are durable. It returns one
	// outcome for each event, in their order; a duplicate is not stored. It fails with Conflict if a
	// session of an event is closed, and with Invalid for more than loci.MaxEvents events, for an event of
	// another org than v's, and for an id of another time. It doesn't keep the events.
	Append(ctx context.Context, v loci.Viewer, events []*loci.Event, d Dedup) ([]Outcome, error)
	// Get returns the visible events among ids, in the order of ids.
	Get(ctx context.Context, v loci.Viewer, ids []loci.EventID) ([]*loci.Event, error)
	// Find returns a page of the visible events that pass the filter. It fails with Invalid if q.After is
	// not a Position of such a query of the org.
	Find(ctx context.Context, v loci.Viewer, q Query) (Page, error)
	// Stats counts the visible events that pass the filter. It reads all of them, unless the context ends
	// with loci.ErrSpent before.
	Stats(ctx context.Context, v loci.Viewer, f Filter) (Stats, error)
	// Tail returns visible events in the order in which they were stored, at most limit of those after
	// a position. "" is the present end: then it returns no events, and the position to begin with. It
	// fails with Conflict if the position is not known any more, and with Invalid if it is none of the org.
	Tail(ctx context.Context, v loci.Viewer, after Position, limit int) (Page, error)
}

// Keeper is the part of a log that keeps it in order. It asks for no viewer.
type Keeper interface {
	// SetSession tells the log what became of a session: from then on, its events are visible as the session says, and a
	// closed session gets no more. It does nothing if the log knows this revision or a later one.
	SetSession(ctx context.Context, org loci.OrgID, s Session) error
	// Purge permanently deletes at most limit events that pass the selection, and returns their number.
	// The caller repeats it until it returns 0. It fails with Invalid for an empty selection.
	Purge(ctx context.Context, org loci.OrgID, s Selection, limit int) (int, error)
	// Rewrite stores what fn makes of the actors, texts, tags, keys and SecretsKept of events. Nothing of the old texts
	// stays on the disk after the next Upkeep. left are the events that are not here or may have left for another system.
	Rewrite(ctx context.Context, org loci.OrgID, ids []loci.EventID, fn func(*loci.Event)) (left []loci.EventID, err error)
	// Drop permanently deletes the events of an org.
	Drop(ctx context.Context, org loci.OrgID) error
	// Upkeep does what is due for an org, such as to compress old months or to
	// deliver events. It does a part of the work, and reports whether there is more to do at once. If
	// another call is at work on the org, it does nothing.
	Upkeep(ctx context.Context, org loci.OrgID) (more bool, err error)
	// Ready returns nil if the log of an org can read and write.
	Ready(ctx context.Context, org loci.OrgID) error
	// Close waits for running calls. Later calls fail.
	Close() error
}

// Follower reads all events, for data that is derived from them, such as the full-text index. It
// applies no visibility rule, so nothing that it returns may be shown to anybody.
type Follower interface {
	// End returns the position after everything that is stored.
	End(ctx context.Context, org loci.OrgID) (Position, error)
	// Changed returns what was stored after a position of End or Changed. It fails with Conflict if the
	// reader must read everything again.
	Changed(ctx context.Context, org loci.OrgID, after Position, limit int) (Changes, error)
	// Walk returns events in an order, at most limit. The first call passes "", and the next ones what the call before
	// returned; next is "" after the last event. An event that is stored meanwhile may be missing here; Changed has it.
	Walk(ctx context.Context, org loci.OrgID, o Order, at Position, limit int) (events []*loci.Event, next Position,
		err error)
	// Read returns those of the events that are there, in any order. ids are at most loci.MaxIDs.
	Read(ctx context.Context, org loci.OrgID, ids []loci.EventID) ([]*loci.Event, error)
}

// Engine is a whole log.
type Engine interface {
	Log
	Keeper
	Follower
}

// Dedup says which events count as duplicates: those with the Digest of an event that their writer sees, and that was
// recorded at most Window before them or comes before them in the call. 0: none; at most MaxWindow.
type Dedup struct{ Window time.Duration }

// MaxWindow is the longest time in which a log finds duplicates.
const MaxWindow = 7 * 24 * time.Hour

// Outcome is what became of an event.
type Outcome struct {
	ID loci.EventID // of the event; if it is a duplicate, of the earlier one
	// Duplicate is set if an equal event is there, so that this one was not stored.
	Duplicate bool
}

// Position is a place in a log. Pass it only to the log that created it. Positions of Find and Tail are for
// callers: they reveal nothing about events that the viewer doesn't see, and they are valid only in the
// org, the method and the order that they come from. Those of a Follower are for nobody else.
type Position string

// Filter narrows a query. An event must match every field that is set.
type Filter struct {
	Since         time.Time // Time at or after
	Until         time.Time // Time before
	SessionID     loci.SessionID
	AgentID       loci.AgentID
	ProjectID     loci.ProjectID
	Classes       []loci.EventClass // any of them
	Types         []string          // any of them
	Tags          []string          // exact; any of them
	AllTags       bool              // every one of Tags instead
	Origin        string
	Actor         string
	ParentID      loci.EventID
	MinImportance int
	// IDs limits the events to these, at most loci.MaxIDs; nil: all.
	IDs []loci.EventID
	// Among limits the events to those whose ids it returns; nil: all. A filter has no IDs besides.
	Among Among
}

// Among returns ids in an order, at most limit of those after one (zero: from the beginning), and whether there may be
// more. It fails with loci.ErrSpent if it does not know that yet.
type Among func(ctx context.Context, o Order, after loci.EventID, limit int) (ids []loci.EventID, more bool, err error)

// Query asks for a page.
type Query struct {
	Filter
	Order Order
	Limit int      // at least 1
	After Position // "": from the beginning
	// Brief is set if the caller needs no content, metadata, tags and dedup key. A log may leave these out.
	Brief bool
}

// Order is how the events of a page are sorted. Events of one time are sorted by id, so every order is total.
type Order string

// The orders.
const (
	Newest Order = "desc" // the default
	Oldest Order = "asc"
)

// Page is a page of events.
type Page struct {
	Events []*loci.Event
	Next   Position // "": this is the last page
	// Partial is set if the context ended with loci.ErrSpent before all events were examined. The page
	// has what was found, and Next goes on from there.
	Partial bool
}

// Stats are counts of events.
type Stats struct {
	Total    int                     `json:"total"`
	ByClass  map[loci.EventClass]int `json:"by_memory_type"`
	ByType   map[string]int          `json:"by_event_type"`  // the most frequent MaxTypes
	Sessions int                     `json:"sessions"`       // distinct ones
	First    time.Time               `json:"first,omitzero"` // zero: there are none
	Last     time.Time               `json:"last,omitzero"`
	// Partial is set if the context ended with loci.ErrSpent before all events were counted.
	Partial bool `json:"partial"`
}

// MaxTypes is how many types Stats tells apart.
const MaxTypes = 50

// Tally is Stats while a log counts. It has all types.
type Tally struct {
	Stats
	Seen map[loci.SessionID]bool // the distinct sessions
}

// NewTally returns an empty Tally.
func NewTally() *Tally {
	return &Tally{Stats{ByClass: map[loci.EventClass]int{}, ByType: map[string]int{}}, map[loci.SessionID]bool{}}
}

// Add counts n events, the first and the last of them at these times.
func (t *Tally) Add(class loci.EventClass, kind string, n int, first, last time.Time) {
	t.Total += n
	t.ByClass[class] += n
	t.ByType[kind] += n
	if t.First.IsZero() || first.Before(t.First) {
		t.First = first
	}
	if last.After(t.Last) {
		t.Last = last
	}
}

// Done returns the Stats.
func (t *Tally) Done() Stats {
	t.Sessions = len(t.Seen)
	types := slices.SortedFunc(maps.Keys(t.ByType), func(a, b string) int {
		return cmp.Or(t.ByType[b]-t.ByType[a], cmp.Compare(a, b))
	})
	for _, name := range types[min(len(types), MaxTypes):] {
		delete(t.ByType, name)
	}
	return t.Stats
}

// Session is what a log must know of a session.
type Session struct {
	ID       loci.SessionID
	Revision int64 // at least 1, and increases with each change
	Closed   bool
	Access   loci.EventAccess
}

// AccessOf returns the access of an event of the session that was stored with access a. It keeps its person and its
// origin, takes everything else from the session, and is limited to the vendors that both admit.
func (s *Session) AccessOf(a loci.EventAccess) loci.EventAccess {
	a.WorkspaceID, a.ProjectID = s.Access.WorkspaceID, s.Access.ProjectID
	a.Reach, a.TeamID = s.Access.Reach, s.Access.TeamID
	a.AllowedVendors = loci.Narrowed(a.AllowedVendors, s.Access.AllowedVendors)
	return a
}

// Selection selects events to delete. An event must match every field that is set; at least one must be.
type Selection struct {
	Before    time.Time // Time before
	Type      string
	NotTypes  []string // none of these types
	UserID    loci.UserID
	SessionID loci.SessionID
	IDs       []loci.EventID
}

// Empty reports whether no field is set.
func (s Selection) Empty() bool {
	return s.Before.IsZero() && s.Type == "" && len(s.NotTypes) == 0 && s.UserID.IsZero() && s.SessionID.IsZero() &&
		s.IDs == nil
}

// Filter returns the filter of a selection. Matches compares what no filter has.
func (s Selection) Filter() Filter {
	f := Filter{Until: s.Before, SessionID: s.SessionID, IDs: s.IDs}
	if s.Type != "" {
		f.Types = []string{s.Type}
	}
	return f
}

// Matches reports whether an event that passes Filter is selected.
func (s Selection) Matches(e *loci.Event) bool {
	return !slices.Contains(s.NotTypes, e.Type) && equal(s.UserID, e.UserID)
}

// Changes are what a follower must read next.
type Changes struct {
	Events   []*loci.Event    // stored since; as they are visible now
	Sessions []loci.SessionID // whose events are visible to others now
	Gone     []loci.EventID   // deleted since, or there with other texts
	Next     Position
	More     bool
}

// Matches reports whether e passes everything of the filter except Among: so all logs find the same events.
func (f *Filter) Matches(e *loci.Event) bool { return f.MatchesHead(e) && f.MatchesBody(e) }

// MatchesHead compares everything except what MatchesBody reads.
func (f *Filter) MatchesHead(e *loci.Event) bool {
	return (f.Since.IsZero() || !e.Time.Before(f.Since)) &&
		(f.Until.IsZero() || e.Time.Before(f.Until)) &&
		e.Importance >= f.MinImportance &&
		among(f.Classes, e.Class) &&
		among(f.Types, e.Type) &&
		f.MatchesWork(e) &&
		(f.IDs == nil || slices.Contains(f.IDs, e.ID))
}

// MatchesWork compares only the session, the agent, the project and the origin.
func (f *Filter) MatchesWork(e *loci.Event) bool {
	return equal(f.SessionID, e.SessionID) && equal(f.AgentID, e.AgentID) && equal(f.ProjectID, e.ProjectID) &&
		equal(f.Origin, e.Origin)
}

// MatchesBody compares the actor, the parent and the tags.
func (f *Filter) MatchesBody(e *loci.Event) bool {
	return equal(f.Actor, e.Actor) && equal(f.ParentID, e.ParentID) && f.matchesTags(e.Tags)
}

// NeedsBody reports whether MatchesBody reads anything.
func (f *Filter) NeedsBody() bool {
	return f.Actor != "" || !f.ParentID.IsZero() || len(f.Tags) > 0
}

func (f *Filter) matchesTags(tags []string) bool {
	has := func(tag string) bool { return slices.Contains(tags, tag) }
	if len(f.Tags) == 0 {
		return true
	}
	if f.AllTags {
		return !slices.ContainsFunc(f.Tags, func(tag string) bool { return !has(tag) })
	}
	return slices.ContainsFunc(f.Tags, has)
}

// equal reports whether got is what a filter wants. The zero value wants anything.
func equal[T comparable](want, got T) bool {
	var anything T
	return want == anything || want == got
}

// among is equal for a filter with several values.
func among[T comparable](want []T, got T) bool { return len(want) == 0 || slices.Contains(want, got) }
