package maintain_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"time"
	_ "time/tzdata" // the machine may have no time zones

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/maintain"
)

// TestNightly moves the clock and requires one run each night, also after nights without a server and over a change of
// the clocks.
func TestNightly(t *testing.T) {
	t.Parallel()
	st := openStore(t, t.TempDir())
	org := seed(t, st, 1, time.Time{})
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := func(day, hour, minute int) time.Time { return time.Date(2027, 3, day, hour, minute, 0, 0, zone) }
	var now atomic.Pointer[time.Time]
	var runs []string
	ticks := make(chan time.Time)
	half3 := func(context.Context) (time.Duration, bool) { return 3*time.Hour + 30*time.Minute, true }
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	other := openStore(t, st.Dir()) // another process, which has the same ticks a little later
	go func() {
		defer close(ended)
		maintain.Nightly(ctx, ticks, maintain.NightlyOptions{Name: "dream", Store: st, Log: slog.New(slog.DiscardHandler),
			Now: func() time.Time { return *now.Load() }, At: half3,
			Run: func(_ context.Context, id loci.OrgID, since time.Time) error {
				if id == org.ID {
					runs = append(runs, since.Format("02 15:04"))
				}
				return errors.New("it fails")
			}})
	}()
	for _, moment := range []time.Time{at(20, 12, 0), at(20, 12, 1), at(21, 3, 29), at(21, 3, 30), at(21, 3, 31),
		at(22, 4, 0), at(25, 9, 0), at(28, 1, 59), at(28, 3, 30), at(28, 3, 31), // the clocks change on the 28th
		at(29, 3, 31)} {
		now.Store(&moment)
		ticks <- moment
		ticks <- moment // the first one has been handled
	}
	cancel()
	<-ended
	later := make(chan time.Time, 1)
	later <- at(29, 3, 32)
	again, stop := context.WithCancel(t.Context())
	maintain.Nightly(again, later, maintain.NightlyOptions{Name: "dream", Store: other,
		Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return at(29, 3, 32) },
		At: func(ctx context.Context) (time.Duration, bool) { defer stop(); return half3(ctx) },
		Run: func(context.Context, loci.OrgID, time.Time) error {
			t.Error("it ran in a second process")
			return nil
		}})
	want := []string{"20 03:30", "21 03:30", "22 03:30", "25 03:30", "27 03:30", "28 03:30", "29 03:30"}
	if !slices.Equal(runs, want) {
		t.Errorf("it ran at %q, want %q", runs, want)
	}
	jobs, err := st.Jobs().List(t.Context())
	if err != nil || len(jobs) != 1 || jobs[0].Name != "dream" || !jobs[0].BegunAt.Equal(at(29, 3, 31)) ||
		!jobs[0].NextAt.Equal(at(30, 3, 30)) || jobs[0].Rows != 0 || jobs[0].Error !=
		"internal error; the log of the server has the reason" {
		t.Errorf("what is written down: %+v, %v", jobs, err)
	}
}
