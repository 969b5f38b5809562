package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

func titled(title string, change ...func(*memory.Draft)) memory.Draft {
	d := memory.Draft{Title: title, Content: "about " + title}
	for _, c := range change {
		c(&d)
	}
	return d
}

func supersedes(ids ...loci.MemoryID) func(*memory.Draft) {
	return func(d *memory.Draft) { d.Supersedes = ids }
}

func corrects(ids ...loci.MemoryID) func(*memory.Draft) {
	return func(d *memory.Draft) { d.Corrects = ids }
}

func (w *world) listed(when loci.When) string {
	w.t.Helper()
	page, err := w.Memory.List(w.t.Context(), w.owner, memory.ListRequest{Filter: memory.Filter{When: when}})
	w.must(err)
	slices.Reverse(page.Items)
	return titles(page.Items)
}

func (w *world) pending(p loci.Principal) []loci.Suggestion {
	w.t.Helper()
	page, err := w.Memory.Suggestions(w.t.Context(), p, memory.SuggestionsRequest{State: loci.SuggestionPending})
	w.must(err)
	for i := range page.Items {
		g := &page.Items[i]
		if g.Memory == nil || g.By == nil || g.Memory.Title == "" || g.By.Text == "" {
			w.t.Errorf("the suggestion shows %+v and %+v", g.Memory, g.By)
		}
		g.Memory, g.By = nil, nil
	}
	return page.Items
}

func TestSupersede(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	old := w.keep(w.claude, titled("Tuesdays", func(d *memory.Draft) { d.ValidFrom = w.now.AddDate(0, -6, 0) }))
	other := w.keep(w.owner, titled("unrelated"))
	w.now = w.now.AddDate(0, 1, 0)
	between := w.now
	w.now = w.now.AddDate(0, 1, 0)
	by := w.claude
	by.CredentialID = loci.NewCredentialID()
	saved := w.keep(by, titled("Thursdays", supersedes(old.ID)))
	if diff := cmp.Diff([]loci.MemoryID{old.ID}, saved.Superseded); diff != "" || len(saved.Suggestions) != 0 ||
		len(saved.Similar) != 0 {
		t.Errorf("answered %+v: %s", saved, diff)
	}
	history := w.versions(old.ID)
	_, now, err := w.Memory.Versions(ctx, w.owner, old.ID, 0, 0)
	w.must(err)
	if now.Version != 2 || now.SupersededBy != saved.ID || !now.ValidTo.Equal(saved.CreatedAt) ||
		now.EditorCredentialID != by.CredentialID ||
		len(history) != 1 || !history[0].SupersededBy.IsZero() || !history[0].ValidTo.IsZero() {
		t.Errorf("superseded: %+v, before: %+v", now, history)
	}
	for name, tt := range map[string]struct {
		when loci.When
		want string
	}{
		"now":                           {loci.When{}, "unrelated Thursdays"},
		"with what is superseded":       {loci.When{Superseded: true}, "Tuesdays unrelated Thursdays"},
		"what was true between":         {loci.When{AsOf: between}, "Tuesdays unrelated"},
		"what was true before it all":   {loci.When{AsOf: old.CreatedAt.AddDate(0, -1, 0)}, "Tuesdays"},
		"what is true":                  {loci.When{AsOf: w.now}, "unrelated Thursdays"},
		"what was known between":        {loci.When{KnownAt: between}, "Tuesdays unrelated"},
		"what was held true between it": {loci.When{KnownAt: between, AsOf: between}, "Tuesdays unrelated"},
	} {
		if got := w.listed(tt.when); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	_, err = w.Memory.Get(ctx, w.claude, old.ID)
	wantCode(t, err, loci.NotFound)
	if got, err := w.Memory.Get(ctx, w.owner, other.ID); err != nil || got.Version != 1 {
		t.Errorf("what was not named: %+v, %v", got, err)
	}
}

// Until when something was true is the earliest of what its own end, the start of the new one and the present say;
// what was wrong never was.
func TestUntilWhenTheSupersededWasTrue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	day := func(n int) time.Time { return time.Date(2026, 2, n, 0, 0, 0, 0, time.UTC) }
	for name, tt := range map[string]struct {
		from, to, next time.Time
		correct        bool
		want           time.Time // zero: when it was superseded
	}{
		"no times":                        {},
		"the new one begins":              {next: day(10), want: day(10)},
		"it had ended":                    {from: day(1), to: day(5), next: day(10), want: day(5)},
		"it would have ended later":       {from: day(1), to: day(15), next: day(10), want: day(10)},
		"it would have ended later still": {to: w.now.AddDate(1, 0, 0)},
		"it was to begin only later":      {from: day(20), next: day(10), want: day(20)},
		"wrong since it began":            {from: day(3), to: day(20), correct: true, want: day(3)},
	} {
		old := w.keep(w.owner, titled("old of "+name, func(d *memory.Draft) { d.ValidFrom, d.ValidTo = tt.from, tt.to }))
		d := titled("new", func(d *memory.Draft) { d.ValidFrom, d.Dedupe = tt.next, memory.DedupeCreate })
		if tt.correct {
			corrects(old.ID)(&d)
		} else {
			supersedes(old.ID)(&d)
		}
		by := w.keep(w.owner, d)
		if tt.want.IsZero() {
			tt.want = by.CreatedAt
		}
		_, now, err := w.Memory.Versions(t.Context(), w.owner, old.ID, 0, 0)
		if err != nil || !now.ValidTo.Equal(tt.want) || now.SupersededBy != by.ID {
			t.Errorf("%s: until %s, want %s: %v", name, now.ValidTo, tt.want, err)
		}
	}
	wrong := w.keep(w.owner, titled("wrong"))
	w.keep(w.owner, titled("right", corrects(wrong.ID)))
	if _, now, err := w.Memory.Versions(t.Context(), w.owner, wrong.ID, 0, 0); err != nil ||
		!now.ValidTo.Equal(wrong.CreatedAt) {
		t.Errorf("what never was true: until %s, made at %s", now.ValidTo, wrong.CreatedAt)
	}
	if at := w.listed(loci.When{AsOf: w.now}); strings.Contains(at, "wrong") {
		t.Errorf("true at last: %q", at)
	}
}

func TestSuggestToWhoseItIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	first, second := w.keep(w.owner, titled("one")), w.keep(w.other, titled("two"))
	own := w.keep(w.claude, titled("own"))
	saved := w.keep(w.claude, titled("new", supersedes(first.ID, own.ID), corrects(second.ID)))
	if len(saved.Suggestions) != 2 || len(saved.Superseded) != 1 || saved.Superseded[0] != own.ID {
		t.Fatalf("answered %+v", saved)
	}
	s := saved.Suggestions[0]
	want := loci.Suggestion{ID: s.ID, Kind: loci.SuggestSupersede, MemoryID: first.ID, ByID: saved.ID,
		UserID: w.owner.UserID, Origin: "claude",
		State: loci.SuggestionPending, CreatedAt: saved.CreatedAt}
	if diff := cmp.Diff(want, s); diff != "" || saved.Suggestions[1].Kind != loci.SuggestCorrect {
		t.Errorf("suggested (-want +got):\n%s", diff)
	}
	if got := w.listed(loci.When{}); got != "one two new" {
		t.Errorf("before anybody decided: %q", got)
	}
	if got := w.pending(w.owner); len(got) != 2 || got[0] != saved.Suggestions[1] || got[1] != s {
		t.Errorf("pending: %+v", got)
	}
	_, err := w.Memory.AcceptSuggestion(ctx, w.claude, s.ID, false)
	wantCode(t, err, loci.Forbidden)
	done, err := w.Memory.AcceptSuggestion(ctx, w.owner, s.ID, false)
	if err != nil || done.State != loci.SuggestionAccepted || done.SettledAt.IsZero() {
		t.Errorf("accepted: %+v, %v", done, err)
	}
	if got, err := w.Memory.Suggestion(ctx, w.owner, s.ID); err != nil || got != done {
		t.Errorf("read again: %+v, %v", got, err)
	}
	_, now, err := w.Memory.Versions(ctx, w.owner, first.ID, 0, 0)
	if err != nil || now.SupersededBy != saved.ID || !now.ValidTo.Equal(done.SettledAt) || now.Editor != "api" ||
		now.Version != 2 {
		t.Errorf("superseded: %+v, %v", now, err)
	}
	done, err = w.Memory.DeclineSuggestion(ctx, w.owner, saved.Suggestions[1].ID)
	if err != nil || done.State != loci.SuggestionDeclined || w.listed(loci.When{}) != "two new" {
		t.Errorf("declined: %+v, %v, listed %q", done, err, w.listed(loci.When{}))
	}
	for _, id := range []loci.SuggestionID{s.ID, done.ID} {
		_, err = w.Memory.AcceptSuggestion(ctx, w.owner, id, false)
		wantCode(t, err, loci.Conflict)
		_, err = w.Memory.DeclineSuggestion(ctx, w.owner, id)
		wantCode(t, err, loci.Conflict)
	}
	if all, err := w.Memory.Suggestions(ctx, w.owner, memory.SuggestionsRequest{}); err != nil ||
		len(all.Items) != 2 || len(w.pending(w.owner)) != 0 {
		t.Errorf("all: %+v, %v", all, err)
	}
}

func TestTheSameSuggestionIsMadeOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.keep(w.owner, titled("one"))
	d := memory.Draft{Key: "k", Content: "c", Supersedes: []loci.MemoryID{m.ID}}
	first, again := w.keep(w.claude, d), w.keep(w.claude, d)
	if len(again.Suggestions) != 1 || again.Suggestions[0] != first.Suggestions[0] || !again.Unchanged ||
		len(w.pending(w.owner)) != 1 {
		t.Errorf("first %+v, then %+v", first.Suggestions, again.Suggestions)
	}
	_, err := w.Memory.DeclineSuggestion(t.Context(), w.owner, first.Suggestions[0].ID)
	w.must(err)
	if anew := w.keep(w.claude, d); len(anew.Suggestions) != 1 || anew.Suggestions[0].ID == first.Suggestions[0].ID {
		t.Errorf("after it was declined: %+v", anew.Suggestions)
	}
}

func TestSuggestionsOfWhatIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	for name, end := range map[string]func(old, by loci.MemoryID){
		"the memory is in the trash": func(old, _ loci.MemoryID) {
			_, err := w.Memory.Trash(ctx, w.owner, old, 0)
			w.must(err)
		},
		"the other is in the trash": func(_, by loci.MemoryID) {
			_, err := w.Memory.Trash(ctx, w.owner, by, 0)
			w.must(err)
		},
		"the memory is superseded":     func(old, _ loci.MemoryID) { w.keep(w.owner, titled("new", supersedes(old))) },
		"the other is superseded":      func(_, by loci.MemoryID) { w.keep(w.owner, titled("new", supersedes(by))) },
		"each takes the other's place": func(old, by loci.MemoryID) { w.keep(w.owner, titled("new", supersedes(old, by))) },
	} {
		old := w.keep(w.owner, titled("old"))
		made := w.keep(w.claude, titled("by", supersedes(old.ID)))
		end(old.ID, made.ID)
		s := made.Suggestions[0]
		if _, err := w.Memory.AcceptSuggestion(ctx, w.owner, s.ID, false); loci.CodeOf(err) != loci.Conflict {
			t.Errorf("%s: accepting gives %v, want a conflict", name, err)
		}
		all, err := w.Memory.Suggestions(ctx, w.owner, memory.SuggestionsRequest{Limit: 1})
		if err != nil || len(all.Items) != 1 || all.Items[0].ID != s.ID || len(w.pending(w.owner)) != 0 {
			t.Errorf("%s: all are %+v, pending %+v, %v", name, all.Items, w.pending(w.owner), err)
		}
		if got, err := w.Memory.DeclineSuggestion(ctx, w.owner, s.ID); err != nil || got.State != loci.SuggestionDeclined {
			t.Errorf("%s: declining gives %+v, %v", name, got, err)
		}
	}
}

// Two people who share suggest to each other, and only whose memory it is decides.
func TestSuggestionsBetweenPeople(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	project := c.stage.project(c.mara, "closed", false).ID
	c.must(c.Project.PutMember(ctx, c.again(c.mara), project, loci.ProjectMember{UserID: c.tom.UserID, Role: loci.Member}))
	c.mara, c.tom = c.again(c.mara), c.again(c.tom)
	in := func(title string) memory.Draft {
		return titled(title, func(d *memory.Draft) { d.Scope, d.ProjectID = loci.ScopeProject, project })
	}
	maras := c.add(c.mara, in("Mara's"))
	d := in("Tom's")
	d.Supersedes = []loci.MemoryID{maras.ID}
	toms, err := c.Memory.Create(ctx, c.tom, d)
	c.must(err)
	if len(toms.Suggestions) != 1 || len(toms.Superseded) != 0 || toms.Suggestions[0].UserID != c.mara.UserID {
		t.Fatalf("answered %+v", toms)
	}
	s := toms.Suggestions[0]
	_, err = c.Memory.AcceptSuggestion(ctx, c.tom, s.ID, false)
	wantCode(t, err, loci.Forbidden)
	for _, p := range []loci.Principal{c.ines, c.owner} { // neither is in the project
		_, err = c.Memory.AcceptSuggestion(ctx, p, s.ID, false)
		wantCode(t, err, loci.NotFound)
		_, never := c.Memory.AcceptSuggestion(ctx, p, loci.NewSuggestionID(), false)
		if err.Error() != never.Error() {
			t.Errorf("hidden %q, absent %q", err, never)
		}
	}
	_, err = c.Project.Archive(ctx, c.mara, project)
	c.must(err)
	if _, err = c.Memory.AcceptSuggestion(ctx, c.mara, s.ID, false); loci.CodeOf(err) != loci.Conflict ||
		!strings.Contains(err.Error(), "archived") {
		t.Errorf("of an archived project: %v", err)
	}
	_, err = c.Memory.Create(ctx, c.mara, titled("new", supersedes(maras.ID)))
	if loci.CodeOf(err) != loci.Conflict || !strings.Contains(err.Error(), "archived") {
		t.Errorf("superseding what is of an archived project: %v", err)
	}
	_, err = c.Project.Restore(ctx, c.mara, project)
	c.must(err)
	got, err := c.Memory.AcceptSuggestion(ctx, c.mara, s.ID, false)
	if err != nil || got.State != loci.SuggestionAccepted {
		t.Errorf("accepted: %+v, %v", got, err)
	}
}

// Who suggested a change of another person's memory can withdraw it; who only sees it cannot decide.
func TestWithdrawASuggestion(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	project := c.stage.project(c.mara, "closed", false).ID
	for _, p := range []loci.Principal{c.tom, c.ines} {
		c.must(c.Project.PutMember(ctx, c.again(c.mara), project, loci.ProjectMember{UserID: p.UserID, Role: loci.Member}))
	}
	c.mara, c.tom, c.ines = c.again(c.mara), c.again(c.tom), c.again(c.ines)
	in := func(d *memory.Draft) { d.Scope, d.ProjectID = loci.ScopeProject, project }
	maras := c.add(c.mara, titled("Mara's", in))
	toms, err := c.Memory.Create(ctx, c.tom, titled("Tom's", in, supersedes(maras.ID)))
	c.must(err)
	s := toms.Suggestions[0]
	_, err = c.Memory.DeclineSuggestion(ctx, c.ines, s.ID)
	wantCode(t, err, loci.Forbidden)
	_, err = c.Memory.AcceptSuggestion(ctx, c.tom, s.ID, false)
	wantCode(t, err, loci.Forbidden)
	if got, err := c.Memory.DeclineSuggestion(ctx, c.tom, s.ID); err != nil || got.State != loci.SuggestionDeclined {
		t.Errorf("withdrawn: %+v, %v", got, err)
	}
	_, err = c.Memory.AcceptSuggestion(ctx, c.mara, s.ID, false)
	wantCode(t, err, loci.Conflict)
}

// What one may not see answers supersedes and corrects like what never was, and nothing is stored.
func TestSupersedingTheHiddenIsSupersedingNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	hidden := w.keep(w.claude, titled("hidden", func(d *memory.Draft) { d.AllowedVendors = []loci.Vendor{"claude"} }))
	trashed, expired, past := w.keep(w.other, titled("trashed")),
		w.keep(w.other, titled("expired", func(d *memory.Draft) { d.TTL = time.Minute })), w.keep(w.other, titled("past"))
	_, err := w.Memory.Trash(ctx, w.owner, trashed.ID, 0)
	w.must(err)
	newer := w.keep(w.other, titled("newer", supersedes(past.ID)))
	w.now = w.now.Add(time.Hour)
	before := w.listed(loci.When{Superseded: true})
	for _, name := range []func(...loci.MemoryID) func(*memory.Draft){supersedes, corrects} {
		_, never := w.Memory.Create(ctx, w.other, titled("x", name(loci.NewMemoryID())))
		wantCode(t, never, loci.Invalid)
		for what, id := range map[string]loci.MemoryID{"hidden": hidden.ID, "trashed": trashed.ID, "expired": expired.ID,
			"zero": {}} {
			if _, err := w.Memory.Create(ctx, w.other, titled("x", name(id))); err == nil || err.Error() != never.Error() ||
				loci.FieldOf(err) != loci.FieldOf(never) {
				t.Errorf("%s answers %v, absent %v", what, err, never)
			}
		}
		_, err := w.Memory.Create(ctx, w.other, titled("x", name(past.ID)))
		if loci.FieldOf(err) != loci.FieldOf(never) || !strings.Contains(err.Error(), "by "+newer.ID.String()) {
			t.Errorf("a superseded one answers %v", err)
		}
	}
	if after := w.listed(loci.When{Superseded: true}); after != before || len(w.pending(w.owner)) != 0 {
		t.Errorf("stored %q, want %q", after, before)
	}
}

func TestSuggestionPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	var want, got []loci.SuggestionID
	for i := range 5 {
		m := w.keep(w.owner, titled(fmt.Sprint("old ", i)))
		want = append(want, w.keep(w.claude, titled("new", supersedes(m.ID))).Suggestions[0].ID)
	}
	slices.Reverse(want)
	r := memory.SuggestionsRequest{State: loci.SuggestionPending, Limit: 2}
	for first := true; first || r.Cursor != ""; first = false {
		page, err := w.Memory.Suggestions(ctx, w.owner, r)
		w.must(err)
		for _, s := range page.Items {
			got = append(got, s.ID)
		}
		r.Cursor = page.NextCursor
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	page, err := w.Memory.Suggestions(ctx, w.owner, memory.SuggestionsRequest{Limit: 1})
	w.must(err)
	for name, r := range map[string]memory.SuggestionsRequest{
		"another query": {State: loci.SuggestionPending, Cursor: page.NextCursor}, "nonsense": {Cursor: "x"},
		"a state": {State: "open"}, "a limit": {Limit: 501}} {
		if _, err := w.Memory.Suggestions(ctx, w.owner, r); loci.CodeOf(err) != loci.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err = w.Memory.Suggestions(ctx, w.claude, memory.SuggestionsRequest{Cursor: page.NextCursor})
	wantCode(t, err, loci.Invalid)
}

// TestExcerptsEndWithTheMemory lists a suggestion about a memory that went to the trash or expired: its
// text is only for the person who owns it.
func TestExcerptsEndWithTheMemory(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"trashed", "expired"} {
		w := newWorld(t)
		ctx := t.Context()
		old := w.keep(w.owner, titled("old", func(d *memory.Draft) { d.TTL = time.Hour }))
		w.keep(w.claude, titled("new", supersedes(old.ID)))
		if how == "trashed" {
			_, err := w.Memory.Trash(ctx, w.owner, old.ID, 0)
			w.must(err)
		} else {
			w.now = w.now.Add(2 * time.Hour)
		}
		for _, reader := range []struct {
			who   loci.Principal
			reads bool
		}{{w.owner, true}, {w.claude, false}} {
			page, err := w.Memory.Suggestions(ctx, reader.who, memory.SuggestionsRequest{})
			w.must(err)
			if len(page.Items) != 1 || (page.Items[0].Memory != nil) != reader.reads || page.Items[0].By == nil {
				t.Errorf("%s, %s: %+v, want the text of the memory: %v", how, reader.who.Vendor, page.Items, reader.reads)
			}
			if _, err = w.Memory.Resolve(ctx, reader.who, old.ID.Short()); (err == nil) != reader.reads {
				t.Errorf("%s, %s: resolving gives %v", how, reader.who.Vendor, err)
			}
		}
	}
}

// TestSuggestAgainForOthers has an assistant suggest the same replacement twice. The second save hides the replacement
// from the assistant itself, and is answered all the same.
func TestSuggestAgainForOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old := w.keep(w.owner, titled("Tuesdays"))
	draft := titled("Thursdays", supersedes(old.ID), func(d *memory.Draft) { d.Key = "day" })
	first := w.keep(w.claude, draft)
	draft.AllowedVendors = []loci.Vendor{"cursor"}
	again := w.keep(w.claude, draft)
	if again.ID != first.ID || again.ReplacedVersion == 0 {
		t.Fatalf("saved %+v, want the memory with the key changed", again)
	}
	if diff := cmp.Diff(first.Suggestions, again.Suggestions); diff != "" || len(first.Suggestions) != 1 {
		t.Errorf("the suggestion that was pending already (-first +again):\n%s", diff)
	}
}
