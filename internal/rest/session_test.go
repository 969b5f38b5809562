package rest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/rest"
)

// TestDeletionNeedsStepUp demands that where the org deletes with step-up, no
// key is enough, a session needs a fresh proof, and a stale one is told where
// to give it.
func TestDeletionNeedsStepUp(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(_ *rest.Options, o *app.Options) { o.Deletion = loci.DeleteWithStepUp })
	fresh := s.session(t, loci.DefaultOrg, s.owner.UserID, time.Minute)
	stale := s.session(t, loci.DefaultOrg, s.owner.UserID, 6*time.Minute)
	_, key := s.key(t, loci.DefaultOrg, s.owner.UserID, auth.KeyRequest{})
	id := s.write(t, owner, `{"title":"x","content":"y"}`).ID.String()
	for name, request := range map[string]string{"one": "DELETE /memories/" + id,
		"for good": "DELETE /memories/" + id + "?permanent=true",
		"bulk":     `DELETE /memories {"ids":["` + id + `"]}`, "an unknown one": "DELETE /memories/" + absent,
		"no id at all": "DELETE /memories/x"} {
		for _, who := range []string{owner, key} {
			if w := s.request(who, request); w.Code != 403 || problemOf(t, w.Body.Bytes()).Code != "forbidden" {
				t.Errorf("%s with a key: got %d %s, want 403 forbidden", name, w.Code, w.Body)
			}
		}
		w := s.request(stale, request)
		p := problemOf(t, w.Body.Bytes())
		if w.Code != 403 || p.Code != "step_up_required" || p.StepUpURL != "http://localhost:5624/app/step-up" {
			t.Errorf("%s with a stale session: got %d %s", name, w.Code, w.Body)
		}
		if got, want := w.Header().Get("WWW-Authenticate"),
			`Bearer error="insufficient_user_authentication", max_age=300`; got != want {
			t.Errorf("%s with a stale session: WWW-Authenticate is %q, want %q", name, got, want)
		}
	}
	if w := s.request(claude, "DELETE /agent/memories/"+id); w.Code != 403 {
		t.Errorf("as an agent: got %d %s, want 403", w.Code, w.Body)
	}
	if w := s.request(fresh, "DELETE /memories/"+id); w.Code != 200 {
		t.Errorf("with a fresh session: got %d %s, want 200", w.Code, w.Body)
	}
	if w := s.request(fresh, "DELETE /memories/"+id+"?permanent=true"); w.Code != 204 || w.Body.Len() > 0 {
		t.Errorf("for good, with a fresh session: got %d %s, want 204", w.Code, w.Body)
	}
	if w := s.request(fresh, "GET /memories/"+id); w.Code != 404 {
		t.Errorf("after that: got %d %s, want 404", w.Code, w.Body)
	}
}

func problemOf(t *testing.T, b []byte) client.Problem {
	t.Helper()
	var p client.Problem
	if err := json.Unmarshal(b, &p); err != nil {
		t.Fatalf("not a problem: %s", b)
	}
	return p
}

// TestAgentsTrashTheirOwn where the org deletes by key.
func TestAgentsTrashTheirOwn(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	mine, others := s.write(t, claude, `{"title":"x","content":"y"}`), s.write(t, cursor, `{"title":"x","content":"y"}`)
	if w := s.request(claude, "DELETE /agent/memories/"+mine.ID.String()); w.Code != 200 {
		t.Errorf("what it wrote: got %d %s, want 200", w.Code, w.Body)
	}
	if w := s.request(claude, "DELETE /agent/memories/"+others.ID.String()); w.Code != 403 {
		t.Errorf("what another wrote: got %d %s, want 403", w.Code, w.Body)
	}
	if w := s.request(claude, "DELETE /agent/memories/"+others.ID.String()+"?permanent=true"); w.Code != 400 {
		t.Errorf("for good: got %d %s, want 400", w.Code, w.Body)
	}
}

// TestBulkTrashIsAllOrNothing demands that one missing id keeps all.
func TestBulkTrashIsAllOrNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	a, b := s.write(t, owner, `{"title":"a","content":"y"}`).ID.String(), s.write(t, owner,
		`{"title":"b","content":"y"}`).ID.String()
	if w := s.request(owner, `DELETE /memories {"ids":["`+a+`","`+absent+`","`+b+`"]}`); w.Code != 404 {
		t.Errorf("with an unknown id: got %d %s, want 404", w.Code, w.Body)
	}
	for _, id := range []string{a, b} {
		var m loci.Memory
		decode(t, s.request(owner, "GET /memories/"+id), &m)
		if !m.DeletedAt.IsZero() {
			t.Errorf("%s is in the trash", id)
		}
	}
	var done client.BulkTrashed
	decode(t, s.request(owner, `DELETE /memories {"ids":["`+b+`","`+a+`","`+b+`"]}`), &done)
	if done.Count != 2 || len(done.Trashed) != 2 || done.Trashed[0].ID.String() != b ||
		done.Trashed[0].DeletedAt.IsZero() {
		t.Errorf("got %+v, want %s and %s", done, b, a)
	}
	ids := strings.Repeat(`"`+absent+`",`, 1000)
	if w := s.request(owner, `DELETE /memories {"ids":[`+ids+`"`+absent+`"]}`); w.Code != 400 {
		t.Errorf("1,001 ids: got %d %s, want 400", w.Code, w.Body)
	}
}

// TestCookies demands that a page of another site cannot use a session, and
// that a session is good for nothing as a bearer.
func TestCookies(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	cookie := s.session(t, loci.DefaultOrg, s.owner.UserID, time.Minute)
	const body = `{"title":"x","content":"y","dedupe":"create"}`
	tests := []struct {
		name, method, path string
		headers            []string
		want               int
	}{
		{"a read", "GET", "/memories", nil, 200},
		{"a read from anywhere", "GET", "/memories", []string{"Sec-Fetch-Site: cross-site"}, 200},
		{"our page", "POST", "/memories", []string{"Sec-Fetch-Site: same-origin"}, 201},
		{"our page, an old browser", "POST", "/memories", []string{"Origin: http://127.0.0.1:5624"}, 201},
		{"another site", "POST", "/memories", []string{"Sec-Fetch-Site: cross-site"}, 403},
		{"another port of this machine", "POST", "/memories", []string{"Sec-Fetch-Site: same-site"}, 403},
		{"another site, an old browser", "POST", "/memories", []string{"Origin: https://evil.example"}, 403},
		{"another site deletes", "DELETE", "/memories/" + absent, []string{"Sec-Fetch-Site: cross-site"}, 403},
		{"another site of no route", "POST", "/nowhere", []string{"Sec-Fetch-Site: cross-site"}, 403},
	}
	for _, tt := range tests {
		sent := ""
		if tt.method == "POST" {
			sent = body
		}
		if w := s.do(tt.method, tt.path, cookie, sent, tt.headers...); w.Code != tt.want {
			t.Errorf("%s: got %d %s, want %d", tt.name, w.Code, w.Body, tt.want)
		}
	}
	for method, want := range map[string]int{"GET": 200, "POST": 403} { // from a program that has the cookie
		r := httptest.NewRequest(method, "http://127.0.0.1:5624/memories", strings.NewReader(body))
		r.AddCookie(&http.Cookie{Name: auth.SecureCookie, Value: cookie})
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%s that does not say which page asks: got %d %s, want %d", method, w.Code, w.Body, want)
		}
	}
	if w := s.do("POST", "/memories", owner, body, "Sec-Fetch-Site: cross-site"); w.Code != 201 {
		t.Errorf("a program with a key: got %d %s, want 201", w.Code, w.Body)
	}
	if w := s.do("GET", "/whoami", "", "", "Authorization: Bearer "+cookie); w.Code != 401 {
		t.Errorf("a session as bearer: got %d %s, want 401", w.Code, w.Body)
	}
	if w := s.do("GET", "/whoami", "", "", "Cookie: "+auth.SecureCookie+"="+owner); w.Code != 401 {
		t.Errorf("a key as cookie: got %d %s, want 401", w.Code, w.Body)
	}
	if w := s.do("GET", "/whoami", "", "", "x-api-key: "+owner); w.Code != 200 {
		t.Errorf("x-api-key: got %d %s, want 200", w.Code, w.Body)
	}
}

// TestWhoAmISession demands that a session says how fresh its proof is.
func TestWhoAmISession(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for age, fresh := range map[time.Duration]bool{time.Minute: true, 6 * time.Minute: false} {
		var id client.Identity
		decode(t, s.do("GET", "/whoami", s.session(t, loci.DefaultOrg, s.owner.UserID, age), ""), &id)
		if id.Method != loci.BySignIn || id.Fresh != fresh || id.ProvedAt.IsZero() || id.OrgRole != loci.MemberOwner ||
			id.Role != "user" {
			t.Errorf("a proof %s old: got %+v", age, id)
		}
	}
}

// TestExportIsTheCommandLines demands the same bytes as `loci export`, and a
// plain refusal where there is no right.
func TestExportIsTheCommandLines(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for range 3 {
		m := s.write(t, owner, `{"title":"a <b>","content":"y","tags":["ops"]}`)
		s.do("PATCH", "/memories/"+m.ID.String(), owner, `{"content":"z"}`)
	}
	var want bytes.Buffer
	if _, err := s.app.Transfer.Export(context.Background(), s.owner, &want); err != nil {
		t.Fatal(err)
	}
	w := s.request(owner, "GET /users/me/export")
	if w.Code != 200 || w.Header().Get("Content-Type") != "application/x-ndjson" || !bytes.Equal(w.Body.Bytes(),
		want.Bytes()) || bytes.Count(want.Bytes(), []byte("\n")) != 5 {
		t.Errorf("got %d %s\n%s\nwant\n%s", w.Code, w.Header().Get("Content-Type"), w.Body, want.String())
	}
	_, key := s.key(t, loci.DefaultOrg, s.owner.UserID, auth.KeyRequest{Rights: []loci.Right{loci.RightReflect}})
	if w := s.request(key, "GET /users/me/export"); w.Code != 403 || problemOf(t, w.Body.Bytes()).Status != 403 ||
		w.Header().Get("Content-Disposition") != "" {
		t.Errorf("without the right: got %d %s", w.Code, w.Body)
	}
}

// TestSecretsAreNotKept demands that no cache may keep a new key.
func TestSecretsAreNotKept(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	fresh := s.session(t, loci.DefaultOrg, s.owner.UserID, time.Minute)
	w := s.request(fresh, `POST /keys {"name":"backup","scopes":["memories:read"]}`)
	var made client.MadeKey
	decode(t, w, &made)
	if w.Code != 201 || w.Header().Get("Cache-Control") != "no-store" || !strings.HasPrefix(made.Secret, made.Key.Prefix) {
		t.Errorf("got %d, Cache-Control %q, %s", w.Code, w.Header().Get("Cache-Control"), w.Body)
	}
	if w := s.do("GET", "/memories", made.Secret, ""); w.Code != 200 {
		t.Errorf("the new key: got %d %s", w.Code, w.Body)
	}
	if w := s.request(fresh, "GET /keys"); strings.Contains(w.Body.String(), made.Secret) ||
		!strings.Contains(w.Body.String(), made.Key.ID.String()) {
		t.Errorf("the list: got %s", w.Body)
	}
}
