package storetest

import (
	"context"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

func (e *env) addTeam(name string) loci.Team {
	e.Helper()
	t := loci.Team{ID: loci.NewTeamID(), Name: name, CreatedAt: e.clock.now()}
	e.update(func(ctx context.Context, tx store.Tx) error { return tx.Teams().Insert(ctx, t) })
	return t
}

func testTeams(e *env) {
	b, a := e.addTeam("beta"), e.addTeam("Alpha")
	try := func(fn func(context.Context, store.Teams) error) error {
		return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return fn(ctx, tx.Teams()) })
	}
	names := func() (list []string) {
		e.view(func(ctx context.Context, tx store.Tx) error {
			all, err := tx.Teams().List(ctx)
			for _, t := range all {
				list = append(list, t.Name)
			}
			return err
		})
		return list
	}
	if got := names(); !slices.Equal(got, []string{"Alpha", "beta"}) {
		e.Errorf("List: %q", got)
	}
	for _, name := range []string{"beta", "Beta", "BETA"} {
		e.wantCode("Insert "+name, try(func(ctx context.Context, t store.Teams) error {
			return t.Insert(ctx, loci.Team{ID: loci.NewTeamID(), Name: name, CreatedAt: e.clock.now()})
		}), loci.Conflict)
		e.wantCode("Rename to "+name,
			try(func(ctx context.Context, t store.Teams) error { return t.Rename(ctx, a.ID, name) }), loci.Conflict)
	}
	e.addTeam("Ärzte")
	e.wantCode("a taken name beyond ASCII", try(func(ctx context.Context, t store.Teams) error {
		return t.Insert(ctx, loci.Team{ID: loci.NewTeamID(), Name: "ÄRZTE", CreatedAt: e.clock.now()})
	}), loci.Conflict)
	e.wantCode("a taken id", try(func(ctx context.Context, t store.Teams) error {
		return t.Insert(ctx, loci.Team{ID: a.ID, Name: "new", CreatedAt: e.clock.now()})
	}), loci.Conflict)
	e.wantCode("Rename of nothing",
		try(func(ctx context.Context, t store.Teams) error { return t.Rename(ctx, loci.NewTeamID(), "x") }), loci.NotFound)
	b.Name = "BETA" // its own name is not taken
	if err := try(func(ctx context.Context, t store.Teams) error { return t.Rename(ctx, b.ID, b.Name) }); err != nil {
		e.Error(explain(err))
	}
	e.view(func(ctx context.Context, tx store.Tx) error {
		got, err := tx.Teams().Get(ctx, b.ID)
		if diff := cmp.Diff(b, got); diff != "" {
			e.Errorf("Get (-want +got):\n%s", diff)
		}
		_, absent := tx.Teams().Get(ctx, loci.NewTeamID())
		e.wantCode("Get of nothing", absent, loci.NotFound)
		return err
	})
	if got := names(); !slices.Equal(got, []string{"Alpha", "BETA", "Ärzte"}) {
		e.Errorf("List: %q", got)
	}
}

func testTeamDelete(e *env) {
	t := e.addTeam("team")
	del := func(id loci.TeamID) error {
		return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.Teams().Delete(ctx, id) })
	}
	e.wantCode("of nothing", del(loci.NewTeamID()), loci.NotFound)
	u := e.addUser(func(u *loci.User) { u.TeamID, u.TeamRole = t.ID, loci.Member })
	e.wantCode("with a member", del(t.ID), loci.Conflict)
	u.Disabled = true
	if err := e.updateUser(u); err != nil {
		e.Fatal(err)
	}
	e.wantCode("with a member who is shut out", del(t.ID), loci.Conflict)
	u.TeamID, u.TeamRole = loci.TeamID{}, ""
	if err := e.updateUser(u); err != nil {
		e.Fatal(err)
	}
	m := e.trash(e.insert(func(m *loci.Memory) { m.TeamID = t.ID }))
	e.wantCode("with a memory, even a trashed one", del(t.ID), loci.Conflict)
	e.replace(m, func(m *loci.Memory) { m.TeamID = loci.TeamID{} })
	i := e.invite(func(i *loci.Invite) { i.TeamID, i.TeamRole = t.ID, loci.Member })
	org := e.invite()
	if err := del(t.ID); err != nil {
		e.Fatal(explain(err))
	}
	e.wantCode("twice", del(t.ID), loci.NotFound)
	_, err := e.invitation(i.ID)
	e.wantCode("its invitation", err, loci.NotFound)
	if _, err := e.invitation(org.ID); err != nil {
		e.Errorf("an invitation into the org: %v", err)
	}
	e.check()
}

// newInvite returns an invitation into the org, not yet stored.
func (e *env) newInvite(change ...func(*loci.Invite)) loci.Invite {
	i := loci.Invite{ID: loci.NewInviteID(), Email: "new@example.com", OrgRole: loci.Member, InvitedBy: e.user,
		State:     loci.InvitePending,
		CreatedAt: e.clock.now(), ExpiresAt: e.clock.now().Add(loci.InviteLife)}
	copy(i.Hash[:], i.ID[:])
	for _, c := range change {
		c(&i)
	}
	return i
}

func (e *env) tryInvite(i loci.Invite) error {
	return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.Teams().Invite(ctx, i) })
}

// invite stores what newInvite returns.
func (e *env) invite(change ...func(*loci.Invite)) loci.Invite {
	e.Helper()
	i := e.newInvite(change...)
	if err := e.tryInvite(i); err != nil {
		e.Fatal(explain(err))
	}
	return i
}

func (e *env) invitation(id loci.InviteID) (i loci.Invite, err error) {
	err = e.st.View(e.Context(), e.org,
		func(tx store.Tx) error { i, err = tx.Teams().Invitation(e.Context(), id); return err })
	return i, err
}

func (e *env) settle(id loci.InviteID, s loci.InviteState) error {
	return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.Teams().Settle(ctx, id, s) })
}

func testInvites(e *env) {
	t := e.addTeam("team")
	into := func(i *loci.Invite) { i.TeamID, i.TeamRole, i.OrgRole = t.ID, loci.MemberAdmin, loci.MemberAdmin }
	first := e.invite(into)
	e.clock.move(time.Minute)
	second := e.invite(into, func(i *loci.Invite) { i.Email = "second@example.com" })
	e.clock.move(time.Minute)
	org := e.invite() // the first one's address, but another door
	for _, want := range []loci.Invite{first, second, org} {
		got, err := e.invitation(want.ID)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			e.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	for team, want := range map[loci.TeamID][]loci.Invite{t.ID: {second, first}, {}: {org, second, first},
		loci.NewTeamID(): nil} {
		e.view(func(ctx context.Context, tx store.Tx) error {
			got, err := tx.Teams().Invitations(ctx, team)
			if diff := cmp.Diff(want, got); diff != "" {
				e.Errorf("Invitations of %s (-want +got):\n%s", team, diff)
			}
			return err
		})
	}
	e.wantCode("into no team", e.tryInvite(e.newInvite(into, func(i *loci.Invite) { i.TeamID = loci.NewTeamID() })),
		loci.NotFound)
	e.wantCode("a taken hash",
		e.tryInvite(e.newInvite(func(i *loci.Invite) { i.Email, i.Hash = "x@example.com", org.Hash })), loci.Conflict)
	_, err := e.invitation(loci.NewInviteID())
	e.wantCode("Invitation of nothing", err, loci.NotFound)
}

// The last invitation for an address and a team is the one that counts.
func testInviteAgain(e *env) {
	t, other := e.addTeam("team"), e.addTeam("other")
	for _, team := range []loci.TeamID{t.ID, {}} {
		into := func(team loci.TeamID) func(*loci.Invite) {
			return func(i *loci.Invite) {
				if i.TeamID = team; !team.IsZero() {
					i.TeamRole = loci.Member
				}
			}
		}
		accepted := e.invite(into(team))
		if err := e.settle(accepted.ID, loci.InviteAccepted); err != nil {
			e.Fatal(err)
		}
		elsewhere := e.invite(into(other.ID))
		first, stranger := e.invite(into(team)),
			e.invite(into(team), func(i *loci.Invite) { i.Email = "stranger@example.com" })
		second := e.invite(into(team))
		for id, want := range map[loci.InviteID]loci.InviteState{accepted.ID: loci.InviteAccepted,
			elsewhere.ID: loci.InvitePending,
			first.ID:     loci.InviteRevoked, stranger.ID: loci.InvitePending, second.ID: loci.InvitePending} {
			if got, err := e.invitation(id); err != nil || got.State != want {
				e.Errorf("got %q, %v, want %q", got.State, err, want)
			}
		}
	}
}

func testSettle(e *env) {
	e.wantCode("of nothing", e.settle(loci.NewInviteID(), loci.InviteRevoked), loci.NotFound)
	for _, state := range []loci.InviteState{loci.InviteAccepted, loci.InviteRevoked} {
		i := e.invite()
		e.wantCode("back to pending", e.settle(i.ID, loci.InvitePending), loci.Invalid)
		if err := e.settle(i.ID, state); err != nil {
			e.Fatal(explain(err))
		}
		for _, again := range []loci.InviteState{loci.InviteAccepted, loci.InviteRevoked} {
			e.wantCode("twice", e.settle(i.ID, again), loci.Conflict)
		}
		if got, err := e.invitation(i.ID); err != nil || got.State != state {
			e.Errorf("got %q, %v, want %q", got.State, err, state)
		}
	}
}
