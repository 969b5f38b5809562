package storetest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// addDue stores a candidate of a person that is due from a time on.
func (e *env) addDue(user loci.UserID, name string, due time.Time, change ...func(*loci.Candidate)) {
	e.Helper()
	c := &loci.Candidate{ID: loci.CandidateID(loci.NewMemoryID()), Kind: loci.CandidateIdea, Title: name, Content: name,
		NextAttempt: due, EventAccess: loci.EventAccess{OrgID: e.org, UserID: user, Reach: loci.ReachPrivate,
			Origin:         "claude",
			AllowedVendors: []loci.Vendor{"*"}}}
	c.SetDefaults()
	for _, fn := range change {
		fn(c)
	}
	e.update(func(ctx context.Context, tx store.Tx) error { return tx.Candidates().Insert(ctx, c) })
}

func (e *env) progress() (p store.DreamProgress) {
	e.Helper()
	e.view(func(ctx context.Context, tx store.Tx) (err error) { p, err = tx.Dreams().Progress(ctx); return err })
	return p
}

func testDreams(e *env) {
	if p := e.progress(); p != (store.DreamProgress{}) {
		e.Errorf("before the first run: %+v", p)
	}
	run := &loci.Dream{ID: loci.NewDreamID(), State: loci.DreamRunning, RequestedBy: loci.DreamScheduled,
		StartedAt: e.clock.now(), Events: 3, LeftBy: map[string]int{"low_confidence": 2}}
	run.SetDefaults()
	want := store.DreamProgress{Holder: "x", Until: e.clock.now().Add(time.Minute), Run: run.ID, Events: "12",
		Behind: true,
		Older:  "7", Notes: 9}
	for range 2 { // the second replaces the first
		run.Promoted++
		loci.AddID(&run.PromotedIDs, loci.CandidateID{byte(run.Promoted)})
		e.update(func(ctx context.Context, tx store.Tx) error {
			if err := tx.Dreams().SetProgress(ctx, want); err != nil {
				return err
			}
			return tx.Dreams().Put(ctx, run)
		})
		want.Notes++
	}
	want.Notes--
	if diff := cmp.Diff(want, e.progress()); diff != "" {
		e.Errorf("progress (-want +got):\n%s", diff)
	}
	e.view(func(ctx context.Context, tx store.Tx) error {
		got, err := tx.Dreams().Get(ctx, run.ID)
		if diff := cmp.Diff(run, got); diff != "" || err != nil {
			e.Errorf("%v (-want +got):\n%s", explain(err), diff)
		}
		_, err = tx.Dreams().Get(ctx, loci.DreamID{1})
		e.wantCode("one that is not there", err, loci.NotFound)
		return nil
	})
}

func testDreamPages(e *env) {
	var want []string
	for i := range 5 {
		d := &loci.Dream{ID: loci.NewDreamID(), State: loci.DreamDone, RequestedBy: fmt.Sprint(i), StartedAt: e.clock.now()}
		d.SetDefaults()
		e.update(func(ctx context.Context, tx store.Tx) error { return tx.Dreams().Put(ctx, d) })
		want = append([]string{d.RequestedBy}, want...)
	}
	e.view(func(ctx context.Context, tx store.Tx) error {
		var got []string
		var after store.Position
		for first := true; first || after != ""; first = false {
			list, next, err := tx.Dreams().List(ctx, 2, after)
			if err != nil {
				return err
			}
			for _, d := range list {
				got = append(got, d.RequestedBy)
			}
			after = next
		}
		if !slices.Equal(got, want) {
			e.Errorf("got %q, want %q", got, want)
		}
		_, _, err := tx.Dreams().List(ctx, 1, "x")
		e.wantCode("nonsense", err, loci.Invalid)
		_, _, err = tx.Dreams().List(ctx, 0, "")
		e.wantCode("no limit", err, loci.Invalid)
		return nil
	})
}

// The longest waiting candidate of each person comes before the second of anybody.
func testDueCandidates(e *env) {
	now, other := e.clock.now(), e.addUser().ID
	for i := range 4 {
		e.addDue(e.user, fmt.Sprint("a", i), now.Add(time.Duration(i)*time.Second))
	}
	e.addDue(other, "b0", now.Add(9*time.Second))
	e.addDue(other, "b1", now.Add(9*time.Second))
	e.addDue(other, "later", now.Add(time.Hour))
	for _, s := range []loci.ReviewState{loci.ReviewPromoted, loci.ReviewRejected, loci.ReviewArchived} {
		e.addDue(other, string(s), now, func(c *loci.Candidate) { c.State = s })
	}
	e.addDue(other, "deferred", now, func(c *loci.Candidate) {
		c.State, c.DeferredTo = loci.ReviewDeferred, now.Add(10*time.Second)
	})
	for limit, want := range map[int]string{3: "[a0 b0 a1]", 100: "[a0 b0 a1 b1 a2 deferred a3]"} {
		e.view(func(ctx context.Context, tx store.Tx) error {
			list, err := tx.Candidates().Due(ctx, now.Add(time.Minute), limit)
			var got []string
			for _, c := range list {
				got = append(got, c.Title)
			}
			if fmt.Sprint(got) != want {
				e.Errorf("%d are %v, want %s", limit, got, want)
			}
			return err
		})
	}
}

func testInsertNew(e *env) {
	e.addDue(e.user, "first", e.clock.now(), func(c *loci.Candidate) { c.ID = loci.CandidateID{1} })
	e.update(func(ctx context.Context, tx store.Tx) error {
		for id, want := range map[byte]bool{1: false, 2: true} {
			c := &loci.Candidate{ID: loci.CandidateID{id}, Kind: loci.CandidateIdea, Title: "second", Content: "second",
				EventAccess: loci.EventAccess{OrgID: e.org, UserID: e.user, Reach: loci.ReachPrivate, Origin: "claude",
					AllowedVendors: []loci.Vendor{"*"}}}
			c.SetDefaults()
			added, err := tx.Candidates().InsertNew(ctx, c)
			if added != want || err != nil {
				e.Errorf("%d: %v, %v", id, added, explain(err))
			}
		}
		c, err := tx.Candidates().Get(ctx, e.person(), loci.CandidateID{1})
		if err == nil && c.Title != "first" {
			e.Errorf("it is %q now", c.Title)
		}
		return err
	})
}

// Notes are unread while no candidate comes from them.
func testUnreadNotes(e *env) {
	var ids []loci.ReflectionID
	for i := range 5 {
		n := &loci.Reflection{ID: loci.ReflectionID{byte(i + 1)}, Title: fmt.Sprint(i), CreatedAt: e.clock.now(),
			EventAccess: loci.EventAccess{OrgID: e.org, UserID: e.user, Reach: loci.ReachPrivate, Origin: "api",
				AllowedVendors: []loci.Vendor{"*"}}}
		ids = append(ids, n.ID)
		e.update(func(ctx context.Context, tx store.Tx) error { return tx.Reflections().Insert(ctx, n) })
	}
	e.addDue(e.user, "of the second", e.clock.now(), func(c *loci.Candidate) { c.SourceID = ids[1] })
	e.view(func(ctx context.Context, tx store.Tx) error {
		var got []string
		var after int64
		for {
			list, last, err := tx.Reflections().Unread(ctx, after, 2)
			if err != nil {
				return err
			}
			for _, n := range list {
				got = append(got, n.Title)
			}
			if last == after {
				break
			}
			after = last
		}
		if fmt.Sprint(got) != "[0 2 3 4]" {
			e.Errorf("unread: %v", got)
		}
		return nil
	})
}
