package event

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/indexing"
)

// Get returns an event. NotFound if it does not exist or is not visible.
func (s *Service) Get(ctx context.Context, p loci.Principal, id loci.EventID) (*loci.Event, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return nil, err
	}
	list, err := s.Named(ctx, p, id)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, loci.Errorf(loci.NotFound, "no such event")
	}
	return list[0], nil
}

// Named implements memory.Events. A credential that may not read events sees none.
func (s *Service) Named(ctx context.Context, p loci.Principal, ids ...loci.EventID) ([]*loci.Event, error) {
	if s.May(p, Read) != nil {
		return nil, nil
	}
	log, err := s.of(ctx, p.OrgID)
	if err != nil {
		return nil, err
	}
	return log.Get(ctx, p.Viewer(), ids)
}

// Kept returns the log of p's org, which knows what became of its sessions.
func (s *Service) Kept(ctx context.Context, p loci.Principal) (eventlog.Engine, error) {
	if err := s.May(p, Read); err != nil {
		return nil, err
	}
	return s.of(ctx, p.OrgID)
}

// Recall implements memory.Events.
func (s *Service) Recall(ctx context.Context, p loci.Principal, each time.Duration) (eventlog.Log, *indexing.Snapshot,
	error) {
	short, cancel := context.WithTimeoutCause(ctx, each, loci.ErrSpent)
	defer cancel()
	log, err := s.Kept(short, p)
	if err != nil && loci.Spent(short) {
		err = errors.Join(loci.ErrSpent, err)
	}
	if err != nil {
		return nil, nil, err
	}
	index, err := s.index.Latest(ctx, log, p.OrgID, each)
	return log, index, err
}

// SearchRequest asks for a page of events.
type SearchRequest struct {
	Filter
	Order  eventlog.Order // "": eventlog.Newest
	Limit  int            // 0: 50; at most 500
	Cursor string         // NextCursor of the previous page
}

// Page is a page of events.
type Page struct {
	gate.Page[*loci.Event]
	Partial bool // time was up; the next page goes on
}

// Search returns the visible events that pass a filter, the newest first unless the request says otherwise. Invalid if
// the filter breaks a limit or names a session or an agent that the caller does not see, and if the cursor belongs to
// another query or principal.
func (s *Service) Search(ctx context.Context, p loci.Principal, r SearchRequest) (page Page, err error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return page, err
	}
	switch r.Order {
	case "":
		r.Order = eventlog.Newest
	case eventlog.Newest, eventlog.Oldest:
	default:
		return page, loci.FieldErrorf("order", "must be desc (newest first) or asc (oldest first)")
	}
	log, f, err := s.asked(ctx, p, r.Filter)
	if err != nil {
		return page, err
	}
	short, cancel := context.WithTimeoutCause(ctx, s.o.Patience, loci.ErrSpent)
	defer cancel()
	bound := r
	bound.Limit, bound.Cursor = 0, ""
	page.Page, err = gate.ReadPage(p, "events", bound, r.Limit, r.Cursor,
		func(after eventlog.Position, limit int) ([]*loci.Event, eventlog.Position, error) {
			found, err := log.Find(short, p.Viewer(), eventlog.Query{Filter: f, Order: r.Order, Limit: limit, After: after})
			page.Partial = found.Partial
			return found.Events, found.Next, err
		})
	if r.Text == "" {
		for i, e := range page.Items {
			page.Items[i] = masked(e)
		}
	}
	return page, err
}

// asked returns the log of the org, and the filter in the form that the log takes.
func (s *Service) asked(ctx context.Context, p loci.Principal, f Filter) (eventlog.Log, eventlog.Filter, error) {
	by, err := s.filter(ctx, p, f)
	if err != nil {
		return nil, by, err
	}
	log, err := s.of(ctx, p.OrgID)
	if err == nil {
		err = s.narrow(ctx, log, p, &by, f.Text)
	}
	return log, by, err
}

// narrow lets the index limit a filter, also to events that have all words of a text. An index that is behind for long
// limits only a filter with words.
func (s *Service) narrow(ctx context.Context, log eventlog.Engine, p loci.Principal, f *eventlog.Filter, text string) (
	err error) {
	expression, _ := indexing.Words(text)
	if expression == nil {
		if !indexing.Finds(f) {
			return nil
		}
		short, cancel := context.WithTimeout(ctx, s.o.Patience/30)
		defer cancel()
		ctx = short
	}
	index, err := s.index.Latest(ctx, log, p.OrgID, s.o.Patience/4)
	*f = index.Narrowed(*f, p.Viewer(), expression)
	return err
}

// Stats counts the visible events that pass a filter. Its errors are those of Search.
func (s *Service) Stats(ctx context.Context, p loci.Principal, f Filter) (stats eventlog.Stats, err error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return stats, err
	}
	log, by, err := s.asked(ctx, p, f)
	if err != nil {
		return stats, err
	}
	short, cancel := context.WithTimeoutCause(ctx, s.o.Patience, loci.ErrSpent)
	defer cancel()
	return log.Stats(short, p.Viewer(), by)
}

// CountOf implements agent.Events.
func (s *Service) CountOf(ctx context.Context, p loci.Principal, agent loci.AgentID) (n *int, more bool, err error) {
	if s.keepsNone() || s.May(p, Read) != nil {
		return nil, false, nil
	}
	log, err := s.of(ctx, p.OrgID)
	if err != nil {
		return nil, false, err
	}
	short, cancel := context.WithTimeoutCause(ctx, s.o.Patience, loci.ErrSpent)
	defer cancel()
	f := eventlog.Filter{AgentID: agent}
	if err := s.narrow(ctx, log, p, &f, ""); err != nil {
		return nil, false, err
	}
	stats, err := log.Stats(short, p.Viewer(), f)
	return &stats.Total, stats.Partial, err
}

// TailRequest asks for events in the order in which they were stored.
type TailRequest struct {
	Filter
	Limit  int    // how many events to look through. 0: 50; at most 500
	Cursor string // Cursor of the page before; "": the present end
}

// TailPage is the answer to a TailRequest.
type TailPage struct {
	Events []*loci.Event
	Cursor string // where to go on; never ""
	More   bool   // there may be more at once
}

// Tail returns the visible events that were stored after a cursor and pass a filter. Invalid as Search; Conflict if the
// log does not know the cursor any more.
func (s *Service) Tail(ctx context.Context, p loci.Principal, r TailRequest) (out TailPage, err error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return out, err
	}
	f, err := s.filter(ctx, p, r.Filter)
	if err != nil {
		return out, err
	}
	log, err := s.of(ctx, p.OrgID)
	if err != nil {
		return out, err
	}
	expression, _ := indexing.Words(r.Text)
	page, err := gate.ReadPage(p, "tail", r.Filter, r.Limit, r.Cursor,
		func(after eventlog.Position, limit int) (list []*loci.Event, next eventlog.Position, err error) {
			found, err := log.Tail(ctx, p.Viewer(), after, limit)
			if err != nil {
				return nil, "", err
			}
			out.More = len(found.Events) == limit
			list, err = indexing.Having(slices.DeleteFunc(found.Events, func(e *loci.Event) bool {
				return !f.Matches(e)
			}), expression)
			for i, e := range list {
				list[i] = masked(e)
			}
			return list, found.Next, err
		})
	out.Events, out.Cursor = page.Items, page.NextCursor
	return out, err
}

// MaxParts is the largest number of parts of a Density.
const MaxParts = 100

// partLengths are the lengths of parts, in seconds: those that a person can name.
var partLengths = []int64{1, 5, 15, 60, 5 * 60, 15 * 60, 3600, 3 * 3600, 6 * 3600, 86400, 7 * 86400, 30 * 86400}

// Density is how many events there are at which times.
type Density struct {
	eventlog.Stats
	Start   time.Time // of the first part; zero: there are no events
	Seconds int64     // the length of each part
	Counts  []int     // of the parts, the earliest first
}

// Density returns what Stats does, and how the events spread over at most so many parts of the time from the first
// one to the last (1 to MaxParts). Each part is counted on its own, so events that come meanwhile can be in one of them
// and not in the total. Its errors are those of Search, and Invalid for parts.
func (s *Service) Density(ctx context.Context, p loci.Principal, f Filter, parts int) (d Density, err error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return d, err
	}
	if parts < 1 || parts > MaxParts {
		return d, loci.FieldErrorf("parts", "must be 1 to %d", MaxParts)
	}
	log, by, err := s.asked(ctx, p, f)
	if err != nil {
		return d, err
	}
	short, cancel := context.WithTimeoutCause(ctx, s.o.Patience, loci.ErrSpent)
	defer cancel()
	if d.Stats, err = log.Stats(short, p.Viewer(), by); err != nil || d.Total == 0 {
		return d, err
	}
	d.divide(parts)
	for i := range d.Counts {
		within := by
		within.Since, within.Until = d.part(i)
		if within.Since.Before(by.Since) {
			within.Since = by.Since
		}
		if !by.Until.IsZero() && within.Until.After(by.Until) {
			within.Until = by.Until
		}
		part, err := log.Stats(short, p.Viewer(), within)
		if err != nil {
			return d, err
		}
		d.Counts[i], d.Partial = part.Total, d.Partial || part.Partial
	}
	return d, nil
}

// divide chooses the shortest length with which there are at most so many parts. Parts of a length that a person can
// name begin at multiples of it.
func (d *Density) divide(parts int) {
	first, last := d.First.Unix(), d.Last.Unix()
	for _, length := range partLengths {
		start := first - (first%length+length)%length
		if n := (last-start)/length + 1; n <= int64(parts) {
			d.Start, d.Seconds, d.Counts = time.Unix(start, 0).UTC(), length, make([]int, n)
			return
		}
	}
	d.Seconds = (last-first)/int64(parts) + 1
	d.Start, d.Counts = time.Unix(first, 0).UTC(), make([]int, (last-first)/d.Seconds+1)
}

func (d *Density) part(i int) (since, until time.Time) {
	since = time.Unix(d.Start.Unix()+int64(i)*d.Seconds, 0).UTC()
	return since, time.Unix(since.Unix()+d.Seconds, 0).UTC()
}
