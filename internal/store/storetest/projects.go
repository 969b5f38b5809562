package storetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// project makes a project of the org's owner.
func (e *env) project(name string, change ...func(*loci.Project)) loci.Project {
	e.Helper()
	p := loci.Project{OrgID: e.org, Name: name, Everyone: true}
	for _, c := range change {
		c(&p)
	}
	p, err := e.st.Projects().Create(e.Context(), p, e.user)
	if err != nil {
		e.Fatalf("Create project %s: %v", name, explain(err))
	}
	return p
}

// in is the owner's view without a vendor, as a member of projects.
func (e *env) in(list ...loci.Project) loci.Viewer {
	v := e.person()
	for _, p := range list {
		v.ProjectIDs = append(v.ProjectIDs, p.ID)
	}
	return v
}

func none(tb testing.TB) func(store.GraphTx) error {
	return func(store.GraphTx) error { tb.Error("a function ran on a project that is not there"); return nil }
}

// wantClosed demands that no transaction runs on the project.
func (e *env) wantClosed(what string, p loci.Project, code loci.Code) {
	e.Helper()
	e.wantCode(what+": ViewProject", e.st.ViewProject(e.Context(), p.OrgID, p.ID, none(e)), code)
	e.wantCode(what+": UpdateProject", e.st.UpdateProject(e.Context(), p.OrgID, p.ID, none(e)), code)
}

func testProjects(e *env) {
	ctx, ps := e.Context(), e.st.Projects()
	p := e.project("website", func(p *loci.Project) { p.Description = "our site" })
	now := e.clock.now()
	want := loci.Project{ID: p.ID, OrgID: e.org, Name: "website", Description: "our site", Status: loci.ProjectActive,
		Everyone: true, Members: 1, OneMember: e.user, CreatedAt: now, UpdatedAt: now}
	if p != want || p.ID.IsZero() {
		e.Errorf("Create: got %+v, want %+v", p, want)
	}
	v := e.in(p)
	got, err := ps.Get(ctx, v, p.ID)
	if got != want || err != nil {
		e.Errorf("Get: %+v, %v", got, err)
	}
	got, err = ps.Find(ctx, v, "website")
	if got != want || err != nil {
		e.Errorf("Find: %+v, %v", got, err)
	}
	_, err = ps.Create(ctx, loci.Project{OrgID: e.org, Name: "website"}, e.user)
	e.wantCode("a name that is taken", err, loci.Conflict)
	_, err = ps.Create(ctx, loci.Project{OrgID: e.org, ID: p.ID, Name: "other"}, e.user)
	e.wantCode("an id that is taken", err, loci.Conflict)
	_, err = ps.Create(ctx, loci.Project{OrgID: "absent", Name: "x"}, loci.UserID{})
	e.wantCode("an org that is not there", err, loci.NotFound)
	_, err = ps.Create(ctx, loci.Project{OrgID: e.org, Name: "y"}, loci.NewUserID())
	e.wantCode("a creator who is nobody", err, loci.NotFound)
	for _, name := range []string{"", " ", "a\nb", " a", "a\x00b"} {
		_, err = ps.Create(ctx, loci.Project{OrgID: e.org, Name: name}, e.user)
		e.wantCode("a bad name", err, loci.Invalid)
	}
	e.ensure("other", loci.NewUserID())
	if _, err := ps.Create(ctx, loci.Project{OrgID: "other", Name: "website"}, loci.UserID{}); err != nil {
		e.Errorf("the same name in another org: %v", explain(err))
	}
}

func testProjectsUpdate(e *env) {
	ctx, ps := e.Context(), e.st.Projects()
	p, second := e.project("website", func(p *loci.Project) { p.Description = "our site" }), e.project("b")
	e.ensure("other", loci.NewUserID())
	e.clock.move(1e9)
	v, want := e.in(p), p
	want.Name, want.Description, want.Everyone, want.UpdatedAt = "site", "", false, e.clock.now()
	want.WorkspaceID = newID[loci.WorkspaceID]()
	got, err := e.change(want)
	if got != want || err != nil {
		e.Fatalf("Update gave %+v, %v, want %+v", got, explain(err), want)
	}
	got, err = ps.Find(ctx, v, "site")
	if got != want || err != nil {
		e.Errorf("after Update: %+v, %v, want %+v", got, err, want)
	}
	for _, tt := range []struct {
		what string
		p    loci.Project
		code loci.Code
	}{
		{"to a name that is taken", loci.Project{ID: second.ID, OrgID: e.org, Name: "site"}, loci.Conflict},
		{"to no name", loci.Project{ID: second.ID, OrgID: e.org}, loci.Invalid},
		{"of nothing", loci.Project{ID: loci.NewProjectID(), OrgID: e.org, Name: "z"}, loci.NotFound},
		{"in another org", loci.Project{ID: p.ID, OrgID: "other", Name: "z"}, loci.NotFound},
	} {
		_, err := e.change(tt.p)
		e.wantCode("Update "+tt.what, err, tt.code)
	}
	_, err = ps.Update(ctx, e.org, p.ID,
		func(p *loci.Project) error { p.Name = "nothing"; return loci.Errorf(loci.Precondition, "no") })
	e.wantCode("Update that is refused", err, loci.Precondition)
	if got, err = ps.Get(ctx, v, p.ID); got != want || err != nil {
		e.Errorf("after updates that failed: %+v, %v, want %+v", got, err, want)
	}
}

// change stores what Update can alter of p.
func (e *env) change(p loci.Project) (loci.Project, error) {
	return e.st.Projects().Update(e.Context(), p.OrgID, p.ID, func(old *loci.Project) error {
		old.Name, old.Description, old.WorkspaceID, old.Everyone = p.Name, p.Description, p.WorkspaceID, p.Everyone
		return nil
	})
}

// Who is not in a project finds no trace of it but its name.
func testProjectsHidden(e *env) {
	ctx, ps := e.Context(), e.st.Projects()
	p := e.project("secret")
	work := newID[loci.WorkspaceID]()
	other := e.project("of a workspace", func(p *loci.Project) { p.WorkspaceID = work })
	for name, v := range map[string]loci.Viewer{
		"no member":         e.person(),
		"nobody":            {OrgID: e.org, ProjectIDs: []loci.ProjectID{p.ID}},
		"no org":            {UserID: e.user, ProjectIDs: []loci.ProjectID{p.ID}},
		"another org":       {OrgID: "other", UserID: e.user, ProjectIDs: []loci.ProjectID{p.ID}},
		"another workspace": {OrgID: e.org, UserID: e.user, ProjectIDs: []loci.ProjectID{p.ID}, WorkspaceID: work},
	} {
		if v.InProject(&p) {
			e.Errorf("%s: the rule admits it", name)
		}
		_, err := ps.Get(ctx, v, p.ID)
		e.wantCode(name+": Get", err, loci.NotFound)
		_, err = ps.Find(ctx, v, p.Name)
		e.wantCode(name+": Find", err, loci.NotFound)
		page, err := ps.List(ctx, v, store.ProjectQuery{Limit: 9})
		if err != nil || len(page.Projects) != 0 {
			e.Errorf("%s: List: %+v, %v", name, page, err)
		}
	}
	v := e.in(p, other)
	v.WorkspaceID = work
	page, err := ps.List(ctx, v, store.ProjectQuery{Limit: 9})
	if err != nil || !slices.Equal(projectNames(page), []string{other.Name}) {
		e.Errorf("in the workspace: %+v, %v", page, err)
	}
	if n, err := e.st.ProjectMembers().Adopt(ctx, e.org, work); n != 1 || err != nil {
		e.Errorf("Adopt: %d, %v, want 1", n, err)
	}
	page, err = ps.List(ctx, v, store.ProjectQuery{Limit: 9})
	if err != nil || len(page.Projects) != 2 {
		e.Errorf("after Adopt: %+v, %v", page, err)
	}
	e.ensure("other", loci.NewUserID())
	for _, org := range []loci.OrgID{"other", "absent"} {
		err := e.st.ViewProject(ctx, org, p.ID, none(e))
		e.wantCode("ViewProject through org "+string(org), err, loci.NotFound)
		e.wantCode("Archive through org "+string(org), ps.Archive(ctx, org, p.ID), loci.NotFound)
		e.wantCode("Delete through org "+string(org), ps.Delete(ctx, org, p.ID), loci.NotFound)
	}
	e.wantCode("ViewProject through no org", e.st.ViewProject(ctx, "", p.ID, none(e)), loci.Invalid)
}

func projectNames(page store.ProjectPage) (out []string) {
	for _, p := range page.Projects {
		out = append(out, p.Name)
	}
	return out
}

func testProjectList(e *env) {
	ctx, ps := e.Context(), e.st.Projects()
	var list []loci.Project
	for _, name := range []string{"d", "b", "a", "c", "e"} {
		list = append(list, e.project(name))
	}
	v := e.in(list...)
	if err := ps.Archive(ctx, e.org, list[1].ID); err != nil {
		e.Fatal(explain(err))
	}
	for _, tt := range []struct {
		q    store.ProjectQuery
		want []string
		more bool
	}{
		{store.ProjectQuery{Limit: 5}, []string{"a", "b", "c", "d", "e"}, false},
		{store.ProjectQuery{Limit: 2}, []string{"a", "b"}, true},
		{store.ProjectQuery{Limit: 2, After: "b"}, []string{"c", "d"}, true},
		{store.ProjectQuery{Limit: 2, After: "d"}, []string{"e"}, false},
		{store.ProjectQuery{Limit: 4, Status: loci.ProjectActive}, []string{"a", "c", "d", "e"}, false},
		{store.ProjectQuery{Limit: 4, Status: loci.ProjectArchived}, []string{"b"}, false},
	} {
		page, err := ps.List(ctx, v, tt.q)
		if err != nil || !slices.Equal(projectNames(page), tt.want) || page.More != tt.more {
			e.Errorf("%+v: got %q, more %v, %v", tt.q, projectNames(page), page.More, err)
		}
	}
}

func testProjectMembers(e *env) {
	ctx, ms := e.Context(), e.st.ProjectMembers()
	u := e.addUser()
	open := e.project("open")
	closed := e.project("closed", func(p *loci.Project) { p.Everyone = false })
	of := func(user loci.UserID) []loci.ProjectID {
		list, err := ms.Of(ctx, e.org, user, loci.WorkspaceID{})
		if err != nil {
			e.Error(explain(err))
		}
		return list
	}
	sorted := func(list ...loci.Project) []loci.ProjectID {
		ids := e.in(list...).ProjectIDs
		slices.SortFunc(ids, func(a, b loci.ProjectID) int { return slices.Compare(a[:], b[:]) })
		return ids
	}
	want := func(what string, user loci.UserID, list ...loci.Project) {
		e.Helper()
		if got := of(user); !slices.Equal(got, sorted(list...)) {
			e.Errorf("%s: got %v, want %v", what, got, sorted(list...))
		}
	}
	want("the creator", e.user, open, closed)
	want("everyone", u.ID, open)
	want("nobody", loci.NewUserID())
	if all, err := ms.All(ctx, e.org, loci.WorkspaceID{}); err != nil || !slices.Equal(all, sorted(open, closed)) {
		e.Errorf("All: %v, %v", all, err)
	}
	for _, role := range []loci.MemberRole{loci.Member, loci.MemberAdmin} {
		if err := ms.Put(ctx, e.org, closed.ID, loci.ProjectMember{UserID: u.ID, Role: role}); err != nil {
			e.Error(explain(err))
		}
	}
	want("a member", u.ID, open, closed)
	got, err := ms.List(ctx, e.org, closed.ID)
	members := []loci.ProjectMember{{UserID: e.user, Role: loci.MemberOwner}, {UserID: u.ID, Role: loci.MemberAdmin}}
	slices.SortFunc(members, func(a, b loci.ProjectMember) int { return slices.Compare(a.UserID[:], b.UserID[:]) })
	if diff := cmp.Diff(members, got); diff != "" || err != nil {
		e.Errorf("List: %v (-want +got):\n%s", err, diff)
	}
	e.wantCode("a stranger",
		ms.Put(ctx, e.org, closed.ID, loci.ProjectMember{UserID: loci.NewUserID(), Role: loci.Member}), loci.NotFound)
	e.wantCode("a role that is none", ms.Put(ctx, e.org, closed.ID, loci.ProjectMember{UserID: u.ID, Role: "boss"}),
		loci.Invalid)
	absent := loci.NewProjectID()
	e.wantCode("Put into nothing", ms.Put(ctx, e.org, absent, members[0]), loci.NotFound)
	e.wantCode("Remove from nothing", ms.Remove(ctx, e.org, absent, u.ID), loci.NotFound)
	_, err = ms.List(ctx, "other", closed.ID)
	e.wantCode("List through another org", err, loci.NotFound)
	for range 2 {
		if err := ms.Remove(ctx, e.org, closed.ID, u.ID); err != nil {
			e.Error(explain(err))
		}
	}
	want("who was removed", u.ID, open)
}

func testProjectArchive(e *env) {
	ctx, ps := e.Context(), e.st.Projects()
	p := e.project("old")
	v := e.in(p)
	e.putEntities(p, v, ent("Ada", "person", "wrote notes"))
	e.wantCode("Restore of an active one", ps.Restore(ctx, e.org, p.ID), loci.Conflict)
	for round := range 2 {
		if err := ps.Archive(ctx, e.org, p.ID); err != nil {
			e.Fatal(explain(err))
		}
		e.wantCode("Archive again", ps.Archive(ctx, e.org, p.ID), loci.Conflict)
		e.wantClosed("archived", p, loci.Conflict)
		if got, err := ps.Get(ctx, v, p.ID); got.Status != loci.ProjectArchived || err != nil {
			e.Errorf("archived: %+v, %v", got, err)
		}
		if err := ps.Restore(ctx, e.org, p.ID); err != nil {
			e.Fatal(explain(err))
		}
		e.wantCode("Restore again", ps.Restore(ctx, e.org, p.ID), loci.Conflict)
		if got := e.observationsOf(p, v, "Ada"); len(got) != 1+round {
			e.Errorf("round %d: got %q", round, got)
		}
		e.putEntities(p, v, ent("Ada", "person", "again"))
	}
	absent := loci.NewProjectID()
	e.wantCode("Archive of nothing", ps.Archive(ctx, e.org, absent), loci.NotFound)
	e.wantCode("Restore of nothing", ps.Restore(ctx, e.org, absent), loci.NotFound)
	e.wantCode("Delete of nothing", ps.Delete(ctx, e.org, absent), loci.NotFound)
}

func testProjectDelete(e *env) {
	ctx, ps := e.Context(), e.st.Projects()
	for _, archived := range []bool{false, true} {
		p := e.project("gone")
		e.putEntities(p, e.in(p), ent("Ada", "person"))
		if archived {
			if err := ps.Archive(ctx, e.org, p.ID); err != nil {
				e.Fatal(explain(err))
			}
		}
		if err := ps.Delete(ctx, e.org, p.ID); err != nil {
			e.Fatal(explain(err))
		}
		e.wantClosed("deleted", p, loci.NotFound)
		_, err := ps.Get(ctx, e.in(p), p.ID)
		e.wantCode("Get", err, loci.NotFound)
		e.wantCode("Delete again", ps.Delete(ctx, e.org, p.ID), loci.NotFound)
		e.wantCode("Restore", ps.Restore(ctx, e.org, p.ID), loci.NotFound)
		if all, err := e.st.ProjectMembers().All(ctx, e.org, loci.WorkspaceID{}); len(all) != 0 || err != nil {
			e.Errorf("All: %v, %v", all, err)
		}
		fresh := e.project("gone")
		if got := e.observationsOf(fresh, e.in(fresh), "Ada"); got != nil {
			e.Errorf("a new project of the name has %q", got)
		}
		if err := ps.Delete(ctx, e.org, fresh.ID); err != nil {
			e.Fatal(explain(err))
		}
	}
}

// The memories of a deleted project go to their owners' trash, whatever became of them before,
// and nothing else does.
func testProjectDeleteMemories(e *env) {
	ctx := e.Context()
	u := e.addUser()
	p, other := e.project("gone"), e.project("stays")
	of := func(p loci.Project, title string, change ...func(*loci.Memory)) *loci.Memory {
		return e.insert(append([]func(*loci.Memory){titled(title),
			func(m *loci.Memory) { m.Scope, m.ProjectID = loci.ScopeProject, p.ID }}, change...)...)
	}
	var gone []*loci.Memory
	for i := range 450 { // more than one batch
		gone = append(gone, of(p, "many", func(m *loci.Memory) {
			if i%2 == 1 {
				m.UserID = u.ID
			}
			m.AllowedVendors = []loci.Vendor{"claude", "cursor"}
		}))
	}
	gone = append(gone, of(p, "expired", func(m *loci.Memory) { m.ExpiresAt = e.clock.now().Add(time.Minute) }),
		of(p, "superseded", func(m *loci.Memory) { m.SupersededBy = gone[0].ID }),
		of(p, "of a clock ahead", func(m *loci.Memory) { m.UpdatedAt = e.clock.now().Add(24 * time.Hour) }))
	e.clock.move(time.Hour)
	trashedBefore := e.trash(of(p, "in the trash already"))
	e.clock.move(time.Hour)
	stays := []*loci.Memory{e.insert(titled("global")), of(other, "of another project"), trashedBefore}
	if err := e.st.Projects().Delete(ctx, e.org, p.ID); err != nil {
		e.Fatal(explain(err))
	}
	for _, was := range gone {
		v := loci.Viewer{OrgID: e.org, UserID: was.UserID}
		want := edited(was, e.clock.now(),
			func(m *loci.Memory) { m.DeletedAt, m.Change, m.Editor = e.clock.now(), loci.Trashed, loci.ServerOrigin })
		if was.Title == "of a clock ahead" {
			want.UpdatedAt = was.UpdatedAt.Add(time.Microsecond)
		}
		got, err := e.get(v, was.ID, loci.TrashOnly)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			e.Fatalf("%s: %v (-want +got):\n%s", was.Title, explain(err), diff)
		}
		e.view(func(ctx context.Context, tx store.Tx) error {
			old, err := tx.Memories().Versions(ctx, v, was.ID, loci.AnyState, 0, 9)
			if len(old) != 1 || old[0].Version != 1 {
				e.Errorf("%s: versions %+v", was.Title, old)
			}
			return err
		})
		v.UserID, v.ProjectIDs = loci.UserID{1}, []loci.ProjectID{p.ID}
		_, err = e.get(v, was.ID, loci.AnyState)
		e.wantCode("somebody else's trash", err, loci.NotFound)
	}
	for _, m := range stays {
		got, err := e.get(e.person(), m.ID, loci.AnyState)
		if diff := cmp.Diff(m, got); diff != "" || err != nil {
			e.Errorf("%s: %v (-want +got):\n%s", m.Title, explain(err), diff)
		}
	}
	if page := e.list(e.person(), store.ListQuery{Limit: 500, Filter: store.Filter{Lifecycle: loci.TrashOnly}}); len(
		page.Memories) != 229 {
		e.Errorf("the owner's trash has %d memories, want 229", len(page.Memories)) // 225, the three and the one of before
	}
	e.check()
}

// An org takes its projects along, and a person what they wrote in them.
func testProjectsOfLeavers(e *env) {
	ctx := e.Context()
	u := e.addUser()
	p := e.project("shared")
	old := e.project("archived")
	for _, p := range []loci.Project{p, old} {
		e.putEntities(p, e.in(p), ent("Ada", "person", "mine"))
		v := e.in(p)
		v.UserID = u.ID
		e.putEntities(p, v, ent("Ada", "person", "theirs"), ent("Bob", "person", "alone"), ent("Cleo", "person"))
		e.putEntities(p, e.in(p), ent("Cleo", "person", "mine, on theirs"))
	}
	if err := e.st.Projects().Archive(ctx, e.org, old.ID); err != nil {
		e.Fatal(explain(err))
	}
	if err := e.st.ProjectMembers().Put(ctx, e.org, p.ID,
		loci.ProjectMember{UserID: u.ID, Role: loci.Member}); err != nil {
		e.Fatal(explain(err))
	}
	if err := e.st.People().Remove(ctx, e.org, u.ID, nil); err != nil {
		e.Fatal(explain(err))
	}
	if err := e.st.Projects().Restore(ctx, e.org, old.ID); err != nil {
		e.Fatal(explain(err))
	}
	for _, p := range []loci.Project{p, old} {
		v := e.in(p)
		if got := e.observationsOf(p, v, "Ada"); !slices.Equal(got, []string{"mine"}) {
			e.Errorf("%s: of Ada is left: %q", p.Name, got)
		}
		if got := e.observationsOf(p, v, "Bob"); got != nil {
			e.Errorf("%s: of Bob is left: %q", p.Name, got)
		}
		list := e.find(p, v, "Cleo")
		if len(list) != 1 || list[0].UserID != (loci.UserID{}) || len(list[0].Observations) != 1 {
			e.Errorf("%s: Cleo: %+v", p.Name, list)
		}
	}
	if list, err := e.st.ProjectMembers().List(ctx, e.org, p.ID); len(list) != 1 || err != nil {
		e.Errorf("members: %+v, %v", list, err)
	}
	r, err := e.st.Orgs().Delete(ctx, e.org)
	if err != nil || r.Projects != 2 {
		e.Errorf("Delete: %+v, %v", r, explain(err))
	}
	e.wantClosed("of a deleted org", p, loci.NotFound)
}
