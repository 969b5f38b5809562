package rest_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/auth"
)

// TestAssistants lists the agent keys of the configuration and a user of "loci mcp", to the person that they act for.
func TestAssistants(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	list := func(key string) []client.Assistant {
		t.Helper()
		var got client.AssistantList
		if err := json.Unmarshal(s.expect(t, 200, key, "GET /users/me/assistants").Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(got.Assistants, func(a, b client.Assistant) int { return len(a.Name) - len(b.Name) })
		return got.Assistants
	}
	want := []client.Assistant{{Name: "LOCI_AGENT_KEY_CLAUDE", Vendor: "claude"},
		{Name: "LOCI_AGENT_KEY_CURSOR", Vendor: "cursor"}, {Name: "LOCI_AGENT_KEY_GEMINI", Vendor: "gemini"}}
	if diff := cmp.Diff(want, list(owner)); diff != "" {
		t.Errorf("before any use (-want +got):\n%s", diff)
	}
	s.expect(t, 200, cursor, "GET /whoami")
	want[1].LastUsedAt = s.clock.Now().Truncate(time.Microsecond)
	p, err := s.auth.Local(t.Context(), "opencode")
	if err != nil {
		t.Fatal(err)
	}
	s.auth.Used(t.Context(), p)
	want = append(want, client.Assistant{Name: "OpenCode (stdio)", Vendor: "opencode",
		LastUsedAt: s.clock.Now().Truncate(time.Microsecond)})
	near := cmp.Comparer(func(a, b time.Time) bool { return a.IsZero() == b.IsZero() && a.Sub(b).Abs() < time.Minute })
	byName := func(list []client.Assistant) map[string]client.Assistant {
		out := map[string]client.Assistant{}
		for _, a := range list {
			out[a.Name] = a
		}
		return out
	}
	if diff := cmp.Diff(byName(want), byName(list(owner)), near); diff != "" {
		t.Errorf("after (-want +got):\n%s", diff)
	}
	member := s.addUser(t, loci.DefaultOrg, "kim@example.org", loci.Member)
	_, key := s.key(t, loci.DefaultOrg, member.ID, auth.KeyRequest{})
	if got := list(key); len(got) != 0 {
		t.Errorf("another person sees %+v", got)
	}
	s.expect(t, 403, cursor, "GET /users/me/assistants")
}
