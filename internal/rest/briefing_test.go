package rest_test

import (
	"testing"
	"time"

	"github.com/loci-memory/loci"
)

// TestBriefingTakesWhatOlderClientsSend sends the parameters of S1.
func TestBriefingTakesWhatOlderClientsSend(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.write(t, claude, `{"title":"old","content":"x","tags":["a","b"]}`)
	s.clock.advance(10 * 24 * time.Hour)
	s.write(t, claude, `{"title":"new","content":"x","tags":["a","c"]}`)
	tests := []struct {
		query        string
		recent, tags int
	}{
		{"", 2, 3},
		{"?top_tags=0&recency_days=0&active_threads=0", 2, 3},
		{"?top_tags=1&recency_days=7&active_threads=5", 1, 1},
		{"?top_tags=1000&recency_days=11", 2, 3},
	}
	for _, tt := range tests {
		for path, key := range map[string]string{"/briefing": owner, "/agent/briefing": cursor} {
			var b loci.Briefing
			w := s.do("GET", path+tt.query, key, "")
			decode(t, w, &b)
			if w.Code != 200 || len(b.Recent) != tt.recent || len(b.Tags) != tt.tags || b.Tags[0].Name != "a" || b.Total != 2 {
				t.Errorf("%s%s: got %d %s, want %d recent memories and %d tags", path, tt.query, w.Code, w.Body, tt.recent, tt.tags)
			}
		}
	}
}
