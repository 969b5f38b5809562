package storetest

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// newSuggestion returns that by should take the place of m.
func (e *env) newSuggestion(m, by *loci.Memory) loci.Suggestion {
	return loci.Suggestion{ID: loci.NewSuggestionID(), Kind: loci.SuggestSupersede, MemoryID: m.ID, ByID: by.ID,
		UserID: m.UserID, Origin: "claude",
		State: loci.SuggestionPending, CreatedAt: e.clock.now()}
}

func (e *env) suggest(s loci.Suggestion) error {
	return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.Suggestions().Insert(ctx, s) })
}

func (e *env) decide(id loci.SuggestionID, state loci.SuggestionState) error {
	return e.tryUpdate(func(ctx context.Context, tx store.Tx) error {
		return tx.Suggestions().Settle(ctx, id, state, e.clock.now())
	})
}

func (e *env) getSuggestion(v loci.Viewer, id loci.SuggestionID) (s loci.Suggestion, err error) {
	err = e.st.View(e.Context(), e.org,
		func(tx store.Tx) error { s, err = tx.Suggestions().Get(e.Context(), v, id); return err })
	return s, err
}

func (e *env) listSuggestions(v loci.Viewer, state loci.SuggestionState, after store.Position, limit int) (
	list []loci.Suggestion, next store.Position, err error) {
	err = e.st.View(e.Context(), e.org, func(tx store.Tx) error {
		list, next, err = tx.Suggestions().List(e.Context(), v, state, after, limit)
		return err
	})
	return list, next, err
}

func (e *env) pendingSuggestion(s loci.Suggestion) (got loci.Suggestion, err error) {
	err = e.st.View(e.Context(), e.org, func(tx store.Tx) error {
		got, err = tx.Suggestions().Pending(e.Context(), &s)
		return err
	})
	return got, err
}

// allSuggestions puts the pages together.
func (e *env) allSuggestions(v loci.Viewer, state loci.SuggestionState, limit int) (all []loci.Suggestion) {
	e.Helper()
	for after := store.Position(""); ; {
		list, next, err := e.listSuggestions(v, state, after, limit)
		if err != nil {
			e.Fatal(explain(err))
		}
		if len(list) > limit || next != "" && len(list) < limit {
			e.Fatalf("a page of %d with limit %d and next %q", len(list), limit, next)
		}
		all = append(all, list...)
		if after = next; next == "" {
			return all
		}
	}
}

func testSuggestions(e *env) {
	m, by := e.insert(), e.insert()
	s := e.newSuggestion(m, by)
	s.UserID = loci.NewUserID() // which is not the caller's to say
	if err := e.suggest(s); err != nil {
		e.Fatal(explain(err))
	}
	s.UserID = m.UserID
	got, err := e.getSuggestion(e.person(), s.ID)
	if diff := cmp.Diff(s, got); diff != "" || err != nil {
		e.Errorf("%v (-want +got):\n%s", err, diff)
	}
	other := func(change func(*loci.Suggestion)) loci.Suggestion { o := e.newSuggestion(m, by); change(&o); return o }
	for name, tt := range map[string]struct {
		s    loci.Suggestion
		want loci.Code
	}{
		"the same again":        {other(func(*loci.Suggestion) {}), loci.Conflict},
		"the same from another": {other(func(o *loci.Suggestion) { o.Origin = "cursor" }), loci.Conflict},
		"the same id": {other(func(o *loci.Suggestion) { o.ID, o.MemoryID, o.ByID = s.ID, by.ID, m.ID }),
			loci.Conflict},
		"of another kind": {other(func(o *loci.Suggestion) { o.Kind = loci.SuggestCorrect }), ""},
		"about nothing":   {other(func(o *loci.Suggestion) { o.MemoryID = loci.NewMemoryID() }), loci.NotFound},
		"by nothing":      {other(func(o *loci.Suggestion) { o.ByID = loci.NewMemoryID() }), loci.NotFound},
		"about itself":    {other(func(o *loci.Suggestion) { o.ByID = m.ID }), loci.Invalid},
		"the other way round, early": {
			other(func(o *loci.Suggestion) { o.MemoryID, o.ByID, o.CreatedAt = by.ID, m.ID, e.clock.now().Add(-time.Hour) }),
			""},
	} {
		if err := e.suggest(tt.s); loci.CodeOf(err) != tt.want || tt.want == "" && err != nil {
			e.Errorf("%s: %v, want %q", name, explain(err), tt.want)
		}
	}
	e.clock.move(time.Minute)
	e.wantCode("settling as pending", e.decide(s.ID, loci.SuggestionPending), loci.Invalid)
	e.wantCode("settling nothing", e.decide(loci.NewSuggestionID(), loci.SuggestionDeclined), loci.NotFound)
	if err := e.decide(s.ID, loci.SuggestionDeclined); err != nil {
		e.Fatal(explain(err))
	}
	e.wantCode("settling again", e.decide(s.ID, loci.SuggestionAccepted), loci.Conflict)
	s.State, s.SettledAt = loci.SuggestionDeclined, e.clock.now()
	if got, err := e.getSuggestion(e.person(), s.ID); err != nil || got != s {
		e.Errorf("declined: %+v, %v", got, err)
	}
	_, err = e.pendingSuggestion(s)
	e.wantCode("the pending one after it was declined", err, loci.NotFound)
	again := e.newSuggestion(m, by)
	if err := e.suggest(again); err != nil { // what was declined may be suggested anew
		e.Fatal(explain(err))
	}
	if got, err := e.pendingSuggestion(s); err != nil || got != again {
		e.Errorf("the pending one: %+v, %v", got, explain(err))
	}
	if got := e.allSuggestions(e.person(), "", 10); len(got) != 4 || got[0].ID != again.ID {
		e.Errorf("the one stored last comes first: %+v", got)
	}
	e.badSuggestionPages()
	e.suggestionsOfErased(m, by)
}

func (e *env) badSuggestionPages() {
	e.insert()
	_, _, err := e.listSuggestions(e.person(), "", "", 0)
	e.wantCode("no limit", err, loci.Invalid)
	for name, after := range map[string]store.Position{"nonsense": "x",
		"another list's": e.list(e.person(), store.ListQuery{Limit: 1}).Next} {
		_, _, err := e.listSuggestions(e.person(), "", after, 1)
		e.wantCode(name, err, loci.Invalid)
	}
}

// With either memory go the suggestions about both.
func (e *env) suggestionsOfErased(m, by *loci.Memory) {
	third := e.insert()
	kept := e.newSuggestion(third, m)
	if err := e.suggest(kept); err != nil {
		e.Fatal(explain(err))
	}
	e.update(func(ctx context.Context, tx store.Tx) error { return tx.Memories().Erase(ctx, by.ID) })
	if got := e.allSuggestions(e.person(), "", 10); len(got) != 1 || got[0] != kept {
		e.Errorf("left: %+v", got)
	}
	e.update(func(ctx context.Context, tx store.Tx) error { return tx.Memories().Erase(ctx, m.ID) })
	if got := e.allSuggestions(e.person(), "", 10); len(got) != 0 {
		e.Errorf("left: %+v", got)
	}
}

// A suggestion about a graph is for those who see the project and all its rows.
func testSuggestionsOfGraphs(e *env) {
	space := newID[loci.WorkspaceID]()
	p := e.project("p", func(p *loci.Project) { p.WorkspaceID = space })
	s := loci.Suggestion{ID: loci.NewSuggestionID(), Kind: loci.SuggestDelete, UserID: e.user, Origin: "claude",
		State: loci.SuggestionPending, CreatedAt: e.clock.now(), Graph: &loci.SuggestedGraph{ProjectID: p.ID,
			GraphIDs: loci.GraphIDs{Entities: []loci.EntityID{loci.NewEntityID()}}, WorkspaceID: space,
			AllowedVendors: []loci.Vendor{"cursor"}}}
	if err := e.suggest(s); err != nil {
		e.Fatal(explain(err))
	}
	member := e.in(p)
	other := []loci.ProjectID{loci.NewProjectID()}
	as := func(change func(*loci.Viewer)) loci.Viewer { v := member; change(&v); return v }
	for name, tt := range map[string]struct {
		v    loci.Viewer
		sees bool
	}{
		"a member":                 {member, true},
		"a vendor of the rows":     {as(func(v *loci.Viewer) { v.Vendor = "cursor" }), true},
		"another vendor":           {as(func(v *loci.Viewer) { v.Vendor = "claude" }), false},
		"in no project":            {as(func(v *loci.Viewer) { v.ProjectIDs = nil }), false},
		"in another project":       {as(func(v *loci.Viewer) { v.ProjectIDs = other }), false},
		"in another workspace":     {as(func(v *loci.Viewer) { v.WorkspaceID = newID[loci.WorkspaceID]() }), false},
		"of another org":           {as(func(v *loci.Viewer) { v.OrgID = "other" }), false},
		"while workspaces are off": {as(func(v *loci.Viewer) { v.WorkspaceID = loci.WorkspaceID{} }), true},
	} {
		_, err := e.getSuggestion(tt.v, s.ID)
		list, _, err2 := e.listSuggestions(tt.v, loci.SuggestionPending, "", 9)
		if (err == nil) != tt.sees || (len(list) == 1) != tt.sees || err2 != nil {
			e.Errorf("%s: got %v and %d, %v; want to see it: %v", name, explain(err), len(list), explain(err2), tt.sees)
		}
	}
}

// testSuggestionVisibility draws memories, suggestions and viewers and demands
// that the engine shows what the rule says of both memories, or of the one with a secret.
func testSuggestionVisibility(e *env) {
	rapid.Check(e, func(t *rapid.T) {
		w := e.newWorld(t)
		w.fill(rapid.IntRange(2, 7).Draw(t, "rows"), 0)
		var all []loci.Suggestion
		for range rapid.IntRange(1, 7).Draw(t, "suggestions") {
			m, by := draw(t, "memory", w.rows...), draw(t, "by", w.rows...)
			s := e.newSuggestion(m, by)
			s.Kind = draw(t, "kind", loci.SuggestSupersede, loci.SuggestCorrect, loci.SuggestSecret)
			if s.Kind == loci.SuggestSecret {
				s.ByID = loci.MemoryID{}
			}
			if m == by || e.suggest(s) != nil {
				continue
			}
			if s.State = draw(t, "state", loci.SuggestionPending, loci.SuggestionAccepted,
				loci.SuggestionDeclined); s.State != loci.SuggestionPending {
				s.SettledAt = e.clock.now()
				if err := e.decide(s.ID, s.State); err != nil {
					t.Fatal(explain(err))
				}
			}
			all = append(all, s)
		}
		for range 3 {
			w.compareSuggestions(w.viewer(), all)
		}
	})
}

func (w *world) compareSuggestions(v loci.Viewer, all []loci.Suggestion) {
	sees := func(s loci.Suggestion, l loci.Lifecycle) bool {
		if s.Kind == loci.SuggestSecret {
			return slices.ContainsFunc(w.rows, func(m *loci.Memory) bool {
				return m.ID == s.MemoryID && v.Vendor == "" && m.UserID == v.UserID &&
					v.Sees(&m.Access, loci.AnyState, w.clock.now())
			})
		}
		return !slices.ContainsFunc(w.rows, func(m *loci.Memory) bool {
			return (m.ID == s.MemoryID || m.ID == s.ByID) && !v.Sees(&m.Access, l, w.clock.now())
		})
	}
	state := draw(w.t, "asked for", "", loci.SuggestionPending, loci.SuggestionAccepted)
	var visible, one, want []loci.Suggestion
	for _, s := range slices.Backward(all) {
		if sees(s, loci.AnyState) {
			visible = append(visible, s)
			if state == "" || s.State == state && (state != loci.SuggestionPending || sees(s, loci.LiveOnly)) {
				want = append(want, s)
			}
		}
		got, err := w.getSuggestion(v, s.ID)
		if err == nil {
			one = append(one, got)
		} else if loci.CodeOf(err) != loci.NotFound {
			w.t.Fatal(explain(err))
		}
		if s.State != loci.SuggestionPending {
			continue
		}
		if again, failed := w.pendingSuggestion(s); failed != nil || again.ID != s.ID {
			w.t.Errorf("the pending one by its memories: %+v, %v; want %+v", again, explain(failed), s)
		}
	}
	w.differ("suggestions", v, visible, one)
	w.differ("the list of suggestions", v, want, w.allSuggestions(v, state, rapid.IntRange(1, 3).Draw(w.t, "limit")))
}

// testRewrite changes every text of the old versions and the sources of a memory, and of no other.
func testRewrite(e *env) {
	secret := func(m *loci.Memory) {
		m.Title, m.Content, m.Summary, m.Key, m.Source = "a tulip", "tulip and rose", "tulips", "tulip", "from tulip"
		m.Tags = []string{"tulip", "TULIP", "rose"}
	}
	m, other := e.insert(secret), e.insert(secret)
	source := loci.Source{ID: loci.NewSourceID(), MemoryID: m.ID, Kind: loci.SourceText, Ref: "tulip", Text: "a tulip",
		Quote: "tulip", UserID: m.UserID, Origin: m.Origin, AllowedVendors: []loci.Vendor{loci.AnyVendor},
		CreatedAt: e.clock.now()}
	e.update(func(ctx context.Context, tx store.Tx) error { return tx.Sources().Insert(ctx, source) })
	e.replace(m, titled("new tulip"))
	e.replace(other, titled("other"))
	fn := func(text string) string { return strings.ReplaceAll(strings.ToLower(text), "tulip", "[gone]") }
	e.update(func(ctx context.Context, tx store.Tx) error { return tx.Memories().Rewrite(ctx, m.ID, fn) })
	e.wantCode("nothing", e.tryUpdate(func(ctx context.Context, tx store.Tx) error {
		return tx.Memories().Rewrite(ctx, loci.NewMemoryID(), fn)
	}), loci.NotFound)
	e.update(func(ctx context.Context, tx store.Tx) error {
		now, err := tx.Memories().Get(ctx, e.person(), m.ID, loci.LiveOnly)
		if err != nil || now.Title != "new tulip" {
			e.Errorf("the present version: %+v, %v", now, err)
		}
		for id, want := range map[loci.MemoryID]string{m.ID: "[gone]", other.ID: "tulip"} {
			old, err := tx.Memories().Versions(ctx, e.person(), id, loci.LiveOnly, 0, 10)
			if err != nil || len(old) != 1 {
				e.Fatal(old, explain(err))
			}
			v := old[0]
			got := []string{v.Title, v.Content, v.Summary, v.Key, v.Source, v.Tags[0]}
			expect := []string{"a " + want, want + " and rose", want + "s", want, "from " + want, want}
			if diff := cmp.Diff(expect, got); diff != "" || id == m.ID && len(v.Tags) != 2 {
				e.Errorf("tags %q (-want +got):\n%s", v.Tags, diff)
			}
		}
		s, err := tx.Sources().Get(ctx, e.person(), source.ID, loci.LiveOnly)
		if err != nil || s.Ref != "[gone]" || s.Text != "a [gone]" || s.Quote != "[gone]" {
			e.Errorf("the source: %+v, %v", s, err)
		}
		return nil
	})
}

// testSecretsOfEvents puts an event, and a row of a graph, into the inbox of its person alone.
func testSecretsOfEvents(e *env) {
	e.secretsOf(&loci.Suggestion{Row: &loci.SecretRow{Kind: loci.RowEvent, ID: loci.NewID[any]()}})
	p := e.project("a")
	e.secretsOf(&loci.Suggestion{Graph: &loci.SuggestedGraph{ProjectID: p.ID,
		AllowedVendors: []loci.Vendor{loci.AnyVendor},
		GraphIDs:       loci.GraphIDs{Observations: []loci.ObservationID{loci.NewObservationID()}}}}, p.ID)
}

func (e *env) secretsOf(of *loci.Suggestion, in ...loci.ProjectID) {
	s := loci.Suggestion{ID: loci.NewSuggestionID(), Kind: loci.SuggestSecret, UserID: e.person().UserID, Origin: "claude",
		Row: of.Row, Graph: of.Graph,
		State: loci.SuggestionPending, CreatedAt: e.clock.now()}
	if err := e.suggest(s); err != nil {
		e.Fatal(explain(err))
	}
	again := s
	again.ID = loci.NewSuggestionID()
	e.wantCode("twice", e.suggest(again), loci.Conflict)
	if got, err := e.pendingSuggestion(again); err != nil || got.ID != s.ID {
		e.Errorf("pending: %+v, %v", got, explain(err))
	}
	agent, stranger, elsewhere := e.person(), e.person(), e.person()
	agent.Vendor, stranger.UserID, elsewhere.OrgID = "claude", loci.NewUserID(), "other"
	agent.ProjectIDs, stranger.ProjectIDs = in, in
	for name, v := range map[string]loci.Viewer{"an assistant": agent, "another": stranger, "another org": elsewhere} {
		if _, err := e.getSuggestion(v, s.ID); loci.CodeOf(err) != loci.NotFound {
			e.Errorf("%s: %v, want NotFound", name, explain(err))
		}
	}
	list := e.allSuggestions(e.person(), loci.SuggestionPending, 1)
	if diff := cmp.Diff([]loci.Suggestion{s}, list); diff != "" {
		e.Errorf("(-want +got):\n%s", diff)
	}
	if err := e.decide(s.ID, loci.SuggestionDeclined); err != nil {
		e.Fatal(explain(err))
	}
	err := e.suggest(again)
	if err == nil {
		err = e.decide(again.ID, loci.SuggestionAccepted)
	}
	if err != nil {
		e.Error(explain(err))
	}
}

// testMemoriesOfSource finds the memories of a person that have a source.
func testMemoriesOfSource(e *env) {
	m, other := e.insert(titled("m")), e.insert(titled("other"))
	ref := loci.NewEventID(e.clock.now()).String()
	for kind, of := range map[loci.SourceKind]*loci.Memory{loci.SourceEvent: m, loci.SourceText: other} {
		e.update(func(ctx context.Context, tx store.Tx) error {
			return tx.Sources().Insert(ctx, loci.Source{ID: loci.NewSourceID(), MemoryID: of.ID, Kind: kind, Ref: ref,
				UserID: m.UserID, Origin: "claude", AllowedVendors: []loci.Vendor{loci.AnyVendor}, CreatedAt: e.clock.now()})
		})
	}
	for user, want := range map[loci.UserID]int{m.UserID: 1, loci.NewUserID(): 0} {
		e.view(func(ctx context.Context, tx store.Tx) error {
			ids, err := tx.Sources().Of(ctx, user, loci.SourceEvent, ref)
			if err == nil && (len(ids) != want || want > 0 && ids[0] != m.ID) {
				e.Errorf("got %v, want %d", ids, want)
			}
			return err
		})
	}
}
