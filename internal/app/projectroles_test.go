package app_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/project"
)

// projectWorld is an org with a project that is everyone's and one that is
// closed, and somebody in each position to them.
type projectWorld struct {
	*stage
	open, closed loci.Project
	olga, carl   loci.User // the owner of both; somebody to be entered
	who          map[string]func() loci.Principal
}

func newProjectWorld(t testing.TB, deletion loci.Deletion) *projectWorld {
	t.Helper()
	w := &projectWorld{stage: newStage(t, deletion)}
	operator, boss := w.org("acme", "boss@acme.example")
	stranger, _ := w.org("other", "boss@other.example")
	user := func(name string, role loci.MemberRole) loci.User { return w.user(operator, name+"@acme.example", role) }
	olga, adam, mia, eve := user("olga", loci.Member), user("adam", loci.Member), user("mia", loci.Member),
		user("eve", loci.Member)
	orla, ora := user("orla", loci.MemberAdmin), user("ora", loci.MemberOwner)
	w.olga, w.carl = olga, user("carl", loci.Member)
	w.open = w.project(w.session(olga), "website", true)
	w.closed = w.project(w.session(olga), "merger", false)
	for _, m := range []loci.ProjectMember{{UserID: adam.ID, Role: loci.MemberAdmin},
		{UserID: mia.ID, Role: loci.Member}} {
		for _, p := range []loci.Project{w.open, w.closed} {
			w.must(w.Project.PutMember(t.Context(), w.session(olga), p.ID, m))
		}
	}
	for _, u := range []loci.User{orla, ora} { // they belong to the closed one as members
		w.must(w.Project.PutMember(t.Context(), w.session(olga), w.closed.ID,
			loci.ProjectMember{UserID: u.ID, Role: loci.Member}))
	}
	for _, p := range []*loci.Project{&w.open, &w.closed} { // as they are with their members
		now, err := w.Project.Get(t.Context(), w.session(olga), p.ID)
		w.must(err)
		*p = now
	}
	session := func(u loci.User) func() loci.Principal { return func() loci.Principal { return w.session(u) } }
	limited := func(to loci.ProjectID) func() loci.Principal {
		return func() loci.Principal {
			return w.stage.key(w.session(olga), auth.KeyRequest{ProjectIDs: []loci.ProjectID{to}})
		}
	}
	w.who = map[string]func() loci.Principal{
		"owner": session(olga), "admin": session(adam), "member": session(mia), "anybody": session(eve),
		"org admin": session(orla), "org owner": session(ora), "outside owner": session(boss),
		"operator":    func() loci.Principal { return w.operator("acme") },
		"other org":   func() loci.Principal { return stranger },
		"agent":       func() loci.Principal { return w.stage.key(w.session(olga), auth.KeyRequest{Vendor: "claude"}) },
		"member's":    func() loci.Principal { return w.stage.key(w.session(mia), auth.KeyRequest{Vendor: "claude"}) },
		"limited key": limited(w.open.ID), "elsewhere": limited(w.closed.ID),
	}
	return w
}

// roles says what becomes of each deed on the open and on the closed project: ok, Forbidden, NotFound.
// Actions that agents do not have are Forbidden to them whatever the project.
const roles = `
              read change archive restore delete members add  owner demote expel leave
owner         ok/ok ok/ok ok/ok ok/ok ok/ok ok/ok ok/ok ok/ok co/co co/co co/co
admin         ok/ok ok/ok ok/ok ok/ok no/no ok/ok ok/ok no/no no/no no/no ok/ok
member        ok/ok no/no no/no no/no no/no ok/ok no/no no/no no/no no/no ok/ok
anybody       ok/-- no/-- no/-- no/-- no/-- ok/-- no/-- no/-- no/-- no/-- ok/--
org_admin     ok/ok ok/ok ok/ok ok/ok no/no ok/ok ok/ok no/no no/no no/no ok/ok
org_owner     ok/ok ok/ok ok/ok ok/ok ok/ok ok/ok ok/ok ok/ok co/co co/co ok/ok
outside_owner ok/-- ok/-- ok/-- ok/-- ok/-- ok/-- ok/-- ok/-- co/-- co/-- ok/--
operator      ok/ok ok/ok ok/ok ok/ok ok/ok ok/ok ok/ok ok/ok co/co co/co ok/ok
other_org     --/-- --/-- --/-- --/-- --/-- --/-- --/-- --/-- --/-- --/-- --/--
agent         ok/ok no/no ok/ok ok/ok ok/ok no/no no/no no/no no/no no/no no/no
member's      ok/ok no/no no/no no/no no/no no/no no/no no/no no/no no/no no/no
limited_key   ok/-- ok/-- ok/-- ok/-- ok/-- ok/-- ok/-- ok/-- co/-- co/-- co/--
elsewhere     --/ok --/ok --/ok --/ok --/ok --/ok --/ok --/ok --/co --/co --/co
`

// projectDeeds are what the table has in its columns; "demote" takes the last owner's role, "expel" takes them out.
var projectDeeds = map[string]func(*projectWorld, context.Context, loci.Principal, loci.ProjectID) error{
	"read": func(w *projectWorld, ctx context.Context, p loci.Principal, id loci.ProjectID) error {
		return second(w.Project.Get(ctx, p, id))
	},
	"change": func(w *projectWorld, ctx context.Context, p loci.Principal, id loci.ProjectID) error {
		return second(w.Project.Change(ctx, p, id, project.Patch{Description: new(fmt.Sprint(w.clock().UnixNano()))}))
	},
	"archive": func(w *projectWorld, ctx context.Context, p loci.Principal, id loci.ProjectID) error {
		return second(w.Project.Archive(ctx, p, id))
	},
	"restore": func(w *projectWorld, ctx context.Context, p loci.Principal, id loci.ProjectID) error {
		return second(w.Project.Restore(ctx, p, id))
	},
	"delete": func(w *projectWorld, ctx context.Context, p loci.Principal, id loci.ProjectID) error {
		return w.Project.Delete(ctx, p, id)
	},
	"members": func(w *projectWorld, ctx context.Context, p loci.Principal, id loci.ProjectID) error {
		return second(w.App.Project.Members(ctx, p, id))
	},
	"add": func(w *projectWorld, ctx context.Context, p loci.Principal, id loci.ProjectID) error {
		return w.Project.PutMember(ctx, p, id, loci.ProjectMember{UserID: w.carl.ID, Role: loci.MemberAdmin})
	},
	"owner": func(w *projectWorld, ctx context.Context, p loci.Principal, id loci.ProjectID) error {
		return w.Project.PutMember(ctx, p, id, loci.ProjectMember{UserID: w.carl.ID, Role: loci.MemberOwner})
	},
	"demote": func(w *projectWorld, ctx context.Context, p loci.Principal, id loci.ProjectID) error {
		return w.Project.PutMember(ctx, p, id, loci.ProjectMember{UserID: w.olga.ID, Role: loci.Member})
	},
	"expel": func(w *projectWorld, ctx context.Context, p loci.Principal, id loci.ProjectID) error {
		return w.Project.RemoveMember(ctx, p, id, w.olga.ID)
	},
	"leave": func(w *projectWorld, ctx context.Context, p loci.Principal, id loci.ProjectID) error {
		return w.Project.RemoveMember(ctx, p, id, p.UserID)
	},
}

func TestWhoMayDoWhatToAProject(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(roles), "\n")
	columns := strings.Fields(lines[0])
	codes := map[string]loci.Code{"ok": "", "no": loci.Forbidden, "--": loci.NotFound, "co": loci.Conflict}
	for _, line := range lines[1:] {
		f := strings.Fields(line)
		name := strings.ReplaceAll(f[0], "_", " ")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newProjectWorld(t, loci.DeleteWithKey)
			for i, deed := range columns {
				open, closed, _ := strings.Cut(f[1+i], "/")
				for id, want := range map[loci.ProjectID]string{w.open.ID: open, w.closed.ID: closed} {
					w.tryDeed(t, deed, name, id, codes[want])
				}
			}
		})
	}
}

// tryDeed carries a deed out and undoes it, by hand of the operator.
func (w *projectWorld) tryDeed(t *testing.T, deed, name string, id loci.ProjectID, want loci.Code) {
	t.Helper()
	ctx := t.Context()
	if deed == "restore" {
		_, err := w.Project.Archive(ctx, w.operator("acme"), id)
		w.must(err)
	}
	if name == "operator" && deed == "leave" {
		return // the person for whom the operator acts is not entered
	}
	p := w.who[name]()
	w.st.entries = nil
	err := projectDeeds[deed](w, ctx, p, id)
	if got := loci.CodeOf(err); got != want || (err == nil) != (want == "") {
		t.Errorf("%s of %s: got %v (code %q), want code %q", deed,
			map[bool]string{true: "open", false: "closed"}[id == w.open.ID], err, got, want)
	}
	if want == loci.NotFound {
		never := projectDeeds[deed](w, ctx, p, loci.NewProjectID())
		if err == nil || never == nil || err.Error() != never.Error() || loci.CodeOf(never) != want {
			t.Errorf("%s: hidden is %q, absent is %q", deed, err, never)
		}
	}
	refused := slices.ContainsFunc(w.st.entries, func(e loci.AuditEntry) bool { return !e.Allowed })
	if done := len(w.st.entries) > 0 && !refused; refused != (want == loci.Forbidden) || done && err != nil {
		t.Errorf("%s (%q): the trail has %+v", deed, want, w.st.entries)
	}
	w.undo(deed, id)
}

func (w *projectWorld) undo(deed string, id loci.ProjectID) {
	w.t.Helper()
	ctx, local := w.t.Context(), w.operator("acme")
	switch deed {
	case "archive", "restore":
		if p, err := w.Project.Get(ctx, local, id); err == nil && p.Status == loci.ProjectArchived {
			_, err := w.Project.Restore(ctx, local, id)
			w.must(err)
		}
	case "add", "owner":
		w.must(w.Project.RemoveMember(ctx, local, id, w.carl.ID))
	case "delete":
		if _, err := w.Project.Get(ctx, local, id); loci.CodeOf(err) == loci.NotFound {
			w.remake(id)
		}
	}
}

// remake makes a project anew with the id, name and members that a deleted one had.
func (w *projectWorld) remake(id loci.ProjectID) {
	w.t.Helper()
	ctx := w.t.Context()
	was := w.open
	if id == w.closed.ID {
		was = w.closed
	}
	_, err := w.st.Projects().Create(ctx, was, w.olga.ID)
	w.must(err)
	local := w.operator("acme")
	for _, name := range []string{"admin", "member", "org admin", "org owner"} {
		role := loci.Member
		if name == "admin" {
			role = loci.MemberAdmin
		}
		if name == "admin" || name == "member" || !was.Everyone {
			w.must(w.Project.PutMember(ctx, local, id, loci.ProjectMember{UserID: w.who[name]().UserID, Role: role}))
		}
	}
}

// The org's rule about deletion holds for projects, and binds neither the operator nor
// an assistant that the operator started at the data directory.
func TestDeletingAProjectFollowsTheRule(t *testing.T) {
	t.Parallel()
	for _, rule := range []loci.Deletion{loci.DeleteWithKey, loci.DeleteWithStepUp} {
		w := newProjectWorld(t, rule)
		owner := w.who["owner"]()
		disk, key, agent, stale := w.who["agent"](), w.stage.key(owner, auth.KeyRequest{}), w.who["agent"](), owner
		disk.Method = loci.ByDisk
		stale.ProvedAt = w.now.Add(-loci.StepUpAge - time.Minute)
		want := map[string]loci.Code{}
		if rule == loci.DeleteWithStepUp {
			want = map[string]loci.Code{"key": loci.Forbidden, "agent": loci.Forbidden, "stale": loci.StepUp}
		}
		for name, p := range map[string]loci.Principal{"session": owner, "stale": stale, "key": key, "agent": agent,
			"disk": disk, "operator": w.operator("acme")} {
			err := w.Project.Delete(t.Context(), p, w.open.ID)
			if got := loci.CodeOf(err); got != want[name] || (err == nil) != (want[name] == "") {
				t.Errorf("%s, %s: got %v, want code %q", rule, name, err, want[name])
			}
			w.undo("delete", w.open.ID)
		}
	}
}

// TestAdminsRemoveMembers requires that an admin of a project removes members, but no owner.
func TestAdminsRemoveMembers(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	admin := w.who["admin"]()
	wantCode(t, w.Project.RemoveMember(t.Context(), admin, w.open.ID, w.olga.ID), loci.Forbidden)
	w.must(w.Project.RemoveMember(t.Context(), admin, w.open.ID, w.who["member"]().UserID))
}

// TestAnImportFindsTheProjectOfItsID requires it whatever the project is called meanwhile.
func TestAnImportFindsTheProjectOfItsID(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	was := w.open
	was.Name = "an earlier name"
	here, made, err := w.Project.Adopt(t.Context(), w.session(w.olga), was, false)
	if err != nil || made || here.ID != w.open.ID {
		t.Errorf("got %+v, %v, %v", here, made, err)
	}
}
