package storetest

import (
	"slices"
	"time"

	"github.com/loci-memory/loci"
)

func testSettings(e *env) {
	ctx, settings, now := e.Context(), e.st.Settings(), e.clock.now()
	check := func(want ...loci.StoredSetting) {
		e.Helper()
		got, err := settings.List(ctx)
		if err != nil || !slices.EqualFunc(got, want, func(a, b loci.StoredSetting) bool {
			return a.Key == b.Key && a.Value == b.Value && a.At.Equal(b.At)
		}) {
			e.Errorf("List: %v, %v; want %v", got, err, want)
		}
	}
	put := func(s loci.StoredSetting) {
		e.Helper()
		if err := settings.Put(ctx, s); err != nil {
			e.Error(err)
		}
	}
	check()
	second := loci.StoredSetting{Key: "dream.idea", Value: "0.9", At: now}
	first := loci.StoredSetting{Key: "dream.at", Value: "02:15", At: now.Add(time.Second)}
	put(second)
	put(first)
	check(first, second)
	first.Value, first.At = "off", now.Add(time.Minute)
	put(first)
	check(first, second)
	for range 2 { // also if it is gone
		if err := settings.Delete(ctx, second.Key); err != nil {
			e.Error(err)
		}
	}
	check(first)
}
