package loci_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
)

// TestSeesAt spells out by hand what another time shows; storetest holds the engines
// to the rule with random lives of memories.
func TestSeesAt(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC) }
	me, you := loci.NewUserID(), loci.NewUserID()
	here, there := loci.WorkspaceID{1}, loci.WorkspaceID{2}
	team := loci.TeamID{1}
	now := day(20)
	memory := func(change ...func(*loci.Memory)) *loci.Memory {
		m := &loci.Memory{CreatedAt: day(5),
			Access: loci.Access{OrgID: "o", UserID: me, Scope: loci.ScopeGlobal, AllowedVendors: []loci.Vendor{"*"}}}
		for _, c := range change {
			c(m)
		}
		return m
	}
	closed := func(m *loci.Memory) { m.AllowedVendors = []loci.Vendor{"cursor"} }
	trashed := func(m *loci.Memory) { m.DeletedAt = day(6) }
	expired := func(m *loci.Memory) { m.ExpiresAt = day(10) }
	toExpire := func(m *loci.Memory) { m.ExpiresAt = now.Add(time.Second) }
	superseded := func(m *loci.Memory) { m.SupersededBy, m.ValidTo = loci.NewMemoryID(), day(10) }
	sinceWhen := func(m *loci.Memory) { m.SupersededBy = loci.NewMemoryID() }
	valid := func(m *loci.Memory) { m.ValidFrom, m.ValidTo = day(2), day(10) }
	shared := func(m *loci.Memory) { m.TeamID = team }
	in := func(w loci.WorkspaceID) func(*loci.Memory) { return func(m *loci.Memory) { m.WorkspaceID = w } }
	person, claude := loci.Viewer{OrgID: "o", UserID: me}, loci.Viewer{OrgID: "o", UserID: me, Vendor: "claude"}
	friend, inHere := loci.Viewer{OrgID: "o", UserID: you, TeamID: team},
		loci.Viewer{OrgID: "o", UserID: me, WorkspaceID: here}
	known, asOf := func(n int) loci.When { return loci.When{KnownAt: day(n)} },
		func(n int) loci.When { return loci.When{AsOf: day(n)} }
	for _, tt := range []struct {
		name          string
		v             loci.Viewer
		then, current *loci.Memory
		w             loci.When
		want          bool
	}{
		{"known", person, memory(), memory(), known(5), true},
		{"known too early", person, memory(), memory(), known(4), false},
		{"nobody", loci.Viewer{}, memory(), memory(), known(5), false},
		{"closed since", claude, memory(), memory(closed), known(5), false},
		{"opened since", claude, memory(closed), memory(), known(5), false},
		{"shared since", friend, memory(), memory(shared), known(5), false},
		{"taken back", friend, memory(shared), memory(), known(5), false},
		{"trashed since", person, memory(), memory(trashed), known(5), true},
		{"trashed since, as an assistant", claude, memory(), memory(trashed), known(5), false},
		{"trashed since, as another", friend, memory(shared), memory(shared, trashed), known(5), false},
		{"expired since, as an assistant", claude, memory(expired), memory(expired), known(9), false},
		{"before it expired, as an assistant", claude, memory(expired), memory(expired), asOf(9), false},
		{"to expire, as an assistant", claude, memory(toExpire), memory(toExpire), known(9), true},
		{"expired since, as another", friend, memory(shared, expired), memory(shared, expired), known(9), false},
		{"trashed then", person, memory(trashed), memory(), known(7), false},
		{"in another workspace then", inHere, memory(in(there)), memory(in(here)), known(5), false},
		{"in another workspace now", inHere, memory(in(here)), memory(in(there)), known(5), false},
		{"from before workspaces", inHere, memory(), memory(in(here)), known(5), true},
		{"known before it expired", person, memory(expired), memory(expired), known(9), true},
		{"known when it expired", person, memory(expired), memory(expired), known(10), false},
		{"before it expired", person, memory(expired), memory(expired), asOf(9), true},
		{"before it expired, known later", person, memory(expired), memory(expired),
			loci.When{AsOf: day(9), KnownAt: day(15)}, true},
		{"after it expires, known earlier", person, memory(expired), memory(expired),
			loci.When{AsOf: day(15), KnownAt: day(9)}, false},
		{"expired, superseded too", person, memory(expired), memory(expired), loci.When{Superseded: true}, false},
		{"superseded since", person, memory(), memory(superseded), known(6), true},
		{"superseded then", person, memory(superseded), memory(superseded), known(12), false},
		{"superseded then, those too", person, memory(superseded), memory(superseded),
			loci.When{KnownAt: day(12), Superseded: true}, true},
		{"superseded, those too", person, memory(superseded), memory(superseded), loci.When{Superseded: true}, true},
		{"trashed, superseded too", person, memory(superseded, trashed), memory(superseded, trashed),
			loci.When{Superseded: true}, false},
		{"before it was superseded", person, memory(superseded), memory(superseded), asOf(9), true},
		{"when it was superseded", person, memory(superseded), memory(superseded), asOf(10), false},
		{"superseded nobody knows when", person, memory(sinceWhen), memory(sinceWhen), asOf(9), false},
		{"superseded nobody knows when, those too", person, memory(sinceWhen), memory(sinceWhen),
			loci.When{AsOf: day(9), Superseded: true}, true},
		{"valid before it was written", person, memory(valid), memory(valid), asOf(2), true},
		{"not yet valid", person, memory(valid), memory(valid), asOf(1), false},
		{"valid no more", person, memory(valid), memory(valid), asOf(10), false},
		{"valid no more, superseded too", person, memory(valid), memory(valid), loci.When{AsOf: day(10), Superseded: true},
			false},
		{"valid since it was written", person, memory(), memory(), asOf(5), true},
		{"not yet written", person, memory(), memory(), asOf(4), false},
	} {
		if got := tt.v.SeesAt(tt.then, tt.current, tt.w, now); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestSeesAtProperties relates other times to the present.
func TestSeesAtProperties(t *testing.T) {
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		moment := func(label string) time.Time {
			return start.Add(time.Duration(rapid.IntRange(0, 5).Draw(t, label)) * time.Hour)
		}
		maybe := func(label string) (at time.Time) {
			if rapid.Bool().Draw(t, label) {
				at = moment(label + " at")
			}
			return at
		}
		me := loci.NewUserID()
		v := loci.Viewer{OrgID: "o", UserID: me, Vendor: rapid.SampledFrom([]loci.Vendor{"", "a"}).Draw(t, "vendor")}
		m := &loci.Memory{CreatedAt: start, ValidFrom: maybe("from"), ValidTo: maybe("to")}
		m.Access = loci.Access{OrgID: "o", UserID: me,
			AllowedVendors: rapid.SampledFrom([][]loci.Vendor{{"*"}, {"b"}}).Draw(t, "vendors"),
			DeletedAt:      maybe("deleted"), ExpiresAt: maybe("expires")}
		if rapid.Bool().Draw(t, "superseded") {
			m.SupersededBy = loci.NewMemoryID()
		}
		now, asOf, known := moment("now"), moment("as of"), moment("known")
		if at, sees := v.SeesAt(m, m, loci.When{}, now), v.Sees(&m.Access, loci.LiveOnly, now); at != sees {
			t.Fatalf("in the present SeesAt says %v and Sees %v of %+v", at, sees, m)
		}
		both := loci.When{AsOf: asOf, KnownAt: known, Superseded: rapid.Bool().Draw(t, "superseded too")}
		alone := both
		alone.KnownAt = time.Time{}
		// What has gone is the owner's alone, so that assistants read less later than they did then.
		if later, before := v.SeesAt(m, m, both, now), v.SeesAt(m, m, alone, known); later != before && v.Vendor == "" ||
			later && !before && !now.Before(known) {
			t.Fatalf("%+v says %v, but what was asked then got %v of %+v", both, later, before, m)
		}
		both.AsOf, alone.AsOf = time.Time{}, time.Time{}
		if later, before := v.SeesAt(m, m, both, now), v.SeesAt(m, m, alone, known); later != before && v.Vendor == "" ||
			later && !before && !now.Before(known) {
			t.Fatalf("%+v says %v, but what was asked then got %v of %+v", both, later, before, m)
		}
		if any := v.SeesAt(m, m, both, now); any && !v.Sees(&m.Access, loci.AnyState, now) {
			t.Fatal("another time shows what no state shows")
		}
	})
}
