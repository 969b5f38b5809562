package embedded

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// Stats implements eventlog.Log.
func (l *Log) Stats(ctx context.Context, v loci.Viewer, f eventlog.Filter) (eventlog.Stats, error) {
	t := newTally()
	err := l.search(ctx, v.OrgID, want{viewer: &v, filter: f, heads: true}, func(r *reader) error {
		t = newTally()
		return r.tally(ctx, &t)
	})
	if isSpent(ctx, err) {
		t.Partial, err = true, nil
	}
	if err != nil {
		return eventlog.Stats{}, err
	}
	return t.stats(), nil
}

type tally struct {
	eventlog.Stats
	sessions map[loci.SessionID]bool
}

func newTally() tally {
	return tally{eventlog.Stats{ByClass: map[loci.EventClass]int{}, ByType: map[string]int{}},
		map[loci.SessionID]bool{}}
}

// tally counts the events of all plans.
func (r *reader) tally(ctx context.Context, t *tally) error {
	return r.plans(ctx, spanOf(&r.filter), true, mostAmong, func(parts []part, within span) (bool, error) {
		for _, p := range parts {
			err := p.run(ctx, p.and(within), true, func(src *source, row *sqlitedb.Row) (bool, error) {
				e, err := r.event(src, row)
				if e != nil {
					t.count(e)
				}
				return true, err
			})
			if err != nil {
				return false, err
			}
		}
		return true, nil
	})
}

func (t *tally) count(e *loci.Event) {
	t.Total++
	t.ByClass[e.Class]++
	t.ByType[e.Type]++
	if t.First.IsZero() || e.Time.Before(t.First) {
		t.First = e.Time
	}
	if e.Time.After(t.Last) {
		t.Last = e.Time
	}
	if !e.SessionID.IsZero() {
		t.sessions[e.SessionID] = true
	}
}

func (t *tally) stats() eventlog.Stats {
	t.Sessions = len(t.sessions)
	if len(t.ByType) > eventlog.MaxTypes {
		types := slices.SortedFunc(maps.Keys(t.ByType), func(a, b string) int {
			return cmp.Or(t.ByType[b]-t.ByType[a], cmp.Compare(a, b))
		})
		for _, name := range types[eventlog.MaxTypes:] {
			delete(t.ByType, name)
		}
	}
	return t.Stats
}
