package main

import (
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

// registerClient registers a program as assistants do.
func registerClient(t *testing.T, s *liveServer, name string) (id string) {
	t.Helper()
	body := `{"client_name":"` + name +
		`","redirect_uris":["http://127.0.0.1/callback"],"token_endpoint_auth_method":"none"}`
	answer, err := http.Post(s.url+"/oauth/register", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	var made struct {
		ID string `json:"client_id"`
	}
	if err := json.Unmarshal(text, &made); err != nil || made.ID == "" {
		t.Fatalf("%s: %s", answer.Status, text)
	}
	return made.ID
}

// grantTo stores what a person's consent would: a grant with its first tokens.
// It returns the access token.
func grantTo(t *testing.T, dir, client string) (grant loci.Grant, token loci.Secret) {
	t.Helper()
	ctx, now := t.Context(), loci.CutTime(time.Now())
	st, err := sqlite.Open(ctx, sqlite.Options{Dir: filepath.Join(dir, "data")})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	org, err := st.Orgs().Get(ctx, loci.DefaultOrg)
	if err != nil {
		t.Fatal(err)
	}
	grant = loci.Grant{ID: loci.NewGrantID(), OrgID: org.ID, UserID: org.OwnerID, ClientID: client, ClientName: "Helper",
		Vendor: "claude",
		Rights: []loci.Right{loci.RightRead}, CreatedAt: now, ExpiresAt: now.Add(time.Hour)}
	code := loci.AuthCode{Hash: auth.Hash(auth.NewSecret("code")), GrantID: grant.ID, ClientID: client,
		RedirectURI: "http://127.0.0.1/callback", ExpiresAt: now.Add(time.Minute)}
	if err := st.OAuth().Allow(ctx, grant, code); err != nil {
		t.Fatal(err)
	}
	token = auth.NewSecret("loci_access_")
	access := loci.Credential{ID: loci.NewCredentialID(), OrgID: org.ID, UserID: org.OwnerID, Kind: loci.KindAgent,
		Method: loci.ByOAuth, Vendor: "claude",
		Hash: auth.Hash(token), Rights: grant.Rights, GrantID: grant.ID, CreatedAt: now, ExpiresAt: now.Add(time.Hour)}
	refresh := loci.RefreshToken{Hash: auth.Hash(auth.NewSecret("refresh")), GrantID: grant.ID,
		ExpiresAt: now.Add(time.Hour)}
	if _, err := st.OAuth().Redeem(ctx, code.Hash, now, access, refresh); err != nil {
		t.Fatal(err)
	}
	return grant, token
}

// TestClientsAndGrants looks after programs on the command line while a server
// runs: a grant that is revoked, or whose client is deleted, is over at once.
func TestClientsAndGrants(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startServer(t, dir)
	client := registerClient(t, s, "Helper")
	out := string(runLoci(t, dir, "oauth", "client", "list"))
	if !regexp.MustCompile(`(?m)^ID +SELF-REPORTED NAME .*\n` + client + ` +Helper `).MatchString(out) {
		t.Errorf("the client is not listed: %s", out)
	}
	if out := string(runLoci(t, dir, "oauth", "client", "show", client)); !strings.Contains(out,
		"redirects     http://127.0.0.1/callback") {
		t.Errorf("show says %s", out)
	}
	if got := decoded(t, dir, "vendor", "oauth", "client", "set", client, "--vendor", "Claude"); got != "claude" {
		t.Errorf("the client is bound to %q", got)
	}
	grant, token := grantTo(t, dir, client)
	if got := s.status(token); got != http.StatusOK {
		t.Fatalf("a token of a grant: got %d", got)
	}
	runLoci(t, dir, "user", "set", grant.UserID.String(), "--email", "ann@home.example")
	out = string(runLoci(t, dir, "oauth", "grant", "list"))
	for _, want := range []string{"ann@home.example", grant.ID.String(), "claude", "memories:read", "valid"} {
		if !strings.Contains(out, want) {
			t.Errorf("the list of grants lacks %q: %s", want, out)
		}
	}
	runLoci(t, dir, "oauth", "grant", "revoke", grant.ID.String())
	status, body := s.read(&http.Client{Transport: bearer(token)}, "/api/v1/whoami")
	if status != http.StatusUnauthorized || !strings.Contains(body, "to connect again, sign in to Loci from the client") {
		t.Errorf("a token of a revoked grant: got %d %s", status, body)
	}
	if out := string(runLoci(t, dir, "oauth", "grant", "list", "--org", "default")); !strings.Contains(out, "revoked") {
		t.Errorf("the grant is not shown as revoked: %s", out)
	}

	other := registerClient(t, s, "Other")
	_, token = grantTo(t, dir, other)
	if got := s.status(token); got != http.StatusOK {
		t.Fatalf("a token of another grant: got %d", got)
	}
	runLoci(t, dir, "oauth", "client", "delete", other, "--yes")
	if got := s.status(token); got != http.StatusUnauthorized {
		t.Errorf("a token of a deleted client: got %d", got)
	}
	if out := string(runLoci(t, dir, "oauth", "client", "list")); strings.Contains(out, other) {
		t.Errorf("a deleted client is listed: %s", out)
	}
}
