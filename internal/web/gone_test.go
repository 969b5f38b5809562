package web_test

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/loci-memory/loci/internal/auth/oauth"
	"github.com/loci-memory/loci/internal/web"
)

// TestBrowsersThatGoAwayAreNoFaults sends requests whose browser does not wait:
// a crowd of them must not fill the log with faults.
func TestBrowsersThatGoAwayAreNoFaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := web.New(web.Options{App: w.app, Auth: w.auth, SignIn: w.signIn, OAuth: oauth.New(oauth.Options{Store: w.store}),
		Log: slog.New(slog.NewTextHandler(w.log, nil))})
	ctx, gone := context.WithCancel(t.Context())
	gone()
	r := httptest.NewRequestWithContext(ctx, "POST", "/app/sign-in",
		strings.NewReader("email=x@example.org&password=wrong"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, r)
	if answer.Code != 503 || strings.Contains(w.log.String(), "level=ERROR") {
		t.Errorf("got %d; log: %s", answer.Code, w.log.String())
	}
}
