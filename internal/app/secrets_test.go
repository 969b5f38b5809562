package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/eventlog/eventlogtest"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/pack"
	"github.com/loci-memory/loci/internal/transfer"
)

// TestSecretsAreMasked saves secrets and looks for them where readers get texts that they did not ask for by name.
func TestSecretsAreMasked(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.agent(d.claude, "deployer", "")
	const password = "Kx92mmQQ!tulip"
	m, err := d.Memory.Create(t.Context(), d.claude, memory.Draft{Title: "Staging password: " + password,
		Pinned:  new(true),
		Content: "The staging host answers. Its password is " + password + ", and Ada knows it.",
		Tags:    []string{"staging", password}})
	if err != nil {
		t.Fatal(err)
	}
	d.open(d.claude, agent.SessionDraft{Agent: "deployer", Title: "a deploy"})
	d.log(d.claude, event.Draft{Session: "a deploy", Class: loci.EventDecision,
		Type: "decision", Content: "We keep the staging password: " + password})
	got, err := d.Memory.Get(t.Context(), d.claude, m.ID)
	if err != nil || !strings.Contains(got.Content, password) {
		t.Errorf("get does not show the text as it was sent: %v %v", got, err)
	}
	briefing, err := d.Memory.Briefing(t.Context(), d.claude, loci.When{})
	if err != nil {
		t.Fatal(err)
	}
	given, err := d.Pack.Context(t.Context(), d.claude, pack.Request{Goal: "Deploy to the staging host"})
	if err != nil {
		t.Fatal(err)
	}
	about := d.tell(d.claude, "a deploy", event.ContextRequest{})
	list, errList := d.Memory.List(t.Context(), d.claude, memory.ListRequest{})
	latest, errLatest := d.Memory.Latest(t.Context(), d.claude, memory.Filter{})
	asked, errAsked := d.Memory.Query(t.Context(), d.claude, memory.QueryRequest{Query: "zebra"})
	events, errEvents := d.Event.Search(t.Context(), d.claude, event.SearchRequest{})
	if err := errors.Join(errList, errLatest, errAsked, errEvents); err != nil {
		t.Fatal(err)
	}
	for name, answer := range map[string]any{"list": list, "latest": latest, "prompt": asked.Prompt, "used": asked.Used,
		"tags": briefing.Tags, "events": events.Items, "briefing": briefing, "markdown": briefing.Markdown(),
		"session": about, "pack": given, "titles": memory.Titles([]*loci.Memory{got})} {
		text, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), password) || !strings.Contains(string(text), "[secret]") {
			t.Errorf("%s: got %s", name, text)
		}
	}
}

// TestKeptSecretsMove exports a memory whose owner keeps a secret, and one that waits for a decision. An import
// asks about the second one alone.
func TestKeptSecretsMove(t *testing.T) {
	t.Parallel()
	from, to := newWorld(t), newWorld(t)
	for _, title := range []string{"kept", "open"} {
		from.add(from.claude, memory.Draft{Title: title, Content: "The password of " + title + " is Kx92mmQQ!tulip."})
	}
	inbox := func(w *world) []loci.Suggestion {
		t.Helper()
		page, err := w.Memory.Suggestions(t.Context(), w.owner, memory.SuggestionsRequest{State: loci.SuggestionPending})
		if err != nil {
			t.Fatal(err)
		}
		return page.Items
	}
	if _, err := from.Memory.DeclineSuggestion(t.Context(), from.owner, inbox(from)[1].ID); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := from.Transfer.Export(t.Context(), from.local, &file); err != nil {
		t.Fatal(err)
	}
	if _, err := to.Transfer.Import(t.Context(), to.local, &file, transfer.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	for name, w := range map[string]*world{"here": from, "there": to} {
		if got := inbox(w); len(got) != 1 || got[0].Memory.Title != "open" || got[0].Origin != "claude" {
			t.Errorf("%s: got %+v in the inbox, want open alone", name, got)
		}
		page, err := w.Memory.List(t.Context(), w.owner, memory.ListRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range memory.Masked(page.Items) {
			if shown := strings.Contains(m.Content, "Kx92mmQQ"); shown != (m.Title == "kept") {
				t.Errorf("%s: a list shows %q", name, m.Content)
			}
		}
	}
}

// TestRemovingASecretIsDeleting: where the org deletes by step-up, a key keeps a secret and cannot remove it.
func TestRemovingASecretIsDeleting(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *app.Options) { o.Deletion = loci.DeleteWithStepUp })
	m := w.add(w.claude, memory.Draft{Title: "Staging", Content: "The password is Kx92mmQQ!tulip."})
	page, err := w.Memory.Suggestions(t.Context(), w.owner, memory.SuggestionsRequest{})
	if err != nil || len(page.Items) != 1 {
		t.Fatal(page.Items, err)
	}
	id := page.Items[0].ID
	_, err = w.Memory.AcceptSuggestion(t.Context(), w.owner, id, false)
	if code := loci.CodeOf(err); code != loci.Forbidden {
		t.Errorf("removed by key: %v, want Forbidden", err)
	}
	if _, err := w.Memory.DeclineSuggestion(t.Context(), w.owner, id); err != nil {
		t.Error(err)
	}
	if got, err := w.Memory.Get(t.Context(), w.owner, m.ID); err != nil || !got.SecretsKept || got.Content != m.Content {
		t.Errorf("got %+v, %v", got, err)
	}
}

// inArc is a log whose events have left for an Arc.
type inArc struct{ eventlog.Engine }

func (inArc) Rewrite(_ context.Context, _ loci.OrgID, ids []loci.EventID, _ func(*loci.Event)) ([]loci.EventID, error) {
	return ids, nil
}

// TestSecretsOfEventsInArc: Loci names the Arc that keeps a secret, and removes it from the memory.
func TestSecretsOfEventsInArc(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *app.Options) {
		log, err := o.Events.Logs.Of(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		o.Events.Logs = eventlogtest.One{Log: inArc{log}}
	})
	const text = "The password of the staging host is Kx92mmQQ!tulip."
	id, err := w.Event.Record(t.Context(), w.claude, event.Draft{Content: text})
	if err != nil {
		t.Fatal(err)
	}
	m := w.add(w.claude, memory.Draft{Title: "Staging", Content: text,
		Sources: []loci.Source{{Kind: loci.SourceEvent, Ref: id.String()}}})
	page, err := w.Memory.Suggestions(t.Context(), w.owner, memory.SuggestionsRequest{})
	if err != nil || len(page.Items) != 2 {
		t.Fatal(page.Items, err)
	}
	ofMemory, ofEvent := page.Items[0].ID, page.Items[1].ID
	_, err = w.Memory.AcceptSuggestion(t.Context(), w.owner, ofEvent, false)
	if wantCode(t, err, loci.Conflict); err != nil && !strings.Contains(err.Error(), "Arc") {
		t.Errorf("got %v", err)
	}
	sg, err := w.Memory.AcceptSuggestion(t.Context(), w.owner, ofMemory, false)
	if err != nil || !strings.Contains(sg.Hint, "event "+id.String()+": it is in the org's Arc") {
		t.Errorf("got %+v, %v", sg, err)
	}
	if got, err := w.Memory.Get(t.Context(), w.owner, m.ID); err != nil || strings.Contains(got.Content, "tulip") {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := w.Memory.DeclineSuggestion(t.Context(), w.owner, ofEvent); err != nil {
		t.Error(err)
	}
}

// TestKeptSecretsOfEvents: contexts and packs show what the person of an event keeps, and an import asks nothing.
func TestKeptSecretsOfEvents(t *testing.T) {
	t.Parallel()
	from, to := newWorld(t), newWorld(t)
	const password = "Kx92mmQQ!tulip"
	_, err := from.Event.Record(t.Context(), from.claude, event.Draft{Class: loci.EventDecision,
		Content: "We keep the staging password: " + password})
	if err != nil {
		t.Fatal(err)
	}
	shown := func(want bool) {
		t.Helper()
		about, err := from.Event.OrgContext(t.Context(), from.claude, event.ContextRequest{})
		if err != nil {
			t.Fatal(err)
		}
		given, err := from.Pack.Context(t.Context(), from.claude, pack.Request{Goal: "the staging password"})
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"context": about.Context, "pack": given.Context} {
			if strings.Contains(text, password) != want {
				t.Errorf("%s: got %s, want the secret: %v", name, text, want)
			}
		}
	}
	shown(false)
	page, err := from.Memory.Suggestions(t.Context(), from.owner, memory.SuggestionsRequest{})
	if err != nil || len(page.Items) != 1 {
		t.Fatal(page.Items, err)
	}
	if _, err := from.Memory.DeclineSuggestion(t.Context(), from.owner, page.Items[0].ID); err != nil {
		t.Fatal(err)
	}
	shown(true)
	_, err = from.Event.Record(t.Context(), from.claude, event.Draft{Content: "Another password: Lw37ppZZrose"})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := from.Transfer.Export(t.Context(), from.local, &file); err != nil {
		t.Fatal(err)
	}
	if _, err := to.Transfer.Import(t.Context(), to.local, &file, transfer.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	page, err = to.Memory.Suggestions(t.Context(), to.owner, memory.SuggestionsRequest{})
	if err != nil || len(page.Items) != 1 || page.Items[0].Row.Excerpt.Text != "Another password: [secret]" {
		t.Errorf("after an import: %+v, %v", page.Items, err)
	}
}
