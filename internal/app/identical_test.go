package app_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
)

// TestIdenticalSaves saves the same text again, with and without something new about it.
// long: one table
func TestIdenticalSaves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	later := w.now.Add(90 * 24 * time.Hour)
	full := memory.Draft{Title: "Deploys", Content: "On Tuesdays.", Summary: new("when"), Tags: []string{"ops", "shop"},
		Importance: 8, Pinned: new(true), Category: "decision", Type: loci.Procedural, Source: "chat",
		AllowedVendors: []loci.Vendor{"claude", "cursor"}}
	bare := memory.Draft{Title: full.Title, Content: full.Content}
	with := func(change func(*memory.Draft)) memory.Draft { d := bare; change(&d); return d }
	for name, tt := range map[string]struct {
		first, again memory.Draft
		identical    bool
	}{
		"the same":      {full, full, true},
		"less about it": {full, bare, true},
		"another order": {full, with(func(d *memory.Draft) { d.Tags = []string{"shop", "ops", "shop"} }), true},
		"vendors turned": {full,
			with(func(d *memory.Draft) { d.AllowedVendors = []loci.Vendor{"cursor", "claude"} }), true},
		"of a key":         {with(func(d *memory.Draft) { d.Key = "deploy.day" }), bare, true},
		"another letter":   {bare, with(func(d *memory.Draft) { d.Content = "on Tuesdays." }), false},
		"a space":          {bare, with(func(d *memory.Draft) { d.Content += " " }), false},
		"another title":    {bare, with(func(d *memory.Draft) { d.Title = "Deploy" }), false},
		"a new tag":        {full, with(func(d *memory.Draft) { d.Tags = []string{"ops"} }), false},
		"no tags":          {full, with(func(d *memory.Draft) { d.Tags = []string{} }), false},
		"fewer vendors":    {full, with(func(d *memory.Draft) { d.AllowedVendors = []loci.Vendor{"claude"} }), false},
		"all vendors":      {full, with(func(d *memory.Draft) { d.AllowedVendors = []loci.Vendor{"*"} }), false},
		"more important":   {full, with(func(d *memory.Draft) { d.Importance = 9 }), false},
		"not pinned":       {full, with(func(d *memory.Draft) { d.Pinned = new(false) }), false},
		"no summary":       {full, with(func(d *memory.Draft) { d.Summary = new("") }), false},
		"another category": {full, with(func(d *memory.Draft) { d.Category = "fact" }), false},
		"a key":            {bare, with(func(d *memory.Draft) { d.Key = "deploy.day" }), false},
		"an end":           {bare, with(func(d *memory.Draft) { d.ExpiresAt = later }), false},
		"the same end": {with(func(d *memory.Draft) { d.ExpiresAt = later }),
			with(func(d *memory.Draft) { d.ExpiresAt = later }), true},
		"without an end":      {with(func(d *memory.Draft) { d.ExpiresAt = later }), bare, false},
		"not true then":       {with(func(d *memory.Draft) { d.ValidTo = later }), bare, false},
		"true from then":      {bare, with(func(d *memory.Draft) { d.ValidFrom = w.now }), false},
		"asked for":           {full, with(func(d *memory.Draft) { d.Dedupe = memory.DedupeCreate }), false},
		"with another source": {full, with(func(d *memory.Draft) { d.Source = "manual" }), false},
	} {
		t.Run(name, func(t *testing.T) {
			first := w.keep(w.claude, tt.first)
			got := w.keep(w.claude, tt.again)
			if got.Identical != tt.identical || got.Created() == tt.identical || (got.ID == first.ID) != tt.identical {
				t.Errorf("identical %t, created %t, %s; the first is %s", got.Identical, got.Created(), got.ID, first.ID)
			}
			if tt.identical {
				if diff := cmp.Diff(&loci.Saved{Memory: first.Memory,
					SaveNotes: loci.SaveNotes{Unchanged: true, Identical: true}}, got); diff != "" {
					t.Errorf("the second save (-want +got):\n%s", diff)
				}
			}
			w.must(w.Memory.Erase(t.Context(), w.owner, first.ID, 0))
			if !tt.identical {
				w.must(w.Memory.Erase(t.Context(), w.owner, got.ID, 0))
			}
		})
	}
}

// A save that names its session, or shares, is not done by a memory of another session or one that is not shared.
func TestIdenticalSavesOfSessionsAndTeams(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	one, two := d.inSession(d.claude), d.inSession(d.claude)
	text := memory.Draft{Title: "Deploys", Content: "On Tuesdays."}
	named := func(p loci.Principal) memory.Draft { with := text; with.SessionID = p.SessionID; return with }
	sharing := text
	sharing.Share = true
	for _, tt := range []struct {
		name      string
		who       loci.Principal
		draft     memory.Draft
		identical bool
	}{
		{"first", one, named(one), false}, {"in the same session", one, named(one), true},
		{"in another session", two, named(two), false}, {"in no named session", two, text, true},
		{"shared", one, sharing, false}, {"shared again", two, sharing, true},
	} {
		got, err := d.Memory.Create(t.Context(), tt.who, tt.draft)
		d.must(err)
		if got.Identical != tt.identical || tt.draft.Share && got.TeamID != d.team {
			t.Errorf("%s: identical %t, of the team %s; want %t", tt.name, got.Identical, got.TeamID, tt.identical)
		}
	}
}

// inSession returns p in a new session.
func (d *desk) inSession(p loci.Principal) loci.Principal {
	d.t.Helper()
	in, err := d.who.InSession(d.t.Context(), p, d.open(p, agent.SessionDraft{}).ID)
	d.must(err)
	return in
}

// Whatever does not count, the save is stored, and its answer is that of a save beside nothing.
func TestIdenticalIgnoresWhatTheWriterDoesNotSee(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stranger := loci.User{ID: loci.NewUserID(), OrgID: w.owner.OrgID, Email: "stranger@example.com", Role: loci.RoleUser,
		OrgRole: loci.Member, CreatedAt: w.now}
	w.must(w.st.People().Add(t.Context(), stranger, nil))
	for name, hide := range map[string]func(*loci.Memory){
		"of a stranger":       func(m *loci.Memory) { m.UserID = stranger.ID },
		"of another origin":   func(m *loci.Memory) { m.Origin = "cursor" },
		"for another vendor":  func(m *loci.Memory) { m.AllowedVendors = []loci.Vendor{"cursor"} },
		"in the trash":        func(m *loci.Memory) { m.DeletedAt = w.now },
		"expired":             func(m *loci.Memory) { m.ExpiresAt = w.now.Add(-time.Hour) },
		"superseded":          func(m *loci.Memory) { m.SupersededBy = loci.NewMemoryID() },
		"of another agent":    func(m *loci.Memory) { m.Scope, m.AgentID = loci.ScopeAgent, loci.NewAgentID() },
		"about a project":     func(m *loci.Memory) { m.ProjectID = loci.NewProjectID() },
		"of another work":     func(m *loci.Memory) { m.WorkspaceID = loci.NewWorkspaceID() },
		"in a project's pool": func(m *loci.Memory) { m.Scope, m.ProjectID = loci.ScopeProject, loci.NewProjectID() },
	} {
		hidden := &loci.Memory{ID: loci.NewMemoryID(), Title: name, Content: "c"}
		hidden.OrgID, hidden.UserID, hidden.Origin = w.owner.OrgID, w.owner.UserID, "claude"
		hidden.SetDefaults()
		hidden.CreatedAt, hidden.UpdatedAt = w.now, w.now
		hidden.State = loci.State{Version: 1, Change: loci.Created, Editor: "claude"}
		hide(hidden)
		w.must(w.st.Update(t.Context(), w.owner.OrgID, func(tx store.Tx) error {
			return tx.Memories().Insert(t.Context(), hidden)
		}))
		got := w.keep(w.claude, memory.Draft{Title: name, Content: "c", NotCompared: true})
		want := &loci.Saved{Memory: got.Memory, SaveNotes: loci.SaveNotes{SimilarSkipped: true}}
		if diff := cmp.Diff(want, got); diff != "" || got.ID == hidden.ID || got.Version != 1 {
			t.Errorf("%s: %s", name, diff)
		}
		if again := w.keep(w.claude, memory.Draft{Title: name, Content: "c"}); again.ID != got.ID || !again.Identical {
			t.Errorf("%s, again: %+v", name, again)
		}
	}
	blind := w.claude
	blind.Rights = []loci.Right{loci.RightWrite}
	first := w.keep(blind, memory.Draft{Title: "blind", Content: "c"})
	if again := w.keep(blind, memory.Draft{Title: "blind", Content: "c"}); !again.Created() || again.ID == first.ID {
		t.Errorf("a credential that may not read: %+v", again)
	}
}

// A save that stores nothing still does what else it is asked to do.
func TestIdenticalSaveSupersedesAndHasSources(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old, now := w.keep(w.claude, titled("old")), w.keep(w.claude, titled("new"))
	got := w.keep(w.claude, titled("new", supersedes(old.ID), func(d *memory.Draft) {
		d.Sources = []loci.Source{{Kind: loci.SourceText, Text: "x"}}
	}))
	if !got.Identical || got.ID != now.ID || len(got.Superseded) != 1 || len(got.Sources) != 1 {
		t.Errorf("%+v", got)
	}
	if _, err := w.Memory.Get(t.Context(), w.claude, old.ID); loci.CodeOf(err) != loci.NotFound {
		t.Errorf("the old one: %v", err)
	}
	if again := w.keep(w.claude, titled("new", supersedes(now.ID))); !again.Created() || len(again.Superseded) != 1 {
		t.Errorf("a save that replaces the same text: %+v", again)
	}
	results, err := w.Memory.Bulk(t.Context(), w.claude, []memory.BulkItem{
		{Op: loci.BulkCreate, Draft: titled("twice")}, {Op: loci.BulkCreate, Draft: titled("twice")}}, true)
	if err != nil || !results[0].Created || !results[1].Identical || results[1].ID != results[0].ID {
		t.Errorf("one bulk call: %+v, %v", results, err)
	}
}

// TestConcurrentIdenticalSaves saves one text at the same time through two processes.
func TestConcurrentIdenticalSaves(t *testing.T) {
	t.Parallel()
	apps, p := twoProcesses(t)
	for round := range 5 {
		var wait sync.WaitGroup
		ids := make([]loci.MemoryID, 8)
		for i := range ids {
			wait.Go(func() {
				m, err := apps[i%2].Memory.Create(t.Context(), p, memory.Draft{Title: "t", Content: fmt.Sprint("round ", round)})
				if err != nil {
					t.Error(err)
					return
				}
				ids[i] = m.ID
			})
		}
		wait.Wait()
		if n := len(loci.Unique(ids)); n != 1 {
			t.Errorf("round %d: %d memories", round, n)
		}
	}
}
