package main

import (
	"testing"
	"time"

	"github.com/loci-memory/loci"
)

func TestParseClock(t *testing.T) {
	zone := time.FixedZone("east", 2*60*60)
	now := time.Date(2026, 11, 22, 15, 30, 0, 0, zone)
	for s, want := range map[string]string{
		"14:00":                     "2026-11-22T12:00:00Z",
		"14:00:30":                  "2026-11-22T12:00:30Z",
		"15:30":                     "2026-11-22T13:30:00Z",
		"2h":                        "2026-11-22T11:30:00Z",
		"3d":                        "2026-11-19T13:30:00Z",
		"2026-11-21":                "2026-11-20T22:00:00Z",
		"2026-11-21 14:00":          "2026-11-21T12:00:00Z",
		"2026-11-21T14:00:05":       "2026-11-21T12:00:05Z",
		"2026-11-21T14:00:00Z":      "2026-11-21T14:00:00Z",
		"2026-11-21T14:00:00-05:00": "2026-11-21T19:00:00Z",
		"2026-11-21T14:00:00.5Z":    "2026-11-21T14:00:00.5Z",
	} {
		got, err := parseClock("--since", s, now)
		if err != nil || got.UTC().Format(time.RFC3339Nano) != want {
			t.Errorf("%s: got %s, %v, want %s", s, got.UTC().Format(time.RFC3339Nano), err, want)
		}
	}
	for _, s := range []string{"16:00", "25:00", "-2h", "0h", "yesterday", "14", "14:00Z", "2026-13-01"} {
		if got, err := parseClock("--since", s, now); loci.CodeOf(err) != loci.Invalid {
			t.Errorf("%s: got %s, %v", s, got, err)
		}
	}
}
