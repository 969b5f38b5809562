package app_test

import (
	"context"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/review"
	"github.com/loci-memory/loci/internal/store"
)

// TestSourcesNameVisibleEvents requires it of the sources of a save: an event that the writer does not see is like
// one that never was.
func TestSourcesNameVisibleEvents(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	id, err := d.Event.Record(ctx, d.claude, event.Draft{Content: "c", AllowedVendors: onlyClaude})
	d.must(err)
	save := func(p loci.Principal, ref string) error {
		return second(d.Memory.Create(ctx, p, memory.Draft{Title: "t" + ref, Content: "c",
			Sources: []loci.Source{{Kind: loci.SourceEvent, Ref: ref}}}))
	}
	d.must(save(d.claude, id.String()))
	for _, ref := range []string{id.String(), loci.NewEventID(d.now).String()} {
		if err := save(d.cursor, ref); loci.FieldOf(err) != "sources[0].ref" {
			t.Errorf("got %v", err)
		}
	}
}

// TestSavesShareOnce requires that a save which shares what is shared already records no sharing.
func TestSavesShareOnce(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	for n, content := range []string{"one", "two"} {
		c.st.entries = nil
		d := memory.Draft{Key: "k", Content: content, Share: true}
		c.must(second(c.Memory.Create(t.Context(), c.mara, d)))
		shares := 0
		for _, e := range c.st.entries {
			if e.Action == string(memory.Share) {
				shares++
			}
		}
		if shares != 1-n {
			t.Errorf("save %d: recorded %+v", n, c.st.entries)
		}
	}
}

// TestRevertRestoresNothing requires that an expired memory is not brought back by a revert, which is not subject to
// the rule of deletion.
func TestRevertRestoresNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	m := w.add(w.owner, memory.Draft{Title: "t", Content: "one"})
	w.must(second(w.Memory.Patch(ctx, w.owner, m.ID, 0, memory.Patch{ExpiresAt: loci.Set(w.now.Add(time.Hour))})))
	w.now = w.now.Add(2 * time.Hour)
	wantCode(t, second(w.Memory.Revert(ctx, w.owner, m.ID, 0, 1)), loci.NotFound)
}

// TestFiltersAreChecked requires it of every question.
func TestFiltersAreChecked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	bad := memory.Filter{Scope: "moon"}
	for name, err := range map[string]error{
		"list":   second(w.Memory.List(ctx, w.owner, memory.ListRequest{Filter: bad})),
		"search": second(w.Memory.Search(ctx, w.owner, memory.SearchRequest{Query: "q", Filter: bad})),
		"query":  second(w.Memory.Query(ctx, w.owner, memory.QueryRequest{Query: "q", Filter: bad})),
		"facets": second(w.Memory.Facets(ctx, w.owner, bad)),
	} {
		if loci.FieldOf(err) != "scope" {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestTheTrashIsListedAsItIsNow requires that neither questions nor recall ask the trash, and that it has no past.
func TestTheTrashIsListedAsItIsNow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	trash := memory.Filter{Lifecycle: loci.TrashOnly}
	then := trash
	then.When = loci.When{AsOf: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	for field, err := range map[string]error{
		"":              second(w.Memory.List(ctx, w.owner, memory.ListRequest{Filter: trash})),
		"as_of":         second(w.Memory.List(ctx, w.owner, memory.ListRequest{Filter: then})),
		"memory_filter": second(w.Memory.Query(ctx, w.owner, memory.QueryRequest{Query: "q", Filter: trash})),
		"filter":        second(w.Memory.Recall(ctx, w.owner, memory.SearchRequest{Query: "q", Filter: trash})),
	} {
		if loci.FieldOf(err) != field || field == "" && err != nil {
			t.Errorf("got %v, want an error about %q", err, field)
		}
	}
}

// moves is a store in which a memory moves to another project just before the first change of the org is written.
type moves struct {
	store.Store
	move func(store.Tx) error
	done bool
}

func (m *moves) Update(ctx context.Context, org loci.OrgID, fn func(store.Tx) error) error {
	if !m.done {
		m.done = true
		if err := m.Store.Update(ctx, org, m.move); err != nil {
			return err
		}
	}
	return m.Store.Update(ctx, org, fn)
}

// TestNothingIsAddedInArchivedProjects requires it also of a memory that moves there meanwhile, and of candidates.
func TestNothingIsAddedInArchivedProjects(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	m := d.add(d.mara, memory.Draft{Title: "m", Content: "c", Scope: loci.ScopeProject, ProjectID: d.project})
	st := &moves{Store: d.st, move: func(tx store.Tx) error {
		now, err := tx.Memories().Get(ctx, d.mara.Viewer(), m.ID, loci.LiveOnly)
		if err != nil {
			return err
		}
		now = now.Clone()
		now.ProjectID, now.Version, now.UpdatedAt = d.archived, now.Version+1, d.clock()
		return tx.Memories().Replace(ctx, now)
	}}
	meanwhile := app.New(app.Options{Store: st, Now: d.clock})
	err := third(meanwhile.Memory.AddSources(ctx, d.mara, m.ID, []loci.Source{{Kind: loci.SourceText, Text: "x"}}))
	refused(t, "a source", err, loci.Conflict, "is archived; restore it first")
	err = second(d.Review.Reflect(ctx, d.mara, review.Notes{Content: "idea: one\n", Persist: true, PersistReview: true,
		Project: d.archived.String()}))
	refused(t, "a candidate", err, loci.Conflict, "is archived; restore it first")
}
