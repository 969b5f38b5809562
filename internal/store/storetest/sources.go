package storetest

import (
	"context"
	"fmt"
	"slices"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

func (e *env) source(m *loci.Memory, change ...func(*loci.Source)) loci.Source {
	s := loci.Source{ID: loci.NewSourceID(), MemoryID: m.ID, Kind: loci.SourceMessage, Ref: "msg", Text: "what was said",
		Quote: "said", Start: 9, End: 13,
		UserID: e.user, Origin: "api", AllowedVendors: []loci.Vendor{"*"}, CreatedAt: e.clock.now()}
	for _, c := range change {
		c(&s)
	}
	return s
}

func (e *env) insertSource(s loci.Source) error {
	return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.Sources().Insert(ctx, s) })
}

func (e *env) sources(v loci.Viewer, l loci.Lifecycle, ids ...loci.MemoryID) (list []loci.Source) {
	e.Helper()
	e.view(func(ctx context.Context, tx store.Tx) (err error) {
		list, err = tx.Sources().List(ctx, v, ids, l)
		return err
	})
	return list
}

// getSource demands that Get and List agree.
func (e *env) getSource(v loci.Viewer, l loci.Lifecycle, s loci.Source) (got loci.Source, err error) {
	e.Helper()
	e.view(func(ctx context.Context, tx store.Tx) error {
		got, err = tx.Sources().Get(ctx, v, s.ID, l)
		return nil
	})
	listed := slices.ContainsFunc(e.sources(v, l, s.MemoryID), func(o loci.Source) bool { return o.ID == s.ID })
	if listed != (err == nil) || listed && !gocmp.Equal(got, s) {
		e.Errorf("listed: %t, but got %+v, %v; want %+v", listed, got, explain(err), s)
	}
	return got, err
}

func testSources(e *env) {
	a, b, c := e.insert(), e.insert(), e.insert()
	late := e.source(a)
	early := e.source(b, func(s *loci.Source) {
		s.Kind, s.Ref, s.CreatedAt, s.AllowedVendors = loci.SourceURL, "https://example.com", s.CreatedAt.Add(-time.Hour),
			[]loci.Vendor{"claude", "cursor"}
	})
	for _, s := range []loci.Source{late, early, e.source(c)} {
		if err := e.insertSource(s); err != nil {
			e.Fatal(explain(err))
		}
	}
	e.wantCode("its id again", e.insertSource(late), loci.Conflict)
	e.wantCode("no memory", e.insertSource(e.source(a, func(s *loci.Source) { s.MemoryID = loci.NewMemoryID() })),
		loci.NotFound)
	for name, tt := range map[string]struct {
		v    loci.Viewer
		ids  []loci.MemoryID
		want []loci.Source
	}{
		"of two":              {e.person(), []loci.MemoryID{a.ID, b.ID, a.ID}, []loci.Source{early, late}},
		"of one":              {e.person(), []loci.MemoryID{a.ID}, []loci.Source{late}},
		"of none":             {e.person(), nil, nil},
		"of what is not":      {e.person(), []loci.MemoryID{loci.NewMemoryID()}, nil},
		"an allowed vendor":   {e.agent("cursor"), []loci.MemoryID{a.ID, b.ID}, []loci.Source{early, late}},
		"another vendor":      {e.agent("chatgpt"), []loci.MemoryID{a.ID, b.ID}, []loci.Source{late}},
		"nobody":              {loci.Viewer{}, []loci.MemoryID{a.ID, b.ID}, nil},
		"of another org":      {loci.Viewer{OrgID: "other", UserID: e.user}, []loci.MemoryID{a.ID}, nil},
		"another user's eyes": {loci.Viewer{OrgID: e.org, UserID: e.addUser().ID}, []loci.MemoryID{a.ID}, nil},
	} {
		if diff := gocmp.Diff(tt.want, e.sources(tt.v, loci.LiveOnly, tt.ids...)); diff != "" {
			e.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for _, v := range []loci.Viewer{e.person(), e.agent("cursor"), e.agent("chatgpt"), {},
		{OrgID: e.org, UserID: e.addUser().ID}} {
		_, err := e.getSource(v, loci.LiveOnly, early)
		if want := v.UserID == e.user && v.Vendor != "chatgpt"; want != (err == nil) {
			e.Errorf("%+v gets it: %t, want %t", v, err == nil, want)
		}
	}
	e.trash(a)
	if _, err := e.getSource(e.person(), loci.LiveOnly, late); err == nil {
		e.Error("got one of a trashed memory as if that were live")
	}
	if _, err := e.getSource(e.person(), loci.LiveOrTrash, late); err != nil {
		e.Errorf("of a trashed memory: %v", explain(err))
	}
	if live, trashed := e.sources(e.person(), loci.LiveOnly, a.ID),
		e.sources(e.person(), loci.LiveOrTrash, a.ID); len(live) != 0 || len(trashed) != 1 {
		e.Errorf("of a trashed memory: %v live, %v in the trash", live, trashed)
	}
	remove := func() error {
		return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.Sources().Remove(ctx, late.ID) })
	}
	if err := remove(); err != nil {
		e.Error(explain(err))
	}
	e.wantCode("removed twice", remove(), loci.NotFound)
}

// A writer is told of a limit as far as its own sources go; those of others
// are never counted to it.
func testSourceLimits(e *env) {
	m := e.insert()
	fill := func(n int, change func(*loci.Source)) error {
		return e.tryUpdate(func(ctx context.Context, tx store.Tx) error {
			for range n {
				if err := tx.Sources().Insert(ctx, e.source(m, change)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	as := func(origin string) func(*loci.Source) {
		return func(s *loci.Source) { s.Origin, s.AllowedVendors = origin, []loci.Vendor{loci.Vendor(origin)} }
	}
	if err := fill(loci.MaxSources, as("claude")); err != nil {
		e.Fatal(explain(err))
	}
	e.wantCode("one more", fill(1, as("claude")), loci.Conflict)
	if err := fill(loci.MaxSources, as("cursor")); err != nil {
		e.Errorf("another vendor is told of what it does not see: %v", explain(err))
	}
	other := e.addUser().ID
	if err := fill(1, func(s *loci.Source) { s.Origin, s.UserID = "claude", other }); err != nil {
		e.Errorf("another person: %v", explain(err))
	}
	var err error
	for n := 0; err == nil && n < 100; n++ {
		err = fill(loci.MaxSources, as(fmt.Sprint("v", n)))
	}
	e.wantCode("there is an end to it", err, loci.Full)
}
