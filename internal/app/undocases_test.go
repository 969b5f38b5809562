package app_test

import (
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/transfer"
)

func TestUndoNeedsToKnowWhatIsMeant(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now := w.now
	for name, s := range map[string]loci.UndoSelection{
		"origin": {Since: now},
		"since":  {Origin: "cursor"},
		"until":  {Origin: "cursor", Since: now, Until: now},
		"longer": {Origin: strings.Repeat("x", 51), Since: now},
	} {
		_, err := w.Memory.Undo(t.Context(), w.local, s, false)
		if wantCode(t, err, loci.Invalid); !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, p := range []loci.Principal{w.claude, w.owner} { // an agent; a key without a proof
		_, err := w.Memory.Undo(t.Context(), p, loci.UndoSelection{Origin: "cursor", Since: now}, false)
		wantCode(t, err, loci.Forbidden)
	}
	_, err := w.Memory.Undo(t.Context(), w.claude, loci.UndoSelection{Origin: "cursor", Since: now}, true)
	wantCode(t, err, loci.Forbidden)
	// A dry run writes nothing, so a person needs no proof for it.
	_, err = w.Memory.Undo(t.Context(), w.owner, loci.UndoSelection{Origin: "cursor", Since: now}, true)
	w.must(err)
}

// Whoever has left a team or a project does not get back into it by an undo.
func TestUndoEntersNoTeamOrProjectAgain(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	shared := c.add(c.tom, memory.Draft{Title: "shared", Content: "x"})
	inProject := c.add(c.tom,
		memory.Draft{Title: "in project", Content: "x", Scope: loci.ScopeProject, ProjectID: c.project})
	began := c.now
	_, err := c.Memory.Share(ctx, c.tom, shared.ID)
	c.must(err)
	trashed := began.Add(time.Hour)
	c.now = trashed
	by := func(p loci.Principal) loci.Principal { p.Origin = "cursor"; return p }
	_, err = c.Memory.Unshare(ctx, by(c.tom), shared.ID)
	c.must(err)
	_, err = c.Memory.Trash(ctx, by(c.tom), inProject.ID, 0)
	c.must(err)
	c.must(c.Org.LeaveTeam(ctx, c.tom, c.team))
	_, err = c.Project.Change(ctx, c.mara, c.project, project.Patch{Everyone: new(false)})
	c.must(err)
	c.must(c.Project.RemoveMember(ctx, c.tom, c.project, c.tom.UserID))
	operator := c.operator
	operator.UserID = c.tom.UserID
	got, err := c.Memory.Undo(ctx, operator, loci.UndoSelection{Origin: "cursor", Since: trashed}, false)
	c.must(err)
	if len(got.Undone) != 0 || got.Unchanged != 1 || len(got.LeftAlone) != 1 || got.LeftAlone[0].ID != inProject.ID ||
		!strings.Contains(got.LeftAlone[0].Reason, "project") {
		t.Errorf("got %+v", got)
	}
}

// What a registered agent wrote for its own sessions is undone with the rest.
func TestUndoReachesMemoriesOfAgents(t *testing.T) {
	t.Parallel()
	e := newEdited(t)
	agent := loci.Agent{ID: loci.NewAgentID(), OrgID: e.local.OrgID, UserID: e.local.UserID, Vendor: "claude",
		Name: "reviewer", CreatedAt: e.now, UpdatedAt: e.now}
	err := e.st.Update(t.Context(), e.local.OrgID,
		func(tx store.Tx) error { return tx.Agents().Insert(t.Context(), agent) })
	if err != nil {
		t.Fatal(err)
	}
	claude := e.editor[2]
	claude.AgentID = agent.ID
	own := e.add(claude, memory.Draft{Title: "own", Content: "c", Scope: loci.ScopeAgent, AgentID: agent.ID})
	got, err := e.Memory.Undo(t.Context(), e.local, loci.UndoSelection{SessionID: claude.SessionID}, false)
	if err != nil || len(got.Undone) != 1 || got.Undone[0].ID != own.ID || got.Undone[0].Change != loci.Trashed {
		t.Fatalf("got %+v, %v", got, err)
	}
	again, err := e.Memory.Undo(t.Context(), e.local, *got.Redo, false)
	if err != nil || len(again.Undone) != 1 || again.Undone[0].Change != loci.Restored {
		t.Errorf("redo: %+v, %v", again, err)
	}
	if m, err := e.Memory.Get(t.Context(), claude, own.ID); err != nil || m.Content != "c" {
		t.Errorf("got %+v, %v", m, err)
	}
}

// What was superseded in the range counts again, and what took its place is trashed.
func TestUndoTakesSupersedingBack(t *testing.T) {
	t.Parallel()
	e := newEdited(t)
	old := e.add(e.owner, memory.Draft{Title: "old", Content: "Tuesdays"})
	since := e.now.Add(time.Millisecond)
	by := e.add(e.editor[0], memory.Draft{Title: "new", Content: "Mondays"})
	if err := e.supersede(t, e.editor[0], old.ID, by.ID); err != nil {
		t.Fatal(err)
	}
	got, err := e.Memory.Undo(t.Context(), e.local,
		loci.UndoSelection{CredentialID: e.editor[0].CredentialID, Since: since}, false)
	if err != nil || len(got.Undone) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	m, err := e.Memory.Get(t.Context(), e.claude, old.ID)
	if err != nil || !m.SupersededBy.IsZero() || !m.ValidTo.IsZero() || m.Version != 3 {
		t.Errorf("got %+v, %v", m, err)
	}
	if m, err := e.Memory.Get(t.Context(), e.local, by.ID); err != nil || m.DeletedAt.IsZero() {
		t.Errorf("got %+v, %v", m, err)
	}
}

func TestUndoSaysWhyItLeavesAlone(t *testing.T) {
	t.Parallel()
	e := newEdited(t)
	m := e.add(e.claude, memory.Draft{Title: "t", Content: "one"})
	two := "two"
	if _, err := e.Memory.Patch(t.Context(), e.owner, m.ID, 0, memory.Patch{Content: loci.Set(two)}); err != nil {
		t.Fatal(err)
	}
	got, err := e.Memory.Undo(t.Context(), e.local, loci.UndoSelection{Origin: "claude", Since: m.CreatedAt}, false)
	if err != nil || len(got.LeftAlone) != 1 || len(got.Undone) != 0 || got.Redo != nil {
		t.Fatalf("%+v, %v", got, err)
	}
	if r := got.LeftAlone[0]; r.Version != 2 || !strings.HasPrefix(r.Reason, "updated by api at 2026-03-01T09:") {
		t.Errorf("got %+v", r)
	}
}

// A range that is too wide changes nothing.
func TestUndoHasALimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var lines strings.Builder
	lines.WriteString(exportHead)
	for range loci.MaxUndo + 1 {
		lines.WriteString(`{"memory":{"id":"` + loci.NewMemoryID().String() +
			`","title":"t","content":"c","scope":"global","origin":"cursor","allowed_vendors":["*"],` +
			`"created_at":"2026-01-01T10:00:00Z","updated_at":"2026-01-01T10:00:00Z","version":1,"change":"created",` +
			`"editor":"cursor"}}` + "\n")
	}
	if got, err := w.Transfer.Import(t.Context(), w.local, strings.NewReader(lines.String()),
		transfer.ImportOptions{}); err != nil || got.Added != loci.MaxUndo+1 {
		t.Fatalf("%+v, %v", got, err)
	}
	since := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	_, err := w.Memory.Undo(t.Context(), w.local, loci.UndoSelection{Origin: "cursor", Since: since}, false)
	wantCode(t, err, loci.Conflict)
	page, err := w.Memory.List(t.Context(), w.local, memory.ListRequest{Total: true, Limit: 1})
	if err != nil || page.Total != 1000 || page.Items[0].Version != 1 {
		t.Errorf("%+v, %v", page, err)
	}
}
