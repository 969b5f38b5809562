package main

import (
	"slices"
	"testing"
	"time"

	"github.com/loci-memory/loci"
)

func TestVendorsMayHaveBlanks(t *testing.T) {
	got, err := parseVendors("--allow", []string{"claude", " cursor "})
	if want := []loci.Vendor{"claude", "cursor"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestSpanFlag(t *testing.T) {
	for text, want := range map[string]time.Duration{"0": 0, "0s": 0, "90m": 90 * time.Minute, "24h": 24 * time.Hour,
		"7d": 7 * 24 * time.Hour, "2w": 14 * 24 * time.Hour} {
		var s span
		if err := s.Set(text); err != nil || time.Duration(s) != want {
			t.Errorf("%s: %s, %v, want %s", text, time.Duration(s), err, want)
		}
	}
	var s span
	if err := s.Set("-1h"); err == nil {
		t.Errorf("-1h was taken as %s", time.Duration(s))
	}
}
