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
	s := &collector{limit: len(ids), within: everything()}
	if err := l.collectAll(ctx, v.OrgID, w, s); err != nil {
		return nil, err
	}
	found := map[loci.EventID]*loci.Event{}
	for _, e := range s.found {
		found[e.ID] = e
	}
	var events []*loci.Event
	for _, id := range ids {
		if e := found[id]; e != nil {
			events = append(events, e)
		}
	}
	return events, nil
}
