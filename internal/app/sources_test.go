package app_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/indexing"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
)

func TestSourcesAreStoredOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	m := w.add(w.claude, memory.Draft{Title: "m", Content: "c", AllowedVendors: []loci.Vendor{"claude", "cursor"}})
	one := loci.Source{Kind: loci.SourceURL, Ref: "https://example.com", ID: loci.NewSourceID(), Origin: "cursor",
		UserID: loci.NewUserID()}
	two := loci.Source{Kind: loci.SourceText, Text: "ein Wort und noch eins", Quote: "Wort", Start: 4, End: 8,
		AllowedVendors: []loci.Vendor{"claude"}}
	list, added, err := w.Memory.AddSources(ctx, w.claude, m.ID, []loci.Source{one, two, one})
	if err != nil || added != 2 || len(list) != 2 {
		t.Fatalf("got %+v, %d, %v", list, added, err)
	}
	got := list[0]
	if got.ID == one.ID || got.Origin != "claude" || got.UserID != w.owner.UserID || got.MemoryID != m.ID ||
		got.CreatedAt.IsZero() {
		t.Errorf("the writer said what is the server's word: %+v", got)
	}
	if diff := cmp.Diff(m.AllowedVendors, got.AllowedVendors); diff != "" {
		t.Errorf("vendors left out (-memory +source):\n%s", diff)
	}
	again, added, err := w.Memory.AddSources(ctx, w.claude, m.ID, []loci.Source{two})
	if diff := cmp.Diff(list[1:], again); diff != "" || added != 0 || err != nil {
		t.Errorf("again: %d, %v (-want +got):\n%s", added, err, diff)
	}
	if _, added, err := w.Memory.AddSources(ctx, w.owner, m.ID, []loci.Source{two}); added != 1 || err != nil {
		t.Errorf("another writer's: %d, %v", added, err)
	}
	seen, err := w.Memory.Sources(ctx, w.other, m.ID)
	if diff := cmp.Diff(list[:1], seen); diff != "" || err != nil {
		t.Errorf("cursor: %v (-want +got):\n%s", err, diff)
	}
	if err := w.Memory.DeleteSource(ctx, w.claude, list[0].ID); err != nil {
		t.Error(err)
	}
	wantCode(t, w.Memory.DeleteSource(ctx, w.claude, list[0].ID), loci.NotFound)
}

// TestAttachmentsAreInTheFeed adds and deletes sources and a file, of which only those who see them learn.
// The same source for other vendors is another one, and each may be for fewer vendors than the memory.
func TestSourcesForFewerVendors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.add(w.claude, memory.Draft{Title: "m", Content: "c"})
	for _, vendors := range [][]loci.Vendor{{"claude"}, {"claude", "cursor"}, {"*"}} {
		src := loci.Source{Kind: loci.SourceText, Text: "a word", AllowedVendors: vendors}
		if _, added, err := w.Memory.AddSources(t.Context(), w.claude, m.ID, []loci.Source{src}); err != nil || added != 1 {
			t.Errorf("for %v: got %d new, %v", vendors, added, err)
		}
	}
	if seen, err := w.Memory.Sources(t.Context(), w.other, m.ID); err != nil || len(seen) != 2 {
		t.Errorf("cursor sees %+v, %v; want 2", seen, err)
	}
}

func TestAttachmentsAreInTheFeed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	m := w.add(w.owner, memory.Draft{Title: "m", Content: "c", AllowedVendors: []loci.Vendor{"claude", "cursor"}})
	id, feeds := m.ID, map[string]*memory.Changes{}
	readers := map[string]loci.Principal{"the owner": w.owner, "claude": w.claude, "cursor": w.other}
	for name, p := range readers {
		feed, err := w.Memory.Changes(ctx, p, "")
		w.must(err)
		feeds[name] = feed
	}
	learn := func(what string, want ...string) {
		t.Helper()
		var got []string
		for name, p := range readers {
			page, err := feeds[name].Read(ctx, p)
			w.must(err)
			for _, e := range page.Events {
				if e.Change != loci.Updated || e.ID != id.String() || e.Version != 1 {
					t.Errorf("%s: %s reads %+v", what, name, e)
				}
				got = append(got, name)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q learn of it, want %q", what, got, want)
		}
	}
	forAll := loci.Source{Kind: loci.SourceURL, Ref: "https://example.com"}
	forClaude := loci.Source{Kind: loci.SourceText, Text: "a word", AllowedVendors: []loci.Vendor{"claude"}}
	for _, again := range []bool{false, true} {
		_, _, err := w.Memory.AddSources(ctx, w.owner, m.ID, []loci.Source{forClaude})
		w.must(err)
		if again {
			learn("the same source")
			continue
		}
		learn("a source for Claude", "claude", "the owner")
	}
	list, _, err := w.Memory.AddSources(ctx, w.owner, m.ID, []loci.Source{forAll, forClaude})
	w.must(err)
	learn("a source for all", "claude", "cursor", "the owner")
	for _, src := range list {
		w.must(w.Memory.DeleteSource(ctx, w.owner, src.ID))
	}
	learn("deleted sources", "claude", "claude", "cursor", "the owner", "the owner")
	same := memory.Draft{Key: "k", Title: "keyed", Content: "c", AllowedVendors: []loci.Vendor{"claude", "cursor"}}
	first, err := w.Memory.Create(ctx, w.owner, same)
	w.must(err)
	for name, p := range readers {
		_, err := feeds[name].Read(ctx, p)
		w.must(err)
	}
	id, same.Sources = first.ID, []loci.Source{forClaude}
	_, err = w.Memory.Create(ctx, w.owner, same)
	w.must(err)
	learn("a source of an unchanged save", "claude", "the owner")
	id = m.ID
	file, _, err := w.Memory.AddAsset(ctx, w.owner, m.ID, memory.Upload{Name: "a.txt", Size: 1,
		Body: strings.NewReader("x")})
	w.must(err)
	learn("a file", "claude", "cursor", "the owner")
	w.must(w.Memory.DeleteAsset(ctx, w.owner, file.ID))
	learn("a deleted file", "claude", "cursor", "the owner")
}

func TestSourcesSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.add(w.owner, memory.Draft{Title: "m", Content: "c", AllowedVendors: []loci.Vendor{"claude"}})
	good := loci.Source{Kind: loci.SourceText, Text: "x"}
	many := make([]loci.Source, loci.MaxSources+1)
	for i := range many {
		many[i] = loci.Source{Kind: loci.SourceText, Text: strings.Repeat("x", i+1)}
	}
	for field, drafts := range map[string][]loci.Source{
		"sources":                    {},
		"sources[1].kind":            {good, {Kind: "rumour"}},
		"sources[0].ref":             {{Kind: loci.SourceURL, Ref: "ftp://x"}},
		"sources[0].quote":           {{Kind: loci.SourceText, Text: "abc", Quote: "x", Start: 0, End: 1}},
		"sources[1].quote":           {good, {Kind: loci.SourceMessage, Ref: "msg-1"}},
		"sources[2].ref":             {good, good, {Kind: loci.SourceEvent, Ref: "4711"}},
		"sources[0].start":           {{Kind: loci.SourceText, Text: "abc", Start: 2, End: 9}},
		"sources[0].allowed_vendors": {{Kind: loci.SourceText, Text: "x", AllowedVendors: []loci.Vendor{"claude", "cursor"}}},
		"sources[1].allowed_vendors": {good, {Kind: loci.SourceText, Text: "y", AllowedVendors: []loci.Vendor{"*"}}},
	} {
		_, _, err := w.Memory.AddSources(t.Context(), w.owner, m.ID, drafts)
		if loci.CodeOf(err) != loci.Invalid || loci.FieldOf(err) != field {
			t.Errorf("%s: got field %q, %v", field, loci.FieldOf(err), err)
		}
	}
	_, _, err := w.Memory.AddSources(t.Context(), w.owner, m.ID, many)
	if loci.FieldOf(err) != "sources" {
		t.Errorf("too many: %v", err)
	}
	if list, err := w.Memory.Sources(t.Context(), w.owner, m.ID); len(list) != 0 || err != nil {
		t.Errorf("some of a refused call were stored: %v, %v", list, err)
	}
	if _, _, err := w.Memory.AddSources(t.Context(), w.owner, m.ID, many[:loci.MaxSources]); err != nil {
		t.Fatal(err)
	}
	_, _, err = w.Memory.AddSources(t.Context(), w.owner, m.ID, many[loci.MaxSources:])
	wantCode(t, err, loci.Conflict)
}

// A session as a source must be one that the writer sees: an unknown one, one that is hidden and text that is no id get
// the same answer, and nothing is stored, whatever way the source comes.
func TestSourcesNameSessionsThatTheWriterSees(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	open := func(p loci.Principal) string {
		s, err := w.Agent.CreateSession(ctx, p, agent.SessionDraft{Title: "work " + p.Origin,
			AllowedVendors: []loci.Vendor{p.Vendor}})
		if err != nil {
			t.Fatal(err)
		}
		return s.ID.String()
	}
	mine, hidden := open(w.claude), open(w.other)
	other := loci.User{ID: loci.NewUserID(), OrgID: w.owner.OrgID, Email: "stranger@example.com", Role: loci.RoleUser,
		OrgRole: loci.Member, CreatedAt: w.now}
	if err := w.st.People().Add(ctx, other, nil); err != nil {
		t.Fatal(err)
	}
	stranger := loci.Session{ID: loci.NewSessionID(), State: loci.SessionActive, CreatedAt: w.now,
		EventAccess: loci.EventAccess{OrgID: w.owner.OrgID, UserID: other.ID, Reach: loci.ReachPrivate}}
	err := w.st.Update(ctx, w.owner.OrgID, func(tx store.Tx) error { return tx.Sessions().Insert(ctx, stranger) })
	if err != nil {
		t.Fatal(err)
	}
	from := func(ref string) []loci.Source { return []loci.Source{{Kind: loci.SourceSession, Ref: ref}} }
	m := w.add(w.claude, memory.Draft{Title: "m", Content: "c"})
	ways := map[string]func(loci.Principal, string) error{
		"add": func(p loci.Principal, ref string) error {
			_, _, err := w.Memory.AddSources(ctx, p, m.ID, from(ref))
			return err
		},
		"save": func(p loci.Principal, ref string) error {
			_, err := w.Memory.Create(ctx, p, memory.Draft{Title: "saved", Content: "c", Sources: from(ref)})
			return err
		},
		"bulk": func(p loci.Principal, ref string) error {
			_, err := w.Memory.Bulk(ctx, p, []memory.BulkItem{{Op: loci.BulkCreate,
				Draft: memory.Draft{Title: "bulk", Content: "c", Sources: from(ref)}}}, true)
			var items *loci.ItemsError
			if errors.As(err, &items) && len(items.Items) == 1 {
				return &loci.Error{Code: items.Items[0].Code, Field: "sources[0].ref", Text: items.Items[0].Text}
			}
			return err
		},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			for what, ref := range map[string]string{"unknown": loci.NewSessionID().String(), "no id": "session-1",
				"another vendor's": hidden, "another person's": stranger.ID.String()} {
				err := way(w.claude, ref)
				if loci.FieldOf(err) != "sources[0].ref" || loci.SafeText(err) !=
					"sources[0].ref names no session that you can see" {
					t.Errorf("%s: got %v", what, err)
				}
			}
			for _, ref := range []string{mine, mine[:loci.ShortID], "work claude"} {
				if err := way(w.claude, ref); err != nil {
					t.Errorf("the writer's own session as %s: %v", ref, err)
				}
			}
		})
	}
	if err := ways["save"](w.owner, hidden); err != nil {
		t.Errorf("the person sees every session of theirs: %v", err)
	}
	list, err := w.Memory.Sources(ctx, w.claude, m.ID)
	if err != nil || len(list) != 1 || list[0].Ref != mine {
		t.Errorf("stored: %+v, %v", list, err)
	}
}

// someEvents are the events that some vendors see.
type someEvents map[loci.EventID]loci.Vendor

func (e someEvents) Named(_ context.Context, p loci.Principal, ids ...loci.EventID) (list []*loci.Event, err error) {
	for _, id := range ids {
		if vendor, there := e[id]; there && (p.Vendor == "" || p.Vendor == vendor) {
			list = append(list, &loci.Event{ID: id})
		}
	}
	return list, nil
}

func (someEvents) SettleSecrets(context.Context, loci.Principal, []loci.EventID, func(string) string) error {
	return nil
}

func (someEvents) Recall(context.Context, loci.Principal, time.Duration) (eventlog.Log, *indexing.Snapshot, error) {
	return nil, nil, nil
}

// A source of kind event names one that the writer sees; without a log of events there is none.
func TestSourcesNameEventsThatTheWriterSees(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	mine, hidden := loci.NewEventID(w.now), loci.NewEventID(w.now)
	m := w.add(w.claude, memory.Draft{Title: "m", Content: "c"})
	add := func(ref string) error {
		_, _, err := w.Memory.AddSources(ctx, w.claude, m.ID, []loci.Source{{Kind: loci.SourceText, Text: "x"},
			{Kind: loci.SourceEvent, Ref: ref}})
		return err
	}
	save := func(ref string) error {
		_, err := w.Memory.Create(ctx, w.claude, memory.Draft{Title: "saved", Content: "c",
			Sources: []loci.Source{{Kind: loci.SourceText, Text: "x"}, {Kind: loci.SourceEvent, Ref: ref}}})
		return err
	}
	refuses := func(what, ref string) {
		t.Helper()
		for name, way := range map[string]func(string) error{"add": add, "save": save} {
			if err := way(ref); loci.FieldOf(err) != "sources[1].ref" ||
				loci.SafeText(err) != "sources[1].ref names no event that you can see" {
				t.Errorf("%s, %s: got %v", name, what, err)
			}
		}
	}
	refuses("without a log", mine.String())
	w.Memory.Events = someEvents{mine: "claude", hidden: "cursor"}
	refuses("hidden", hidden.String())
	refuses("unknown", loci.NewEventID(w.now).String())
	refuses("no id", "4711")
	if err := errors.Join(add(strings.ToUpper(mine.String())), save(mine.String())); err != nil {
		t.Fatal(err)
	}
	list, err := w.Memory.Sources(ctx, w.claude, m.ID)
	if err != nil || len(list) != 2 || list[1].Ref != mine.String() {
		t.Errorf("stored: %+v, %v", list, err)
	}
}
