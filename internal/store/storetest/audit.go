package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

func (e *env) audit(q store.AuditQuery) (list []store.AuditRow) {
	e.Helper()
	if q.Limit == 0 {
		q.Limit = 100
	}
	e.view(func(ctx context.Context, tx store.Tx) (err error) { list, err = tx.Audit().List(ctx, q); return err })
	return list
}

// targets is the short form of a trail: every entry of these tests has one.
func targets(list []store.AuditRow) (out []string) {
	for _, r := range list {
		out = append(out, r.Target)
	}
	return out
}

func (e *env) record(entries ...loci.AuditEntry) {
	e.Helper()
	e.update(func(ctx context.Context, tx store.Tx) error {
		for _, entry := range entries {
			if err := tx.Audit().Add(ctx, entry); err != nil {
				return err
			}
		}
		return nil
	})
}

func testAudit(e *env) {
	at := e.clock.now()
	full := loci.AuditEntry{At: at, Action: "memory.trash", Allowed: true, Kind: loci.KindAgent, Method: loci.ByOAuth,
		UserID: e.user,
		Vendor: "claude", CredentialID: loci.NewCredentialID(), Target: "0", Count: 7}
	other := loci.AuditEntry{At: at.Add(time.Minute), Action: "key.create", Kind: loci.KindUser, Method: loci.ByKey,
		UserID: loci.NewUserID(), Target: "1"}
	nobody := loci.AuditEntry{At: at.Add(2 * time.Minute), Action: "key.create", Allowed: true, Kind: loci.KindLocal,
		Method: loci.ByDisk, Target: "2"}
	early := loci.AuditEntry{At: at.Add(-time.Minute), Action: "memory.trash", Kind: loci.KindUser, Method: loci.BySignIn,
		UserID: e.user, Target: "3"}
	e.record(full, other)
	e.record(nobody, early)
	list := e.audit(store.AuditQuery{})
	var got []loci.AuditEntry
	for i, row := range list {
		got = append(got, row.AuditEntry)
		if row.Number < 1 || i > 0 && row.Number >= list[i-1].Number {
			e.Errorf("entry %d has number %d", i, row.Number)
		}
	}
	if diff := cmp.Diff([]loci.AuditEntry{early, nobody, other, full}, got); diff != "" {
		e.Errorf("the one added last first (-want +got):\n%s", diff)
	}
	for name, tt := range map[string]struct {
		q    store.AuditQuery
		want []string
	}{
		"user":     {store.AuditQuery{UserID: e.user}, []string{"3", "0"}},
		"nobody's": {store.AuditQuery{UserID: loci.NewUserID()}, nil},
		"action":   {store.AuditQuery{Action: "key.create"}, []string{"2", "1"}},
		"denied":   {store.AuditQuery{Denied: true}, []string{"3", "1"}},
		"from":     {store.AuditQuery{From: at.Add(time.Minute)}, []string{"2", "1"}},
		"to":       {store.AuditQuery{To: at.Add(time.Minute)}, []string{"3", "0"}},
		"between":  {store.AuditQuery{From: at, To: at.Add(time.Microsecond)}, []string{"0"}},
		"limit":    {store.AuditQuery{Limit: 3}, []string{"3", "2", "1"}},
		"before":   {store.AuditQuery{Before: list[1].Number, Limit: 1}, []string{"1"}},
		"the end":  {store.AuditQuery{Before: list[3].Number}, nil},
		"all": {store.AuditQuery{UserID: e.user, Action: "memory.trash", Denied: true, From: early.At, To: at,
			Before: list[0].Number + 1, Limit: 1}, []string{"3"}},
	} {
		if got := targets(e.audit(tt.q)); !slices.Equal(got, tt.want) {
			e.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	err := e.st.View(e.Context(), e.org,
		func(tx store.Tx) error { _, err := tx.Audit().List(e.Context(), store.AuditQuery{}); return err })
	e.wantCode("no limit", err, loci.Invalid)
}

// Pages put together are the whole, also while entries are added.
func testAuditPages(e *env) {
	for i := range 7 {
		e.record(loci.AuditEntry{At: e.clock.now(), Action: "query", Kind: loci.KindUser, Method: loci.ByKey,
			Target: fmt.Sprint(i)})
	}
	var got []string
	q := store.AuditQuery{Limit: 3}
	for {
		page := e.audit(q)
		if len(page) == 0 {
			break
		}
		got = append(got, targets(page)...)
		q.Before = page[len(page)-1].Number
		e.record(loci.AuditEntry{At: e.clock.now(), Action: "query", Kind: loci.KindUser, Method: loci.ByKey, Target: "new"})
	}
	if want := []string{"6", "5", "4", "3", "2", "1", "0"}; !slices.Equal(got, want) {
		e.Errorf("got %q, want %q", got, want)
	}
}

// testAuditReach reads what a person may see of the trail, by time, and demands that nothing shows how much they
// don't see.
func testAuditReach(e *env) {
	at, other := e.clock.now(), loci.NewUserID()
	add := func(user loci.UserID, action, target string, when time.Time) {
		e.record(loci.AuditEntry{At: when, Action: action, Allowed: true, Kind: loci.KindUser, Method: loci.ByKey,
			UserID: user, Target: target})
	}
	add(e.user, "memory.create", "own 1", at)
	add(other, "memory.create", "hidden", at)
	add(other, "org.change", "of the org", at)
	add(loci.UserID{}, "org.change", "by the operator", at.Add(time.Minute))
	for range 20 {
		add(other, "memory.create", "hidden", at)
	}
	add(e.user, "graph.write", "own, added late", at.Add(-time.Hour))
	read := func(r store.AuditReach, q store.AuditQuery) (got []string) {
		e.Helper()
		e.view(func(ctx context.Context, tx store.Tx) error {
			var after store.Position
			for {
				list, next, err := tx.Audit().Page(ctx, r, q, after)
				for _, entry := range list {
					got = append(got, entry.Target)
				}
				if err != nil || next == "" {
					return err
				}
				if len(list) != q.Limit {
					e.Errorf("a page of %d has %d", q.Limit, len(list))
				}
				after = next
			}
		})
		return got
	}
	reach := store.AuditReach{UserID: e.user, Actions: []string{"org.change", "org.set", "org.hold"}}
	own := []string{"own 1", "own, added late"}
	for limit := 1; limit < 6; limit++ {
		q := store.AuditQuery{Limit: limit}
		if got := read(store.AuditReach{UserID: e.user}, q); !slices.Equal(got, own) {
			e.Errorf("a person sees %q, want %q", got, own)
		}
		want := []string{"by the operator", "of the org", "own 1", "own, added late"}
		if got := read(reach, q); !slices.Equal(got, want) {
			e.Errorf("an admin sees %q, want %q", got, want)
		}
		q.Action, q.UserID = "org.change", other
		if got := read(reach, q); !slices.Equal(got, []string{"of the org"}) {
			e.Errorf("with filters, an admin sees %q", got)
		}
	}
	if got := read(store.AuditReach{UserID: loci.NewUserID()}, store.AuditQuery{Limit: 9}); len(got) > 0 {
		e.Errorf("a person who did nothing sees %q", got)
	}
	e.view(func(ctx context.Context, tx store.Tx) error {
		_, _, err := tx.Audit().Page(ctx, reach, store.AuditQuery{}, "")
		e.wantCode("no limit", err, loci.Invalid)
		list, _, err := tx.Audit().Page(ctx, reach, store.AuditQuery{Limit: 1}, "")
		if err != nil {
			return err
		}
		_, _, err = tx.Audit().Page(ctx, reach, store.AuditQuery{Limit: 1}, list[0].ID)
		e.wantCode("an id is no position", err, loci.Invalid)
		return nil
	})
}

func testAuditPurge(e *env) {
	for i := range 5 {
		e.record(loci.AuditEntry{At: e.clock.now().Add(time.Duration(i) * time.Minute), Action: "query", Kind: loci.KindUser,
			Method: loci.ByKey, Target: fmt.Sprint(i)})
	}
	last := e.audit(store.AuditQuery{Limit: 1})[0].Number
	then := e.clock.now().Add(3 * time.Minute) // exactly the time of one that stays
	for _, tt := range []struct {
		limit, want int
		left        []string
	}{{2, 2, []string{"4", "3", "2"}}, {2, 1, []string{"4", "3"}}, {2, 0, []string{"4", "3"}}} {
		e.update(func(ctx context.Context, tx store.Tx) error {
			n, err := tx.Audit().Purge(ctx, then, tt.limit)
			if n != tt.want {
				e.Errorf("purged %d, want %d", n, tt.want)
			}
			return err
		})
		if got := targets(e.audit(store.AuditQuery{})); !slices.Equal(got, tt.left) {
			e.Errorf("left %q, want %q", got, tt.left)
		}
	}
	// Numbers are not used again, so that a page's end means the same later.
	e.update(func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Audit().Purge(ctx, then.Add(time.Hour), 10)
		return err
	})
	e.record(loci.AuditEntry{At: then, Action: "query", Kind: loci.KindUser, Method: loci.ByKey})
	if got := e.audit(store.AuditQuery{})[0].Number; got <= last {
		e.Errorf("number %d was given before", got)
	}
}

// testGraphAudit records changes of a graph, which the trail of the org has after they are gathered, each once.
func testGraphAudit(e *env) {
	p := e.project("website")
	entry := loci.AuditEntry{At: e.clock.now(), Action: "graph.write", Allowed: true, Kind: loci.KindAgent,
		Method: loci.ByOAuth, UserID: e.user,
		Vendor: "claude", CredentialID: loci.NewCredentialID(), Count: 3}
	record := func(fail error) {
		e.Helper()
		err := e.tryGraph(p, func(ctx context.Context, tx store.GraphTx) error {
			if err := tx.Record(ctx, entry); err != nil {
				return err
			}
			return fail
		})
		if !errors.Is(err, fail) {
			e.Fatal(explain(err))
		}
	}
	gather := func() {
		e.Helper()
		if err := e.st.Projects().GatherAudit(e.Context(), e.org, p.ID); err != nil {
			e.Fatal(explain(err))
		}
	}
	want := func(what string, n int) {
		e.Helper()
		list := e.audit(store.AuditQuery{Action: "graph.write"})
		if len(list) != n {
			e.Fatalf("%s: the trail has %d entries, want %d", what, len(list), n)
		}
		made := entry
		made.Target = p.ID.String()
		for _, row := range list {
			if diff := cmp.Diff(made, row.AuditEntry); diff != "" {
				e.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
	}
	record(nil)
	record(errors.New("refused"))
	gather()
	gather()
	want("one change was made", 1)
	for range 3 {
		record(nil)
	}
	gather()
	want("four were made", 4)
	record(nil)
	if err := e.st.Projects().Archive(e.Context(), e.org, p.ID); err != nil {
		e.Fatal(explain(err))
	}
	want("it was archived", 5)
	e.wantCode("an archived project", e.st.Projects().GatherAudit(e.Context(), e.org, p.ID), loci.Conflict)
	if err := e.st.Projects().Restore(e.Context(), e.org, p.ID); err != nil {
		e.Fatal(explain(err))
	}
	record(nil)
	if err := e.st.Projects().Delete(e.Context(), e.org, p.ID); err != nil {
		e.Fatal(explain(err))
	}
	want("it was deleted", 6)
	e.wantCode("a deleted project", e.st.Projects().GatherAudit(e.Context(), e.org, p.ID), loci.NotFound)
}
