package client_test

import (
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

func TestAgentsAndTheirSessions(t *testing.T) {
	ctx := t.Context()
	address, _ := start(t)
	owner, assistant := client.New(address, "owner"), client.New(address, "claude-key")
	agent := must(owner.CreateAgent(ctx,
		client.NewAgent{Name: "reviewer", Vendor: "claude", Config: []byte(`{"a":1}`)}))(t)
	if got := must(owner.Agent(ctx, "reviewer"))(t); got.Name != "reviewer" || string(got.Config) != `{"a":1}` {
		t.Errorf("Agent: got %+v", got)
	}
	if _, err := owner.CreateAgent(ctx, client.NewAgent{Name: "reviewer",
		Vendor: "claude"}); client.CodeOf(err) != loci.Conflict {
		t.Errorf("the same again: got %v", err)
	}
	must(owner.CreateAgent(ctx, client.NewAgent{Name: "writer", Vendor: "cursor"}))(t)
	first := must(owner.Agents(ctx, 1, ""))(t)
	if len(first.Agents) != 1 || !first.HasMore {
		t.Fatalf("Agents: got %+v", first)
	}
	if rest := must(owner.Agents(ctx, 1, first.NextCursor))(t); len(rest.Agents) != 1 ||
		rest.Agents[0].Name != "writer" || rest.HasMore {
		t.Errorf("the next page of Agents: got %+v", rest)
	}
	if got := must(owner.UpdateAgent(ctx, agent.ID.String(),
		client.AgentChange{Description: new("Reads")}))(t); got.Description != "Reads" || got.Name != "reviewer" {
		t.Errorf("UpdateAgent: got %+v", got)
	}
	session := must(owner.CreateSession(ctx, client.NewSession{Agent: "reviewer", Title: "a review"}))(t)
	must(owner.CreateSession(ctx, client.NewSession{Title: "mine", Reach: loci.ReachPrivate}))(t)
	if got := must(owner.Sessions(ctx, client.SessionQuery{Agent: "reviewer", State: loci.SessionActive,
		Reach: loci.ReachOrg}))(t); len(got.Sessions) != 1 || got.Sessions[0].ID != session.ID {
		t.Errorf("Sessions: got %+v", got)
	}
	merged := must(owner.UpdateSession(ctx, "a review", client.SessionChange{Metadata: []byte(`{"a":1}`)}))(t)
	if string(merged.Metadata) != `{"a":1}` {
		t.Errorf("UpdateSession: got %+v", merged)
	}
	if got := must(assistant.AgentStats(ctx, "reviewer"))(t); got.Sessions != 1 || got.Active != 1 {
		t.Errorf("AgentStats: got %+v", got)
	}

	in := owner.InSession(session.ID)
	m := must(in.Create(ctx, client.NewMemory{Title: "Habit", Content: "zebra",
		Attributes: client.Attributes{Scope: loci.ScopeAgent}}))(t)
	if m.AgentID != agent.ID || m.SessionID != session.ID {
		t.Errorf("written in a session: got %+v", m)
	}
	if me := must(in.WhoAmI(ctx))(t); me.SessionID != session.ID || me.AgentID != agent.ID {
		t.Errorf("WhoAmI in a session: got %+v", me)
	}
	must(owner.Get(ctx, m.ID))(t) // its owner reaches it in any session, and in none
	must(assistant.InSession(session.ID).AgentGet(ctx, m.ID))(t)
	if _, err := assistant.AgentGet(ctx, m.ID); client.CodeOf(err) != loci.NotFound {
		t.Errorf("an assistant in no session: got %v", err)
	}
	if _, err := owner.InSession(loci.NewSessionID()).WhoAmI(ctx); client.CodeOf(err) != loci.Invalid {
		t.Errorf("in a session that never was: got %v", err)
	}
	for range 2 {
		if got := must(owner.CloseSession(ctx, session.ID.String()))(t); got.State != loci.SessionClosed {
			t.Errorf("CloseSession: got %+v", got)
		}
	}
	if got := must(owner.Session(ctx, session.ID.Short()))(t); got.ClosedAt.IsZero() {
		t.Errorf("Session: got %+v", got)
	}
	must(in.AgentGet(ctx, m.ID))(t)
	if _, err := in.Trash(ctx, m.ID, 0); client.CodeOf(err) != loci.Conflict {
		t.Errorf("a change in a closed session: got %v", err)
	}
	if got := must(owner.ReopenSession(ctx, session.ID.String()))(t); got.State != loci.SessionActive {
		t.Errorf("ReopenSession: got %+v", got)
	}
	if err := owner.DeleteAgent(ctx, "reviewer"); err != nil {
		t.Errorf("DeleteAgent: %v", err)
	}
	if _, err := owner.Agent(ctx, "reviewer"); client.CodeOf(err) != loci.NotFound {
		t.Errorf("the deleted agent: got %v", err)
	}
}
