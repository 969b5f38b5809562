package app_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/event"
)

// TestDensityIsWhenEventsWere draws times, and compares the parts with a count of them.
func TestDensityIsWhenEventsWere(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	world := 0
	rapid.Check(t, func(rt *rapid.T) {
		world++
		tag := fmt.Sprint("world ", world)
		begin := time.Date(2025, 12, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(rapid.Int64Range(0, int64(30*24*time.Hour)).
			Draw(rt, "begin"))).Truncate(time.Microsecond)
		span := time.Duration(1) << rapid.IntRange(10, 52).Draw(rt, "span")
		var times []time.Time
		for i := range rapid.IntRange(1, 12).Draw(rt, "events") {
			at := begin.Add(time.Duration(rapid.Int64Range(0, int64(span)).Draw(rt, "at"))).Truncate(time.Microsecond)
			times = append(times, at)
			_, err := d.Event.Record(t.Context(), d.mara, event.Draft{Content: fmt.Sprint(tag, " event ", i),
				Tags: []string{tag}, Time: at})
			d.must(err)
		}
		parts := rapid.IntRange(1, event.MaxParts).Draw(rt, "parts")
		got, err := d.Event.Density(t.Context(), d.mara, event.Filter{Tags: []string{tag}}, parts)
		d.must(err)
		want := make([]int, len(got.Counts))
		for _, at := range times {
			if i := (at.Unix() - got.Start.Unix()) / got.Seconds; i < 0 || i >= int64(len(want)) {
				rt.Fatalf("%v is in no part of %d from %v", at, len(want), got.Start)
			} else {
				want[i]++
			}
		}
		if len(want) > parts || fmt.Sprint(got.Counts) != fmt.Sprint(want) || got.Total != len(times) || got.Partial {
			rt.Fatalf("%d events in at most %d parts: %+v, want %v", len(times), parts, got, want)
		}
	})
}

func TestDensityOfNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	got, err := d.Event.Density(t.Context(), d.mara, event.Filter{Tags: []string{"none"}}, 10)
	if err != nil || got.Total != 0 || len(got.Counts) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, parts := range []int{0, event.MaxParts + 1} {
		_, err := d.Event.Density(t.Context(), d.mara, event.Filter{}, parts)
		wantCode(t, err, loci.Invalid)
	}
}
