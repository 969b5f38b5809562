package app_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/memory"
)

func TestRevert(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *app.Options) { o.Deletion = loci.DeleteWithStepUp })
	ctx := t.Context()
	soon := w.now.Add(2 * time.Hour)
	m := w.add(w.claude, memory.Draft{Title: "t", Content: "one", AllowedVendors: []loci.Vendor{"*"}, ExpiresAt: soon})
	two, never, only := "two", time.Time{}, []loci.Vendor{"claude"}
	if _, err := w.Memory.Patch(ctx, w.owner, m.ID, 1,
		memory.Patch{Content: loci.Set(two), ExpiresAt: loci.Set(never), AllowedVendors: loci.Set(only)}); err != nil {
		t.Fatal(err)
	}
	_, err := w.Memory.Revert(ctx, w.owner, m.ID, 0, 1)
	wantCode(t, err, loci.Forbidden) // a shorter life is a deletion
	_, err = w.Memory.Revert(ctx, w.claude, m.ID, 0, 1)
	wantCode(t, err, loci.Forbidden)
	_, err = w.Memory.Revert(ctx, w.local, m.ID, 1, 1)
	wantCode(t, err, loci.Precondition)
	_, err = w.Memory.Revert(ctx, w.local, m.ID, 0, 7)
	wantCode(t, err, loci.NotFound)
	_, err = w.Memory.Revert(ctx, w.local, m.ID, 0, 0)
	wantCode(t, err, loci.Invalid)
	got, err := w.Memory.Revert(ctx, w.local, m.ID, 2, 1)
	if err != nil || got.Version != 3 || got.Content != "one" || !got.ExpiresAt.Equal(soon) ||
		got.AllowedVendors[0] != "*" || got.Editor != "cli" || got.Origin != "claude" {
		t.Errorf("%+v, %v", got, err)
	}
	if again, err := w.Memory.Revert(ctx, w.local, m.ID, 0, 1); err != nil || again.Version != 3 {
		t.Errorf("reverting to what it says made %+v, %v", again, err)
	}
	if got, err = w.Memory.Revert(ctx, w.owner, m.ID, 0, 2); err != nil || got.Content != "two" || got.Version != 4 {
		t.Errorf("%+v, %v", got, err)
	}
	w.now = soon.Add(time.Hour)
	_, err = w.Memory.Revert(ctx, w.local, m.ID, 0, 3)
	wantCode(t, err, loci.Invalid)
	if _, err := w.Memory.Trash(ctx, w.local, m.ID, 0); err != nil {
		t.Fatal(err)
	}
	_, err = w.Memory.Revert(ctx, w.local, m.ID, 0, 1)
	wantCode(t, err, loci.NotFound)
}

func TestRevertInAnArchivedProject(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	m := c.add(c.mara, memory.Draft{Title: "t", Content: "one", Scope: loci.ScopeProject, ProjectID: c.project})
	out, err := c.Memory.Patch(ctx, c.mara, m.ID, 0, memory.Patch{Content: loci.Set("two"),
		Scope: loci.Set(loci.ScopeGlobal)})
	c.must(err)
	if !out.ProjectID.IsZero() {
		t.Fatal("it is in the project still")
	}
	_, err = c.Project.Archive(ctx, c.mara, c.project)
	c.must(err)
	_, err = c.Memory.Revert(ctx, c.mara, m.ID, 0, 1)
	wantCode(t, err, loci.Conflict)
	_, err = c.Project.Restore(ctx, c.mara, c.project)
	c.must(err)
	back, err := c.Memory.Revert(ctx, c.mara, m.ID, 0, 1)
	c.must(err)
	if back.ProjectID != c.project || back.Content != "one" {
		t.Errorf("got %+v", back)
	}
	_, err = c.Project.Archive(ctx, c.mara, c.project)
	c.must(err)
	_, err = c.Memory.Revert(ctx, c.mara, m.ID, 0, 2) // out of it
	wantCode(t, err, loci.Conflict)
}

// A memory of agent scope has no team, and so Loci does not return a shared one to that scope.
func TestRevertToAgentScope(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	in, err := d.who.InSession(ctx, d.claude, d.open(d.claude, agent.SessionDraft{Agent: "reviewer"}).ID)
	d.must(err)
	m := d.add(in, memory.Draft{Title: "t", Content: "c", Scope: loci.ScopeAgent})
	d.must(second(d.Memory.Patch(ctx, d.mara, m.ID, 0, memory.Patch{Scope: loci.Set(loci.ScopeGlobal)})))
	d.must(second(d.Memory.Share(ctx, d.mara, m.ID)))
	wantCode(t, second(d.Memory.Revert(ctx, d.mara, m.ID, 0, 1)), loci.Conflict)
	d.must(second(d.Memory.Patch(ctx, d.mara, m.ID, 0, memory.Patch{Content: loci.Set("other")})))
	d.must(second(d.Memory.Revert(ctx, d.mara, m.ID, 0, 2)))
	d.must(second(d.Memory.Unshare(ctx, d.mara, m.ID)))
	back, err := d.Memory.Revert(ctx, d.mara, m.ID, 0, 1)
	if err != nil || back.Scope != loci.ScopeAgent || back.AgentID != m.AgentID {
		t.Errorf("got %+v, %v", back, err)
	}
}

// Whom a memory was shared with later does not see what it said before, by no number of a version.
func TestDiffShowsNoHiddenVersion(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	m := c.add(c.mara, memory.Draft{Title: "t", Content: "the old secret"})
	said := "in the open"
	_, err := c.Memory.Patch(ctx, c.mara, m.ID, 0, memory.Patch{Content: loci.Set(said)})
	c.must(err)
	_, err = c.Memory.Share(ctx, c.mara, m.ID)
	c.must(err)
	more := "in the open now"
	_, err = c.Memory.Patch(ctx, c.mara, m.ID, 0, memory.Patch{Content: loci.Set(more)})
	c.must(err)
	for _, from := range []int{1, 2} {
		_, hidden := c.Memory.Diff(ctx, c.tom, m.ID, from, 0)
		_, absent := c.Memory.Diff(ctx, c.tom, m.ID, from+90, 0)
		wantCode(t, hidden, loci.NotFound)
		if strings.ReplaceAll(absent.Error(), "9", "") != strings.ReplaceAll(hidden.Error(), "9", "") {
			t.Errorf("hidden %q, absent %q", hidden, absent)
		}
	}
	d, err := c.Memory.Diff(ctx, c.tom, m.ID, 0, 3)
	c.must(err)
	if d.From.Version != 3 || len(d.Fields)+len(d.Texts) != 0 {
		t.Errorf("the version before the first visible one: %+v", d)
	}
	d, err = c.Memory.Diff(ctx, c.mara, m.ID, 0, 3)
	c.must(err)
	if d.From.Version != 2 || len(d.Fields) != 1 || d.Fields[0].Field != "team_id" {
		t.Errorf("got %+v", d)
	}
	_, err = c.Memory.Diff(ctx, c.ines, m.ID, 0, 0)
	wantCode(t, err, loci.NotFound)
	_, err = c.Memory.Diff(ctx, c.mara, m.ID, -1, 0)
	wantCode(t, err, loci.Invalid)
}

func init() {
	deeds[memory.Revert] = func(c *company, ctx context.Context) error {
		title := "hartebeest"
		if _, err := c.Memory.Patch(ctx, c.mara, c.memory.ID, 0, memory.Patch{Title: loci.Set(title)}); err != nil {
			return err
		}
		c.st.entries = nil
		return second(c.Memory.Revert(ctx, c.mara, c.memory.ID, 0, 1))
	}
	deeds[memory.Undo] = func(c *company, ctx context.Context) error {
		return second(c.Memory.Undo(ctx, c.mara, loci.UndoSelection{Origin: c.memory.Editor, Since: c.memory.UpdatedAt},
			false))
	}
}
