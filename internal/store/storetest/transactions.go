package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

func testTenancy(e *env) {
	mine := e.insert(titled("mine"))
	there := *e
	there.org, there.user = "other", loci.NewUserID()
	e.ensure(there.org, there.user)
	theirs := there.insert(titled("theirs"), func(m *loci.Memory) { m.ID = mine.ID })
	if got, err := e.get(e.person(), mine.ID, loci.LiveOnly); err != nil || got.Title != "mine" || got.OrgID != e.org {
		e.Errorf("in the first org: %v, %v", got, err)
	}
	if got, err := there.get(there.person(), theirs.ID, loci.LiveOnly); err != nil || got.Title != "theirs" ||
		got.OrgID != "other" {
		e.Errorf("in the second org: %v, %v", got, err)
	}
	// A viewer of one org sees nothing in a transaction on the other, even under the owner's id.
	stranger := loci.Viewer{OrgID: e.org, UserID: there.user}
	_, err := there.get(stranger, theirs.ID, loci.AnyState)
	there.wantCode("Get across orgs", err, loci.NotFound)
	if page := there.list(stranger, store.ListQuery{Total: true}); len(page.Memories) != 0 || page.Total != 0 {
		e.Errorf("List across orgs: %+v", page)
	}
	if found := there.containing(stranger, store.Filter{}, "content"); len(found) != 0 {
		e.Errorf("Contains across orgs: %+v", found)
	}
	there.view(func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Users().Get(ctx, e.user)
		e.wantCode("a user across orgs", err, loci.NotFound)
		return nil
	})
}

func testUnknownOrg(e *env) {
	for name, tt := range map[string]struct {
		org  loci.OrgID
		want loci.Code
	}{"absent": {"absent", loci.NotFound}, "empty": {"", loci.Invalid}, "path": {"../default", loci.Invalid}} {
		fn := func(store.Tx) error { e.Errorf("%s: the function ran", name); return nil }
		e.wantCode("View "+name, e.st.View(e.Context(), tt.org, fn), tt.want)
		e.wantCode("Update "+name, e.st.Update(e.Context(), tt.org, fn), tt.want)
	}
}

func testRollback(e *env) {
	m := e.insert(titled("before"))
	stop := errors.New("stop")
	err := e.tryUpdate(func(ctx context.Context, tx store.Tx) error {
		if err := tx.Memories().Insert(ctx, e.memory(titled("new"))); err != nil {
			return err
		}
		if err := tx.Memories().Replace(ctx, edited(m, e.clock.now(), titled("after"))); err != nil {
			return err
		}
		if err := tx.Teams().Insert(ctx,
			loci.Team{ID: loci.NewTeamID(), Name: "team", CreatedAt: e.clock.now()}); err != nil {
			return err
		}
		return stop
	})
	if !errors.Is(err, stop) {
		e.Errorf("got %v, want the function's own error", err)
	}
	if page := e.list(e.person(), store.ListQuery{Total: true}); page.Total != 1 || page.Memories[0].Title != "before" {
		e.Errorf("after the rollback: %d, %q", page.Total, titles(page.Memories))
	}
	if old, err := e.versions(e.person(), m.ID, loci.LiveOnly, 0, 10); err != nil || len(old) != 0 {
		e.Errorf("versions after the rollback: %q, %v", old, err)
	}
	e.addTeam("team") // its name is free
	e.check()
	ctx, cancel := context.WithCancel(e.Context())
	cancel()
	err = e.st.Update(ctx, e.org, func(tx store.Tx) error { return tx.Memories().Insert(ctx, e.memory()) })
	if !errors.Is(err, context.Canceled) {
		e.Errorf("Update when cancelled: %v", err)
	}
	if got := len(e.list(e.person(), store.ListQuery{}).Memories); got != 1 {
		e.Errorf("a cancelled Update wrote: %d rows", got)
	}
}

func testSnapshot(e *env) {
	e.insert(titled("a"))
	e.view(func(ctx context.Context, tx store.Tx) error {
		before, err := tx.Lists().List(ctx, e.person(), store.ListQuery{Limit: 10, Total: true})
		if err != nil {
			return err
		}
		e.insert(titled("b"))
		after, err := tx.Lists().List(ctx, e.person(), store.ListQuery{Limit: 10, Total: true})
		if len(before.Memories) != 1 || len(after.Memories) != 1 || after.Total != 1 {
			e.Errorf("one View saw %q and then %q", titles(before.Memories), titles(after.Memories))
		}
		return err
	})
	if got := len(e.list(e.person(), store.ListQuery{}).Memories); got != 2 {
		e.Errorf("the next View sees %d rows, want 2", got)
	}
}

func testUpdateSeesItsWrites(e *env) {
	e.update(func(ctx context.Context, tx store.Tx) error {
		m := e.memory(func(m *loci.Memory) { m.Content, m.Tags = "zebra", []string{"t"} })
		if err := tx.Memories().Insert(ctx, m); err != nil {
			return err
		}
		if _, err := tx.Memories().Get(ctx, e.person(), m.ID, loci.LiveOnly); err != nil {
			return err
		}
		page, err := tx.Lists().List(ctx, e.person(), store.ListQuery{Limit: 1, Filter: store.Filter{Tags: []string{"t"}}})
		if err != nil || len(page.Memories) != 1 {
			e.Errorf("List in the same Update: %d, %v", len(page.Memories), err)
		}
		return err
	})
}

func testConcurrentInserts(e *env) {
	const writers, each = 16, 20
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				m := e.memory(titled(fmt.Sprint(w, " ", i)))
				err := e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.Memories().Insert(ctx, m) })
				if err != nil {
					e.Errorf("writer %d: %v", w, explain(err))
				}
				if _, err := e.get(e.person(), m.ID, loci.LiveOnly); err != nil {
					e.Errorf("writer %d does not find what it was told is stored: %v", w, err)
				}
			}
		})
	}
	wg.Wait()
	if page := e.list(e.person(), store.ListQuery{Limit: 1000, Total: true}); page.Total != writers*each ||
		len(page.Memories) != page.Total {
		e.Errorf("%d listed, %d counted, want %d", len(page.Memories), page.Total, writers*each)
	}
	e.check()
}

// Of those who replace the same version at once, exactly one succeeds.
func testConcurrentReplace(e *env) {
	m := e.insert()
	const writers = 8
	results := make([]error, writers)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			next := edited(m, e.clock.now(), titled(fmt.Sprint(w)))
			results[w] = e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.Memories().Replace(ctx, next) })
		})
	}
	wg.Wait()
	won := 0
	for _, err := range results {
		if err == nil {
			won++
		} else {
			e.wantCode("a loser", err, loci.Conflict)
		}
	}
	if won != 1 {
		e.Errorf("%d succeeded, want 1", won)
	}
}
