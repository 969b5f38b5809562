package app_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/pack"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/store"
)

func (w *world) session(p loci.Principal) loci.Principal {
	w.t.Helper()
	s, err := w.Agent.CreateSession(w.t.Context(), p, agent.SessionDraft{Title: "work"})
	w.must(err)
	p.SessionID = s.ID
	return p
}

func (w *world) logged(p loci.Principal, content string) string {
	w.t.Helper()
	id, err := w.Event.Record(w.t.Context(), p, event.Draft{Content: content, Session: p.SessionID.String()})
	w.must(err)
	return id.String()
}

// TestContextPackLeavesOutOwnEvents logs events of several writers in a session.
func TestContextPackLeavesOutOwnEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := w.session(w.owner)
	other := w.claude
	other.SessionID = in.SessionID
	own, theirs := w.logged(in, "why does the deploy fail"), w.logged(other, "the deploy fails by night")
	got := w.context(in, pack.Request{Goal: "why does the deploy fail"})
	why := reasons(got)
	if why[own] != "already_sent" || why[theirs] != "match" || strings.Contains(got.Context, "why does the deploy") {
		t.Errorf("own event %q, the other one %q:\n%s", why[own], why[theirs], got.Context)
	}
	if why := reasons(w.context(in, pack.Request{Goal: "lunch"})); why[own] != "already_sent" {
		t.Errorf("the newest events have the own one as %q", why[own])
	}
	if why := reasons(w.context(in, pack.Request{Goal: "deploy", Fresh: true})); why[own] == "already_sent" {
		t.Error("a fresh pack lacks what the caller has forgotten")
	}
	if why := reasons(w.context(other, pack.Request{Goal: "deploy"})); why[own] != "match" {
		t.Errorf("another reader gets the event as %q", why[own])
	}
	elsewhere := w.session(w.owner)
	if why := reasons(w.context(elsewhere, pack.Request{Goal: "deploy"})); why[own] != "match" {
		t.Errorf("another session gets the event as %q", why[own])
	}
}

// TestContextPackFindsWhatIsNewBehindWhatIsKnown has more matches that the session knows than a pack has lines.
func TestContextPackFindsWhatIsNewBehindWhatIsKnown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := w.session(w.owner)
	for i := range 60 {
		w.logged(in, fmt.Sprintf("deploy deploy deploy %d", i))
	}
	fact := w.add(w.claude, memory.Draft{Title: "Host", Content: "There is a long story about the host named atlas, " +
		"from which every second night somebody wants to deploy something."})
	if why := reasons(w.context(in, pack.Request{Goal: "deploy", Limit: 5})); why[fact.ID.String()] != "match" {
		t.Errorf("the memory came as %q", why[fact.ID.String()])
	}
}

// theJob is an entity that fits the goals of the tests.
var theJob = []loci.NewEntity{{EntityRef: loci.EntityRef{Name: "deploy", Type: "job"},
	Observations: []string{"It runs on atlas."}}}

// TestContextPackOfADomain has events and entities that fit, which have no category.
func TestContextPackOfADomain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := w.session(w.owner)
	other := w.claude
	other.SessionID = in.SessionID
	w.logged(other, "the deploy failed")
	made, err := w.Project.Create(t.Context(), w.owner, project.Draft{Name: "website"})
	w.must(err)
	in.ProjectIDs = []loci.ProjectID{made.ID}
	_, err = w.Graph.CreateEntities(t.Context(), in, made.ID, nil, theJob)
	w.must(err)
	w.add(w.owner, memory.Draft{Title: "Deploys", Content: "We deploy on Tuesdays.", Category: "rules"})
	w.add(w.owner, memory.Draft{Title: "Deploy host", Content: "We deploy from atlas.", Category: "hosts"})
	kinds := func(r pack.Request) string {
		var list []string
		for _, l := range w.context(in, r).Receipt.Included {
			list = append(list, l.Kind)
		}
		slices.Sort(list)
		return strings.Join(list, " ")
	}
	if got := kinds(pack.Request{Goal: "deploy", Domain: "rules", Fresh: true}); got != "memory" {
		t.Errorf("with a domain: %q", got)
	}
	if got := kinds(pack.Request{Goal: "deploy", Fresh: true}); got != "entity event memory memory" {
		t.Errorf("without a domain: %q", got)
	}
}

// TestContextPackNeedsRights has keys that may not read events or graphs.
func TestContextPackNeedsRights(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(d.mara, memory.Draft{Title: "Deploys", Content: "We deploy on Tuesdays."})
	d.log(d.cursor, event.Draft{Content: "The deploy of Monday failed."})
	made := d.stage.project(d.mara, "website", true)
	d.mara = d.stage.session(loci.User{ID: d.mara.UserID, OrgID: "acme"})
	_, err := d.Graph.CreateEntities(t.Context(), d.mara, made.ID, nil, theJob)
	d.must(err)
	for _, tt := range []struct {
		rights []loci.Right
		want   string
	}{
		{nil, "entity event memory"},
		{[]loci.Right{loci.RightRead}, "memory"},
		{[]loci.Right{loci.RightRead, loci.RightEvents}, "event memory"},
		{[]loci.Right{loci.RightRead, loci.RightGraph}, "entity memory"},
	} {
		reader := d.stage.key(d.mara, auth.KeyRequest{Vendor: "claude", Rights: tt.rights})
		session := d.open(d.mara, agent.SessionDraft{Title: "work"})
		reader.SessionID = session.ID
		d.log(d.mara, event.Draft{Content: "The deploy failed again: " + session.ID.String(), Session: session.ID.String()})
		got, err := d.Pack.Context(t.Context(), reader, pack.Request{Goal: "deploy"})
		d.must(err)
		var kinds []string
		for _, l := range slices.Concat(got.Receipt.Included, got.Receipt.LeftOut) {
			kinds = append(kinds, l.Kind)
		}
		slices.Sort(kinds)
		if text := strings.Join(slices.Compact(kinds), " "); text != tt.want {
			t.Errorf("%v: got %s, want %s", tt.rights, text, tt.want)
		}
	}
}

// TestContextPackStateGoes revokes a key, a grant and a person.
func TestContextPackStateGoes(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(d.mara, memory.Draft{Title: "Deploys", Content: "We deploy on Tuesdays."})
	session := d.open(d.mara, agent.SessionDraft{Title: "work"})
	state := func(p loci.Principal) int {
		t.Helper()
		n := 0
		d.must(d.st.View(t.Context(), p.OrgID, func(tx store.Tx) error {
			list, err := tx.Packs().Sent(t.Context(), session.ID, p.Subject())
			n = len(list)
			return err
		}))
		return n
	}
	ask := func(p loci.Principal) loci.Principal {
		t.Helper()
		p.SessionID = session.ID
		_, err := d.Pack.Context(t.Context(), p, pack.Request{Goal: "deploy"})
		d.must(err)
		if state(p) == 0 {
			t.Errorf("%s has no rows", p.Subject())
		}
		return p
	}
	byKey, kept, ofTom := ask(d.claude), ask(d.cursor), ask(d.tom)
	byGrant := d.claude
	byGrant.GrantID = d.stage.grant(d.mara, "client", "claude")
	byGrant = ask(byGrant)
	d.must(d.Identity.RevokeKey(t.Context(), d.mara, byKey.CredentialID))
	d.must(d.Identity.RevokeGrant(t.Context(), d.mara, byGrant.GrantID))
	d.must(d.Identity.DeleteUser(t.Context(), d.stage.operator("acme"), d.tom.UserID))
	for what, p := range map[string]loci.Principal{"a revoked key": byKey, "a revoked grant": byGrant, "a person": ofTom} {
		if n := state(p); n != 0 {
			t.Errorf("%s has left %d rows", what, n)
		}
	}
	if n := state(kept); n != 2 {
		t.Errorf("another key has %d rows, want 2", n)
	}
}

// leaving is a store whose caller goes away as soon as something was committed.
type leaving struct {
	store.Store
	gone func()
}

func (l *leaving) Update(ctx context.Context, org loci.OrgID, fn func(store.Tx) error) error {
	err := l.Store.Update(ctx, org, fn)
	if l.gone != nil {
		l.gone()
	}
	return err
}

// TestContextPackIsTakenBack goes away while a pack is recorded.
func TestContextPackIsTakenBack(t *testing.T) {
	t.Parallel()
	l := &leaving{}
	w := newWorld(t, func(o *app.Options) { l.Store = o.Store; o.Store = l })
	w.add(w.owner, memory.Draft{Title: "Language", Content: "Answer in English.", Pinned: new(true)})
	in := w.session(w.owner)
	giveUp := func(r pack.Request) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		l.gone = cancel
		_, err := w.Pack.Context(ctx, in, r)
		if l.gone = nil; err == nil {
			t.Error("a caller who has gone gets an answer")
		}
	}
	tea := w.add(w.owner, memory.Draft{Title: "Tea", Content: "Ada likes tea."})
	giveUp(pack.Request{Goal: "tea"})
	first := w.context(in, pack.Request{Goal: "tea"})
	if reasons(first)[tea.ID.String()] != "match" || first.PrefixChanged ||
		!strings.Contains(first.Context[:first.PrefixBytes], "English") {
		t.Errorf("the next pack:\n%s", first.Context)
	}
	milk := w.add(w.owner, memory.Draft{Title: "Milk", Content: "Ada takes tea without milk."})
	giveUp(pack.Request{Goal: "tea"})
	second := w.context(in, pack.Request{Goal: "tea"})
	if why := reasons(second); why[milk.ID.String()] != "match" || why[tea.ID.String()] != "already_sent" ||
		second.PrefixChanged || second.Context[:second.PrefixBytes] != first.Context[:first.PrefixBytes] {
		t.Errorf("after the second time: %v\n%s", why, second.Context)
	}
}

// TestContextPacksAtOnce lets many ask in one session at a time: nothing comes twice.
func TestContextPacksAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 40 {
		w.add(w.owner, memory.Draft{Title: fmt.Sprint("heron ", i), Content: fmt.Sprint("Heron number ", i, " flew.")})
	}
	in := w.session(w.owner)
	var all sync.WaitGroup
	got := make([]*loci.ContextPack, 6)
	for i := range got {
		all.Go(func() {
			var err error
			if got[i], err = w.Pack.Context(t.Context(), in, pack.Request{Goal: "heron", Limit: 10}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	times := map[string]int{}
	for _, one := range got {
		for _, l := range one.Receipt.Included {
			if times[l.ID]++; times[l.ID] > 1 {
				t.Errorf("%s came %d times", l.ID, times[l.ID])
			}
		}
	}
	if len(times) < 20 {
		t.Errorf("only %d memories came", len(times))
	}
}

// TestContextPackPrefix makes a pinned memory unreadable in every way, and demands that the next pack has nothing of
// it.
func TestContextPackPrefix(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*world, loci.MemoryID){
		"expires": func(w *world, id loci.MemoryID) {
			soon := w.now.Add(time.Hour)
			_, err := w.Memory.Patch(w.t.Context(), w.owner, id, 0, memory.Patch{ExpiresAt: loci.Set(soon)})
			w.must(err)
		},
		"is superseded": func(w *world, id loci.MemoryID) {
			w.add(w.owner, memory.Draft{Title: "New rule", Content: "Answer in German.", Supersedes: []loci.MemoryID{id}})
		},
		"is unpinned": func(w *world, id loci.MemoryID) {
			_, err := w.Memory.Patch(w.t.Context(), w.owner, id, 0, memory.Patch{Pinned: loci.Set(false)})
			w.must(err)
		},
		"is narrowed": func(w *world, id loci.MemoryID) {
			_, err := w.Memory.Patch(w.t.Context(), w.owner, id, 0, memory.Patch{AllowedVendors: loci.Set(onlyClaude)})
			w.must(err)
		},
		"is trashed": func(w *world, id loci.MemoryID) {
			_, err := w.Memory.Trash(w.t.Context(), w.local, id, 0)
			w.must(err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.add(w.owner, memory.Draft{Title: "Manners", Content: "Be brief.", Pinned: new(true)})
			in := w.session(w.owner)
			in.Kind, in.Vendor, in.Origin = loci.KindAgent, "cursor", "cursor"
			rule := w.add(w.owner, memory.Draft{Title: "Rule", Content: "Answer in English.", Pinned: new(true)})
			first := w.context(in, pack.Request{Goal: "write"})
			if !strings.Contains(first.Context[:first.PrefixBytes], "English") {
				t.Fatalf("the first pack:\n%s", first.Context)
			}
			again := w.context(in, pack.Request{Goal: "write"})
			if again.PrefixChanged || !strings.HasPrefix(again.Context, first.Context[:first.PrefixBytes]) {
				t.Fatalf("the second pack:\n%s", again.Context)
			}
			change(w, rule.ID)
			w.now = w.now.Add(2 * time.Hour)
			next := w.context(in, pack.Request{Goal: "write"})
			prefix := next.Context[:next.PrefixBytes]
			if !next.PrefixChanged || strings.Contains(prefix, "English") || !strings.Contains(prefix, "Be brief.") {
				t.Errorf("changed %t:\n%s", next.PrefixChanged, next.Context)
			}
			if name == "is unpinned" { // then the caller may still see it
				return
			}
			if text := fmt.Sprint(next.Receipt, next.Sections, next.Context); strings.Contains(text, rule.ID.String()) ||
				strings.Contains(text, "English") {
				t.Errorf("the pack has something of it: %s", text)
			}
			last := w.context(in, pack.Request{Goal: "write"})
			if last.PrefixChanged || last.Context[:last.PrefixBytes] != prefix {
				t.Errorf("the new prefix does not stay:\n%s\n%s", prefix, last.Context)
			}
		})
	}
}

// TestContextPackPrefixOfAProject lets a person leave the project of a pinned memory.
func TestContextPackPrefixOfAProject(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	made := d.stage.project(d.mara, "website", true)
	d.mara, d.tom = d.stage.session(loci.User{ID: d.mara.UserID, OrgID: "acme"}),
		d.stage.session(loci.User{ID: d.tom.UserID, OrgID: "acme"})
	d.add(d.mara, memory.Draft{Title: "Rule", Content: "Answer in English.", Pinned: new(true), ProjectID: made.ID,
		Scope: loci.ScopeProject})
	d.tom.SessionID = d.open(d.tom, agent.SessionDraft{Title: "work"}).ID
	first, err := d.Pack.Context(t.Context(), d.tom, pack.Request{Goal: "write"})
	d.must(err)
	if !strings.Contains(first.Context[:first.PrefixBytes], "English") {
		t.Fatalf("the first pack:\n%s", first.Context)
	}
	d.tom.ProjectIDs = nil
	next, err := d.Pack.Context(t.Context(), d.tom, pack.Request{Goal: "write"})
	d.must(err)
	if len(next.Receipt.Included)+len(next.Receipt.LeftOut) > 0 || strings.Contains(next.Context, "English") ||
		!next.PrefixChanged {
		t.Errorf("after tom has left: changed %t, %+v\n%s", next.PrefixChanged, next.Receipt, next.Context)
	}
}

// TestContextPackPrefixSaysWhatIsDisputed has a pinned memory that another one starts to contradict.
func TestContextPackPrefixSaysWhatIsDisputed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := w.session(w.owner)
	w.add(w.other, memory.Draft{Key: "deploy.day", Content: "The deploy day is Friday.", Pinned: new(true)})
	w.context(in, pack.Request{Goal: "deploy"})
	w.add(w.claude, memory.Draft{Key: "deploy.day", Content: "The deploy day is Tuesday."})
	second := w.context(in, pack.Request{Goal: "deploy"})
	if !second.PrefixChanged || !strings.Contains(second.Context[:second.PrefixBytes], "[disputed by ") {
		t.Errorf("changed %t:\n%s", second.PrefixChanged, second.Context)
	}
	third := w.context(in, pack.Request{Goal: "deploy"})
	if third.PrefixChanged || third.Context[:third.PrefixBytes] != second.Context[:second.PrefixBytes] {
		t.Errorf("the prefix does not stay:\n%s\n%s", second.Context, third.Context)
	}
}

// TestContextPackLimit has more pinned memories, and more that fit, than a pack may have lines.
func TestContextPackLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := w.session(w.owner)
	for i := range 12 {
		w.add(w.owner, memory.Draft{Title: fmt.Sprint("Rule ", i), Content: "Be brief.", Pinned: new(true)})
		w.add(w.owner, memory.Draft{Title: fmt.Sprint("heron ", i), Content: fmt.Sprint("Heron number ", i, " flew.")})
	}
	prefix := ""
	for i, limit := range []int{5, 5, 5, 2} {
		got := w.context(in, pack.Request{Goal: "heron", Limit: limit})
		n := map[string]int{}
		for _, l := range got.Receipt.Included {
			n[l.Reason]++
		}
		lines := strings.Count(got.Context, "\n- [")
		news := lines - strings.Count(got.Context[:got.PrefixBytes], "\n- [")
		if pinned := (limit + 1) / 2; lines != limit || news != limit-pinned {
			t.Errorf("pack %d has %d lines, %d of them new:\n%s", i, lines, news, got.Context)
		}
		if same := got.Context[:got.PrefixBytes] == prefix; same != (i == 1 || i == 2) || same == got.PrefixNew ||
			got.PrefixChanged != (i == 3) {
			t.Errorf("pack %d: the same prefix %t, new %t, changed %t", i, same, got.PrefixNew, got.PrefixChanged)
		}
		prefix = got.Context[:got.PrefixBytes]
	}
}
