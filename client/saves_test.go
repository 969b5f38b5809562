package client_test

import (
	"errors"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

func TestBulkRecallAndSuggestions(t *testing.T) {
	ctx := t.Context()
	address := newServer(t)
	person, claude := client.New(address, "owner"), client.New(address, "claude-key")
	out := must(person.Bulk(ctx, client.BulkRequest{Operations: []client.BulkOperation{
		{Op: loci.BulkCreate, Memory: &client.NewMemory{Title: "Deploys", Content: "On Tuesdays."}},
		{Op: loci.BulkCreate, Memory: &client.NewMemory{Title: "Office", Content: "In Lisbon."}},
	}}))(t)
	if out.Succeeded != 2 || !out.Results[1].Created {
		t.Fatalf("Bulk: %+v", out)
	}
	refused := client.BulkRequest{Operations: []client.BulkOperation{{Op: loci.BulkTrash, ID: loci.NewMemoryID()}},
		Atomic: new(false)}
	if got := must(person.Bulk(ctx, refused))(t); got.Failed != 1 || got.Results[0].Error == nil ||
		got.Results[0].Error.Code != loci.NotFound {
		t.Errorf("Bulk one by one: %+v", got)
	}
	found := must(claude.Recall(ctx, client.RecallRequest{Query: "tuesdays"}))(t)
	if len(found.Memories) != 1 || found.Memories[0].ID != out.Results[0].ID || len(found.Memories[0].Why.Terms) == 0 {
		t.Errorf("Recall: %+v", found)
	}

	for i, settle := range []func(*client.Client, loci.SuggestionID) (*loci.Suggestion, error){
		func(c *client.Client, id loci.SuggestionID) (*loci.Suggestion, error) {
			return c.AcceptSuggestion(ctx, id, client.Acceptance{Share: true})
		},
		func(c *client.Client, id loci.SuggestionID) (*loci.Suggestion, error) {
			return c.DeclineSuggestion(ctx, id)
		},
	} {
		want := []loci.SuggestionState{loci.SuggestionAccepted, loci.SuggestionDeclined}[i]
		must(claude.AgentCreate(ctx, client.NewMemory{Title: "Moved", Content: "Something else now.",
			Supersedes: []loci.MemoryID{out.Results[i].ID}}))(t)
		pending := must(person.Suggestions(ctx, client.SuggestionQuery{State: loci.SuggestionPending, Limit: 5}))(t)
		if len(pending.Suggestions) != 1 || pending.Suggestions[0].MemoryID != out.Results[i].ID {
			t.Fatalf("Suggestions: %+v", pending)
		}
		if s := must(settle(person, pending.Suggestions[0].ID))(t); s.State != want {
			t.Errorf("settled: %+v, want %s", s, want)
		}
	}
	if m := must(person.Get(ctx, out.Results[1].ID))(t); !m.SupersededBy.IsZero() {
		t.Errorf("what was declined took its place all the same: %+v", m)
	}
	_, err := person.Get(ctx, out.Results[0].ID)
	if e := (*client.Error)(nil); !errors.As(err, &e) || e.Code != loci.NotFound {
		t.Error("what was superseded is there still")
	}
}
