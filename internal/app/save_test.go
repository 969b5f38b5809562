package app_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
)

func (w *world) keep(p loci.Principal, d memory.Draft) *loci.Saved {
	w.t.Helper()
	m, err := w.Memory.Create(w.t.Context(), p, d)
	if err != nil {
		w.t.Fatal(err)
	}
	return m
}

func (w *world) versions(id loci.MemoryID) []*loci.Version {
	w.t.Helper()
	list, _, err := w.Memory.Versions(w.t.Context(), w.owner, id, 0, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	return list
}

func TestSaveUnderAKeyKeepsWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.keep(w.claude,
		memory.Draft{Key: "deploy.day", Content: "On Tuesdays.", Summary: new("when"), Tags: []string{"ops"}, Importance: 8,
			Pinned: new(true), Category: "decision", AllowedVendors: []loci.Vendor{"claude", "cursor"},
			ExpiresAt: w.now.Add(90 * 24 * time.Hour)})
	if !first.Created() || first.Title != "deploy.day" || first.Version != 1 || first.ReplacedVersion != 0 {
		t.Fatalf("the first save: %+v", first)
	}
	by := w.claude
	by.CredentialID, by.SessionID = loci.NewCredentialID(), loci.NewSessionID()
	got := w.keep(by, memory.Draft{Key: "deploy.day", Title: "Deploys", Content: "On Thursdays."})
	want := first.Memory
	want.Title, want.Content, want.UpdatedAt = "Deploys", "On Thursdays.", got.UpdatedAt
	want.State = loci.State{Version: 2, Change: loci.Updated, Editor: "claude", EditorID: w.owner.UserID,
		EditorCredentialID: by.CredentialID, EditorSessionID: by.SessionID}
	if diff := cmp.Diff(&loci.Saved{Memory: want, SaveNotes: loci.SaveNotes{ReplacedVersion: 1,
		ReplacedTitle: "deploy.day"}}, got); diff != "" ||
		got.Created() {
		t.Errorf("the second save (-want +got):\n%s", diff)
	}
	old := w.versions(first.ID)
	if len(old) != 1 || old[0].Content != "On Tuesdays." || !old[0].ReplacedAt.Equal(got.UpdatedAt) {
		t.Errorf("kept: %+v", old)
	}
	again := w.keep(w.claude, memory.Draft{Key: "deploy.day", Content: "On Thursdays.", Tags: []string{"ops", "ops"}})
	if diff := cmp.Diff(&loci.Saved{Memory: got.Memory, SaveNotes: loci.SaveNotes{Unchanged: true}}, again); diff != "" ||
		len(w.versions(first.ID)) != 1 {
		t.Errorf("a save that says nothing new (-want +got):\n%s", diff)
	}
	bare := w.keep(w.claude, memory.Draft{Key: "deploy.day", Content: "On Thursdays.", Summary: new(""), Tags: []string{},
		Pinned: new(false), Importance: 1})
	if bare.Summary != "" || len(bare.Tags) != 0 || bare.Pinned || bare.Importance != 1 || bare.ReplacedVersion != 2 ||
		bare.Category != "decision" {
		t.Errorf("fields that are empty on purpose: %+v", bare)
	}
}

// Each row says who saves what after whom, and whether that changes the memory that is there.
// long: one table
func TestWhatASaveUnderAKeyChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, project := loci.NewAgentID(), loci.NewProjectID()
	working := func(p loci.Principal) loci.Principal { p.AgentID = agent; return p }
	limited := func(v ...loci.Vendor) memory.Draft { return memory.Draft{AllowedVendors: v} }
	n := 0
	for name, tt := range map[string]struct {
		first   loci.Principal
		was     memory.Draft
		between func(*loci.Saved)
		then    loci.Principal
		now     memory.Draft
		changes bool
	}{
		"the same agent":            {first: w.claude, then: w.claude, changes: true},
		"another agent":             {first: w.claude, then: w.other},
		"an agent after the person": {first: w.owner, then: w.claude},
		"the person after an agent": {first: w.claude, then: w.owner, changes: true},
		"the person at the desk":    {first: w.owner, then: w.local, changes: true},
		"a person and create":       {first: w.owner, then: w.owner, now: memory.Draft{Dedupe: memory.DedupeCreate}},
		"what the agent cannot see": {first: w.claude, was: limited("cursor"), then: w.claude},
		"what the person limited":   {first: w.claude, was: limited("cursor"), then: w.owner, changes: true},
		"another scope": {first: working(w.claude), then: working(w.claude),
			now: memory.Draft{Scope: loci.ScopeAgent}},
		"the agent's scope": {first: working(w.claude), was: memory.Draft{Scope: loci.ScopeAgent},
			then: working(w.claude), now: memory.Draft{Scope: loci.ScopeAgent, AgentID: agent}, changes: true},
		"outside of the agent": {first: working(w.claude), was: memory.Draft{Scope: loci.ScopeAgent}, then: w.claude},
		"about the agent":      {first: working(w.claude), was: memory.Draft{AgentID: agent}, then: working(w.claude)},
		"what has expired": {first: w.owner, was: memory.Draft{TTL: time.Minute}, then: w.owner,
			between: func(*loci.Saved) { w.now = w.now.Add(time.Hour) }},
		"what is in the trash": {first: w.owner, then: w.owner,
			between: func(m *loci.Saved) { _, err := w.Memory.Trash(t.Context(), w.owner, m.ID, 0); w.must(err) }},
		"what is superseded": {first: w.owner, then: w.owner, between: func(m *loci.Saved) {
			w.keep(w.owner, memory.Draft{Title: "by", Content: "c", Supersedes: []loci.MemoryID{m.ID}})
		}},
		"what was patched meanwhile": {first: w.claude, then: w.claude, between: func(m *loci.Saved) {
			_, err := w.Memory.Patch(t.Context(), w.owner, m.ID, 0, memory.Patch{Title: loci.Set("x")})
			w.must(err)
		}, changes: true},
		"what lost its key": {first: w.owner, then: w.owner, between: func(m *loci.Saved) {
			_, err := w.Memory.Patch(t.Context(), w.owner, m.ID, 0, memory.Patch{Key: loci.Set("")})
			w.must(err)
		}},
		"what moved to a project": {first: w.owner, then: w.owner, between: func(m *loci.Saved) {
			err := w.st.Update(t.Context(), w.owner.OrgID, func(tx store.Tx) error {
				moved := m.Clone()
				moved.ProjectID, moved.Version, moved.UpdatedAt = project, 2, moved.UpdatedAt.Add(time.Second)
				return tx.Memories().Replace(t.Context(), moved)
			})
			w.must(err)
		}},
	} {
		n++
		tt.was.Key, tt.was.Content = fmt.Sprint("key ", n), "was"
		tt.now.Key, tt.now.Content = tt.was.Key, "is now"
		first := w.keep(tt.first, tt.was)
		if tt.between != nil {
			tt.between(first)
		}
		got := w.keep(tt.then, tt.now)
		if changed := got.ID == first.ID; changed != tt.changes || got.Created() == changed || got.Content != "is now" {
			t.Errorf("%s: changed %v, want %v; created %v, version %d", name, changed, tt.changes, got.Created(), got.Version)
		}
		if got.Created() && (got.Version != 1 || got.Origin != tt.then.Origin) {
			t.Errorf("%s: a new memory of %q at version %d", name, got.Origin, got.Version)
		}
	}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func TestAgentsDoNotWidenBySaving(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	keyed := func(v ...loci.Vendor) memory.Draft { return memory.Draft{Key: "k", Content: "c", AllowedVendors: v} }
	m := w.keep(w.claude, keyed("claude", "cursor"))
	for _, wider := range [][]loci.Vendor{{loci.AnyVendor}, {"claude", "cursor", "gemini"}, {"gemini", "claude"}} {
		_, err := w.Memory.Create(ctx, w.claude, keyed(wider...))
		wantCode(t, err, loci.Forbidden)
	}
	if got, err := w.Memory.Get(ctx, w.owner, m.ID); err != nil || got.Version != 1 {
		t.Errorf("after what was refused: %+v, %v", got, err)
	}
	if got := w.keep(w.claude, keyed("claude")); got.ReplacedVersion != 1 {
		t.Errorf("fewer vendors: %+v", got)
	}
	if got := w.keep(w.owner, keyed(loci.AnyVendor)); got.ReplacedVersion != 2 {
		t.Errorf("the person: %+v", got)
	}
	if got := w.keep(w.claude, keyed("gemini", "claude")); got.ReplacedVersion != 3 {
		t.Errorf("fewer than all vendors: %+v", got)
	}
}

func TestAShorterLifeIsADeletion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *app.Options) { o.Deletion = loci.DeleteWithStepUp })
	ctx := t.Context()
	keyed := func(ttl time.Duration) memory.Draft { return memory.Draft{Key: "k", Content: "c", TTL: ttl} }
	for _, p := range []loci.Principal{w.claude, w.owner} {
		d := keyed(0)
		d.Key = p.Origin
		w.keep(p, d)
		d.TTL = time.Hour
		_, err := w.Memory.Create(ctx, p, d)
		wantCode(t, err, loci.Forbidden)
	}
	made := w.keep(w.claude, keyed(time.Hour))
	if got := made.ExpiresAt.Sub(made.CreatedAt); got != time.Hour {
		t.Errorf("lives for %s", got)
	}
	if got := w.keep(w.claude, keyed(2*time.Hour)); got.ReplacedVersion != 1 {
		t.Errorf("a longer life: %+v", got)
	}
	_, err := w.Memory.Create(ctx, w.claude, keyed(time.Hour))
	wantCode(t, err, loci.Forbidden)
	if got := w.keep(w.local, keyed(time.Hour)); got.ReplacedVersion != 2 {
		t.Errorf("the operator: %+v", got)
	}
}

// long: one table
func TestSavesThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	own := w.keep(w.owner, memory.Draft{Key: "own", Content: "c"})
	writer := w.owner
	writer.Rights = []loci.Right{loci.RightWrite}
	for name, tt := range map[string]struct {
		p           loci.Principal
		d           memory.Draft
		code        loci.Code
		field, text string
	}{
		"neither title nor key": {p: w.owner, d: memory.Draft{Content: "c"}, code: loci.Invalid, field: "title"},
		"an unknown dedupe": {p: w.owner, d: memory.Draft{Key: "k", Content: "c", Dedupe: "skip"}, code: loci.Invalid,
			field: "dedupe"},
		"two lifetimes": {p: w.owner,
			d: memory.Draft{Key: "k", Content: "c", TTL: time.Hour, ExpiresAt: w.now.Add(time.Hour)}, code: loci.Invalid,
			field: "ttl"},
		"no time to live": {p: w.owner, d: memory.Draft{Key: "k", Content: "c", TTL: -time.Hour}, code: loci.Invalid,
			field: "ttl"},
		"more than a life": {p: w.owner, d: memory.Draft{Key: "k", Content: "c", TTL: memory.MaxTTL + time.Second},
			code: loci.Invalid, field: "ttl"},
		"an expiry in the past": {p: w.owner, d: memory.Draft{Key: "own", Content: "c", ExpiresAt: w.now},
			code: loci.Invalid, field: "expires_at"},
		"promoted": {p: w.owner, d: memory.Draft{Key: "own", Content: "c", Source: loci.AutoSource},
			code: loci.Invalid, field: "source"},
		"an agent of no session": {p: w.claude, d: memory.Draft{Key: "own", Content: "c", AgentID: loci.NewAgentID()},
			code: loci.Invalid, field: "agent_id"},
		"no agent at all": {p: w.claude, d: memory.Draft{Key: "own", Content: "c", Scope: loci.ScopeAgent},
			code: loci.Invalid, field: "agent_id"},
		"itself": {p: w.owner,
			d: memory.Draft{Key: "own", Content: "c2", Supersedes: []loci.MemoryID{own.ID}}, code: loci.Invalid,
			field: "supersedes[0]"},
		"twice": {p: w.owner,
			d:    memory.Draft{Key: "k", Content: "c", Supersedes: []loci.MemoryID{own.ID}, Corrects: []loci.MemoryID{own.ID}},
			code: loci.Invalid, field: "corrects[0]"},
		"too many": {p: w.owner,
			d:    memory.Draft{Key: "k", Content: "c", Supersedes: make([]loci.MemoryID, memory.MaxSuperseded+1)},
			code: loci.Invalid, field: "supersedes"},
		"nothing": {p: w.owner,
			d: memory.Draft{Key: "own", Content: "c2", Corrects: []loci.MemoryID{loci.NewMemoryID()}}, code: loci.Invalid,
			field: "corrects[0]"},
		"a writer with a key": {p: writer, d: memory.Draft{Key: "own", Content: "c"}, code: loci.Forbidden},
		"a writer of the past": {p: writer, d: memory.Draft{Title: "t", Content: "c", Supersedes: []loci.MemoryID{own.ID}},
			code: loci.Forbidden},
		"a bad source": {p: w.owner,
			d:    memory.Draft{Key: "own", Content: "c2", Sources: []loci.Source{{Kind: loci.SourceURL, Ref: "wiki"}}},
			code: loci.Invalid, field: "sources[0].ref"},
	} {
		_, err := w.Memory.Create(ctx, tt.p, tt.d)
		if loci.CodeOf(err) != tt.code || loci.FieldOf(err) != tt.field {
			t.Errorf("%s: %v, field %q; want %s about %q", name, err, loci.FieldOf(err), tt.code, tt.field)
		}
	}
	if got, err := w.Memory.Get(ctx, w.owner, own.ID); err != nil || got.Version != 1 {
		t.Errorf("after what was refused: %+v, %v", got, err)
	}
	if got := w.keep(writer, memory.Draft{Key: "own", Content: "c", Dedupe: memory.DedupeCreate}); !got.Created() ||
		got.Similar != nil {
		t.Errorf("a writer who asks for a new one: %+v", got)
	}
}

// What a session wrote can be changed outside of it.
func TestSaveOutsideOfTheSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := w.claude
	in.SessionID, in.AgentID = loci.NewSessionID(), loci.NewAgentID()
	m := w.keep(in, memory.Draft{Key: "k", Content: "one"})
	if m.SessionID != in.SessionID || !m.AgentID.IsZero() {
		t.Errorf("written in the session: %+v", m)
	}
	for i, p := range []loci.Principal{w.claude, w.owner, in} {
		got := w.keep(p, memory.Draft{Key: "k", Content: fmt.Sprint("save ", i)})
		if got.ReplacedVersion != i+1 || got.SessionID != in.SessionID || got.EditorSessionID != p.SessionID {
			t.Errorf("save %d: %+v", i, got)
		}
	}
	if _, err := w.Memory.Patch(t.Context(), w.owner, m.ID, 0, memory.Patch{Content: loci.Set("patched")}); err != nil {
		t.Error(err)
	}
}

func TestSaveWithSources(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	from := []loci.Source{{Kind: loci.SourceMessage, Ref: "msg-1", Quote: "on Tuesdays"}}
	first := w.keep(w.claude, memory.Draft{Key: "k", Content: "c", Sources: from})
	if len(first.Sources) != 1 || first.Sources[0].MemoryID != first.ID || first.Sources[0].Origin != "claude" {
		t.Fatalf("sources: %+v", first.Sources)
	}
	same := w.keep(w.claude, memory.Draft{Key: "k", Content: "c", Sources: from})
	more := w.keep(w.claude,
		memory.Draft{Key: "k", Content: "c", Sources: append(from, loci.Source{Kind: loci.SourceText, Text: "the raw text"})})
	if len(same.Sources) != 0 || len(more.Sources) != 1 || !same.Unchanged || !more.Unchanged {
		t.Errorf("again: %+v, then %+v", same, more)
	}
	if all, err := w.Memory.Sources(t.Context(), w.owner, first.ID); err != nil || len(all) != 2 {
		t.Errorf("%d sources, %v", len(all), err)
	}
}
