package app_test

import (
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// A cursor leads on in the very question that it came from, its times and filters included.
func TestCursorsAreOfOneQuestion(t *testing.T) {
	t.Parallel()
	s := newStage(t, loci.DeleteWithKey)
	_, u := s.org("cursors", "a@cursors.example")
	p := s.session(u)
	for range 3 {
		s.add(p, memory.Draft{Title: "x", Content: "the same", Dedupe: memory.DedupeCreate})
	}
	known := s.now
	base := memory.Filter{When: loci.When{KnownAt: known}}
	ways := map[string]func(memory.Filter, string) (string, error){
		"list": func(f memory.Filter, cursor string) (string, error) {
			page, err := s.Memory.List(t.Context(), p, memory.ListRequest{Filter: f, Limit: 1, Cursor: cursor})
			if err != nil {
				return "", err
			}
			return page.NextCursor, nil
		},
		"search": func(f memory.Filter, cursor string) (string, error) {
			page, err := s.Memory.Search(t.Context(), p,
				memory.SearchRequest{Filter: f, Query: "same", Limit: 1, Cursor: cursor})
			if err != nil {
				return "", err
			}
			return page.NextCursor, nil
		},
		"recall": func(f memory.Filter, cursor string) (string, error) {
			page, err := s.Memory.Recall(t.Context(), p,
				memory.SearchRequest{Filter: f, Query: "same", Limit: 1, Cursor: cursor})
			if err != nil {
				return "", err
			}
			return page.NextCursor, nil
		},
	}
	for name, ask := range ways {
		cursor, err := ask(base, "")
		if err != nil || cursor == "" {
			t.Fatalf("%s: cursor %q, %v", name, cursor, err)
		}
		if next, err := ask(base, cursor); err != nil || next == "" {
			t.Errorf("%s does not go on: %v", name, err)
		}
		for what, f := range map[string]memory.Filter{
			"the present":        {},
			"another time":       {When: loci.When{KnownAt: known.Add(-time.Microsecond)}},
			"what was true":      {When: loci.When{KnownAt: known, AsOf: known}},
			"superseded ones":    {When: loci.When{KnownAt: known, Superseded: true}},
			"a key":              {When: base.When, Key: "k"},
			"a scope":            {When: base.When, Scope: loci.ScopeGlobal},
			"pinned ones":        {When: base.When, Pinned: true},
			"those of an agent":  {When: base.When, AgentID: loci.NewAgentID()},
			"those of a session": {When: base.When, SessionID: loci.NewSessionID()},
		} {
			_, err := ask(f, cursor)
			wantCode(t, err, loci.Invalid)
			if err == nil {
				t.Errorf("%s: the cursor leads on in %s", name, what)
			}
		}
		for other, ask := range ways {
			if _, err := ask(base, cursor); other != name && loci.CodeOf(err) != loci.Invalid {
				t.Errorf("a cursor of %s in %s: %v", name, other, err)
			}
		}
	}
}
