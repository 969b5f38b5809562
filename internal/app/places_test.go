package app_test

import (
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/node"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/review"
)

// TestMemoriesStayWhereTheirWriterMayWrite requires the same of a save and of a change: no credential puts a memory
// into a project, an agent or a session of another, and a key of projects puts none outside of these.
func TestMemoriesStayWhereTheirWriterMayWrite(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	foreign, err := d.Project.Create(ctx, d.tom, project.Draft{Name: "tom's own"})
	d.must(err)
	others := d.open(d.tom, agent.SessionDraft{Title: "another"})
	m := d.add(d.mara, memory.Draft{Title: "m", Content: "c"})
	mine := d.add(d.limited, memory.Draft{Title: "p", Content: "c", Scope: loci.ScopeProject, ProjectID: d.project})
	kept := d.add(d.mara, memory.Draft{Title: "k", Content: "c", Scope: loci.ScopeProject, ProjectID: d.project})
	for name, tt := range map[string]struct {
		who   loci.Principal
		on    *loci.Memory
		field string
		to    memory.Patch
	}{
		"another's project": {d.mara, m, "project_id", memory.Patch{ProjectID: loci.Set(foreign.ID)}},
		"a key of projects, no one": {d.limited, mine, "project_id",
			memory.Patch{Scope: loci.Set(loci.ScopeGlobal), ProjectID: loci.Set(loci.ProjectID{})}},
		"an agent that is not theirs": {d.mara, m, "agent_id", memory.Patch{AgentID: loci.Set(d.robot)}},
		"for a project without one":   {d.mara, kept, "project_id", memory.Patch{ProjectID: loci.Set(loci.ProjectID{})}},
	} {
		_, err := d.Memory.Patch(ctx, tt.who, tt.on.ID, 0, tt.to)
		if loci.FieldOf(err) != tt.field {
			t.Errorf("a change, %s: got %v, want an error about %s", name, err, tt.field)
		}
		draft := memory.Draft{Title: name, Content: "x", Scope: tt.on.Scope}
		tt.to.Scope.Apply(&draft.Scope, "")
		tt.to.ProjectID.Apply(&draft.ProjectID, loci.ProjectID{})
		tt.to.AgentID.Apply(&draft.AgentID, loci.AgentID{})
		if _, err := d.Memory.Create(ctx, tt.who, draft); loci.FieldOf(err) != tt.field {
			t.Errorf("a save, %s: got %v, want an error about %s", name, err, tt.field)
		}
	}
	draft := memory.Draft{Title: "t", Content: "x", SessionID: others.ID}
	for name, err := range map[string]error{"a save": second(d.Memory.Create(ctx, d.mara, draft)),
		"a replacement": second(d.Memory.Replace(ctx, d.mara, m.ID, 0, draft))} {
		if loci.FieldOf(err) != "session_id" {
			t.Errorf("%s in a session that is not theirs: got %v, want an error about session_id", name, err)
		}
	}
}

// TestNoMemoryMovesToAnotherOfItsKey requires that a change of the place of a memory leaves one memory for a key
// there.
func TestNoMemoryMovesToAnotherOfItsKey(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	global := d.add(d.mara, memory.Draft{Key: "port", Content: "1"})
	in := d.add(d.mara, memory.Draft{Key: "port", Content: "2", Scope: loci.ScopeProject, ProjectID: d.project})
	out := memory.Patch{Scope: loci.Set(loci.ScopeGlobal), ProjectID: loci.Set(loci.ProjectID{})}
	wantCode(t, second(d.Memory.Patch(ctx, d.mara, in.ID, 0, out)), loci.Conflict)
	d.must(second(d.Memory.Trash(ctx, d.mara, global.ID, 0)))
	d.must(second(d.Memory.Patch(ctx, d.mara, in.ID, 0, out)))
}

// TestDecisionsStayOutOfArchivedProjects requires that a candidate of a project becomes a memory, and stops being one,
// only while the project is active.
func TestDecisionsStayOutOfArchivedProjects(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	list := d.reflect(d.claude, review.Notes{Content: "idea: one\nidea: two\n", Persist: true, PersistReview: true,
		Project: d.project.String()}).Candidates
	accepted, err := d.Review.Accept(ctx, d.mara, list[0].ID, review.Decision{})
	d.must(err)
	d.must(second(d.Project.Archive(ctx, d.mara, d.project)))
	wantCode(t, second(d.Review.Accept(ctx, d.mara, list[1].ID, review.Decision{})), loci.Conflict)
	wantCode(t, second(d.Review.Undo(ctx, d.mara, list[0].ID, review.Decision{})), loci.Conflict)
	d.must(second(d.Project.Restore(ctx, d.mara, d.project)))
	d.must(second(d.Review.Undo(ctx, d.mara, list[0].ID, review.Decision{})))
	m, err := d.Memory.GetAt(ctx, d.mara, accepted.MemoryID, loci.When{})
	if err != nil || m.DeletedAt.IsZero() {
		t.Errorf("after undo: %+v, %v", m, err)
	}
}

// TestUndoOfAnAcceptChangesOnlyItsOwn requires that the undo of an accept lets no memory of another person hold again,
// which that person had let be replaced, and touches none that is in the trash.
func TestUndoOfAnAcceptChangesOnlyItsOwn(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	accept := func(old *loci.Memory) loci.CandidateID {
		id := d.reflect(d.claude, review.Notes{Content: "idea: " + old.Content + "\n", Persist: true, PersistReview: true,
			Project: d.project.String()}).Candidates[0].ID
		d.must(second(d.Review.Accept(ctx, d.mara, id, review.Decision{Supersedes: []loci.MemoryID{old.ID}})))
		return id
	}
	version := func(p loci.Principal, m *loci.Memory) int {
		_, now, err := d.Memory.Versions(ctx, p, m.ID, 0, 0)
		d.must(err)
		return now.Version
	}
	in := func(title string) memory.Draft {
		return memory.Draft{Title: title, Content: "the port of " + title, Scope: loci.ScopeProject, ProjectID: d.project}
	}
	theirs, own, trashed := d.add(d.tom, in("theirs")), d.add(d.mara, in("own")), d.add(d.mara, in("trashed"))
	ids := []loci.CandidateID{accept(theirs), accept(own), accept(trashed)}
	list, err := d.Memory.Suggestions(ctx, d.tom, memory.SuggestionsRequest{})
	d.must(err)
	d.must(second(d.Memory.AcceptSuggestion(ctx, d.tom, list.Items[0].ID, false)))
	d.must(second(d.Memory.Trash(ctx, d.mara, trashed.ID, 0)))
	before, gone := version(d.tom, theirs), version(d.mara, trashed)
	for _, id := range ids {
		d.must(second(d.Review.Undo(ctx, d.mara, id, review.Decision{})))
	}
	if got := d.live(d.mara, theirs, own); got != "own" {
		t.Errorf("found again: %s", got)
	}
	if version(d.tom, theirs) != before || version(d.mara, trashed) != gone {
		t.Errorf("versions: %d and %d, want %d and %d", version(d.tom, theirs), version(d.mara, trashed), before, gone)
	}
}

// TestKeysThatMayNotRead requires that a credential without the right to read gets nothing from what else it may do.
func TestKeysThatMayNotRead(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	d.add(d.mara, memory.Draft{Title: "deploy", Content: "we deploy on Tuesdays"})
	writes := d.stage.key(d.mara, auth.KeyRequest{Rights: []loci.Right{loci.RightWrite, loci.RightReflect}})
	saved, err := d.Memory.Create(ctx, writes, memory.Draft{Title: "deploy", Content: "we deploy on Tuesdays now"})
	d.must(err)
	if len(saved.Similar) > 0 {
		t.Errorf("a save tells of %+v", saved.Similar)
	}
	r := d.reflect(writes, review.Notes{Content: "claim: we deploy on Tuesdays\n"})
	for _, f := range r.Candidates[0].Findings {
		if f.TargetType == "memory" {
			t.Errorf("a reflection tells of %+v", f)
		}
	}
	id := d.queued(writes, "idea: paint the shed\n")[0]
	d.must(second(d.Review.Accept(ctx, writes, id, review.Decision{})))
	wantCode(t, second(d.Review.Undo(ctx, writes, id, review.Decision{})), loci.Forbidden)
	wantCode(t, second(d.Project.Choose(ctx, writes, memory.Read, project.Choice{Name: "none"})), loci.Forbidden)
	wantCode(t, second(d.Memory.Gather(ctx, writes, memory.SearchRequest{Query: "deploy"})), loci.Forbidden)
	wantCode(t, third(d.Memory.Versions(ctx, writes, saved.ID, 0, 0)), loci.Forbidden)
}

// TestAnAcceptLooksAgain requires that what waits is compared with the memories of now before an agent accepts it, and
// before the dream-cycle does.
func TestAnAcceptLooksAgain(t *testing.T) {
	t.Parallel()
	d := newDreams(t)
	ctx := t.Context()
	ids := d.queued(d.claude, "claim: The pool is not heated.\nclaim: The sauna is not heated.\n")
	d.add(d.claude, memory.Draft{Title: "pool", Content: "The pool is heated."})
	refused(t, "an agent", second(d.Review.Accept(ctx, d.claude, ids[0], review.Decision{})), loci.Forbidden,
		"it contradicts a memory")
	d.add(d.claude, memory.Draft{Title: "sauna", Content: "The sauna is heated."})
	d.dream()
	for _, id := range ids {
		if c := d.waiting(d.mara, id); c.State != loci.ReviewPending {
			t.Errorf("%q is %s", c.Content, c.State)
		}
	}
}

// TestNobodyIsLeftWithoutAWorkspace requires it of a workspace that is deleted and of a member who is taken out.
func TestNobodyIsLeftWithoutAWorkspace(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	d := func(w loci.Workspace, err error) loci.WorkspaceID { c.must(err); return w.ID }
	first, last := d(c.Org.CreateWorkspace(ctx, c.owner, "Third")), d(c.Org.CreateWorkspace(ctx, c.owner, "Fourth"))
	c.must(second(c.Org.Set(ctx, c.owner, org.Settings{Workspaces: new(true)})))
	nils := c.user(c.operator, "nils@acme.example", loci.Member)
	c.must(c.Org.JoinWorkspace(ctx, c.owner, first, nils.ID))
	spaces, err := c.Org.Workspaces(ctx, c.session(nils))
	c.must(err)
	for _, w := range spaces {
		if w.ID != first {
			c.must(c.Org.LeaveWorkspace(ctx, c.owner, w.ID, nils.ID))
		}
	}
	wantCode(t, c.Org.DeleteWorkspace(ctx, c.owner, first), loci.Conflict)
	wantCode(t, c.Org.LeaveWorkspace(ctx, c.owner, first, nils.ID), loci.Conflict)
	c.must(c.Org.JoinWorkspace(ctx, c.owner, last, nils.ID))
	c.must(c.Org.LeaveWorkspace(ctx, c.owner, first, nils.ID))
	c.must(c.Org.LeaveWorkspace(ctx, c.owner, first, c.owner.UserID))
	c.must(c.Org.DeleteWorkspace(ctx, c.owner, first))
}

// TestKeysOfProjectsStayInThem requires that a key of projects reaches no pool, and makes no node that it could not
// see.
func TestKeysOfProjectsStayInThem(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	key := d.stage.key(d.mara, auth.KeyRequest{ProjectIDs: []loci.ProjectID{d.project}})
	m := d.add(key, memory.Draft{Title: "m", Content: "c", Scope: loci.ScopeProject, ProjectID: d.project})
	wantCode(t, second(d.Memory.Share(ctx, key, m.ID)), loci.Forbidden)
	wantCode(t, second(d.Memory.TeamMemories(ctx, key, memory.ListRequest{})), loci.Forbidden)
	for _, draft := range []node.Draft{{Name: "anywhere"}, {Name: "beside it", ProjectID: d.project}} {
		if _, err := d.Node.Create(ctx, key, draft); loci.FieldOf(err) != "project_id" {
			t.Errorf("a node %q: %v", draft.Name, err)
		}
	}
	made, err := d.Node.Create(ctx, key, node.Draft{Name: "in it", Scope: loci.ScopeProject, ProjectID: d.project})
	d.must(err)
	wantCode(t, second(d.Node.Create(ctx, key, node.Draft{Name: "shared", Scope: loci.ScopeProject, ProjectID: d.project,
		Shared: true})), loci.Forbidden)
	wantCode(t, second(d.Node.Change(ctx, key, made.ID, node.Patch{Shared: loci.Set(true)})), loci.Forbidden)
	if _, err := d.Node.Get(ctx, key, made.ID); err != nil {
		t.Error(err)
	}
}
