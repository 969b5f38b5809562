package indexing

import (
	"context"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

// TestSearchesFindTheirIndexUpToDate requires a search that waits for its index to have nothing left to do for it in
// its own time, however short the stints are in which the index is built.
func TestSearchesFindTheirIndexUpToDate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir())
	defer w.close()
	x := w.process()
	x.limits.stint = time.Nanosecond
	o := x.of(w.org)
	for _, what := range []string{"the first time", "after changes", "after no change"} {
		if what != "after no change" {
			w.insert(2*buildBatch+10, "words", loci.SessionID{})
		}
		s, err := x.Await(t.Context(), w.org)
		if n := rowsIn(s); err != nil || !s.Whole || n != len(w.live) {
			t.Errorf("%s: %d of %d rows, %v", what, n, len(w.live), err)
		}
		before := o.steps.Load()
		if w.snapshot(x); o.steps.Load() != before {
			t.Errorf("%s: work on the index is left", what)
		}
	}
	w.insert(1, "words", loci.SessionID{})
	o.forget()
	if s, err := x.Await(t.Context(), w.org); err != nil || !s.Whole || rowsIn(s) != len(w.live) {
		t.Errorf("after it was forgotten: %d of %d rows, %v", rowsIn(s), len(w.live), err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	w.insert(1, "words", loci.SessionID{})
	if s, err := x.Await(ended, w.org); err == nil && s.Whole {
		t.Error("without time, an index that is behind is whole")
	}
}

func rowsIn(s *Snapshot) (n int) {
	for _, v := range s.views {
		n += v.Live()
	}
	return n
}

// TestRecallsWaitForEvents requires a recall to wait for its index of events as long as that gets on, and no longer
// if it does not.
func TestRecallsWaitForEvents(t *testing.T) {
	t.Parallel()
	w := newEventWorld(t, t.TempDir())
	defer func() { w.must(w.log.Close()) }()
	w.append(500, 1)
	x := w.process()
	s, err := x.Latest(t.Context(), w.log, eventOrg, time.Second)
	if w.must(err); s == nil || !s.Whole {
		t.Errorf("the first time: %+v", s)
	}
	silent := &silentFollower{Follower: w.log}
	if s, err := x.Latest(t.Context(), silent, eventOrg, time.Nanosecond); err != nil || s != nil || silent.calls > 1 {
		t.Errorf("without an answer: %+v after %d calls, %v", s, silent.calls, err)
	}
}

// silentFollower does not answer until the question ends.
type silentFollower struct {
	eventlog.Follower
	calls int
}

func (l *silentFollower) Changed(
	ctx context.Context,
	_ loci.OrgID,
	_ eventlog.Position,
	_ int,
) (eventlog.Changes, error) {
	l.calls++
	<-ctx.Done()
	return eventlog.Changes{}, ctx.Err()
}
