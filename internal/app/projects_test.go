package app_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

// another returns an App on a Store of its own over the same data directory, as another process has it.
func (s *stage) another() *app.App {
	s.t.Helper()
	st, err := sqlite.Open(s.t.Context(), sqlite.Options{Dir: s.dir, Now: s.clock})
	s.must(err)
	s.t.Cleanup(func() {
		if err := st.Close(); err != nil {
			s.t.Error(err)
		}
	})
	return app.New(app.Options{Store: st, Now: s.clock, Deletion: loci.DeleteWithKey})
}

func projectNames(list []loci.Project) string {
	var out []string
	for _, p := range list {
		out = append(out, p.Name)
	}
	return strings.Join(out, " ")
}

func TestAProjectFromItsMakingToItsEnd(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	ctx := t.Context()
	made, err := w.Project.Create(ctx, w.who["agent"](), project.Draft{Name: "Docs 📚", Description: "what we write"})
	w.must(err)
	if made.ID.IsZero() || made.Name != "Docs 📚" || made.Description != "what we write" || made.Everyone ||
		made.Status != loci.ProjectActive || made.OrgID != "acme" {
		t.Errorf("made %+v", made)
	}
	olga := w.session(w.olga)
	members, err := w.App.Project.Members(ctx, olga, made.ID)
	owner := loci.ProjectMember{UserID: w.olga.ID, Role: loci.MemberOwner, Email: w.olga.Email}
	if err != nil || len(members) != 1 || members[0] != owner {
		t.Errorf("the members are %+v, %v; want the agent's person as owner", members, err)
	}
	changed, err := w.Project.Change(ctx, olga, made.ID, project.Patch{Name: new("handbook"), Everyone: new(true)})
	if err != nil || changed.Name != "handbook" || !changed.Everyone || changed.Description != made.Description ||
		!changed.UpdatedAt.After(made.UpdatedAt) {
		t.Errorf("changed into %+v, %v", changed, err)
	}
	archived, err := w.Project.Archive(ctx, olga, made.ID)
	if err != nil || archived.Status != loci.ProjectArchived {
		t.Errorf("archived %+v, %v", archived, err)
	}
	_, err = w.Project.Archive(ctx, olga, made.ID)
	wantCode(t, err, loci.Conflict)
	if got, err := w.Project.Find(ctx, olga, "handbook"); err != nil || got.Status != loci.ProjectArchived {
		t.Errorf("found %+v, %v", got, err)
	}
	restored, err := w.Project.Restore(ctx, olga, made.ID)
	if err != nil || restored.Status != loci.ProjectActive {
		t.Errorf("restored %+v, %v", restored, err)
	}
	_, err = w.Project.Restore(ctx, olga, made.ID)
	wantCode(t, err, loci.Conflict)
	w.must(w.Project.Delete(ctx, olga, made.ID))
	wantCode(t, w.Project.Delete(ctx, olga, made.ID), loci.NotFound)
}

// What changes nothing is not in the trail.
func TestWhatChangesNothingIsNotRecorded(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	ctx, olga := t.Context(), w.session(w.olga)
	before, err := w.Project.Get(ctx, olga, w.open.ID)
	w.must(err)
	w.st.entries = nil
	after, err := w.Project.Change(ctx, olga, w.open.ID, project.Patch{Name: new("website"), Everyone: new(true)})
	if err != nil || after != before {
		t.Errorf("got %+v, %v", after, err)
	}
	w.must(w.Project.PutMember(ctx, olga, w.open.ID, loci.ProjectMember{UserID: w.olga.ID, Role: loci.MemberOwner}))
	w.must(w.Project.RemoveMember(ctx, olga, w.open.ID, w.carl.ID))
	for what, err := range map[string]error{
		"bad name": second(w.Project.Change(ctx, olga, w.open.ID, project.Patch{Name: new("two\nlines")})),
		"long text": second(w.Project.Create(ctx, olga,
			project.Draft{Name: "x", Description: strings.Repeat("x", loci.MaxDescription+1)})),
		"no name":    second(w.Project.Create(ctx, olga, project.Draft{})),
		"no role":    w.Project.PutMember(ctx, olga, w.open.ID, loci.ProjectMember{UserID: w.carl.ID, Role: "chief"}),
		"taken":      second(w.Project.Create(ctx, olga, project.Draft{Name: "website"})),
		"also taken": second(w.Project.Change(ctx, olga, w.open.ID, project.Patch{Name: new("merger")})),
		"no user": w.Project.PutMember(ctx, olga, w.open.ID,
			loci.ProjectMember{UserID: loci.NewUserID(), Role: loci.Member}),
		"nobody's":    w.Project.RemoveMember(ctx, olga, w.open.ID, loci.NewUserID()),
		"active":      second(w.Project.Restore(ctx, olga, w.open.ID)),
		"bad cursor":  second(w.App.Project.List(ctx, olga, project.ListRequest{Cursor: "x"})),
		"bad status":  second(w.App.Project.List(ctx, olga, project.ListRequest{Status: "gone"})),
		"a page of 0": second(w.App.Project.List(ctx, olga, project.ListRequest{Limit: -1})),
	} {
		if loci.CodeOf(err) == "" {
			t.Errorf("%s: %v", what, err)
		}
	}
	if len(w.st.entries) != 0 {
		t.Errorf("the trail has %+v", w.st.entries)
	}
}

// A name belongs to one project of an org, whoever may see it; and of several who want it at once, to one.
func TestOneOfSeveralGetsAName(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	apps := []*app.App{w.App, w.another()}
	p := w.session(w.olga)
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() {
			_, errs[i] = apps[i%2].Project.Create(t.Context(), p, project.Draft{Name: "race"})
		})
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if loci.CodeOf(err) != loci.Conflict || !strings.Contains(err.Error(), "a project named race exists") {
			t.Errorf("got %v", err)
		}
	}
	if won != 1 {
		t.Errorf("%d made it, want 1", won)
	}
	page, err := w.App.Project.List(t.Context(), w.session(w.olga), project.ListRequest{})
	if err != nil || projectNames(page.Items) != "merger race website" {
		t.Errorf("got %s, %v", projectNames(page.Items), err)
	}
	_, err = w.Project.Create(t.Context(), w.who["anybody"](), project.Draft{Name: "merger"})
	wantCode(t, err, loci.Conflict)
}

// Somebody who may not see a project gets the answer that they would get if it had never been.
func TestNotFoundByName(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	ctx := t.Context()
	for _, tt := range []struct{ who, name, want string }{
		{"owner", "websit", `there is no project "websit"; did you mean "website"?`},
		{"owner", "mergers", `there is no project "mergers"; did you mean "merger"?`},
		{"anybody", "mergers", `there is no project "mergers"`},
		{"anybody", "merger", `there is no project "merger"`},
		{"anybody", "zebras", `there is no project "zebras"`},
		{"elsewhere", "website", `there is no project "website"`},
		{"other org", "website", `there is no project "website"`},
		{"owner", "", `there is no project ""`},
		{"owner", "web\x1b[31m\nsite", `there is no project "web[U+001B][31m site"`},
		{"owner", strings.Repeat("a", 100_000), `there is no project "` + strings.Repeat("a", loci.MaxName) + `"`},
	} {
		_, err := w.Project.Find(ctx, w.who[tt.who](), tt.name)
		if loci.CodeOf(err) != loci.NotFound || err.Error() != tt.want {
			t.Errorf("%s looks for %.20q: got %v, want %s", tt.who, tt.name, err, tt.want)
		}
	}
}

func TestPagesOfProjects(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	ctx := t.Context()
	for n := range 5 {
		made := w.project(w.session(w.olga), fmt.Sprintf("p%d", n), n != 2)
		if n == 3 {
			_, err := w.Project.Archive(ctx, w.session(w.olga), made.ID)
			w.must(err)
		}
	}
	all := func(p loci.Principal, status loci.ProjectStatus) string {
		var names []string
		for r := (project.ListRequest{Status: status, Limit: 2}); ; {
			page, err := w.App.Project.List(ctx, p, r)
			w.must(err)
			if len(page.Items) > 2 || page.NextCursor != "" && len(page.Items) != 2 {
				t.Errorf("a page has %d", len(page.Items))
			}
			names = append(names, projectNames(page.Items))
			if r.Cursor = page.NextCursor; r.Cursor == "" {
				return strings.Join(names, " ")
			}
		}
	}
	for _, tt := range []struct {
		who    string
		status loci.ProjectStatus
		want   string
	}{
		{"owner", "", "merger p0 p1 p2 p3 p4 website"},
		{"agent", loci.ProjectActive, "merger p0 p1 p2 p4 website"},
		{"operator", loci.ProjectArchived, "p3"},
		{"anybody", "", "p0 p1 p3 p4 website"},
		{"limited key", "", "website"},
		{"other org", "", ""},
	} {
		if got := all(w.who[tt.who](), tt.status); got != tt.want {
			t.Errorf("%s, %q: got %q, want %q", tt.who, tt.status, got, tt.want)
		}
	}
	first, err := w.App.Project.List(ctx, w.session(w.olga), project.ListRequest{Limit: 2})
	w.must(err)
	for what, err := range map[string]error{
		"of another person": second(
			w.App.Project.List(ctx, w.who["anybody"](), project.ListRequest{Cursor: first.NextCursor})),
		"of another list": second(
			w.App.Project.List(ctx, w.session(w.olga),
				project.ListRequest{Cursor: first.NextCursor, Status: loci.ProjectActive})),
		"of memories": second(w.Memory.List(ctx, w.session(w.olga), memory.ListRequest{Cursor: first.NextCursor})),
	} {
		if loci.CodeOf(err) != loci.Invalid || loci.FieldOf(err) != "cursor" {
			t.Errorf("a cursor %s: %v", what, err)
		}
	}
}

// Roles in a project: never without an owner who can come in, unless the owner leaves the org.
func TestAProjectKeepsAnOwner(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	ctx, id := t.Context(), w.closed.ID
	olga, ora := w.session(w.olga), w.who["org owner"]()
	mia := w.who["member"]().UserID
	leave := func() error { return w.Project.RemoveMember(ctx, olga, id, olga.UserID) }
	wantCode(t, leave(), loci.Conflict)
	w.must(w.Project.PutMember(ctx, olga, id, loci.ProjectMember{UserID: mia, Role: loci.MemberOwner}))
	w.must(second(w.Org.SetMember(ctx, ora, mia, org.MemberChange{Disabled: new(true)})))
	wantCode(t, leave(), loci.Conflict) // the other owner is shut out
	w.must(second(w.Org.SetMember(ctx, ora, mia, org.MemberChange{Disabled: new(false)})))
	w.must(leave())
	wantCode(t, second(w.Project.Get(ctx, w.session(w.olga), id)), loci.NotFound)
	w.must(w.Project.RemoveMember(ctx, w.who["owner"](), w.open.ID, w.carl.ID)) // who is not in it

	w.must(w.Identity.DeleteUser(ctx, w.operator("acme"), mia))
	members, err := w.App.Project.Members(ctx, w.operator("acme"), id)
	if err != nil || slices.ContainsFunc(members,
		func(m loci.ProjectMember) bool { return m.UserID == mia || m.Role == loci.MemberOwner }) {
		t.Errorf("the members are %+v, %v", members, err)
	}
	// Nobody owns it now: an admin of it still manages it, and the operator does all.
	w.must(second(w.Project.Change(ctx, w.who["admin"](), id, project.Patch{Description: new("orphan")})))
	wantCode(t, w.Project.PutMember(ctx, w.who["admin"](), id,
		loci.ProjectMember{UserID: w.carl.ID, Role: loci.MemberOwner}), loci.Forbidden)
	w.must(w.Project.PutMember(ctx, w.operator("acme"), id, loci.ProjectMember{UserID: w.carl.ID, Role: loci.MemberOwner}))
	w.must(w.Project.Delete(ctx, w.session(w.carl), id))
}

// A project that is everyone's can be managed by the org's admins when its owner is gone, but
// not closed before it has another one.
func TestAProjectWithoutOwnerIsNotClosed(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	ctx := t.Context()
	w.must(w.Identity.DeleteUser(ctx, w.operator("acme"), w.olga.ID))
	orla := w.who["org admin"]()
	shut := project.Patch{Everyone: new(false)}
	wantCode(t, second(w.Project.Change(ctx, orla, w.open.ID, shut)), loci.Conflict)
	w.must(second(w.Project.Change(ctx, orla, w.open.ID, project.Patch{Description: new("kept")})))
	w.must(w.Project.PutMember(ctx, w.who["org owner"](), w.open.ID,
		loci.ProjectMember{UserID: w.carl.ID, Role: loci.MemberOwner}))
	got, err := w.Project.Change(ctx, orla, w.open.ID, shut)
	if err != nil || got.Everyone || got.Description != "kept" {
		t.Errorf("got %+v, %v", got, err)
	}
	// who closed it was not entered
	wantCode(t, second(w.Project.Get(ctx, w.who["org admin"](), w.open.ID)), loci.NotFound)
}

// Of owners who all leave at once, one stays.
func TestOwnersWhoLeaveAtOnce(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	ctx, id := t.Context(), w.closed.ID
	owners := []loci.Principal{w.session(w.olga)}
	for n := range 7 {
		u := w.user(w.operator("acme"), fmt.Sprintf("o%d@acme.example", n), loci.Member)
		w.must(w.Project.PutMember(ctx, owners[0], id, loci.ProjectMember{UserID: u.ID, Role: loci.MemberOwner}))
		owners = append(owners, w.session(u))
	}
	var wg sync.WaitGroup
	errs := make([]error, len(owners))
	for i, p := range owners {
		wg.Go(func() { errs[i] = w.Project.RemoveMember(ctx, p, id, p.UserID) })
	}
	wg.Wait()
	stay := 0
	for _, err := range errs {
		if err != nil {
			wantCode(t, err, loci.Conflict)
			stay++
		}
	}
	if stay != 1 {
		t.Errorf("%d stay, want 1", stay)
	}
}

// Changes of different fields at once are all kept.
func TestChangesAtOnceAreAllKept(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	p := w.session(w.olga)
	patches := []project.Patch{{Name: new("site")}, {Description: new("of ours")}, {Everyone: new(false)}}
	var wg sync.WaitGroup
	for _, c := range patches {
		wg.Go(func() {
			if _, err := w.Project.Change(t.Context(), p, w.open.ID, c); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	got, err := w.Project.Get(t.Context(), p, w.open.ID)
	if err != nil || got.Name != "site" || got.Description != "of ours" || got.Everyone {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestProjectsInWorkspaces(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	ctx, operator := t.Context(), w.operator("acme")
	w.must(second(w.Org.Set(ctx, operator, org.Settings{Workspaces: new(true)})))
	spaces, err := w.Org.Workspaces(ctx, w.operator("acme"))
	w.must(err)
	got, err := w.Project.Get(ctx, w.session(w.olga), w.open.ID)
	if err != nil || len(spaces) != 1 || got.WorkspaceID != spaces[0].ID {
		t.Fatalf("the project is in %v of %v, %v", got.WorkspaceID, spaces, err)
	}
	other, err := w.Org.CreateWorkspace(ctx, w.operator("acme"), "Other")
	w.must(err)
	w.must(w.Org.JoinWorkspace(ctx, w.operator("acme"), other.ID, w.olga.ID))
	in := func(id loci.WorkspaceID) loci.Principal {
		return w.stage.key(w.session(w.olga), auth.KeyRequest{WorkspaceID: id})
	}
	made := w.project(in(other.ID), "elsewhere", true)
	if made.WorkspaceID != other.ID {
		t.Errorf("made in %v, want the active workspace %v", made.WorkspaceID, other.ID)
	}
	wantCode(t, second(w.Project.Get(ctx, in(spaces[0].ID), made.ID)), loci.NotFound)
	wantCode(t, second(w.Project.Get(ctx, in(other.ID), w.open.ID)), loci.NotFound)
	wantCode(t, second(w.Project.Archive(ctx, in(spaces[0].ID), made.ID)), loci.NotFound)

	w.must(second(w.Project.Archive(ctx, in(other.ID), made.ID)))
	err = w.Org.DeleteWorkspace(ctx, w.operator("acme"), other.ID)
	if loci.CodeOf(err) != loci.Conflict || !strings.Contains(err.Error(), "projects") {
		t.Errorf("got %v", err)
	}
	w.must(w.Project.Delete(ctx, in(other.ID), made.ID))
	olga := in(other.ID)
	w.must(w.Org.DeleteWorkspace(ctx, w.operator("acme"), other.ID))
	wantCode(t, second(w.Project.Create(ctx, olga, project.Draft{Name: "late"})), loci.NotFound)
	w.must(second(w.Org.Set(ctx, operator, org.Settings{Workspaces: new(false)})))
	w.must(second(w.Project.Get(ctx, w.session(w.olga), w.open.ID)))
}

// The receipt of an org counts its projects.
func TestTheReceiptCountsProjects(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	w.must(second(w.Project.Archive(t.Context(), w.session(w.olga), w.closed.ID)))
	receipt, err := w.Org.Delete(t.Context(), w.operator("acme"), "acme")
	if err != nil || receipt.Projects != 2 {
		t.Errorf("got %+v, %v", receipt, err)
	}
	if _, err := w.st.Projects().Get(t.Context(),
		loci.Viewer{OrgID: "acme", UserID: w.olga.ID, ProjectIDs: []loci.ProjectID{w.open.ID}}, w.open.ID); loci.CodeOf(
		err) != loci.NotFound {
		t.Error(err)
	}
}
