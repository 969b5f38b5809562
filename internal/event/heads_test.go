package event

import (
	"context"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

// slowForwards is a log that never comes to an end forwards, and has an event backwards.
type slowForwards struct{ eventlog.Log }

func (slowForwards) Find(ctx context.Context, _ loci.Viewer, q eventlog.Query) (eventlog.Page, error) {
	if q.Order == eventlog.Oldest {
		<-ctx.Done()
	}
	if ctx.Err() != nil {
		return eventlog.Page{Partial: true, Next: "here"}, nil
	}
	return eventlog.Page{Events: []*loci.Event{{}}}, nil
}

// TestNewestOfALongSession requires the newest events of a session that takes more time to read than there is.
func TestNewestOfALongSession(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, loci.ErrSpent)
	defer cancel()
	f := eventlog.Filter{SessionID: loci.NewSessionID()}
	list, more, spent, err := newest(ctx, slowForwards{}, loci.Viewer{}, f, 10)
	if err != nil || len(list) != 1 || more || spent {
		t.Errorf("%d events, more %v, spent %v, %v", len(list), more, spent, err)
	}
}
