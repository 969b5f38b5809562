package rest_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/rest"
)

// TestDashboardHeaders demands that both headers of a dashboard arrive.
func TestDashboardHeaders(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	ctx := context.Background()
	if err := s.app.Identity.SetOwnerEmail(ctx, "ada@loci.example"); err != nil {
		t.Fatal(err)
	}
	const secret = "a-secret-of-at-least-thirty-two-bytes"
	au, err := auth.New(auth.Options{Store: s.store, Now: s.clock.Now,
		Dashboard: auth.Dashboard{ServiceKey: "service", JWTSecret: secret}})
	if err != nil {
		t.Fatal(err)
	}
	s.Handler = rest.New(rest.Options{App: s.app, Auth: au})
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"iss": "loci-dashboard", "aud": "loci",
		"email_verified": true, "email": "ada@loci.example",
		"exp": s.clock.Now().Add(time.Hour).Unix()}).SignedString([]byte(secret))
	if err != nil {
		t.Fatal(err)
	}
	var id client.Identity
	decode(t, s.do("GET", "/whoami", "service", "", "X-Dashboard-Token: "+token), &id)
	if id.Role != "user" || id.Origin != loci.OriginDashboard || id.Email != "ada@loci.example" {
		t.Errorf("got %+v", id)
	}
	if w := s.do("GET", "/whoami", "service", ""); w.Code != 401 || w.Header().Get("WWW-Authenticate") == "" {
		t.Errorf("without the token: got %d %s, want 401", w.Code, w.Body)
	}
}

func TestDeletionWithStepUp(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(_ *rest.Options, o *app.Options) { o.Deletion = loci.DeleteWithStepUp })
	for _, id := range []string{s.write(t, owner, `{"title":"x","content":"y"}`).ID.String(), absent} {
		if w := s.do("DELETE", "/memories/"+id, owner, ""); w.Code != 403 {
			t.Errorf("got %d %s, want 403", w.Code, w.Body)
		}
	}
}

// TestKeysWithRights demands that a stored key is held to its rights, says
// which key it is, and is useless once revoked.
func TestKeysWithRights(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	ctx := context.Background()
	local, err := s.auth.Local(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	c, key, err := s.app.Identity.CreateKey(ctx, local, auth.KeyRequest{Name: "reader",
		Rights: []loci.Right{loci.RightRead}})
	if err != nil {
		t.Fatal(err)
	}
	var id client.Identity
	decode(t, s.do("GET", "/whoami", key.Reveal(), ""), &id)
	if id.CredentialID == nil || *id.CredentialID != c.ID || len(id.Scopes) != 1 {
		t.Errorf("whoami: got %+v, want credential %s", id, c.ID)
	}
	if w := s.do("POST", "/memories", key.Reveal(), `{"title":"x","content":"y"}`); w.Code != 403 {
		t.Errorf("writing with a key that may only read: got %d %s, want 403", w.Code, w.Body)
	}
	if w := s.do("GET", "/memories", key.Reveal(), ""); w.Code != 200 {
		t.Errorf("reading: got %d %s", w.Code, w.Body)
	}
	if err := s.app.Identity.RevokeKey(ctx, local, c.ID); err != nil {
		t.Fatal(err)
	}
	if w := s.do("GET", "/memories", key.Reveal(), ""); w.Code != 401 {
		t.Errorf("after revocation: got %d, want 401", w.Code)
	}
}

// TestOneSignInIsTheCurrent lists the two sign-ins of a person in each of their browsers.
func TestOneSignInIsTheCurrent(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	var current []loci.CredentialID
	one := s.session(t, loci.DefaultOrg, s.owner.UserID, 0)
	for _, browser := range []string{one, s.session(t, loci.DefaultOrg, s.owner.UserID, 0)} {
		var list client.SignInList
		decode(t, s.expect(t, 200, browser, "GET /users/me/sign-ins"), &list)
		for _, one := range list.SignIns {
			if one.Current {
				current = append(current, one.ID)
			}
		}
		if len(list.SignIns) != 2 {
			t.Errorf("got %+v", list)
		}
	}
	if len(current) != 2 || current[0] == current[1] {
		t.Errorf("got %v as the current ones, want one in each browser", current)
	}
}

// TestPublicRoutesNeedNothing requires that these routes answer without a look at credentials and sessions.
func TestPublicRoutesNeedNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, header := range []string{"Authorization: Bearer nothing", "Loci-Session: nothing", "Loci-View-As: nothing!"} {
		if w := s.do("GET", "/health", "", "", header); w.Code != 200 {
			t.Errorf("%s: got %d %s", header, w.Code, w.Body)
		}
	}
}

// TestAnswersNameTheVendorThatTheyAreFor requires null for a person.
func TestAnswersNameTheVendorThatTheyAreFor(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for key, want := range map[string]string{owner: `"vendor_filter":null`, claude: `"vendor_filter":"claude"`} {
		if w := s.request(key, `POST /query {"query":"zebra?"}`); w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("got %d %s, want %s", w.Code, w.Body, want)
		}
	}
}
