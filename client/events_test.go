package client_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

func TestEventsAreLogged(t *testing.T) {
	ctx := t.Context()
	address, _ := start(t)
	owner, assistant := client.New(address, "owner"), client.New(address, "claude-key")
	session := must(owner.CreateSession(ctx, client.NewSession{Title: "a review"}))(t)
	one := must(assistant.InSession(session.ID).LogEvent(ctx, client.NewEvent{Content: "zebra", Tags: []string{"a"}}))(t)
	got := must(owner.Event(ctx, one.ID))(t)
	if one.Stored != 1 || got.Content != "zebra" || got.SessionID != session.ID || got.Origin != "claude" {
		t.Errorf("Event: got %+v after %+v", got, one)
	}
	_, err := assistant.LogEvent(ctx, client.NewEvent{Content: "zebra"})
	known := (*client.Error)(nil)
	if !errors.As(err, &known) || known.Code != loci.Conflict || known.DuplicateOf != one.ID {
		t.Errorf("the same again: %+v", err)
	}
	many := must(assistant.LogEvents(ctx, []client.NewEvent{{Content: "zebra"}, {Content: "okapi", Type: "choice",
		Class: loci.EventDecision, ParentID: one.ID, Importance: 9}}))(t)
	if many.Stored != 1 || many.Duplicates != 1 || many.Results[0].DuplicateOf != one.ID || many.Results[1].ID.IsZero() {
		t.Errorf("LogEvents: got %+v", many)
	}
	list := must(owner.Events(ctx, client.EventQuery{Limit: 1}))(t)
	if len(list.Events) != 1 || list.Events[0].Content != "okapi" || !list.HasMore {
		t.Errorf("Events: got %+v", list)
	}
	for name, q := range map[string]client.EventConditions{
		"session": {Session: "a review", Tags: []string{"a", "b"}, Text: "zebras"}, "origin": {Origin: "claude", Since: "1h",
			Classes: []loci.EventClass{loci.EventEpisodic}, Types: []string{"general", "x"}},
	} {
		if list := must(owner.Events(ctx, client.EventQuery{EventConditions: q}))(t); len(list.Events) != 1 ||
			list.Events[0].ID != one.ID {
			t.Errorf("%s: got %+v", name, list)
		}
	}
	told := must(owner.SessionContext(ctx, "a review", client.ContextRequest{MaxTokens: 600}))(t)
	if told.SessionID != session.ID || told.Events != 1 || told.Tokens > 600 || told.Shown[0] != one.ID ||
		!strings.Contains(told.Context, "  > zebra\n") {
		t.Errorf("SessionContext: got %+v", told)
	}
	pack := must(owner.ContextPack(ctx, client.PackRequest{Goal: "zebra", MaxTokens: 600, Intent: loci.IntentDebug,
		Format: "markdown"}))(t)
	if pack.Tokens > 600 || len(pack.Sections) != 1 || pack.Sections[0].Items[0].ID != one.ID.String() ||
		len(pack.Receipt.Included) != 1 {
		t.Errorf("ContextPack: got %+v", pack)
	}
	for _, want := range []string{"match", "already_sent"} {
		pack = must(owner.ContextPack(ctx, client.PackRequest{Goal: "zebra", SessionID: session.ID}))(t)
		if line := append(pack.Receipt.Included, pack.Receipt.LeftOut...)[0]; pack.SessionID != session.ID ||
			line.Reason != want {
			t.Errorf("ContextPack in a session: got %+v, want %s", pack, want)
		}
	}
	if told := must(owner.EventContext(ctx, client.ContextRequest{Types: []string{"decision"}, Since: "1h"}))(t); len(
		told.Groups) != 1 || told.Groups[0].Name != "Decisions" {
		t.Errorf("EventContext: got %+v", told)
	}
	must(owner.CreateAgent(ctx, client.NewAgent{Name: "idle", Vendor: "claude"}))(t)
	told = must(owner.AgentContext(ctx, "idle", client.ContextRequest{}))(t)
	if told.Events != 0 || told.AgentID.IsZero() {
		t.Errorf("AgentContext: got %+v", told)
	}
	if spread := must(owner.EventDensity(ctx, client.EventConditions{}, 1))(t); len(spread.Density.Counts) != 1 ||
		spread.Density.Counts[0] != spread.Total {
		t.Errorf("EventDensity: got %+v", spread)
	}
	stats := must(owner.EventStats(ctx, client.EventConditions{ParentID: one.ID, MinImportance: 9}))(t)
	if stats.Total != 1 || stats.ByEventType["choice"] != 1 || stats.ByMemoryType["decision"] != 1 {
		t.Errorf("EventStats: got %+v", stats)
	}
}
