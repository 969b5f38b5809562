package loci_test

import (
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
)

func TestParseTimeNear(t *testing.T) {
	zone := time.FixedZone("", 2*60*60)
	now := time.Date(2026, 11, 20, 15, 0, 30, 0, zone)
	tests := []struct {
		text  string
		ahead bool
		want  string // RFC 3339, or a part of the error
	}{
		{"2h", false, "2026-11-20T13:00:30+02:00"},
		{"2h", true, "2026-11-20T17:00:30+02:00"},
		{"3d", false, "2026-11-17T15:00:30+02:00"},
		{"2w", true, "2026-12-04T15:00:30+02:00"},
		{"1h30m", false, "2026-11-20T13:30:30+02:00"},
		{"2h ago", true, "2026-11-20T13:00:30+02:00"},
		{"in 2h", false, "2026-11-20T17:00:30+02:00"},
		{"2 days ago", true, "2026-11-18T15:00:30+02:00"},
		{"1 week", false, "2026-11-13T15:00:30+02:00"},
		{"in 30 minutes", false, "2026-11-20T15:30:30+02:00"},
		{"2 hours", true, "2026-11-20T17:00:30+02:00"},
		{"2 months ago", false, "must be a time"},
		{"now", true, "2026-11-20T15:00:30+02:00"},
		{"today", false, "2026-11-20T00:00:00+02:00"},
		{"Yesterday", false, "2026-11-19T00:00:00+02:00"},
		{"yesterday 14:00", false, "2026-11-19T14:00:00+02:00"},
		{"tomorrow", true, "2026-11-21T00:00:00+02:00"},
		{"14:00", false, "2026-11-20T14:00:00+02:00"},
		{"14:00:05", false, "2026-11-20T14:00:05+02:00"},
		{"16:00", true, "2026-11-20T16:00:00+02:00"},
		{"2026-11-01", false, "2026-11-01T00:00:00+02:00"},
		{"2026-11-01 14:00", false, "2026-11-01T14:00:00+02:00"},
		{"2026-11-01 14:00Z", false, "2026-11-01T14:00:00Z"},
		{"2026-11-01T14:00", false, "2026-11-01T14:00:00+02:00"},
		{"2026-11-01T14:00:00Z", false, "2026-11-01T14:00:00Z"},
		{"2026-11-01t14:00:00.5-05:00", false, "2026-11-01T14:00:00-05:00"},
		{"16:00", false, `is later today; add the day, such as "yesterday 16:00"`},
		{"14:00", true, `is earlier today; add the day, such as "tomorrow 14:00"`},
		{"0h", false, "must be a time"},
		{"-2h", false, "must be a time"},
		{"36501d", false, "must be at most 36500 days away"},
		{"in 9999999999999 hours", false, "must be at most 36500 days away"},
		{"yesterday noon", false, "must be a time"},
		{"2026-02-30", false, "must be a time"},
		{"soon", false, `must be a time such as 2h, 2d, yesterday, "yesterday 14:00", 2026-10-20, "2026-10-20 14:00" or `},
		{"soon", true, `must be a time such as 2h, 2d, tomorrow, "tomorrow 14:00", 2026-12-20, "2026-12-20 14:00" or `},
		{"", false, "must be a time"},
	}
	for _, tt := range tests {
		got, err := loci.ParseTimeNear(tt.text, now, tt.ahead)
		if err != nil {
			if !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("%q, ahead %v: %v, want %s", tt.text, tt.ahead, err, tt.want)
			}
		} else if got.Format(time.RFC3339) != tt.want {
			t.Errorf("%q, ahead %v: %s, want %s", tt.text, tt.ahead, got.Format(time.RFC3339), tt.want)
		}
	}
}

// TestParseTimeIsExact demands that programs cannot send what depends on the present.
func TestParseTimeIsExact(t *testing.T) {
	for _, text := range []string{"2h", "today", "yesterday 14:00", "14:00", "now", "0001-01-01"} {
		if got, err := loci.ParseTime(text, time.UTC); err == nil {
			t.Errorf("%q: got %s, want an error", text, got)
		}
	}
	got, err := loci.ParseTime("2026-11-01 14:00", time.UTC)
	if want := time.Date(2026, 11, 1, 14, 0, 0, 0, time.UTC); err != nil || !got.Equal(want) {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}
