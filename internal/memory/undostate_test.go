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
