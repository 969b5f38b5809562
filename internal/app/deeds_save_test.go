package app_test

import (
	"context"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
)

// oneKey is what everybody in the leak test calls a memory.
const oneKey = "deploy.day"

// settleSuggested has something suggested about mara's memory, which can only be declined.
func (c *company) settleSuggested() {
	c.t.Helper()
	ctx := c.t.Context()
	s := loci.Suggestion{ID: loci.NewSuggestionID(), Kind: loci.SuggestSupersede, MemoryID: c.memory.ID,
		ByID: c.trashed.ID, UserID: c.mara.UserID,
		Origin: "claude", State: loci.SuggestionPending, CreatedAt: c.now}
	c.must(c.st.Store.Update(ctx, c.mara.OrgID, func(tx store.Tx) error { return tx.Suggestions().Insert(ctx, s) }))
	c.suggestion = s.ID
}

// What is accepted is recorded with it, or not done.
func TestAcceptingIsRecorded(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	p := c.mara
	p.Kind, p.Method, p.Vendor, p.Origin = loci.KindAgent, loci.ByKey, "claude", "claude"
	m, err := c.Memory.Create(ctx, p,
		memory.Draft{Title: "zebra again", Content: "the quagga was an okapi", Supersedes: []loci.MemoryID{c.memory.ID}})
	c.must(err)
	c.st.entries, c.st.broken = nil, true
	before := c.dump()
	if _, err := c.Memory.AcceptSuggestion(ctx, c.mara, m.Suggestions[0].ID, false); err == nil {
		t.Error("accepted, though it could not be recorded")
	}
	if got, err := c.Memory.Suggestion(ctx, c.mara, m.Suggestions[0].ID); err != nil ||
		got.State != loci.SuggestionPending || c.dump() != before {
		t.Errorf("left behind: %+v, %v", got, err)
	}
	c.st.broken = false
	_, err = c.Memory.AcceptSuggestion(ctx, c.mara, m.Suggestions[0].ID, false)
	c.must(err)
	checkEntries(t, c, memory.SuggestionSettle)
}

// suggestAbout has an assistant of p's suggest something about a memory of p's.
func (s *stage) suggestAbout(p loci.Principal, id loci.MemoryID, b *strangers) {
	p.Kind, p.Method, p.Vendor, p.Origin = loci.KindAgent, loci.ByKey, "cursor", "cursor"
	m, err := s.Memory.Create(s.t.Context(), p,
		memory.Draft{Title: b.mark + " suggests", Content: "of " + b.mark, Corrects: []loci.MemoryID{id}})
	if loci.CodeOf(err) == loci.Invalid { // cursor may not read it
		return
	}
	s.must(err)
	for _, made := range m.Suggestions {
		b.suggestions = append(b.suggestions, made.ID)
	}
}

func init() {
	deeds[memory.SuggestionSettle] = func(c *company, ctx context.Context) error {
		return second(c.Memory.DeclineSuggestion(ctx, c.mara, c.suggestion))
	}
	more = append(more, []struct {
		name string
		act  gate.Action
		do   func(*company, context.Context) error
	}{
		{"suggest", memory.Create, func(c *company, ctx context.Context) error {
			p := c.mara
			p.Kind, p.Method, p.Vendor, p.Origin = loci.KindAgent, loci.ByKey, "claude", "claude"
			return second(c.Memory.Create(ctx, p,
				memory.Draft{Title: "zebra", Content: "okapi", Corrects: []loci.MemoryID{c.memory.ID}}))
		}},
	}...)
	probes = append(probes, saveProbes...)
	walks["save by key"] = func(c *caller) (any, error) {
		m, err := c.Memory.Create(c.ctx, c.p, memory.Draft{Key: oneKey, Content: "my deploys"})
		if err == nil {
			c.own = append(c.own, m.ID)
		}
		return m, err
	}
	walks["suggestions"] = func(c *caller) (any,
		error) {
		return c.Memory.Suggestions(c.ctx, c.p, memory.SuggestionsRequest{})
	}
}

func suggestionsOf(s *strangers) [][16]byte { return s.suggestions }

var saveProbes = []probe{
	{"supersede", memoriesOf, func(c *caller, id [16]byte) (any, error) {
		return c.Memory.Create(c.ctx, c.p, memory.Draft{Title: "mine", Content: "my plan", Supersedes: []loci.MemoryID{id}})
	}},
	{"correct by key", memoriesOf, func(c *caller, id [16]byte) (any, error) {
		return c.Memory.Create(c.ctx, c.p, memory.Draft{Key: oneKey, Content: "my plan", Corrects: []loci.MemoryID{id}})
	}},
	{"suggestion", suggestionsOf,
		func(c *caller, id [16]byte) (any, error) { return c.Memory.Suggestion(c.ctx, c.p, id) }},
	{"accept", suggestionsOf,
		func(c *caller, id [16]byte) (any, error) { return c.Memory.AcceptSuggestion(c.ctx, c.p, id, false) }},
	{"decline", suggestionsOf,
		func(c *caller, id [16]byte) (any, error) { return c.Memory.DeclineSuggestion(c.ctx, c.p, id) }},
}
