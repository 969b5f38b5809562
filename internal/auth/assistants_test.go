package auth_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/store"
)

// TestAssistants uses Loci with a key of the environment and over stdio, and looks at the rows that record it.
func TestAssistants(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.auth(t, auth.Options{AgentKeys: map[loci.Vendor]loci.Secret{"claude": "claude-secret"}})
	used := func() map[string]time.Time {
		t.Helper()
		list, err := w.store.Credentials().List(t.Context(), store.CredentialQuery{OrgID: w.org.ID, UserID: w.org.OwnerID,
			Usable: w.now})
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]time.Time{}
		for _, c := range list {
			out[c.Name] = c.LastUsedAt
		}
		return out
	}
	want := func(when string, want map[string]time.Time) {
		t.Helper()
		if diff := cmp.Diff(want, used()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	ask := func() {
		t.Helper()
		if _, err := a.Authenticate(t.Context(), bearer("claude-secret")); err != nil {
			t.Fatal(err)
		}
	}
	local, err := a.Local(t.Context(), "cursor")
	if err != nil {
		t.Fatal(err)
	}
	want("before any use", map[string]time.Time{})
	first := w.now
	ask()
	a.Used(t.Context(), local)
	const key, stdio = "LOCI_AGENT_KEY_CLAUDE", "Cursor (stdio)"
	want("after the first use", map[string]time.Time{key: first, stdio: first})
	w.now = first.Add(59 * time.Second)
	ask()
	want("within a minute", map[string]time.Time{key: first, stdio: first})
	w.now = first.Add(time.Minute)
	ask()
	want("after a minute", map[string]time.Time{key: w.now, stdio: first})
	w.now = first.Add(30 * 24 * time.Hour)
	want("after a month", map[string]time.Time{key: first.Add(time.Minute)})
	other := w.auth(t, auth.Options{AgentKeys: map[loci.Vendor]loci.Secret{"claude": "claude-secret"}})
	other.Used(t.Context(), local)
	want("used again", map[string]time.Time{key: first.Add(time.Minute), stdio: w.now})

	// The rows admit nobody, and turn nothing on.
	none := w.auth(t, auth.Options{})
	for _, p := range []loci.Principal{local, {OrgID: w.org.ID, Method: loci.ByEnvironment, Vendor: "claude"}} {
		text := "assistant\x00" + string(p.OrgID) + "\x00" + auth.Assistant(p).Name
		if auth.Hash(loci.Secret(text)) != auth.Assistant(p).Hash {
			t.Fatalf("%q is not what the row's hash is made of", text)
		}
		for _, r := range []auth.Request{bearer(loci.Secret(text)), {Session: loci.Secret(text)}} {
			if got, err := none.Authenticate(t.Context(), r); loci.CodeOf(err) != loci.Unauthenticated {
				t.Errorf("%q admits %+v, %v", text, got, err)
			}
		}
	}
	if any, err := none.AgentsExist(t.Context()); any || err != nil {
		t.Errorf("the rows count as keys: %v, %v", any, err)
	}
}
