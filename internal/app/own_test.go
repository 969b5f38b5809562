package app_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/node"
)

var onlyClaude = []loci.Vendor{"claude"}

func only(vendors ...loci.Vendor) func(*memory.Draft) {
	return func(d *memory.Draft) { d.AllowedVendors = vendors }
}

// TestOneRuleAboutChanges has an agent change, narrow, share and trash its own memory, another
// vendor's, the person's, one that it may not see and one that never was.
func TestOneRuleAboutChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	doings := map[string]func(loci.MemoryID) error{
		"patch": func(id loci.MemoryID) error {
			_, err := w.Memory.Patch(ctx, w.claude, id, 0, memory.Patch{Title: loci.Set("other")})
			return err
		},
		"narrow": func(id loci.MemoryID) error {
			_, err := w.Memory.Patch(ctx, w.claude, id, 0, memory.Patch{AllowedVendors: loci.Set(onlyClaude)})
			return err
		},
		"trash": func(id loci.MemoryID) error { _, err := w.Memory.Trash(ctx, w.claude, id, 0); return err },
		"bulk": func(id loci.MemoryID) error {
			done, err := w.Memory.Bulk(ctx, w.claude,
				[]memory.BulkItem{{Op: loci.BulkUpdate, ID: id, Patch: memory.Patch{Title: loci.Set("other")}}}, false)
			if err == nil && done[0].Error != nil {
				err = loci.Errorf(done[0].Error.Code, "%s", done[0].Error.Text)
			}
			return err
		},
	}
	hidden := w.add(w.other, titled("hidden", only("cursor")))
	for name, do := range doings {
		own := w.add(w.claude, titled("own "+name))
		if err := do(own.ID); err != nil {
			t.Errorf("%s its own: %v", name, err)
		}
		if len(w.versions(own.ID)) != 1 {
			t.Errorf("%s its own: the old version is gone", name)
		}
		for _, p := range []loci.Principal{w.other, w.owner} {
			m := w.add(p, titled("theirs "+name+p.Origin))
			err := do(m.ID)
			wantCode(t, err, loci.Forbidden)
			if err != nil && !strings.Contains(err.Error(), "supersedes") {
				t.Errorf("%s a memory of %s: %v, which does not tell what to do", name, p.Origin, err)
			}
			if len(w.versions(m.ID)) != 0 {
				t.Errorf("%s a memory of %s: it changed", name, p.Origin)
			}
		}
		missing, absent := do(hidden.ID), do(loci.NewMemoryID())
		wantCode(t, missing, loci.NotFound)
		if missing == nil || absent == nil || missing.Error() != absent.Error() {
			t.Errorf("%s: hidden %v, absent %v", name, missing, absent)
		}
	}
}

// Under the deletion rule, an agent trashes what nobody else has edited. These credentials are of the environment, so
// they have no id.
func TestAgentsTrashOnlyTheirOwnVersions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *app.Options) { o.Deletion = loci.DeleteWithStepUp })
	ctx := t.Context()
	for _, tt := range []struct {
		name    string
		editors []loci.Principal
		code    loci.Code
	}{
		{"its own", nil, ""}, {"edited by itself", []loci.Principal{w.claude, w.claude}, ""},
		{"edited by the person", []loci.Principal{w.owner}, loci.Forbidden},
		{"edited by the person and itself", []loci.Principal{w.owner, w.claude}, loci.Forbidden},
	} {
		m := w.add(w.claude, titled(tt.name))
		for i, p := range tt.editors {
			w.must(second(w.Memory.Patch(ctx, p, m.ID, 0, memory.Patch{Summary: loci.Set(p.Origin + strings.Repeat("!", i))})))
		}
		if err := second(w.Memory.Trash(ctx, w.claude, m.ID, 0)); loci.CodeOf(err) != tt.code {
			t.Errorf("%s: got %v, want code %q", tt.name, err, tt.code)
		}
	}
}

// A memory is of the agent and the session in which its writer works, or keeps those that it has.
func TestMemoriesAreOfTheSessionOfTheirWriter(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	d.agent(d.cursor, "writer", "")
	in := func(p loci.Principal, name string) loci.Principal {
		s, err := d.who.InSession(ctx, p, d.open(p, agent.SessionDraft{Agent: name}).ID)
		d.must(err)
		return s
	}
	reviewer, writer := in(d.claude, "reviewer"), in(d.mara, "writer")
	agents, global := loci.ScopeAgent, loci.ScopeGlobal
	other := loci.NewAgentID()
	first := d.add(reviewer, memory.Draft{Title: "t", Content: "c"})
	for _, tt := range []struct {
		name string
		who  loci.Principal
		c    memory.Patch
		want loci.AgentID
		code loci.Code
	}{
		{"another title", reviewer, memory.Patch{Title: loci.Set("u")}, loci.AgentID{}, ""},
		{"to its own agent", reviewer, memory.Patch{Scope: loci.Set(agents)}, reviewer.AgentID, ""},
		{"another title, by an agent in another session", writer, memory.Patch{Title: loci.Set("v")}, reviewer.AgentID, ""},
		{"to everybody, by another", writer, memory.Patch{Scope: loci.Set(global)}, loci.AgentID{}, ""},
		{"to another agent", reviewer, memory.Patch{Scope: loci.Set(agents), AgentID: loci.Set(other)}, loci.AgentID{},
			loci.Invalid},
	} {
		m, err := d.Memory.Patch(ctx, tt.who, first.ID, 0, tt.c)
		if loci.CodeOf(err) != tt.code || err == nil && m.AgentID != tt.want {
			t.Errorf("%s: got %+v, %v; want the agent %s and code %q", tt.name, m, err, tt.want, tt.code)
		}
	}
	for _, tt := range []struct {
		name string
		to   loci.SessionID
		code loci.Code
	}{
		{"in the session it has", reviewer.SessionID, ""},
		{"in a third session", loci.NewSessionID(), loci.Invalid},
		{"in the session of the writer", writer.SessionID, ""},
		{"in its old session", reviewer.SessionID, loci.Invalid},
	} {
		_, err := d.Memory.Replace(ctx, writer, first.ID, 0, memory.Draft{SessionID: tt.to})
		if loci.CodeOf(err) != tt.code {
			t.Errorf("%s: got %v, want code %q", tt.name, err, tt.code)
		}
	}
	d.must(second(d.Memory.Share(ctx, d.mara, first.ID)))
	wantCode(t, second(d.Memory.Patch(ctx, reviewer, first.ID, 0, memory.Patch{Scope: loci.Set(agents)})), loci.Conflict)
	d.must(second(d.Memory.Unshare(ctx, d.mara, first.ID)))
	d.must(second(d.Memory.Patch(ctx, reviewer, first.ID, 0, memory.Patch{Scope: loci.Set(agents)})))
	wantCode(t, second(d.Memory.Share(ctx, d.mara, first.ID)), loci.Conflict)
	n, err := d.Node.Create(ctx, reviewer, node.Draft{Name: "of everybody"})
	d.must(err)
	d.must(second(d.Node.Change(ctx, reviewer, n.ID, node.Patch{Shared: loci.Set(true)})))
	n, err = d.Node.Create(ctx, reviewer, node.Draft{Name: "of the agent", Scope: loci.ScopeAgent,
		AgentID: reviewer.AgentID})
	d.must(err)
	wantCode(t, second(d.Node.Change(ctx, reviewer, n.ID, node.Patch{Shared: loci.Set(true)})), loci.Conflict)
}

func TestOnlyPeopleAdmitVendors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	m := w.add(w.claude, titled("kept", only("claude")))
	wide := []loci.Vendor{"claude", "cursor"}
	_, err := w.Memory.Patch(ctx, w.claude, m.ID, 0, memory.Patch{AllowedVendors: loci.Set(wide)})
	wantCode(t, err, loci.Forbidden)
	if _, err = w.Memory.Patch(ctx, w.owner, m.ID, 0, memory.Patch{AllowedVendors: loci.Set(wide)}); err != nil {
		t.Error(err)
	}
}

// TestShorterLivesFollowTheDeletionRule checks that the error names a way out and no internal action.
func TestShorterLivesFollowTheDeletionRule(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *app.Options) { o.Deletion = loci.DeleteWithStepUp })
	m := w.add(w.claude, memory.Draft{Key: "k", Content: "c"})
	_, err := w.Memory.Create(t.Context(), w.claude, memory.Draft{Key: "k", Content: "c", TTL: time.Hour})
	wantCode(t, err, loci.Forbidden)
	if err == nil || strings.Contains(err.Error(), "memory.") || !strings.Contains(err.Error(), "ttl") {
		t.Errorf("by key: %v", err)
	}
	soon := w.now.Add(time.Hour)
	_, err = w.Memory.Patch(t.Context(), w.claude, m.ID, 0, memory.Patch{ExpiresAt: loci.Set(soon)})
	wantCode(t, err, loci.Forbidden)
}

// TestSupersedingNarrows checks who reads the old text once a new one takes its place.
func TestSupersedingNarrows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name              string
		of                loci.Vendor
		old, by           []loci.Vendor
		want              []loci.Vendor // may read old after it
		narrowed, reports bool
	}{
		{"an open one by a narrow one", "claude", []loci.Vendor{"*"}, onlyClaude, onlyClaude, true, false},
		{"two by one", "claude", []loci.Vendor{"claude", "cursor"}, onlyClaude, onlyClaude, true, false},
		{"by a wider one", "claude", onlyClaude, []loci.Vendor{"*"}, onlyClaude, false, false},
		{"by others", "claude", onlyClaude, []loci.Vendor{"cursor"}, onlyClaude, false, true},
		{"another vendor's", "cursor", []loci.Vendor{"*"}, onlyClaude, []loci.Vendor{"*"}, false, true},
		{"another vendor's, equally", "cursor", []loci.Vendor{"*"}, []loci.Vendor{"*"}, []loci.Vendor{"*"}, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			old := w.add(w.agent(tt.of), titled("old", only(tt.old...)))
			saved := w.keep(w.claude, titled("new", supersedes(old.ID), only(tt.by...)))
			now, err := w.Memory.GetAt(t.Context(), w.owner, old.ID, loci.When{Superseded: true})
			w.must(err)
			if diff := cmp.Diff(tt.want, now.AllowedVendors); diff != "" {
				t.Errorf("the old one (-want +got):\n%s", diff)
			}
			if (len(saved.Narrowed) == 1) != tt.narrowed || (len(saved.NotNarrowed) == 1) != tt.reports {
				t.Errorf("answered narrowed %v, not narrowed %+v", saved.Narrowed, saved.NotNarrowed)
			}
			if tt.reports && !cmp.Equal(saved.NotNarrowed[0], loci.StillOpen{ID: old.ID, Origin: old.Origin,
				AllowedVendors: tt.old}) {
				t.Errorf("not narrowed: %+v", saved.NotNarrowed[0])
			}
			if len(saved.Suggestions) == 0 {
				return
			}
			_, err = w.Memory.AcceptSuggestion(t.Context(), w.owner, saved.Suggestions[0].ID, false)
			w.must(err)
			if now, err = w.Memory.GetAt(t.Context(), w.owner, old.ID, loci.When{Superseded: true}); err != nil ||
				!cmp.Equal(now.AllowedVendors, tt.by) {
				t.Errorf("accepted: %v, %v, want %v", now.AllowedVendors, err, tt.by)
			}
		})
	}
}
