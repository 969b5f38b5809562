package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/memory"
)

// hiddenEvent is an event of mara's that somebody must not see.
type hiddenEvent struct {
	name  string
	draft event.Draft
	who   loci.Principal
}

// hiddenEvents returns events for each part of the rule, and the session that is to be narrowed to hide the last one.
func (d *desk) hiddenEvents() (list []hiddenEvent, narrowed string) {
	d.t.Helper()
	session := func(draft agent.SessionDraft) string { return d.open(d.mara, draft).ID.String() }
	narrowed = session(agent.SessionDraft{Title: "narrowed later"})
	own := d.stage.project(d.mara, "hers", false)
	d.mara = d.stage.session(loci.User{ID: d.mara.UserID, OrgID: "acme"})
	return []hiddenEvent{
		{"private", event.Draft{Reach: loci.ReachPrivate}, d.tom},
		{"of a team", event.Draft{Reach: loci.ReachTeam}, d.ines},
		{"for another vendor", event.Draft{AllowedVendors: []loci.Vendor{"claude"}}, d.cursor},
		{"of a project", event.Draft{ProjectID: own.ID}, d.tom},
		{"in a private session", event.Draft{Session: session(agent.SessionDraft{Reach: loci.ReachPrivate})}, d.tom},
		{"in the session of a vendor", event.Draft{Session: session(agent.SessionDraft{
			AllowedVendors: []loci.Vendor{"claude"}})}, d.cursor},
		{"in a session that was narrowed", event.Draft{Session: narrowed}, d.tom},
	}, narrowed
}

// TestHiddenEventsDoNotExist hides an event in every way, and demands of each call that could tell of it the answer
// that it gives about an event that never was.
func TestHiddenEventsDoNotExist(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	hidden, closed := d.hiddenEvents()
	private := loci.ReachPrivate
	for i, tt := range append(hidden, hiddenEvent{"of no project, for a key of projects", event.Draft{}, d.limited},
		hiddenEvent{"in another org", event.Draft{}, d.local}) {
		content := fmt.Sprintf("zebra%d", i)
		tt.draft.Content, tt.draft.Tags, tt.draft.Type = content, []string{content}, content
		never := loci.NewEventID(d.now)
		before := d.trace(tt.who, never, "quagga")
		position, err := d.Event.Tail(t.Context(), tt.who, event.TailRequest{})
		d.must(err)
		id := d.log(d.mara, tt.draft)
		if tt.draft.Session == closed {
			d.must(second(d.Agent.UpdateSession(t.Context(), d.mara, closed, agent.SessionPatch{Reach: &private})))
		}
		if got := d.trace(tt.who, id, content); got != before {
			t.Errorf("%s: it answers\n%swant\n%s", tt.name, got, before)
		}
		page, err := d.Event.Tail(t.Context(), tt.who, event.TailRequest{Cursor: position.Cursor})
		if err != nil || len(page.Events) > 0 {
			t.Errorf("%s: it is in the tail: %+v, %v", tt.name, page.Events, err)
		}
		twin := event.Draft{Content: content, Type: content}
		if tt.who.OnlyProjects {
			twin.ProjectID = tt.who.ProjectIDs[0]
		}
		if _, err := d.Event.Record(t.Context(), tt.who, twin); err != nil {
			t.Errorf("%s: the same by somebody else: %v", tt.name, err)
		}
	}
}

// trace is what a reader learns of an event by asking for it in every way.
func (d *desk) trace(who loci.Principal, id loci.EventID, content string) string {
	ctx := d.t.Context()
	e, err := d.Event.Get(ctx, who, id)
	out := fmt.Sprintln("get", e, err)
	for _, f := range []event.Filter{{Text: content}, {Tags: []string{content}}, {Types: []string{content}},
		{ParentID: id}} {
		page, err := d.Event.Search(ctx, who, event.SearchRequest{Filter: f})
		out += fmt.Sprintln("search", page, err)
		stats, err := d.Event.Stats(ctx, who, f)
		out += fmt.Sprintln("stats", stats, err)
		density, err := d.Event.Density(ctx, who, f, 10)
		out += fmt.Sprintln("density", density, err)
	}
	for _, r := range []event.ContextRequest{{}, {Topic: content}, {Types: []string{content}}} {
		told, err := d.Event.OrgContext(ctx, who, r)
		d.must(err)
		out += fmt.Sprintln("context", told.Events, told.Shown, told.Groups, strings.ReplaceAll(told.Context, content, "it"))
	}
	child := event.Draft{Content: "child", ParentID: id}
	source := memory.Draft{Title: "x", Content: "x", Sources: []loci.Source{{Kind: loci.SourceEvent, Ref: id.String()}}}
	if who.OnlyProjects {
		child.ProjectID, source.Scope, source.ProjectID = who.ProjectIDs[0], loci.ScopeProject, who.ProjectIDs[0]
	}
	out += fmt.Sprintln("as a parent", second(d.Event.Record(ctx, who, child)))
	return out + fmt.Sprintln("as a source", second(d.Memory.Create(ctx, who, source)))
}
