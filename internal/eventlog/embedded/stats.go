package embedded

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// Stats implements eventlog.Log.
func (l *Log) Stats(ctx context.Context, v loci.Viewer, f eventlog.Filter) (eventlog.Stats, error) {
	t, err := l.tally(ctx, v, f)
	if isSpent(ctx, err) {
		t.Partial, err = true, nil
	}
	if err != nil {
		return eventlog.Stats{}, err
	}
	return t.Done(), nil
}

func (l *Log) tally(ctx context.Context, v loci.Viewer, f eventlog.Filter) (*eventlog.Tally, error) {
	t := eventlog.NewTally()
	return t, l.search(ctx, v.OrgID, want{viewer: &v, filter: f, heads: true}, func(r *reader) error {
		*t = *eventlog.NewTally()
		return r.tally(ctx, t)
	})
}

// tally counts the events of all plans.
func (r *reader) tally(ctx context.Context, t *eventlog.Tally) error {
	return r.plans(ctx, spanOf(&r.filter), true, mostAmong, func(parts []part, within span) (bool, error) {
		for _, p := range parts {
			err := p.run(ctx, p.and(within), true, func(src *source, row *sqlitedb.Row) (bool, error) {
				e, err := r.event(src, row)
				if e != nil {
					t.Add(e.Class, e.Type, 1, e.Time, e.Time)
				}
				if e != nil && !e.SessionID.IsZero() {
					t.Seen[e.SessionID] = true
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
