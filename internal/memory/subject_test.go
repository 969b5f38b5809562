package memory

import (
	"testing"

	"github.com/loci-memory/loci"
)

func TestSameKey(t *testing.T) {
	t.Parallel()
	one, two := loci.ProjectID{1}, loci.ProjectID{2}
	of := func(change func(*loci.Memory)) *loci.Memory {
		m := &loci.Memory{}
		m.Key, m.Scope = "k", loci.ScopeGlobal
		change(m)
		return m
	}
	plain := of(func(*loci.Memory) {})
	other := of(func(m *loci.Memory) { m.Key = "l" })
	none := of(func(m *loci.Memory) { m.Key = "" })
	elsewhere := of(func(m *loci.Memory) { m.WorkspaceID = loci.WorkspaceID{1} })
	inOne := of(func(m *loci.Memory) { m.ProjectID = one })
	inTwo := of(func(m *loci.Memory) { m.ProjectID = two })
	ofAgent := func(agent byte, in loci.ProjectID) *loci.Memory {
		return of(func(m *loci.Memory) { m.Scope, m.AgentID, m.ProjectID = loci.ScopeAgent, loci.AgentID{agent}, in })
	}
	byAgent := of(func(m *loci.Memory) { m.AgentID = loci.AgentID{1} }) // for all, not for the agent alone
	for name, tt := range map[string]struct {
		a, b *loci.Memory
		want bool
	}{
		"the same place":              {plain, plain, true},
		"another key":                 {plain, other, false},
		"no key":                      {none, none, false},
		"another workspace":           {plain, elsewhere, false},
		"one project":                 {inOne, inOne, true},
		"two projects":                {inOne, inTwo, false},
		"a project and no project":    {inOne, plain, true},
		"one agent":                   {ofAgent(1, one), ofAgent(1, one), true},
		"two agents":                  {ofAgent(1, one), ofAgent(2, one), false},
		"one agent in two projects":   {ofAgent(1, one), ofAgent(1, two), false},
		"one agent, and outside":      {ofAgent(1, one), ofAgent(1, loci.ProjectID{}), false},
		"for its agent alone and all": {ofAgent(1, loci.ProjectID{}), byAgent, false},
	} {
		if got, back := sameKey(tt.a, tt.b), sameKey(tt.b, tt.a); got != tt.want || back != tt.want {
			t.Errorf("%s: got %t and %t, want %t", name, got, back, tt.want)
		}
	}
}

func TestSameTitle(t *testing.T) {
	t.Parallel()
	of := func(title string, project byte) *compared {
		m := &loci.Memory{}
		m.Title, m.ProjectID = title, loci.ProjectID{project}
		return read(m)
	}
	for name, tt := range map[string]struct {
		a, b *compared
		want bool
	}{
		"the same":        {of("Build tool", 1), of("build tool.", 1), true},
		"another title":   {of("Build tool", 1), of("Test runner", 1), false},
		"another project": {of("Build tool", 1), of("Build tool", 2), false},
	} {
		if got := tt.a.sameTitle(tt.b); got != tt.want {
			t.Errorf("%s: got %t, want %t", name, got, tt.want)
		}
	}
}
