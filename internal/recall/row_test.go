package recall_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/recall"
)

var (
	asker   = loci.Viewer{OrgID: "o", UserID: loci.UserID{1}}
	askedOn = time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
)

func TestIndexRow(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return time.Date(2026, 3, n, 12, 0, 0, 0, time.UTC) }
	memory := func(change func(*loci.Memory)) *loci.Memory {
		m := &loci.Memory{ID: loci.MemoryID{7}, Title: "Day", Content: "We deploy.", CreatedAt: day(5), UpdatedAt: day(6)}
		change(m)
		return m
	}
	row := func(change func(*index.Row)) index.Row {
		r := index.Row{ID: [16]byte{7}, Time: day(5), Updated: day(6), Fields: []index.Field{{Text: "We deploy.", Weight: 1},
			{Text: "Day", Weight: 3, Name: true}}}
		change(&r)
		return r
	}
	session := loci.SessionID{9}
	for _, tt := range []struct {
		name string
		m    *loci.Memory
		want index.Row
	}{
		{"two fields", memory(func(*loci.Memory) {}), row(func(*index.Row) {})},
		{"all fields", memory(func(m *loci.Memory) {
			m.Summary, m.Key, m.Tags, m.Category = "s", "k", []string{"t", "u"}, "c"
		}), row(func(r *index.Row) {
			r.Fields = append(r.Fields, index.Field{Text: "s", Weight: 1.5}, index.Field{Text: "k", Weight: 3, Name: true},
				index.Field{Text: "t\nu", Weight: 2.5}, index.Field{Text: "c", Weight: 1})
		})},
		{"a title that is the first line", memory(func(m *loci.Memory) { m.Title, m.Content = "We  dep…", "We dep\nloy" }),
			row(func(r *index.Row) { r.Fields, r.Signs = []index.Field{{Text: "We dep\nloy", Weight: 1}}, "We  dep…" })},
		{"priority", memory(func(m *loci.Memory) { m.Pinned, m.Importance = true, 10 }),
			row(func(r *index.Row) { r.Priority = 26 })},
		{"true for longer than it is known", memory(func(m *loci.Memory) { m.ValidFrom = day(1) }),
			row(func(r *index.Row) { r.Time = day(1) })},
		{"true later", memory(func(m *loci.Memory) { m.ValidFrom = day(20) }),
			row(func(r *index.Row) { r.From = day(20) })},
		{"true until", memory(func(m *loci.Memory) { m.ValidTo = day(20) }),
			row(func(r *index.Row) { r.Until = day(20) })},
		{"expires before that", memory(func(m *loci.Memory) { m.ValidTo, m.ExpiresAt = day(20), day(19) }),
			row(func(r *index.Row) { r.Until = day(19) })},
		{"expires after that", memory(func(m *loci.Memory) { m.ValidTo, m.ExpiresAt = day(20), day(21) }),
			row(func(r *index.Row) { r.Until = day(20) })},
		{"a name outside of a session", memory(func(m *loci.Memory) { m.Content = "Ann: hi" }),
			row(func(r *index.Row) { r.Fields[0].Text = "Ann: hi" })},
		{"a name in a session", memory(func(m *loci.Memory) { m.SessionID, m.Content = session, "Ann: hi" }),
			row(func(r *index.Row) {
				r.Of, r.Actor, r.Fields[0].Text = session, "ann", "Ann: hi"
			})},
	} {
		tt.want.Class = recall.ClassOf(&tt.m.Access)
		if diff := cmp.Diff(tt.want, recall.IndexRow(tt.m)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestWhoSaidIt(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"Caroline: hi":                   "caroline",
		"José: hola":                     "jose",
		"Mary Ann O'Neil: hi":            "mary ann oneil",
		"李明：你好":                          "李 李明 明",
		"User: what?":                    "user",
		"Dr. Smith: hi":                  "dr smith",
		"https://example.com is it":      "",
		"Ann:hi":                         "",
		"Ann":                            "",
		"At 10: go":                      "",
		"One two three four: hi":         "",
		": hi":                           "",
		" : hi":                          "",
		"Ann, Bob: hi":                   "",
		strings.Repeat("a", 41) + ": hi": "",
		"Line\nAnn: hi":                  "",
	} {
		m := &loci.Memory{Content: content, SessionID: loci.SessionID{1}}
		if got := recall.IndexRow(m).Actor; got != want {
			t.Errorf("%q: got %q, want %q", content, got, want)
		}
	}
}

func drawAccess(t *rapid.T) loci.Access {
	n := rapid.IntRange(0, 3)
	scopes := rapid.SampledFrom([]loci.Scope{loci.ScopeGlobal, loci.ScopeProject, loci.ScopeAgent})
	vendors := rapid.SampledFrom([]loci.Vendor{"*", "claude", "cursor", ""})
	return loci.Access{
		OrgID:          loci.OrgID(rapid.SampledFrom([]string{"", "o", "p"}).Draw(t, "org")),
		UserID:         loci.UserID{byte(n.Draw(t, "user"))},
		WorkspaceID:    loci.WorkspaceID{byte(n.Draw(t, "workspace"))},
		Scope:          scopes.Draw(t, "scope"),
		ProjectID:      loci.ProjectID{byte(n.Draw(t, "project"))},
		AgentID:        loci.AgentID{byte(n.Draw(t, "agent"))},
		TeamID:         loci.TeamID{byte(n.Draw(t, "team"))},
		AllowedVendors: rapid.SliceOfN(vendors, 0, 3).Draw(t, "vendors"),
		Origin:         rapid.SampledFrom([]string{"cli", "claude"}).Draw(t, "origin"),
	}
}

func drawViewer(t *rapid.T) loci.Viewer {
	n := rapid.IntRange(0, 3)
	v := loci.Viewer{
		OrgID:        loci.OrgID(rapid.SampledFrom([]string{"", "o", "p"}).Draw(t, "viewer's org")),
		UserID:       loci.UserID{byte(n.Draw(t, "viewer"))},
		TeamID:       loci.TeamID{byte(n.Draw(t, "viewer's team"))},
		OnlyProjects: rapid.Bool().Draw(t, "only projects"),
		WorkspaceID:  loci.WorkspaceID{byte(n.Draw(t, "viewer's workspace"))},
		AgentID:      loci.AgentID{byte(n.Draw(t, "viewer's agent"))},
		Vendor:       rapid.SampledFrom([]loci.Vendor{"", "claude", "cursor"}).Draw(t, "vendor"),
	}
	for _, p := range rapid.SliceOfN(n, 0, 2).Draw(t, "projects") {
		v.ProjectIDs = append(v.ProjectIDs, loci.ProjectID{byte(p)})
	}
	return v
}

// The visibility of a class is that of its rows, whatever else a row has.
func TestClassesAreSeenLikeTheirRows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := drawViewer(t)
		sees := recall.Sees(v)
		for range 8 {
			a := drawAccess(t)
			class := recall.ClassOf(&a)
			for range 2 {
				if got, want := sees(class), v.Sees(&a, loci.LiveOnly, askedOn); got != want {
					t.Fatalf("%+v sees the class of %+v: %v, the row: %v", v, a, got, want)
				}
			}
			b := drawAccess(t)
			if recall.ClassOf(&b) == class && v.Sees(&a, loci.LiveOnly, askedOn) != v.Sees(&b, loci.LiveOnly, askedOn) {
				t.Fatalf("%+v sees one of %+v and %+v, which are of one class", v, a, b)
			}
		}
	})
}

func TestTheOrderOfVendorsMakesNoClass(t *testing.T) {
	t.Parallel()
	class := func(vendors ...loci.Vendor) index.Class {
		return recall.ClassOf(&loci.Access{OrgID: "o", AllowedVendors: vendors})
	}
	if class("claude", "cursor") != class("cursor", "claude", "cursor") {
		t.Error("the order of vendors makes another class")
	}
	if class("claude") == class("cursor") {
		t.Error("two vendors are one class")
	}
}

// A class that is damaged, or of another format, is visible to nobody.
func FuzzClassIsSeenOnlyIfWhole(f *testing.F) {
	whole := recall.ClassOf(&loci.Access{OrgID: "o", UserID: asker.UserID, Scope: loci.ScopeGlobal,
		AllowedVendors: []loci.Vendor{"claude", "cursor"}})
	for i := range len(whole) {
		f.Add(string(whole[:i]))
		f.Add(string(whole[:i]) + "\x01" + string(whole[i:]))
	}
	f.Add(string(whole))
	f.Fuzz(func(t *testing.T, class string) {
		if !recall.Sees(asker)(index.Class(class)) {
			return
		}
		const owner = 1
		if len(class) < owner+16 || loci.UserID([]byte(class[owner:owner+16])) != asker.UserID {
			t.Fatalf("sees %q", class)
		}
	})
}
