package event

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

// gap is what a context lacks because Loci did not read it.
type gap struct {
	spent     bool // the time was used up, so events may be missing
	older     bool // there may be more than MaxContextEvents
	apart     bool // decisions were also read on their own
	decisions bool // there may be more than MaxContextDecisions of them
}

func (g gap) any() bool { return g.spent || g.older }

// text tells a reader about the gap.
func (g gap) text() string {
	switch {
	case g.spent:
		return "\nLoci's time was used up before it had read everything, so events may be missing. To read them, " +
			"choose a shorter time with since and until.\n"
	case !g.older:
		return ""
	}
	besides := ""
	switch {
	case g.apart && g.decisions:
		besides = fmt.Sprintf(" and the newest %s decisions", loci.Thousands(MaxContextDecisions))
	case g.apart:
		besides = " and all decisions"
	}
	return fmt.Sprintf("\nThere may be older events: Loci read only the newest %s of these%s. To read others, choose an "+
		"earlier time with until.\n", loci.Thousands(MaxContextEvents), besides)
}

// heads returns the newest visible events that pass a filter and have one of the types, in the order of their times.
// They may lack what eventlog.Query.Brief names. If there are more, it adds the newest decisions: what was decided long
// ago still counts when many events came after it.
func (s *Service) heads(ctx context.Context, log eventlog.Engine, p loci.Principal, f eventlog.Filter,
	r *ContextRequest) (heads []*loci.Event, lacks gap, err error) {
	types := r.Types
	short, cancel := context.WithTimeoutCause(ctx, s.o.Patience, loci.ErrSpent)
	defer cancel()
	read := func(f eventlog.Filter, most int) (more bool, err error) {
		if err := s.narrow(short, log, p, &f, r.Topic); err != nil {
			return false, err
		}
		list, more, spent, err := newest(short, log, p.Viewer(), f, most)
		heads, lacks.spent = append(heads, list...), lacks.spent || spent
		return more, err
	}
	for _, part := range ofTypes(f, types) {
		more, err := read(part, MaxContextEvents)
		if err != nil {
			return nil, lacks, err
		}
		lacks.older = lacks.older || more
	}
	heads = inTime(heads)
	if over := len(heads) - MaxContextEvents; over > 0 {
		heads, lacks.older = heads[over:], true
	}
	if alone := len(types) == 1; !lacks.older || lacks.spent || alone || len(types) > 0 && !slices.Contains(types,
		string(loci.EventDecision)) {
		return heads, lacks, nil
	}
	f.Classes = []loci.EventClass{loci.EventDecision}
	lacks.apart = true
	lacks.decisions, err = read(f, MaxContextDecisions)
	return inTime(heads), lacks, err
}

// ofTypes returns filters that together admit what f does and has one of the types: classes or types of events.
func ofTypes(f eventlog.Filter, types []string) []eventlog.Filter {
	if len(types) == 0 {
		return []eventlog.Filter{f}
	}
	byClass := f
	for _, class := range loci.EventClasses() {
		if slices.Contains(types, string(class)) {
			byClass.Classes = append(byClass.Classes, class)
		}
	}
	f.Types = types
	if len(byClass.Classes) == 0 {
		return []eventlog.Filter{f}
	}
	return []eventlog.Filter{byClass, f}
}

// newest returns at most so many of the newest visible events that pass a filter, and whether there may be more. spent
// reports that the time was used up.
func newest(ctx context.Context, log eventlog.Log, v loci.Viewer, f eventlog.Filter, most int) (list []*loci.Event,
	more, spent bool, err error) {
	if !f.SessionID.IsZero() {
		// Most sessions have fewer events, and a log reads what was stored in a row faster forwards.
		half, cancel := halfOf(ctx)
		defer cancel()
		list, more, spent, err = read(half, log, v, f, most, eventlog.Oldest)
		if err != nil || !more {
			return list, more, spent, err
		}
	}
	return read(ctx, log, v, f, most, eventlog.Newest)
}

// halfOf returns a context that ends with loci.ErrSpent after half of the time that is left.
func halfOf(ctx context.Context) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, time.Until(end)/2, loci.ErrSpent)
}

// read is newest in any order.
func read(ctx context.Context, log eventlog.Log, v loci.Viewer, f eventlog.Filter, most int, order eventlog.Order) (
	list []*loci.Event, more, spent bool, err error) {
	for at := eventlog.Position(""); ; {
		page, err := log.Find(ctx, v, eventlog.Query{Filter: f, Order: order, Limit: min(contextPage, most-len(list)),
			After: at, Brief: true})
		if err != nil {
			return nil, false, false, err
		}
		list = append(list, page.Events...)
		if at = page.Next; at == "" || page.Partial || len(list) == most {
			return list, at != "", page.Partial, nil
		}
	}
}

// inTime sorts events by time, and leaves out those that are there twice.
func inTime(events []*loci.Event) []*loci.Event {
	slices.SortFunc(events, func(a, b *loci.Event) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	return slices.CompactFunc(events, func(a, b *loci.Event) bool { return a.ID == b.ID })
}
