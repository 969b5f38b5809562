package memory

import (
	"testing"
	"time"

	"github.com/loci-memory/loci"
)

func TestChangeOf(t *testing.T) {
	t.Parallel()
	live, trashed := &loci.Memory{}, &loci.Memory{}
	trashed.DeletedAt = time.Unix(1, 0)
	for _, tt := range []struct {
		old, next *loci.Memory
		want      loci.Change
	}{{live, live, loci.Updated}, {live, trashed, loci.Trashed}, {trashed, live, loci.Restored},
		{trashed, trashed, loci.Updated}} {
		if got := changeOf(tt.old, tt.next); got != tt.want {
			t.Errorf("from %v to %v: got %s, want %s", tt.old.DeletedAt, tt.next.DeletedAt, got, tt.want)
		}
	}
}

func TestSelectionTarget(t *testing.T) {
	t.Parallel()
	s, c := loci.NewSessionID(), loci.NewCredentialID()
	for want, selection := range map[string]loci.UndoSelection{s.String(): {SessionID: s, CredentialID: c, Origin: "o"},
		c.String(): {CredentialID: c, Origin: "o"}, "o": {Origin: "o"}} {
		if got := selectionTarget(&selection); got != want {
			t.Errorf("%+v: got %s, want %s", selection, got, want)
		}
	}
}

func TestRegained(t *testing.T) {
	t.Parallel()
	of := func(scope loci.Scope, vendors ...loci.Vendor) *loci.Memory {
		m := &loci.Memory{}
		m.Scope, m.AllowedVendors = scope, vendors
		return m
	}
	trashed := of(loci.ScopeGlobal, "*")
	trashed.DeletedAt = time.Unix(1, 0)
	for name, tt := range map[string]struct {
		now, then *loci.Memory
		want      string
	}{
		"the same": {of(loci.ScopeGlobal, "claude"), of(loci.ScopeGlobal, "claude"), ""},
		"a vendor": {of(loci.ScopeGlobal, "claude"), of(loci.ScopeGlobal, "claude", "cursor"),
			"cursor can read it again"},
		"into the trash":        {of(loci.ScopeGlobal, "claude"), trashed, ""},
		"out of one agent":      {of(loci.ScopeAgent, "claude"), of(loci.ScopeGlobal, "claude"), "claude can read it again"},
		"of the agent, as then": {of(loci.ScopeAgent, "claude"), of(loci.ScopeAgent, "claude"), ""},
		"into one agent":        {of(loci.ScopeGlobal, "claude"), of(loci.ScopeAgent, "claude"), ""},
	} {
		if got := regained(tt.now, tt.then); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

// An undo moves a memory to the trash from now on, or leaves it there with its time. Only what returns from the trash
// must be in an open project.
func TestUndoTarget(t *testing.T) {
	t.Parallel()
	before, now := time.Unix(1, 0), time.Unix(9, 0)
	of := func(trashed time.Time, in byte) *loci.Memory {
		m := &loci.Memory{ID: loci.NewMemoryID()}
		m.UserID = loci.UserID{1}
		m.Title, m.Content, m.Scope, m.Version = "t", "c", loci.ScopeGlobal, 1
		m.AllowedVendors, m.DeletedAt, m.ProjectID = []loci.Vendor{loci.AnyVendor}, trashed, loci.ProjectID{in}
		m.SetDefaults()
		return m
	}
	live := time.Time{}
	u := &undo{now: now, open: map[loci.ProjectID]bool{{1}: true}}
	for name, tt := range map[string]struct {
		now, then *loci.Memory
		trashed   time.Time
		allowed   bool
	}{
		"did not exist":                            {of(live, 1), nil, now, true},
		"did not exist, and is in the trash":       {of(before, 1), nil, before, true},
		"live":                                     {of(live, 1), of(live, 1), live, true},
		"out of the trash":                         {of(before, 1), of(live, 1), live, true},
		"into the trash":                           {of(live, 1), of(before, 1), now, true},
		"in the trash":                             {of(before, 1), of(before, 1), before, true},
		"into an archived project":                 {of(live, 1), of(live, 2), live, false},
		"into the trash of an archived project":    {of(live, 1), of(before, 2), now, true},
		"without a project":                        {of(live, 1), of(live, 0), live, true},
		"in the trash, without a project any more": {of(before, 1), of(before, 0), before, true},
	} {
		m, _, reason := u.target(tt.now, tt.then)
		if (reason == "") != tt.allowed || m != nil && !m.DeletedAt.Equal(tt.trashed) {
			t.Errorf("%s: got %+v, %q; want allowed: %t, trashed at %s", name, m, reason, tt.allowed, tt.trashed)
		}
	}
}

// TestGoneFor requires that only the owner, in person, reads what is in the trash or has expired.
func TestGoneFor(t *testing.T) {
	t.Parallel()
	owner, now := loci.UserID{1}, time.Unix(9, 0)
	of := func(trashed, expires time.Time) *loci.Memory {
		m := &loci.Memory{}
		m.UserID, m.DeletedAt, m.ExpiresAt = owner, trashed, expires
		return m
	}
	for name, tt := range map[string]struct {
		m    *loci.Memory
		gone bool
	}{
		"live":         {of(time.Time{}, time.Time{}), false},
		"expires soon": {of(time.Time{}, now.Add(1)), false},
		"expires now":  {of(time.Time{}, now), true},
		"trashed":      {of(now, time.Time{}), true},
	} {
		for who, v := range map[string]loci.Viewer{"the owner": {UserID: owner}, "their assistant": {UserID: owner,
			Vendor: "claude"}, "another person": {UserID: loci.UserID{2}}} {
			want := tt.gone && who != "the owner"
			if got := goneFor(v, tt.m, now); got != want {
				t.Errorf("%s, for %s: got %t, want %t", name, who, got, want)
			}
		}
	}
}
