package gate_test

import (
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

func TestTwoTablesDoNotHaveTheSameAction(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	gate.Assemble(gate.Actions{"read": {}}, gate.Actions{"read": {}, "write": {}})
}

// TestAudit checks both ways to record: an action that changes nothing leaves its entry with Begin.
func TestAudit(t *testing.T) {
	ctx := t.Context()
	st, err := sqlite.Open(ctx, sqlite.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	org, _, err := st.Orgs().Ensure(ctx,
		loci.Org{ID: loci.DefaultOrg, Name: "default", OwnerID: loci.NewUserID(), CreatedAt: time.Now()}, loci.User{})
	if err != nil {
		t.Fatal(err)
	}
	p := loci.Principal{Kind: loci.KindUser, OrgID: org.ID, UserID: org.OwnerID, Origin: "api"}
	g := gate.New(gate.Options{Store: st, Actions: []gate.Actions{{
		"look":   {Kinds: gate.Everyone},
		"read":   {Kinds: gate.Everyone, Flags: gate.WithCall},
		"change": {Kinds: gate.Everyone, Flags: gate.WithChange},
	}}})
	for _, act := range []gate.Action{"look", "read", "change"} {
		if err := g.Begin(ctx, p, act); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Write(ctx, p, "change", func(store.Tx, *loci.AuditEntry) error { return nil }); err != nil {
		t.Fatal(err)
	}
	got := ""
	err = st.View(ctx, p.OrgID, func(tx store.Tx) error {
		rows, err := tx.Audit().List(ctx, store.AuditQuery{Limit: 10})
		for _, r := range rows {
			got += r.Action + " "
		}
		return err
	})
	if err != nil || got != "change read " {
		t.Errorf("the trail has %q, %v; want one change and one read", got, err)
	}
}

// TestProblemsComeAfterTheRefusal checks that a caller who may not perform an action gets no error about the input.
func TestProblemsComeAfterTheRefusal(t *testing.T) {
	ctx := t.Context()
	st, err := sqlite.Open(ctx, sqlite.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	g := gate.New(gate.Options{Store: st, Actions: []gate.Actions{{"look": {Kinds: gate.People}}}})
	bad := loci.FieldErrorf("limit", "must be from 1 to 10")
	for kind, want := range map[loci.Kind]loci.Code{loci.KindUser: loci.Invalid, loci.KindAgent: loci.Forbidden} {
		p := loci.Principal{Kind: kind, OrgID: loci.DefaultOrg, UserID: loci.NewUserID(), Origin: "api"}
		if got := loci.CodeOf(g.Begin(ctx, p, "look", nil, bad)); got != want {
			t.Errorf("%s: got %q, want %q", kind, got, want)
		}
	}
}
