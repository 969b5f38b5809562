package web_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
)

// agent is an assistant of Mara's.
func (w *world) agent(v loci.Vendor) loci.Principal {
	w.t.Helper()
	_, key, err := w.app.Identity.CreateKey(w.t.Context(), w.local(w.mara), auth.KeyRequest{Name: "k", Vendor: v})
	if err != nil {
		w.t.Fatal(err)
	}
	p, err := w.auth.Authenticate(w.t.Context(), auth.Request{Bearer: key})
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

func TestSuggestionsAreInTheInbox(t *testing.T) {
	t.Parallel()
	b := newWorld(t).browser()
	if a := b.get("/app/suggestions"); a.status != 303 || a.location() != "/app/inbox?list=suggestions" {
		t.Errorf("%d %s", a.status, a.location())
	}
}

// TestKeyRightsAreThoseOfTheDashboard compares the rights that its form offers with those that exist.
func TestKeyRightsAreThoseOfTheDashboard(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../web/src/views/keys/keys.ts")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, right := range loci.Rights() {
		want = append(want, strconv.Quote(string(right)))
	}
	list := "rights = [" + strings.Join(want, ", ") + "] as const"
	agents := fmt.Sprintf("agentRights: readonly Right[] = rights.slice(0, %d)", len(loci.AgentRights()))
	if got := string(text); !strings.Contains(got, list) || !strings.Contains(got, agents) {
		t.Errorf("web/src/views/keys/keys.ts does not have %s and %s", list, agents)
	}
}
