package app_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/chat"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/review"
	"github.com/loci-memory/loci/internal/review/bymodel"
	"github.com/loci-memory/loci/internal/review/reviewtest"
	"github.com/loci-memory/loci/internal/store"
)

// slowly finds by line what a model alone would find, and calls asked each time.
type slowly struct {
	reviewtest.ByLine
	asked func(*review.Asked)
}

func (slowly) Slow() bool { return true }

func (s slowly) Extract(ctx context.Context, a *review.Asked) (*review.Extracted, error) {
	s.asked(a)
	x, err := s.ByLine.Extract(ctx, a)
	for i := range x.Candidates {
		x.Candidates[i].Proposed = true
	}
	return x, err
}

// dreamsWith returns a desk whose dreams read with an extractor, and n events with a line each.
func dreamsWith(t *testing.T, n int, e func(*desk) review.Extractor) *desk {
	d := newDreams(t)
	session := d.private()
	for i := range n {
		d.log(d.claude, event.Draft{Session: session, Content: fmt.Sprintf("decision: we use part number %d\n", i)})
	}
	d.App = app.New(app.Options{Store: d.st, Now: d.clock, Extractor: e(d), Events: eventsIn(d.events),
		Patience: time.Minute, Thresholds: thresholds(map[loci.CandidateKind]float64{loci.CandidateDecision: 0})})
	return d
}

func TestModelAlonePromotesNothingInDreams(t *testing.T) {
	t.Parallel()
	d := dreamsWith(t, 0, func(*desk) review.Extractor { return slowly{asked: func(*review.Asked) {}} })
	session := d.private()
	d.log(d.claude, event.Draft{Session: session, Content: "decision: we use gin\n"})
	d.log(d.claude, event.Draft{Session: session, Class: loci.EventDecision, Content: "decision: we use Postgres\n"})
	r := d.dream()
	// The writer of the second event says that it is a decision, so the whole of it becomes one.
	if r.Proposed != 3 || r.Promoted != 1 || r.LeftBy["model_candidate"] != 2 {
		t.Errorf("%s, left by %v", inShort(r), r.LeftBy)
	}
	for _, text := range []string{"we use gin", "we use Postgres"} {
		if c := d.found(d.mara, text); c.State != loci.ReviewPending {
			t.Errorf("%q is %s", text, c.State)
		}
	}
	if c := d.found(d.mara, "decision: we use Postgres"); c == nil || c.State != loci.ReviewPromoted {
		t.Errorf("the logged decision is %+v", c)
	}
}

// TestSlowDreamKeepsItsLease lets each event take longer than half of the lease.
func TestSlowDreamKeepsItsLease(t *testing.T) {
	t.Parallel()
	d := dreamsWith(t, 12, func(d *desk) review.Extractor {
		return slowly{asked: func(a *review.Asked) {
			d.must(d.st.View(t.Context(), "acme", func(tx store.Tx) error {
				p, err := tx.Dreams().Progress(t.Context())
				if left := p.Until.Sub(d.now); left < time.Minute || !a.Dream || a.Most <= 0 {
					t.Errorf("another run may take over in %s", left)
				}
				return err
			}))
			d.now = d.now.Add(50 * time.Second)
		}}
	})
	if r := d.dream(); r.State != loci.DreamDone || r.Events != 12 || r.LeftBy["model_candidate"] != 12 {
		t.Errorf("%s, left by %v", inShort(r), r.LeftBy)
	}
}

// TestSlowDreamEndsInTime lets the time end within a batch. Nobody asks for the rest of it: the rules read that.
func TestSlowDreamEndsInTime(t *testing.T) {
	t.Parallel()
	const step = 6 * time.Second
	asked := 0
	d := dreamsWith(t, 40, func(d *desk) review.Extractor {
		return slowly{asked: func(a *review.Asked) {
			if a.Most < time.Second {
				t.Errorf("an event is asked about with %s left", a.Most)
			}
			asked++
			d.now = d.now.Add(step)
		}}
	})
	r, err := d.Review.Dream(t.Context(), d.operator, review.DreamRequest{DryRun: true})
	d.must(err)
	if asked != 0 || r.Events == 0 {
		t.Errorf("a dry run asks %d times: %s", asked, inShort(r))
	}
	events, proposed := 0, 0
	for r.More = true; r.More; {
		before := asked
		r, err = d.Review.Dream(t.Context(), d.operator, review.DreamRequest{})
		d.must(err)
		events, proposed = events+r.Events, proposed+r.Proposed
		if r.Failed != 0 || time.Duration(asked-before-1)*step >= review.DreamTime {
			t.Fatalf("%s, after asking %d times", inShort(r), asked-before)
		}
	}
	// The time of each run is enough for four of a batch of five. The rules find something in the fifth one, too.
	if events != 40 || asked != 32 || proposed != 40 {
		t.Errorf("the runs read %d of 40 events, the extractor %d, and they propose %d", events, asked, proposed)
	}
}

func TestDreamGoesOnWithoutTheModel(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusForbidden)
	}))
	defer server.Close()
	d := dreamsWith(t, 30, func(d *desk) review.Extractor {
		e, err := bymodel.New(bymodel.Options{Limits: d.st.Limits(), Now: d.clock,
			Chat: chat.Options{BaseURL: server.URL, Model: "m"}})
		d.must(err)
		return e
	})
	d.log(d.claude, event.Draft{Session: d.private(), Content: "We decided to deploy on Tuesdays."})
	r := d.dream()
	c := d.found(d.mara, "We decided to deploy on Tuesdays.")
	if r.State != loci.DreamDone || r.Events != 31 || r.Failed != 0 || c == nil || c.State != loci.ReviewPromoted {
		t.Errorf("%s, %+v", inShort(r), c)
	}
	if n := asked.Load(); n != 3 {
		t.Errorf("the model was asked %d times, though it failed each time", n)
	}
	if strings.Contains(r.Error, "403") {
		t.Errorf("the receipt says %q", r.Error)
	}
}
