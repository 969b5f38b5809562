package client_test

import (
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

func TestHistoryCalls(t *testing.T) {
	ctx := t.Context()
	address, st := start(t)
	c, agent := client.New(address, "owner"), client.New(address, "claude-key")
	m := must(agent.AgentCreate(ctx, client.NewMemory{Title: "Deploys", Content: "We deploy on Tuesdays."}))(t)
	must(c.Edit(ctx, m.ID, 1, client.Edit{Content: client.Set("We deploy on Mondays.")}))(t)
	d := must(c.Diff(ctx, m.ID, 0, 0))(t)
	if d.From.Version != 1 || d.To.Version != 2 || len(d.Texts) != 1 ||
		d.Texts[0].Hunks[0].Lines[0].Op != loci.DiffChanged {
		t.Errorf("Diff: got %+v", d)
	}
	if _, err := c.Diff(ctx, m.ID, 1, 7); client.CodeOf(err) != loci.NotFound {
		t.Errorf("Diff with no such version: %v", err)
	}
	if _, err := c.Revert(ctx, m.ID, 1, 1); client.CodeOf(err) != loci.Precondition {
		t.Errorf("Revert at an old version: %v", err)
	}
	if got := must(c.Revert(ctx, m.ID, 2, 1))(t); got.Version != 3 || got.Content != "We deploy on Tuesdays." {
		t.Errorf("Revert: got %+v", got)
	}
	made := must(agent.AgentCreate(ctx, client.NewMemory{Title: "Wrong", Content: "x"}))(t)
	undo := client.UndoRequest{UndoSelection: loci.UndoSelection{Origin: "claude", Since: made.CreatedAt,
		Until: time.Now().Add(time.Hour)}}
	if _, err := c.Undo(ctx, undo); client.CodeOf(err) != loci.Forbidden {
		t.Errorf("Undo with a key: %v", err)
	}
	person := signIn(t, address, st, made.UserID, time.Minute)
	report := must(person.Undo(ctx, undo))(t)
	if len(report.Undone) != 1 || report.Undone[0].ID != made.ID || report.Redo == nil {
		t.Errorf("Undo: got %+v", report)
	}
	if got := must(person.Undo(ctx,
		client.UndoRequest{UndoSelection: *report.Redo, DryRun: true}))(t); len(got.Undone) != 1 || !got.DryRun {
		t.Errorf("Undo of the undo: got %+v", got)
	}
}
