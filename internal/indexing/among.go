package indexing

import (
	"context"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/recall"
)

// The fields by whose values the index finds events.
const (
	ofSession    = "session"
	ofAgent      = "agent"
	ofClass      = "class"
	ofType       = "type"
	ofTag        = "tag"
	ofOrigin     = "origin"
	ofActor      = "actor"
	ofParent     = "parent"
	ofImportance = "importance"
)

func keysOf(e *loci.Event) []string {
	keys := []string{index.Key(ofClass, string(e.Class)), index.Key(ofType, e.Type), index.Key(ofOrigin, e.Origin),
		index.Key(ofImportance, strconv.Itoa(e.Importance))}
	for field, id := range map[string][16]byte{ofSession: e.SessionID, ofAgent: e.AgentID, ofParent: e.ParentID} {
		if id != ([16]byte{}) {
			keys = append(keys, index.Key(field, string(id[:])))
		}
	}
	if e.Actor != "" {
		keys = append(keys, index.Key(ofActor, e.Actor))
	}
	for _, tag := range e.Tags {
		keys = append(keys, index.Key(ofTag, tag))
	}
	return keys
}

// condition is an expression that holds for all parts.
type condition []*index.Expression

// either adds that an event has one of some values of a field.
func either[T ~string](c *condition, field string, values ...T) {
	one := &index.Expression{Op: index.Or}
	for _, v := range values {
		one.Parts = append(one.Parts, &index.Expression{Term: index.Term{Form: index.Key(field, string(v))}})
	}
	if len(values) > 0 {
		*c = append(*c, one)
	}
}

func (c *condition) id(field string, id [16]byte) {
	if id != ([16]byte{}) {
		either(c, field, string(id[:]))
	}
}

// conditionOf returns what the index tells of a filter.
func conditionOf(f *eventlog.Filter) (c condition) {
	c.id(ofSession, f.SessionID)
	c.id(ofAgent, f.AgentID)
	c.id(ofParent, f.ParentID)
	either(&c, ofClass, f.Classes...)
	either(&c, ofType, f.Types...)
	if f.AllTags {
		for _, tag := range f.Tags {
			either(&c, ofTag, tag)
		}
	} else {
		either(&c, ofTag, f.Tags...)
	}
	if f.Origin != "" {
		either(&c, ofOrigin, f.Origin)
	}
	if f.Actor != "" {
		either(&c, ofActor, f.Actor)
	}
	if f.MinImportance > loci.MinImportance {
		var values []string
		for n := f.MinImportance; n <= loci.MaxImportance; n++ {
			values = append(values, strconv.Itoa(n))
		}
		either(&c, ofImportance, values...)
	}
	return c
}

// Finds reports whether an index can limit a filter.
func Finds(f *eventlog.Filter) bool { return len(conditionOf(f)) > 0 }

// Words returns the expression that holds for events whose content has all words of a text, or nil if it has none. more
// is set if it has too many.
func Words(text string) (e *index.Expression, more bool) {
	if e, more = (recall.Ask{Text: text}).Read().All(); e != nil {
		e.Term.First = true
		for _, part := range e.Parts {
			part.Term.First = true
		}
	}
	return e, more
}

// Narrowed returns a filter of the visible events for which words holds, and that can pass f. words may be nil. If s is
// nil or not Whole, it cannot know these: then a filter with words selects nothing, as if the time was over. Without
// words, it returns f.
func (s *Snapshot) Narrowed(f eventlog.Filter, v loci.Viewer, words *index.Expression) eventlog.Filter {
	c := conditionOf(&f)
	if words != nil {
		c = append(c, words)
	}
	f.Among = nil
	switch whole := s != nil && s.Whole; {
	case len(c) == 0 || !whole && words == nil:
	case !whole:
		f.Among = func(context.Context, eventlog.Order, loci.EventID, int) ([]loci.EventID, bool, error) {
			return nil, false, loci.ErrSpent
		}
	default:
		sees := recall.Sees(v)
		q := index.Query{Where: &index.Expression{Op: index.And, Parts: c}, Sees: sees, Now: time.Now()}
		f.Among = (&among{snapshot: s, query: q}).next
	}
	return f
}

// among is an eventlog.Among. It is not safe for concurrent use.
type among struct {
	snapshot *Snapshot
	query    index.Query
	asked    bool
	all      []loci.EventID // the oldest first, once somebody asks for more than the first ones
}

// fewAmong is for how many ids the index is asked again. Who wants more gets all that there are.
const fewAmong = 1000

func (a *among) next(ctx context.Context, o eventlog.Order, after loci.EventID, limit int) (ids []loci.EventID,
	more bool, err error) {
	if ctx.Err() != nil {
		return nil, false, ctx.Err()
	}
	newest := o != eventlog.Oldest
	if !a.asked && limit <= fewAmong {
		a.asked = true
		ids = a.matching(index.Page{After: after, Newest: newest, Limit: limit})
		return ids, len(ids) == limit, nil
	}
	if !a.asked || a.all == nil {
		a.asked = true
		a.all = a.matching(index.Page{Limit: everyRow})
	}
	at, found := slices.BinarySearchFunc(a.all, after, func(x, y loci.EventID) int { return slices.Compare(x[:], y[:]) })
	if newest {
		if after.IsZero() {
			at = len(a.all)
		}
		ids = slices.Clone(a.all[max(0, at-limit):at])
		slices.Reverse(ids)
		return ids, at > limit, nil
	}
	if found {
		at++
	}
	end := min(at+limit, len(a.all))
	return a.all[at:end], end < len(a.all), nil
}

const everyRow = 1 << 40

func (a *among) matching(page index.Page) []loci.EventID {
	defer runtime.KeepAlive(a.snapshot.parts) // the files stay mapped until then
	found, _ := index.Matching(a.snapshot.views, &a.query, page)
	return converted[loci.EventID](found)
}

// Having returns those of some events for which words holds, in an index of these alone. nil: all.
func Having(list []*loci.Event, words *index.Expression) ([]*loci.Event, error) {
	if words == nil || len(list) == 0 {
		return list, nil
	}
	p, err := partOf(eventRows(list))
	if err != nil {
		return nil, err
	}
	q := index.Query{Where: words, Sees: func(index.Class) bool { return true }, Now: time.Now()}
	ids, _ := index.Matching([]*index.View{p.view}, &q, index.Page{Limit: len(list)})
	return slices.DeleteFunc(list, func(e *loci.Event) bool { return !slices.Contains(ids, [16]byte(e.ID)) }), nil
}
