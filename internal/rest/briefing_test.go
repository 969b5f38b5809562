package rest_test

import (
	"fmt"
	"strings"
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

// Tags and origins come from the newest 200 memories. If there are more, the briefing tells so.
func TestBriefingTellsWhatItCounts(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.write(t, cursor, `{"title":"first","content":"x","tags":["rare"]}`)
	for i := range 199 {
		s.write(t, claude, fmt.Sprintf(`{"title":"t","content":"note %d","tags":["often"]}`, i))
	}
	for _, tt := range []struct {
		counted, origins int
		heading          string
	}{{0, 2, "## Written by\n\nclaude (199), cursor (1)"},
		{200, 1, "## Tags in use (newest 200 memories)\n\noften (200)"}} {
		var b loci.Briefing
		decode(t, s.do("GET", "/briefing", owner, ""), &b)
		if b.CountedNewest != tt.counted || len(b.Origins) != tt.origins || len(b.Tags) != tt.origins {
			t.Errorf("of %d: counted %d, origins %v, tags %v", b.Total, b.CountedNewest, b.Origins, b.Tags)
		}
		if text := s.do("GET", "/briefing?format=markdown", owner, "").Body.String(); !strings.Contains(text, tt.heading) {
			t.Errorf("of %d: %s", b.Total, text)
		}
		s.write(t, claude, fmt.Sprintf(`{"title":"t","content":"after %d","tags":["often"]}`, tt.counted))
	}
}
