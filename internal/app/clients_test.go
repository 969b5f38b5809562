package app_test

import (
	"fmt"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// A save that shares makes both changes or none, and the trail has both.
func TestASaveShares(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	c.st.entries = nil
	m := c.add(c.tom, memory.Draft{Title: "ours", Content: "c", Key: "k", Share: true})
	if m.TeamID != c.team || c.trail() != "memory.share memory.create " {
		t.Errorf("got team %v, trail %q", m.TeamID, c.trail())
	}
	if _, err := c.Memory.Get(ctx, c.mara, m.ID); err != nil {
		t.Errorf("a member of the team: %v", err)
	}
	c.st.entries = nil
	if again := c.add(c.tom, memory.Draft{Title: "ours", Content: "new", Key: "k"}); again.TeamID != c.team ||
		c.trail() != "memory.change " {
		t.Errorf("a save that does not share: team %v, trail %q", again.TeamID, c.trail())
	}
	alone := c.add(c.tom, memory.Draft{Title: "later", Content: "c", Key: "later"})
	shared := c.add(c.tom, memory.Draft{Title: "later", Content: "c", Key: "later", Share: true})
	if shared.ID != alone.ID ||
		shared.TeamID != c.team ||
		shared.Version != 2 {
		t.Errorf("sharing by key: got %+v", shared)
	}
	_, err := c.Memory.Create(ctx, c.tom, memory.Draft{Title: "t", Content: "c", Share: true, Scope: loci.ScopeAgent,
		AgentID: loci.NewAgentID()})
	if err == nil {
		t.Error("a memory of agent scope was shared")
	}
	c.must(c.Org.LeaveTeam(ctx, c.tom, c.team))
	before, err := c.Memory.List(ctx, c.tom, memory.ListRequest{})
	c.must(err)
	for name, p := range map[string]loci.Principal{"left meanwhile": c.tom, "in no team": c.again(c.tom)} {
		_, err := c.Memory.Create(ctx, p, memory.Draft{Title: "lost", Content: "c", Share: true})
		if loci.CodeOf(err) != loci.Conflict {
			t.Errorf("%s: got %v", name, err)
		}
	}
	after, err := c.Memory.List(ctx, c.tom, memory.ListRequest{})
	c.must(err)
	if len(after.Items) != len(before.Items) {
		t.Errorf("%d memories, then %d: a refused save was stored", len(before.Items), len(after.Items))
	}
}

// trail returns the actions of the entries in the audit trail.
func (c *company) trail() (out string) {
	for _, e := range c.st.entries {
		out += e.Action + " "
	}
	return out
}

// EmptyTrash deletes in batches, only the caller's own trash, and counts truly.
func TestEmptyTrash(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	kept := w.add(w.owner, memory.Draft{Title: "kept", Content: "c"})
	items := make([]memory.BulkItem, 205)
	for i := range items {
		items[i] = memory.BulkItem{Op: loci.BulkCreate, Draft: memory.Draft{Title: fmt.Sprint("m", i), Content: "c"}}
	}
	made, err := w.Memory.Bulk(ctx, w.owner, items, true)
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]loci.MemoryID, len(made))
	for i, m := range made {
		ids[i] = m.ID
	}
	if _, err := w.Memory.TrashMany(ctx, w.owner, ids); err != nil {
		t.Fatal(err)
	}
	if n, err := w.Memory.EmptyTrash(ctx, w.claude); loci.CodeOf(err) != loci.Forbidden || n != 0 {
		t.Errorf("an agent: got %d, %v", n, err)
	}
	for _, want := range []int{205, 0} {
		if n, err := w.Memory.EmptyTrash(ctx, w.owner); err != nil || n != want {
			t.Errorf("got %d, %v; want %d", n, err, want)
		}
	}
	_, err = w.Memory.Get(ctx, w.owner, ids[204])
	wantCode(t, err, loci.NotFound)
	if _, err := w.Memory.Get(ctx, w.owner, kept.ID); err != nil {
		t.Errorf("a live memory: %v", err)
	}
}

// Agents read the history of what they see now, without versions that were not for them.
func TestAgentsReadHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	m := w.add(w.owner, memory.Draft{Title: "t", Content: "for cursor", AllowedVendors: []loci.Vendor{"cursor"}})
	for _, content := range []string{"for all", "now"} {
		_, err := w.Memory.Patch(ctx, w.owner, m.ID, 0, memory.Patch{Content: loci.Set(content),
			AllowedVendors: loci.Set([]loci.Vendor{loci.AnyVendor})})
		if err != nil {
			t.Fatal(err)
		}
	}
	versions, current, err := w.Memory.Versions(ctx, w.claude, m.ID, 0, 0)
	if err != nil || len(versions) != 1 || versions[0].Content != "for all" || current.Content != "now" {
		t.Errorf("got %+v, %v", versions, err)
	}
	if _, err := w.Memory.Trash(ctx, w.owner, m.ID, 0); err != nil {
		t.Fatal(err)
	}
	_, _, err = w.Memory.Versions(ctx, w.claude, m.ID, 0, 0)
	wantCode(t, err, loci.NotFound)
	_, err = w.Memory.Diff(ctx, w.claude, m.ID, 0, 0)
	wantCode(t, err, loci.NotFound)
}
