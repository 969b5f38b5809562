package storetest

import (
	"context"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// newUser returns a member of the org, not yet stored.
func (e *env) newUser(change ...func(*loci.User)) loci.User {
	u := loci.User{ID: loci.NewUserID(), OrgID: e.org, Name: "Ada", Role: loci.RoleUser, OrgRole: loci.Member,
		CreatedAt: e.clock.now()}
	u.Email = strings.ToLower(u.ID.String()) + "@example.com"
	for _, c := range change {
		c(&u)
	}
	return u
}

// addUser stores what newUser returns.
func (e *env) addUser(change ...func(*loci.User)) loci.User {
	e.Helper()
	u := e.newUser(change...)
	if err := e.st.People().Add(e.Context(), u, nil); err != nil {
		e.Fatal(explain(err))
	}
	return u
}

func (e *env) getUser(id loci.UserID) (u loci.User, err error) {
	err = e.st.View(e.Context(), e.org, func(tx store.Tx) error { u, err = tx.Users().Get(e.Context(), id); return err })
	return u, err
}

func (e *env) updateUser(u loci.User) error {
	return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.Users().Update(ctx, u) })
}

func testUsers(e *env) {
	owner, err := e.getUser(e.user)
	want := loci.User{ID: e.user, OrgID: e.org, Role: loci.RoleUser, OrgRole: loci.MemberOwner, CreatedAt: e.clock.now()}
	if diff := cmp.Diff(want, owner); diff != "" || err != nil {
		e.Errorf("the owner: %v (-want +got):\n%s", err, diff)
	}
	team := e.addTeam("Platform")
	a := e.addUser()
	for _, change := range []func(*loci.User){
		func(*loci.User) {},
		func(u *loci.User) { u.Name, u.Role, u.OrgRole = "Mara", loci.RoleAdmin, loci.MemberAdmin },
		func(u *loci.User) { u.TeamID, u.TeamRole, u.Role = team.ID, loci.MemberOwner, loci.RolePrivateAlpha },
		func(u *loci.User) { u.Disabled = true },
		func(u *loci.User) { u.Disabled, u.TeamID, u.TeamRole = false, loci.TeamID{}, "" },
	} {
		change(&a)
		offered := a
		offered.Email, offered.CreatedAt = "other@example.com", a.CreatedAt.AddDate(1, 0, 0) // which Update leaves alone
		if err := e.updateUser(offered); err != nil {
			e.Fatal(explain(err))
		}
		if got, err := e.getUser(a.ID); err != nil || got != a {
			e.Errorf("got %+v, %v, want %+v", got, err, a)
		}
	}
	e.wantCode("Update of nobody", e.updateUser(e.newUser()), loci.NotFound)
	_, err = e.getUser(loci.NewUserID())
	e.wantCode("Get of nobody", err, loci.NotFound)
	lost := a
	lost.TeamID, lost.TeamRole = loci.NewTeamID(), loci.Member
	e.wantCode("Update into no team", e.updateUser(lost), loci.NotFound)
	lost = a
	lost.OrgID = "other"
	e.wantCode("Update of another org's user", e.updateUser(lost), loci.Invalid)
	if got, err := e.getUser(a.ID); err != nil || got != a {
		e.Errorf("after what was refused: %+v, %v, want %+v", got, err, a)
	}
}

func testUsersList(e *env) {
	all := []loci.UserID{e.user}
	for range 4 {
		all = append(all, e.addUser().ID)
	}
	slices.SortFunc(all, func(a, b loci.UserID) int { return strings.Compare(a.String(), b.String()) })
	var got []loci.UserID
	e.view(func(ctx context.Context, tx store.Tx) error {
		var after loci.UserID
		for range 10 {
			page, err := tx.Users().List(ctx, after, 2)
			if err != nil || len(page) == 0 {
				return err
			}
			if len(page) > 2 {
				e.Errorf("a page of %d", len(page))
			}
			for _, u := range page {
				got = append(got, u.ID)
				after = u.ID
			}
		}
		return nil
	})
	if !slices.Equal(got, all) {
		e.Errorf("got %v, want %v", got, all)
	}
}

func testUsersOfTeam(e *env) {
	one, two := e.addTeam("one"), e.addTeam("two")
	in := func(team loci.TeamID) func(*loci.User) {
		return func(u *loci.User) { u.TeamID, u.TeamRole = team, loci.Member }
	}
	a, b, c := e.addUser(in(one.ID)), e.addUser(in(two.ID)), e.addUser(in(one.ID))
	e.addUser()
	for id, want := range map[loci.TeamID][]loci.User{one.ID: {a, c}, two.ID: {b}, loci.NewTeamID(): nil, {}: nil} {
		slices.SortFunc(want, func(a, b loci.User) int { return strings.Compare(a.ID.String(), b.ID.String()) })
		e.view(func(ctx context.Context, tx store.Tx) error {
			got, err := tx.Users().Team(ctx, id)
			if diff := cmp.Diff(want, got); diff != "" {
				e.Errorf("team %s (-want +got):\n%s", id, diff)
			}
			return err
		})
	}
}

func testOwners(e *env) {
	check := func(want int) {
		e.Helper()
		e.view(func(ctx context.Context, tx store.Tx) error {
			got, err := tx.Users().Owners(ctx)
			if got != want {
				e.Errorf("%d owners, want %d", got, want)
			}
			return err
		})
	}
	check(1)
	u := e.addUser(func(u *loci.User) { u.OrgRole = loci.MemberAdmin })
	check(1)
	for _, step := range []struct {
		change func(*loci.User)
		want   int
	}{
		{func(u *loci.User) { u.OrgRole = loci.MemberOwner }, 2},
		{func(u *loci.User) { u.Disabled = true }, 1},
		{func(u *loci.User) { u.Disabled = false }, 2},
		{func(u *loci.User) { u.OrgRole = loci.Member }, 1},
	} {
		step.change(&u)
		if err := e.updateUser(u); err != nil {
			e.Fatal(err)
		}
		check(step.want)
	}
}

// Who is being made is nobody until they are made: nowhere, and not for what
// another would store for them.
func testUnfinishedUsers(e *env) {
	team, space := e.addTeam("team"), e.addWorkspace("space")
	u := e.newUser(func(u *loci.User) { u.TeamID, u.TeamRole, u.OrgRole = team.ID, loci.Member, loci.MemberOwner })
	failed := loci.Errorf(loci.Invalid, "stop")
	err := e.st.People().Add(e.Context(), u, func(store.Tx) error { return failed })
	e.wantCode("Add that failed", err, loci.Invalid)
	_, err = e.getUser(u.ID)
	e.wantCode("Get", err, loci.NotFound)
	e.wantCode("Update", e.updateUser(u), loci.NotFound)
	for name, fn := range map[string]func(context.Context, store.Tx) error{
		"Join": func(ctx context.Context, tx store.Tx) error { return tx.Workspaces().Join(ctx, space.ID, u.ID) },
		"SetPassword": func(ctx context.Context, tx store.Tx) error {
			return tx.SignIn().SetPassword(ctx, u.ID, encodedPassword)
		},
		"PutPasskey": func(ctx context.Context, tx store.Tx) error { return tx.SignIn().PutPasskey(ctx, u.ID, e.passkey(1)) },
		"Insert": func(ctx context.Context, tx store.Tx) error {
			return tx.Memories().Insert(ctx, e.memory(func(m *loci.Memory) { m.UserID = u.ID }))
		},
	} {
		e.wantCode(name, e.tryUpdate(fn), loci.NotFound)
	}
	e.view(func(ctx context.Context, tx store.Tx) error {
		list, err := tx.Users().List(ctx, loci.UserID{}, 10)
		if len(list) != 1 || err != nil {
			e.Errorf("List: %v, %v", list, err)
		}
		list, err = tx.Users().Team(ctx, team.ID)
		if len(list) != 0 || err != nil {
			e.Errorf("Team: %v, %v", list, err)
		}
		n, err := tx.Users().Owners(ctx)
		if n != 1 {
			e.Errorf("%d owners", n)
		}
		return err
	})
	e.update(func(ctx context.Context, tx store.Tx) error { return tx.Teams().Delete(ctx, team.ID) })
}
