package storetest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// wantPerson demands that the directory leads from the address and the id to
// the user, or to nobody.
func (e *env) wantPerson(u loci.User, there bool) {
	e.Helper()
	want := loci.Person{UserID: u.ID, OrgID: u.OrgID, Email: u.Email}
	byID, err := e.st.People().ByID(e.Context(), u.ID)
	byEmail, err2 := e.st.People().ByEmail(e.Context(), u.Email)
	if !there {
		e.wantCode("ByID", err, loci.NotFound)
		if err2 == nil && byEmail.UserID == u.ID || err2 != nil && loci.CodeOf(err2) != loci.NotFound {
			e.Errorf("ByEmail: %+v, %v; want somebody else or nobody", byEmail, err2)
		}
		return
	}
	if err := errors.Join(err, err2); err != nil || byID != want || byEmail != want {
		e.Errorf("ByID %+v, ByEmail %+v, %v; want %+v", byID, byEmail, err, want)
	}
}

func testPeople(e *env) {
	ctx, people := e.Context(), e.st.People()
	e.ensure("other", loci.NewUserID())
	a := e.addUser(func(u *loci.User) { u.Email = "a@example.com" })
	e.wantPerson(a, true)
	if got, err := e.getUser(a.ID); err != nil || got != a {
		e.Errorf("got %+v, %v, want %+v", got, err, a)
	}
	taken := e.newUser(func(u *loci.User) { u.Email = a.Email })
	e.wantCode("an address that is taken", people.Add(ctx, taken, nil), loci.Conflict)
	taken.OrgID = "other"
	e.wantCode("an address that is taken in another org", people.Add(ctx, taken, nil), loci.Conflict)
	e.wantPerson(taken, false)
	taken.OrgID, taken.Email = "absent", "b@example.com"
	e.wantCode("an unknown org", people.Add(ctx, taken, nil), loci.NotFound)
	e.wantCode("a taken id", people.Add(ctx, e.newUser(func(u *loci.User) { u.ID = a.ID }), nil), loci.Conflict)
	e.wantPerson(a, true)

	team := e.addTeam("team")
	stop := loci.Errorf(loci.Invalid, "stop")
	u := e.newUser()
	then := func(tx store.Tx) error {
		if _, err := tx.Users().Get(ctx, u.ID); err != nil {
			return err
		}
		return errors.Join(tx.Teams().Rename(ctx, team.ID, "renamed"), stop)
	}
	e.wantCode("then failed", people.Add(ctx, u, then), loci.Invalid)
	e.wantPerson(u, false)
	e.view(func(ctx context.Context, tx store.Tx) error {
		if got, err := tx.Teams().Get(ctx, team.ID); err != nil || got != team {
			e.Errorf("what then did stands: %+v, %v", got, err)
		}
		return nil
	})
	stop = nil
	if err := people.Add(ctx, u, then); err != nil {
		e.Errorf("Add again: %v", explain(err))
	}
	e.wantPerson(u, true)
	_, err := people.ByEmail(ctx, "")
	e.wantCode("no address", err, loci.NotFound)
}

// Of several that add one address at once, in different orgs, one wins.
func testPeopleConcurrent(e *env) {
	e.ensure("other", loci.NewUserID())
	const n = 8
	users, results := make([]loci.User, n), make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		users[i] = e.newUser(func(u *loci.User) { u.Email = "one@example.com" })
		if i%2 == 1 {
			users[i].OrgID = "other"
		}
		wg.Go(func() { results[i] = e.st.People().Add(e.Context(), users[i], nil) })
	}
	wg.Wait()
	won := 0
	for i, err := range results {
		e.wantPerson(users[i], err == nil)
		if err == nil {
			won++
		} else {
			e.wantCode("a loser", err, loci.Conflict)
		}
	}
	if won != 1 {
		e.Errorf("%d won, want 1", won)
	}
}

func testSetEmail(e *env) {
	ctx, people := e.Context(), e.st.People()
	a, b := e.addUser(), e.addUser()
	e.wantCode("an address that is taken", people.SetEmail(ctx, e.org, a.ID, b.Email), loci.Conflict)
	e.wantCode("of nobody", people.SetEmail(ctx, e.org, loci.NewUserID(), "x@example.com"), loci.NotFound)
	e.wantCode("in another org", people.SetEmail(ctx, "absent", a.ID, "x@example.com"), loci.NotFound)
	old := a
	for range 2 {
		a.Email = "new@example.com"
		if err := people.SetEmail(ctx, e.org, a.ID, a.Email); err != nil {
			e.Fatal(explain(err))
		}
		e.wantPerson(a, true)
		if got, err := e.getUser(a.ID); err != nil || got != a {
			e.Errorf("got %+v, %v, want %+v", got, err, a)
		}
	}
	if _, err := people.ByEmail(ctx, old.Email); loci.CodeOf(err) != loci.NotFound {
		e.Errorf("the address before: %v", err)
	}
	if err := people.SetEmail(ctx, e.org, b.ID, old.Email); err != nil {
		e.Errorf("an address that is free again: %v", err)
	}
	owner := loci.User{ID: e.user, OrgID: e.org, Email: "owner@example.com"}
	if err := people.SetEmail(ctx, e.org, e.user, owner.Email); err != nil {
		e.Error(err)
	}
	e.wantPerson(owner, true)
	if err := people.SetEmail(ctx, e.org, e.user, ""); err != nil {
		e.Error(err)
	}
	if _, err := people.ByEmail(ctx, owner.Email); loci.CodeOf(err) != loci.NotFound {
		e.Errorf("an address that was removed: %v", err)
	}
}

func testRemovePerson(e *env) {
	ctx, people := e.Context(), e.st.People()
	u, stays := e.addUser(), e.addUser()
	of := func(id loci.UserID) func(*loci.Memory) { return func(m *loci.Memory) { m.UserID = id } }
	for range 3 {
		m := e.insert(of(u.ID))
		e.trash(e.replace(m))
	}
	kept := e.insert(of(stays.ID))
	mine := e.insertCredential(1, func(c *loci.Credential) { c.UserID = u.ID })
	theirs := e.insertCredential(2, func(c *loci.Credential) { c.UserID = stays.ID })
	o := newFlow(e, u.ID)
	o.allow(1)
	if _, err := o.redeem(1, 1); err != nil {
		e.Fatal(explain(err))
	}
	e.wantCode("the owner", people.Remove(ctx, e.org, e.user, nil), loci.Conflict)
	e.wantCode("nobody", people.Remove(ctx, e.org, loci.NewUserID(), nil), loci.NotFound)
	e.wantCode("in another org", people.Remove(ctx, "absent", u.ID, nil), loci.NotFound)
	stop := loci.Errorf(loci.Unavailable, "stop")
	e.wantCode("then failed", people.Remove(ctx, e.org, u.ID, func(store.Tx) error { return stop }), loci.Unavailable)
	e.wantPerson(u, false)
	if got, err := e.st.Credentials().ByHash(ctx, mine.Hash); err == nil && got.Usable(e.clock.now()) {
		e.Error("an interrupted removal left a usable key")
	}
	ran := 0
	if err := people.Remove(ctx, e.org, u.ID, func(store.Tx) error { ran++; return nil }); err != nil || ran == 0 {
		e.Errorf("Remove again: %v, then ran %d times", explain(err), ran)
	}
	e.wantPerson(u, false)
	_, err := e.st.Credentials().ByHash(ctx, mine.Hash)
	e.wantCode("their key", err, loci.NotFound)
	if list, err := e.st.OAuth().Grants(ctx, e.org, u.ID); err != nil || len(list) != 0 {
		e.Errorf("their grants: %v, %v", list, err)
	}
	e.wantPerson(stays, true)
	if _, err := e.st.Credentials().ByHash(ctx, theirs.Hash); err != nil {
		e.Errorf("another's key: %v", err)
	}
	page := e.list(loci.Viewer{OrgID: e.org, UserID: u.ID},
		store.ListQuery{Filter: store.Filter{Lifecycle: loci.AnyState}})
	if len(page.Memories) != 0 {
		e.Errorf("%d of their memories are left", len(page.Memories))
	}
	if _, err := e.get(loci.Viewer{OrgID: e.org, UserID: stays.ID}, kept.ID, loci.LiveOnly); err != nil {
		e.Errorf("another's memory: %v", err)
	}
	e.check()
	again := e.newUser(func(n *loci.User) { n.Email = u.Email })
	if err := people.Add(ctx, again, nil); err != nil {
		e.Errorf("the address is not free: %v", err)
	}
}

func testInvitations(e *env) {
	ctx, people, now := e.Context(), e.st.People(), e.clock.now()
	invite := func(n byte, life time.Duration) loci.Invite {
		i := loci.Invite{ID: loci.NewInviteID(), Email: "new@example.com", OrgRole: loci.Member, InvitedBy: e.user,
			State:     loci.InvitePending,
			CreatedAt: now.Add(time.Duration(n) * time.Second), ExpiresAt: now.Add(life), Hash: [32]byte{n}}
		e.update(func(ctx context.Context, tx store.Tx) error { return tx.Teams().Invite(ctx, i) })
		return i
	}
	first := invite(1, time.Hour)
	_, _, err := people.Invited(ctx, first.Hash)
	e.wantCode("one that is not announced", err, loci.NotFound)
	e.wantCode("in no org", people.Announce(ctx, "absent", first), loci.NotFound)
	second := invite(2, 2*time.Hour) // which revokes the first
	for _, i := range []loci.Invite{first, second} {
		if err := people.Announce(ctx, e.org, i); err != nil {
			e.Fatal(explain(err))
		}
	}
	first.State = loci.InviteRevoked
	for _, want := range []loci.Invite{first, second} {
		org, got, err := people.Invited(ctx, want.Hash)
		if diff := cmp.Diff(want, got); diff != "" || err != nil || org != e.org {
			e.Errorf("Invited: %s, %v (-want +got):\n%s", org, err, diff)
		}
	}
	org, got, err := people.InvitedEmail(ctx, second.Email, now)
	if diff := cmp.Diff(second, got); diff != "" || err != nil || org != e.org {
		e.Errorf("InvitedEmail: %s, %v (-want +got):\n%s", org, err, diff)
	}
	_, _, err = people.InvitedEmail(ctx, "other@example.com", now)
	e.wantCode("another address", err, loci.NotFound)
	_, _, err = people.InvitedEmail(ctx, second.Email, second.ExpiresAt)
	e.wantCode("one that has expired", err, loci.NotFound)
	e.update(func(ctx context.Context, tx store.Tx) error {
		return tx.Teams().Settle(ctx, second.ID, loci.InviteAccepted)
	})
	_, _, err = people.InvitedEmail(ctx, second.Email, now)
	e.wantCode("one that was accepted", err, loci.NotFound)
}
