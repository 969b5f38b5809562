package storetest

import (
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// session puts a session to work on a project.
func (e *env) session(key byte, p loci.Project, user loci.UserID) store.Connection {
	e.Helper()
	s := store.Connection{Key: [32]byte{key}, OrgID: p.OrgID, UserID: user, ProjectID: p.ID, UsedAt: e.clock.now()}
	if err := e.st.Connections().Put(e.Context(), s); err != nil {
		e.Fatalf("Put session %d: %v", key, explain(err))
	}
	return s
}

// wantSession demands that a session works on what s says, or on nothing if s
// is zero but for its key.
func (e *env) wantSession(what string, s store.Connection) {
	e.Helper()
	got, err := e.st.Connections().Get(e.Context(), s.Key)
	if s.OrgID == "" {
		e.wantCode(what, err, loci.NotFound)
	} else if got != s || err != nil {
		e.Errorf("%s: got %+v, %v, want %+v", what, got, explain(err), s)
	}
}

func noSession(key byte) store.Connection { return store.Connection{Key: [32]byte{key}} }

func testMCPSessions(e *env) {
	ctx, ms := e.Context(), e.st.Connections()
	p, q := e.project("p"), e.project("q")
	e.wantSession("before", noSession(1))
	one, two := e.session(1, p, e.user), e.session(2, q, e.user)
	e.wantSession("one", one)
	e.wantSession("two", two)
	e.clock.move(time.Minute)
	one = e.session(1, q, e.user)
	e.wantSession("switched", one)
	e.wantSession("the other one", two)
	was, used := one, e.clock.now().Add(time.Minute)
	was.ProjectID = p.ID
	if err := ms.Use(ctx, was, used); err != nil {
		e.Error(explain(err))
	}
	if err := ms.Leave(ctx, was); err != nil {
		e.Error(explain(err))
	}
	e.wantSession("after what concerns its previous project", one)
	if err := ms.Use(ctx, one, used); err != nil {
		e.Error(explain(err))
	}
	one.UsedAt = used
	e.wantSession("used", one)
	if err := ms.Leave(ctx, one); err != nil {
		e.Error(explain(err))
	}
	e.wantSession("left", noSession(1))
	one = e.session(1, q, e.user)
	for range 2 {
		if err := ms.Remove(ctx, one.Key); err != nil {
			e.Error(explain(err))
		}
	}
	e.wantSession("removed", noSession(1))
	e.wantSession("not removed", two)

	bad := two
	bad.ProjectID = loci.NewProjectID()
	e.wantCode("a project that is not there", ms.Put(ctx, bad), loci.NotFound)
	bad = two
	bad.OrgID = "absent"
	e.wantCode("an org that is not there", ms.Put(ctx, bad), loci.NotFound)
	e.ensure("other", loci.NewUserID())
	bad.OrgID = "other"
	e.wantCode("a project of another org", ms.Put(ctx, bad), loci.NotFound)
	bad = two
	bad.UserID = loci.NewUserID()
	e.wantCode("a user who is nobody", ms.Put(ctx, bad), loci.NotFound)
	e.wantSession("after refusals", two)
}

// Who archives or deletes clears it for all sessions, also where they come back.
func testMCPSessionsOfClosed(e *env) {
	ctx, ps := e.Context(), e.st.Projects()
	p, q, stays := e.project("archived"), e.project("deleted"), e.project("stays")
	one, _, third := e.session(1, p, e.user), e.session(2, q, e.user), e.session(3, stays, e.user)
	if err := ps.Archive(ctx, e.org, p.ID); err != nil {
		e.Fatal(explain(err))
	}
	e.wantSession("of an archived project", noSession(1))
	e.wantCode("to an archived project", e.st.Connections().Put(ctx, one), loci.Conflict)
	if err := ps.Restore(ctx, e.org, p.ID); err != nil {
		e.Fatal(explain(err))
	}
	e.wantSession("of a restored project", noSession(1))
	e.session(1, p, e.user)
	if err := ps.Delete(ctx, e.org, q.ID); err != nil {
		e.Fatal(explain(err))
	}
	e.wantSession("of a deleted project", noSession(2))
	e.wantSession("of another project", third)

	u := e.addUser()
	e.session(4, stays, u.ID)
	if err := e.st.People().Remove(ctx, e.org, u.ID, nil); err != nil {
		e.Fatal(explain(err))
	}
	e.wantSession("of a person who is gone", noSession(4))
	e.wantSession("of a person who stays", third)

	owner := loci.NewUserID()
	e.ensure("other", owner)
	elsewhere, err := ps.Create(ctx, loci.Project{OrgID: "other", Name: "p"}, owner)
	if err != nil {
		e.Fatal(explain(err))
	}
	e.session(5, elsewhere, owner)
	if _, err := e.st.Orgs().Delete(ctx, "other"); err != nil {
		e.Fatal(explain(err))
	}
	e.wantSession("of an org that is gone", noSession(5))
	e.wantSession("of an org that stays", third)
}

func testMCPSessionsPurge(e *env) {
	p := e.project("p")
	for key := byte(1); key <= 5; key++ {
		e.session(key, p, e.user)
		e.clock.move(time.Hour)
	}
	then := e.clock.now().Add(-2 * time.Hour) // when the fourth was used
	for _, want := range []int{2, 1, 0} {
		if n, err := e.st.Connections().Purge(e.Context(), then, 2); n != want || err != nil {
			e.Errorf("Purge: %d, %v, want %d", n, explain(err), want)
		}
	}
	e.wantSession("old", noSession(3))
	for key := byte(4); key <= 5; key++ {
		if _, err := e.st.Connections().Get(e.Context(), [32]byte{key}); err != nil {
			e.Errorf("session %d: %v", key, explain(err))
		}
	}
}

// An open connection keeps what it was opened with until it is removed, unused for long, or one too
// many of its subject.
func testOpenConnections(e *env) {
	ctx, cs := e.Context(), e.st.Connections()
	const keep = 2
	open := func(key, subject byte) store.OpenConnection {
		e.Helper()
		e.clock.move(time.Minute)
		c := store.OpenConnection{Key: [32]byte{key}, OrgID: e.org, UserID: e.user, Subject: [32]byte{subject},
			State: []byte{'{', key, '}'}, UsedAt: e.clock.now()}
		if err := cs.Open(ctx, c, keep); err != nil {
			e.Fatal(explain(err))
		}
		return c
	}
	want := func(what string, c store.OpenConnection, there bool) {
		e.Helper()
		got, err := cs.Opened(ctx, c.Key)
		switch {
		case !there:
			e.wantCode(what, err, loci.NotFound)
		case err != nil || got.Key != c.Key || got.Subject != c.Subject || !slices.Equal(got.State, c.State) ||
			!got.UsedAt.Equal(c.UsedAt) || got.OrgID != c.OrgID || got.UserID != c.UserID:
			e.Errorf("%s: got %+v, %v, want %+v", what, got, explain(err), c)
		}
	}
	first, second, other := open(1, 1), open(2, 1), open(3, 2)
	e.clock.move(time.Minute)
	first.UsedAt = e.clock.now()
	for _, used := range []time.Time{first.UsedAt, first.UsedAt.Add(-time.Hour)} { // an older use changes nothing
		if err := cs.Touch(ctx, first.Key, used); err != nil {
			e.Fatal(explain(err))
		}
	}
	third := open(4, 1)
	want("used since", first, true)
	want("unused for longest", second, false)
	want("the newest", third, true)
	want("of another subject", other, true)
	if err := cs.Remove(ctx, first.Key); err != nil {
		e.Fatal(explain(err))
	}
	want("removed", first, false)
	if n, err := cs.Purge(ctx, third.UsedAt, 10); n != 1 || err != nil {
		e.Errorf("Purge: %d, %v, want 1", n, explain(err))
	}
	want("unused", other, false)
	bad := third
	bad.Key, bad.UserID = [32]byte{9}, loci.NewUserID()
	e.wantCode("of nobody", cs.Open(ctx, bad, keep), loci.NotFound)
	u := e.addUser()
	theirs := third
	theirs.Key, theirs.UserID = [32]byte{8}, u.ID
	if err := cs.Open(ctx, theirs, keep); err != nil {
		e.Fatal(explain(err))
	}
	if err := e.st.People().Remove(ctx, e.org, u.ID, nil); err != nil {
		e.Fatal(explain(err))
	}
	want("of a person who is gone", theirs, false)
	want("of a person who stays", third, true)
}

// Whatever changes who belongs to a project changes the version, and the list
// that goes with a version stays the same.
func testProjectsVersion(e *env) {
	ctx, ps, ms := e.Context(), e.st.Projects(), e.st.ProjectMembers()
	u := e.addUser()
	e.ensure("other", loci.NewUserID())
	version := func(id loci.OrgID) int64 {
		o, err := e.st.Orgs().Get(ctx, id)
		if err != nil {
			e.Fatal(explain(err))
		}
		return o.ProjectsVersion
	}
	must := func(err error) {
		e.Helper()
		if err != nil {
			e.Fatal(explain(err))
		}
	}
	var p loci.Project
	change := func() {
		e.Helper()
		_, err := e.change(p)
		must(err)
	}
	other := version("other")
	for _, step := range []struct {
		what    string
		do      func()
		changes bool
	}{
		{"creating", func() { p = e.project("p", func(p *loci.Project) { p.Everyone = false }) }, true},
		{"renaming", func() { p.Name = "q"; change() }, false},
		{"admitting everyone", func() { p.Everyone = true; change() }, true},
		{"closing it again", func() { p.Everyone = false; change() }, true},
		{"entering a member", func() { must(ms.Put(ctx, e.org, p.ID, loci.ProjectMember{UserID: u.ID, Role: loci.Member})) },
			true},
		{"removing a member", func() { must(ms.Remove(ctx, e.org, p.ID, u.ID)) }, true},
		{"entering a member again",
			func() { must(ms.Put(ctx, e.org, p.ID, loci.ProjectMember{UserID: u.ID, Role: loci.Member})) }, true},
		{"archiving", func() { must(ps.Archive(ctx, e.org, p.ID)) }, false},
		{"restoring", func() { must(ps.Restore(ctx, e.org, p.ID)) }, false},
		{"adding a person", func() { e.addUser() }, true},
		{"removing a person", func() { must(e.st.People().Remove(ctx, e.org, u.ID, nil)) }, true},
		{"deleting", func() { must(ps.Delete(ctx, e.org, p.ID)) }, true},
	} {
		before := version(e.org)
		step.do()
		if after := version(e.org); step.changes && after <= before || !step.changes && after != before {
			e.Errorf("%s: version %d became %d", step.what, before, after)
		}
	}
	if got := version("other"); got != other {
		e.Errorf("the version of another org became %d from %d", got, other)
	}
	key := store.Found{}
	key.Credential = loci.Credential{ID: loci.NewCredentialID(), OrgID: e.org, UserID: e.user, Kind: loci.KindUser,
		Hash: [32]byte{1}, CreatedAt: e.clock.now()}
	must(e.st.Credentials().Insert(ctx, key.Credential))
	found, err := e.st.Credentials().ByHash(ctx, [32]byte{1})
	if err != nil || found.Org.ProjectsVersion != version(e.org) {
		e.Errorf("ByHash: version %d, %v, want %d", found.Org.ProjectsVersion, explain(err), version(e.org))
	}
}

func testProjectInWorkspace(e *env) {
	ctx := e.Context()
	work, empty := newID[loci.WorkspaceID](), newID[loci.WorkspaceID]()
	none := e.project("in none", func(p *loci.Project) { p.Everyone = true })
	p := e.project("p", func(p *loci.Project) { p.WorkspaceID, p.Everyone = work, true })
	e.wantReached(loci.WorkspaceID{}, none.ID, p.ID)
	e.wantReached(work, none.ID, p.ID)
	e.wantReached(empty, none.ID)
	e.ensure("other", loci.NewUserID())
	want := func(what string, org loci.OrgID, w loci.WorkspaceID, want bool) {
		e.Helper()
		if got, err := e.st.Projects().InWorkspace(ctx, org, w); got != want || err != nil {
			e.Errorf("%s: got %v, %v, want %v", what, got, explain(err), want)
		}
	}
	want("a project", e.org, work, true)
	want("none", e.org, empty, false)
	want("no workspace", e.org, loci.WorkspaceID{}, false)
	want("through another org", "other", work, false)
	if err := e.st.Projects().Archive(ctx, e.org, p.ID); err != nil {
		e.Fatal(explain(err))
	}
	want("an archived project", e.org, work, true)
	if err := e.st.Projects().Delete(ctx, e.org, p.ID); err != nil {
		e.Fatal(explain(err))
	}
	want("a deleted project", e.org, work, false)
	version := func() int64 {
		org, err := e.st.Orgs().Get(ctx, e.org)
		if err != nil {
			e.Fatal(explain(err))
		}
		return org.ProjectsVersion
	}
	before := version()
	if n, err := e.st.ProjectMembers().Adopt(ctx, e.org, work); n != 1 || err != nil || version() == before {
		e.Errorf("Adopt: %d projects, %v, version %d then %d; who reaches them has changed", n, err, before, version())
	}
	e.wantReached(empty)
	e.wantReached(work, none.ID)
}

// wantReached demands that the user, and who administers, reach these projects from a workspace.
func (e *env) wantReached(in loci.WorkspaceID, want ...loci.ProjectID) {
	e.Helper()
	slices.SortFunc(want, func(a, b loci.ProjectID) int { return slices.Compare(a[:], b[:]) })
	of, err := e.st.ProjectMembers().Of(e.Context(), e.org, e.user, in)
	all, failed := e.st.ProjectMembers().All(e.Context(), e.org, in)
	if err != nil || failed != nil || !slices.Equal(of, want) || !slices.Equal(all, want) {
		e.Errorf("from workspace %s: %v, %v of all; want %v; %v, %v", in, of, all, want, err, failed)
	}
}
