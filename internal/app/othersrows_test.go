package app_test

import (
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/node"
	"github.com/loci-memory/loci/internal/review"
)

// TestSharedRowsAreTheirOwners requires the reason of each rejection: another person is told that the row is shared
// with them, an agent of the owner that another vendor wrote it.
func TestSharedRowsAreTheirOwners(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	in := memory.Draft{Title: "shared", Content: "s", Scope: loci.ScopeProject, ProjectID: d.project}
	m := d.add(d.claude, in)
	list, _, err := d.Memory.AddSources(ctx, d.claude, m.ID, []loci.Source{{Kind: loci.SourceURL,
		Ref: "https://a.example"}})
	d.must(err)
	n, err := d.Node.Create(ctx, d.claude, node.Draft{Name: "n", Scope: loci.ScopeProject, ProjectID: d.project})
	d.must(err)
	c := d.reflect(d.claude, review.Notes{Content: "idea: one\n", Persist: true, PersistReview: true,
		Project: d.project.String()}).Candidates[0].ID
	toms := d.stage.key(d.tom, auth.KeyRequest{Vendor: "claude"}) // the vendor that wrote all of it
	for what, tt := range map[string]struct {
		do             func(loci.Principal) error
		person, vendor string
	}{
		"change": {func(p loci.Principal) error {
			return second(d.Memory.Patch(ctx, p, m.ID, 0, memory.Patch{Title: loci.Set("t")}))
		}, "is shared with you; only its owner can change it", "wrote it, not you"},
		"add": {func(p loci.Principal) error {
			return third(d.Memory.AddSources(ctx, p, m.ID, []loci.Source{{Kind: loci.SourceText, Text: "x"}}))
		}, "is shared with you; only its owner can add to it", "only to what its own vendor wrote"},
		"delete": {func(p loci.Principal) error { return d.Memory.DeleteSource(ctx, p, list[0].ID) },
			"is shared with you; only its owner can delete", "only what its own vendor added"},
		"node": {func(p loci.Principal) error {
			return second(d.Node.Change(ctx, p, n.ID, node.Patch{Name: loci.Set("t")}))
		}, "is shared with you; only its owner can change it", "that its own vendor made"},
		"decide": {func(p loci.Principal) error { return second(d.Review.Reject(ctx, p, c, review.Decision{})) },
			"another person owns this candidate", "proposed this candidate, not you"},
	} {
		refused(t, what+" by another person", tt.do(d.tom), loci.Forbidden, tt.person)
		refused(t, what+" by another person's agent", tt.do(toms), loci.Forbidden, tt.person)
		refused(t, what+" by another vendor", tt.do(d.cursor), loci.Forbidden, tt.vendor)
	}
}

// TestAgentsAreToldHowToRestore requires that only the answer to an agent names the command, because a person has the
// trash.
func TestAgentsAreToldHowToRestore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, tt := range map[string]struct {
		who  loci.Principal
		hint bool
	}{"an agent": {w.claude, true}, "a person": {w.owner, false}} {
		m := w.add(w.claude, titled(name))
		gone, err := w.Memory.Trash(t.Context(), tt.who, m.ID, 0)
		if err != nil || (gone.Hint != "") != tt.hint {
			t.Errorf("%s: got the hint %q, %v", name, gone.Hint, err)
		}
	}
}

// TestNoVendorIsAnErrorOfTheVendors requires that of a save which replaces memories that have no vendor in common.
func TestNoVendorIsAnErrorOfTheVendors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	a, b := w.add(w.owner, titled("a", only("claude"))), w.add(w.owner, titled("b", only("cursor")))
	_, err := w.Memory.Create(ctx, w.owner, titled("c", supersedes(a.ID, b.ID)))
	refused(t, "a save", err, loci.Invalid, "no vendor may read all memories")
	if loci.FieldOf(err) != "allowed_vendors" {
		t.Errorf("got an error about %q", loci.FieldOf(err))
	}
	saved := w.keep(w.owner, titled("c", supersedes(a.ID)))
	if len(saved.AllowedVendors) != 1 || saved.AllowedVendors[0] != "claude" {
		t.Errorf("got a memory for %v", saved.AllowedVendors)
	}
}

// TestSessionsOfPeopleAreNoWorkOfAgents requires that an agent was active only if a credential of its vendor works.
func TestSessionsOfPeopleAreNoWorkOfAgents(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	for name, tt := range map[string]struct {
		who    loci.Principal
		active bool
	}{"a person": {d.mara, false}, "its vendor": {d.claude, true}} {
		d.agent(d.claude, name, "")
		before, err := d.Agent.Get(ctx, d.mara, name)
		d.must(err)
		d.open(tt.who, loci.NewSession{Agent: name})
		after, err := d.Agent.Get(ctx, d.mara, name)
		d.must(err)
		if after.LastActiveAt.After(before.LastActiveAt) != tt.active {
			t.Errorf("%s: active at %s, before at %s", name, after.LastActiveAt, before.LastActiveAt)
		}
	}
}

// TestMemoriesOfAnAgentAreOfTheirSession requires that a save of the scope agent is for the agent of the session, and
// for no other.
func TestMemoriesOfAnAgentAreOfTheirSession(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	in, err := d.who.InSession(ctx, d.claude, d.open(d.claude, loci.NewSession{Agent: "reviewer"}).ID)
	d.must(err)
	m := d.add(in, memory.Draft{Title: "own", Content: "c", Scope: loci.ScopeAgent})
	if m.AgentID != in.AgentID || in.AgentID.IsZero() {
		t.Errorf("got a memory of %s, want of %s", m.AgentID, in.AgentID)
	}
	plain := d.add(d.claude, titled("plain"))
	if m, err := d.Memory.Patch(ctx, in, plain.ID, 0, memory.Patch{Title: loci.Set("still plain")}); err != nil ||
		!m.AgentID.IsZero() {
		t.Errorf("a change in a session makes it a memory of its agent: %+v, %v", m, err)
	}
	_, err = d.Memory.Create(ctx, in, memory.Draft{Title: "other", Content: "c", Scope: loci.ScopeAgent, AgentID: d.robot})
	if loci.FieldOf(err) != "agent_id" {
		t.Errorf("got %v", err)
	}
}

// TestSharingByASaveIsRecorded requires a second entry for a save that shares a memory, and none if it was shared.
func TestSharingByASaveIsRecorded(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	shares := func(content string) (n int) {
		c.st.entries = nil
		c.must(second(c.Memory.Create(t.Context(), c.mara, memory.Draft{Title: "t", Content: content, Key: "k",
			Share: content != "not shared"})))
		for _, e := range c.st.entries {
			if e.Action == string(memory.Share) {
				n++
			}
		}
		return n
	}
	for i, content := range []string{"not shared", "shared", "shared still"} {
		if got, want := shares(content), i%2; got != want {
			t.Errorf("%s: recorded %d times, want %d", content, got, want)
		}
	}
}

// TestLimitedKeysUnshareNodes requires the right to the pool only of what goes into it.
func TestLimitedKeysUnshareNodes(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	n, err := d.Node.Create(t.Context(), d.claude, node.Draft{Name: "n", Scope: loci.ScopeProject, ProjectID: d.project})
	d.must(err)
	d.must(second(d.Node.Change(t.Context(), d.limited, n.ID, node.Patch{Shared: loci.Set(false)})))
	wantCode(t, second(d.Node.Change(t.Context(), d.limited, n.ID, node.Patch{Shared: loci.Set(true)})), loci.Forbidden)
}
