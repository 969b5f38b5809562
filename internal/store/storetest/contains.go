package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

func (e *env) contains(v loci.Viewer, q store.ContainsQuery) (got store.Contained) {
	e.Helper()
	e.view(func(ctx context.Context, tx store.Tx) (err error) {
		got, err = tx.Lists().Contains(ctx, v, q)
		return err
	})
	return got
}

// containing returns the titles of all memories that contain a text, in order of titles.
func (e *env) containing(v loci.Viewer, f store.Filter, text string) []string {
	e.Helper()
	var got []string
	for _, id := range e.contains(v, store.ContainsQuery{Filter: f, Text: text, Look: 2000, Limit: 1000}).IDs {
		m, err := e.get(v, id, f.Lifecycle)
		if f.When != (loci.When{}) {
			m, err = &loci.Memory{Title: e.getAt(v, id, f.When)}, nil
		}
		if err != nil {
			e.Fatal(err)
		}
		got = append(got, m.Title)
	}
	slices.Sort(got)
	return got
}

// testListContexts filters by what memories are for.
func testListContexts(e *env) {
	team := e.addTeam("team").ID
	p, other, robot := newID[loci.ProjectID](), newID[loci.ProjectID](), newID[loci.AgentID]()
	friend, work := e.addUser().ID, newID[loci.SessionID]()
	for title, change := range map[string]func(*loci.Memory){
		"plain":          func(*loci.Memory) {},
		"pinned":         func(m *loci.Memory) { m.Pinned, m.Key = true, "k" },
		"project's":      func(m *loci.Memory) { m.Scope, m.ProjectID = loci.ScopeProject, p },
		"pinned project": func(m *loci.Memory) { m.Scope, m.ProjectID, m.Pinned, m.Key = loci.ScopeProject, p, true, "K" },
		"other project's": func(m *loci.Memory) {
			m.Scope, m.ProjectID, m.Pinned, m.Key = loci.ScopeProject, other, true,
				"k"
		},
		"about project": func(m *loci.Memory) { m.ProjectID = p },
		"agent's":       func(m *loci.Memory) { m.Scope, m.AgentID, m.SessionID = loci.ScopeAgent, robot, work },
		"about agent":   func(m *loci.Memory) { m.AgentID, m.Tags = robot, []string{"!", "k:k", "c:project"} },
		"session": func(m *loci.Memory) {
			m.SessionID, m.Pinned, m.AllowedVendors = work, true,
				[]loci.Vendor{"claude"}
		},
		"friend's":   func(m *loci.Memory) { m.UserID, m.Pinned, m.Key = friend, true, "k" },
		"team's":     func(m *loci.Memory) { m.UserID, m.TeamID, m.Pinned, m.Key = friend, team, true, "k" },
		"friend's p": func(m *loci.Memory) { m.UserID, m.Scope, m.ProjectID = friend, loci.ScopeProject, p },
	} {
		e.insert(titled(title), change)
	}
	member := loci.Viewer{OrgID: e.org, UserID: e.user, TeamID: team, ProjectIDs: []loci.ProjectID{p}, AgentID: robot}
	for name, tt := range map[string]struct {
		f    store.Filter
		want string
	}{
		"pinned": {store.Filter{Pinned: true}, "other project's, pinned, pinned project, session, team's"},
		"key":    {store.Filter{Key: "k"}, "other project's, pinned, team's"},
		"key K":  {store.Filter{Key: "K"}, "pinned project"},
		"global": {store.Filter{Scope: loci.ScopeGlobal},
			"about agent, about project, pinned, plain, session, team's"},
		"of projects": {store.Filter{Scope: loci.ScopeProject},
			"friend's p, other project's, pinned project, project's"},
		"of the project":     {store.Filter{Scope: loci.ScopeProject, ProjectID: p}, "friend's p, pinned project, project's"},
		"of one that I left": {store.Filter{Scope: loci.ScopeProject, ProjectID: other}, "other project's"},
		"about the project":  {store.Filter{ProjectID: p}, "about project, friend's p, pinned project, project's"},
		"global, project":    {store.Filter{ProjectID: p, Scope: loci.ScopeGlobal}, "about project"},
		"of agents":          {store.Filter{Scope: loci.ScopeAgent}, "agent's"},
		"of the agent":       {store.Filter{AgentID: robot}, "about agent, agent's"},
		"of another agent":   {store.Filter{Scope: loci.ScopeAgent, AgentID: newID[loci.AgentID]()}, ""},
		"session":            {store.Filter{SessionID: work}, "agent's, session"},
		"pinned of session":  {store.Filter{SessionID: work, Pinned: true}, "session"},
		"pinned of team":     {store.Filter{TeamID: team, Pinned: true}, "team's"},
		"all": {store.Filter{Pinned: true, Key: "K", Scope: loci.ScopeProject, ProjectID: p},
			"pinned project"},
	} {
		var want []string
		if tt.want != "" {
			want = strings.Split(tt.want, ", ")
		}
		for _, tt.f.When = range []loci.When{{}, {KnownAt: e.clock.now()}} {
			e.wantFiltered(fmt.Sprint(name, tt.f.When), member, tt.f, want...)
			if got := e.contains(member, store.ContainsQuery{Filter: tt.f, Text: "ONTEN", Look: 100, Limit: 100}); len(
				got.IDs) != len(want) || got.More {
				e.Errorf("%s: Contains has %d, want %d", name, len(got.IDs), len(want))
			}
		}
	}
	stranger := member
	stranger.AgentID, stranger.Vendor = loci.AgentID{}, "cursor"
	e.wantFiltered("pinned, other vendor", stranger, store.Filter{Pinned: true}, "other project's", "pinned",
		"pinned project", "team's")
	e.wantFiltered("of agents, without one", stranger, store.Filter{Scope: loci.ScopeAgent})
	e.testFiltersFollow()
	e.testFiltersThen(member, p)
}

// testFiltersThen moves memories between a project and their owner, and asks what they were for before.
func (e *env) testFiltersThen(member loci.Viewer, p loci.ProjectID) {
	e.clock.move(time.Hour)
	work := newID[loci.SessionID]() // keeps others away
	in := func(m *loci.Memory) { m.Scope, m.ProjectID, m.SessionID = loci.ScopeProject, p, work }
	out := func(m *loci.Memory) { m.Scope, m.ProjectID, m.SessionID = loci.ScopeGlobal, loci.ProjectID{}, work }
	left, came := e.insert(titled("left"), in), e.insert(titled("came"), out)
	then := loci.When{KnownAt: e.clock.now()}
	e.clock.move(time.Hour)
	e.replace(left, out)
	e.replace(came, in)
	for name, tt := range map[string]struct {
		f         store.Filter
		was, isIt string
	}{
		"of the project": {store.Filter{Scope: loci.ScopeProject, ProjectID: p}, "left", "came"},
		"global":         {store.Filter{Scope: loci.ScopeGlobal}, "came", "left"},
	} {
		tt.f.SessionID = work
		e.wantFiltered(name, member, tt.f, tt.isIt)
		tt.f.When = then
		e.wantFiltered(name+" then", member, tt.f, tt.was)
	}
}

// testFiltersFollow changes what a filter asks for.
func (e *env) testFiltersFollow() {
	m := e.insert(titled("m"),
		func(m *loci.Memory) { m.Pinned, m.Key, m.SessionID = true, "before", newID[loci.SessionID]() })
	for name, f := range map[string]store.Filter{"pinned": {Pinned: true, Key: m.Key}, "key": {Key: m.Key},
		"session": {SessionID: m.SessionID}} {
		e.wantFiltered(name, e.person(), f, "m")
	}
	next := e.replace(m, func(m *loci.Memory) { m.Pinned, m.Key, m.SessionID = false, "after", loci.SessionID{} })
	for name, f := range map[string]store.Filter{"pinned": {Pinned: true, Key: next.Key}, "key": {Key: m.Key},
		"session": {SessionID: m.SessionID}} {
		e.wantFiltered(name+" before", e.person(), f)
	}
	e.wantFiltered("key after", e.person(), store.Filter{Key: next.Key}, "m")
	trash := e.trash(next)
	e.wantFiltered("trashed", e.person(), store.Filter{Key: trash.Key})
	e.check()
}

// testContains looks for texts in all fields and scripts.
func testContains(e *env) {
	for _, text := range []string{"Straße in KÖLN", "Ελλάς ΣΊΣΥΦΟΣ", "東京タワーへ行く", "deployment", "Привет, МИР",
		"50% off_now \\ 'x'", "नमस्ते", "ภาษาไทย"} {
		e.insert(titled(text), func(m *loci.Memory) { m.Content = text })
	}
	e.insert(titled("fields"), func(m *loci.Memory) {
		m.Content, m.Summary, m.Key, m.Category, m.Tags = "in content", "in summary", "in/key", "in category",
			[]string{"plain", "in \"tag\" é", "\\u0041"}
	})
	for text, want := range map[string]string{
		"köln": "Straße in KÖLN", "STRAß": "Straße in KÖLN", "strass": "", "σίσυφος": "Ελλάς ΣΊΣΥΦΟΣ", "京タワ": "東京タワーへ行く",
		"ploym":     "deployment",
		"\u212aöln": "Straße in KÖLN", "мир": "Привет, МИР", "%": "50% off_now \\ 'x'", "_": "50% off_now \\ 'x'",
		"\\ 'X": "50% off_now \\ 'x'", "मस्": "नमस्ते",
		"ษาไ": "ภาษาไทย", "N CONT": "fields", "N SUMM": "fields", "N/K": "fields", "N CATEG": "",
		"n \"TAG\" É": "fields", "content in": "",
		"\\U0041": "fields", "plain\",": "", "plainin": "", "api": "", "a\x00": "", "\x00": "", "fieldsin": "",
	} {
		var got []string
		for _, id := range e.contains(e.person(), store.ContainsQuery{Text: text, Look: 100, Limit: 10}).IDs {
			m, err := e.get(e.person(), id, loci.LiveOnly)
			if err != nil {
				e.Fatal(err)
			}
			got = append(got, m.Title)
		}
		if strings.Join(got, "|") != want {
			e.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// testContainsLimits has exactly as many rows as it may look at, one more, and less.
func testContainsLimits(e *env) {
	var ids []loci.MemoryID // newest first
	for i := range 7 {
		m := e.insert(func(m *loci.Memory) { m.CreatedAt = m.CreatedAt.Add(time.Duration(i) * time.Minute) })
		ids = append([]loci.MemoryID{m.ID}, ids...)
		e.insert(func(m *loci.Memory) { m.UserID = e.addUser().ID })
	}
	for look := 1; look <= 9; look++ {
		for limit := 1; limit <= 9; limit++ {
			got := e.contains(e.person(), store.ContainsQuery{Text: "CONTENT", Look: look, Limit: limit})
			n := min(look, limit, len(ids))
			if !slices.Equal(got.IDs, ids[:n]) || got.More != (n < len(ids)) {
				e.Errorf("look %d, limit %d: %d, more %v; want the newest %d", look, limit, len(got.IDs), got.More, n)
			}
		}
	}
	if got := e.contains(e.person(), store.ContainsQuery{Text: "nothing", Look: 7, Limit: 1}); len(got.IDs) != 0 ||
		got.More {
		e.Errorf("nothing in all: %+v", got)
	}
	if got := e.contains(e.person(), store.ContainsQuery{Text: "nothing", Look: 6, Limit: 1}); len(got.IDs) != 0 ||
		!got.More {
		e.Errorf("nothing in some: %+v", got)
	}
	for _, q := range []store.ContainsQuery{{Text: "", Look: 1, Limit: 1}, {Text: "x", Limit: 1}, {Text: "x", Look: 1},
		{Text: "x", Look: 1, Limit: 1, Filter: store.Filter{Lifecycle: loci.TrashOnly, When: loci.When{Superseded: true}}}} {
		err := e.st.View(e.Context(), e.org,
			func(tx store.Tx) error { _, err := tx.Lists().Contains(e.Context(), e.person(), q); return err })
		e.wantCode(fmt.Sprintf("%+v", q), err, loci.Invalid)
	}
}

func (w *world) compareContains(ctx context.Context, tx store.Tx, v loci.Viewer) error {
	q := store.ContainsQuery{Filter: w.filter(),
		Text: draw(w.t, "text", "ED", "e", "ous", "K", "\u212a", "nothing", "d h"),
		Look: rapid.IntRange(1, 8).Draw(w.t, "look"), Limit: rapid.IntRange(1, 4).Draw(w.t, "limit")}
	want := contained(w.oldest(v, &q.Filter), &q)
	got, err := tx.Lists().Contains(ctx, v, q)
	w.differ("Contains", v, want, got)
	return err
}

// contained looks at memories, the oldest first, as the documentation of Contains says it.
func contained(all []*loci.Memory, q *store.ContainsQuery) store.Contained {
	all = slices.Clone(all)
	slices.Reverse(all)
	want := store.Contained{More: len(all) > q.Look}
	for _, m := range all[:min(q.Look, len(all))] {
		if !slices.ContainsFunc(append([]string{m.Title, m.Content, m.Summary, m.Key}, m.Tags...),
			func(s string) bool { return hasFold(s, q.Text) }) {
			continue
		}
		if len(want.IDs) == q.Limit {
			want.More = true
			break
		}
		want.IDs = append(want.IDs, m.ID)
	}
	return want
}

// hasFold says by the standard library whether text stands in s.
func hasFold(s, text string) bool {
	runes, n := []rune(s), len([]rune(text))
	for i := 0; i+n <= len(runes); i++ {
		if strings.EqualFold(string(runes[i:i+n]), text) {
			return true
		}
	}
	return false
}
