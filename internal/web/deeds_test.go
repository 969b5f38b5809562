package web_test

import (
	"os"
	"strings"
	"testing"

	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/auth/oauth"
)

// TestEveryActionHasWords requires a text of the dashboard for each action that the audit trail can have.
func TestEveryActionHasWords(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../web/src/i18n/en.ts")
	if err != nil {
		t.Fatal(err)
	}
	actions := []string{auth.SessionStarted, auth.SessionProved, oauth.GrantReused}
	for act := range app.Rules() {
		actions = append(actions, string(act))
	}
	for _, act := range actions {
		if !strings.Contains(string(text), `"audit.do.`+act+`": "`) {
			t.Errorf("web/src/i18n/en.ts has no text for audit.do.%s", act)
		}
	}
}
