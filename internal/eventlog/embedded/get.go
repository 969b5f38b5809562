package embedded

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

// Get implements eventlog.Log.
func (l *Log) Get(ctx context.Context, v loci.Viewer, ids []loci.EventID) ([]*loci.Event, error) {
	if ids == nil {
		return nil, v.OrgID.Validate()
	}
	w := want{viewer: &v, filter: eventlog.Filter{IDs: ids}}
	found := map[loci.EventID]*loci.Event{}
	err := l.snapshot(ctx, v.OrgID, w, func(r *reader) error {
		parts, err := r.plan(false)
		if err != nil {
			return err
		}
		s := &collector{limit: len(ids), within: everything(), match: w.filter.Matcher()}
		if err = s.collect(ctx, r, parts); s.cut {
			err = ctx.Err() // some may be missing
		}
		for _, e := range s.found {
			found[e.ID] = e
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var events []*loci.Event
	for _, id := range ids {
		if e := found[id]; e != nil {
			events = append(events, e)
		}
	}
	return events, nil
}
