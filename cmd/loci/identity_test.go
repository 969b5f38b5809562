package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
)

// status asks a running server who a key is.
func (s *liveServer) status(key loci.Secret) int {
	s.tb.Helper()
	return s.get(&http.Client{Transport: bearer(key)}, "/api/v1/whoami")
}

func (s *liveServer) get(c *http.Client, path string) int {
	s.tb.Helper()
	status, _ := s.read(c, path)
	return status
}

// read returns the status and the body of an answer.
func (s *liveServer) read(c *http.Client, path string) (int, string) {
	s.tb.Helper()
	answer, err := c.Get(s.url + path)
	if err != nil {
		s.tb.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		s.tb.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// decoded runs the command line with --json and returns the field of its answer.
func decoded(t *testing.T, dir, field string, args ...string) string {
	t.Helper()
	var got map[string]any
	if err := json.Unmarshal(runLoci(t, dir, append(args, "--json")...), &got); err != nil {
		t.Fatal(err)
	}
	value, _ := got[field].(string)
	if value == "" {
		t.Fatalf("loci %s: no %s in %v", strings.Join(args, " "), field, got)
	}
	return value
}

// TestRunningServerSeesChanges makes, takes and suspends on the command line
// while another process serves: the very next request knows.
func TestRunningServerSeesChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startServer(t, dir)
	runLoci(t, dir, "org", "create", "Acme", "--id", "acme", "--owner-email", "mara@acme.example")
	runLoci(t, dir, "user", "create", "--org", "acme", "--email", "ben@acme.example")
	ben := func(name string) (id string, key loci.Secret) {
		var made struct{ ID, Key string }
		out := runLoci(t, dir, "key", "create", "--org", "acme", "--user", "ben@acme.example", "--name", name, "--json")
		if err := json.Unmarshal(out, &made); err != nil {
			t.Fatal(err)
		}
		return made.ID, loci.Secret(made.Key)
	}
	expect := func(what string, key loci.Secret, want int) {
		t.Helper()
		if got := s.status(key); got != want {
			t.Errorf("%s: got %d, want %d", what, got, want)
		}
	}
	first, firstKey := ben("first")
	expect("a new key", firstKey, http.StatusOK)
	runLoci(t, dir, "key", "revoke", first)
	expect("a revoked key", firstKey, http.StatusUnauthorized)

	second, secondKey := ben("second")
	rotated := loci.Secret(decoded(t, dir, "key", "key", "rotate", second, "--overlap", "0s"))
	expect("the key in its place", rotated, http.StatusOK)
	expect("a key that was rotated without overlap", secondKey, http.StatusUnauthorized)

	runLoci(t, dir, "org", "suspend", "acme")
	expect("a key of a suspended org", rotated, http.StatusForbidden)
	runLoci(t, dir, "org", "suspend", "acme", "--undo")
	expect("a key of an org that is not suspended any more", rotated, http.StatusOK)

	runLoci(t, dir, "user", "disable", "ben@acme.example")
	expect("a key of somebody disabled", rotated, http.StatusUnauthorized)
	runLoci(t, dir, "user", "enable", "ben@acme.example")
	_, third := ben("third")
	expect("a key made anew", third, http.StatusOK)

	if _, err := postMemory(t.Context(), s.url, third.Reveal(), "it goes with the org"); err != nil {
		t.Fatal(err)
	}
	var receipt struct {
		OrgID                               loci.OrgID `json:"org_id"`
		Users, Memories, Credentials, Files int
	}
	if err := json.Unmarshal(runLoci(t, dir, "org", "delete", "acme", "--no-export", "--yes", "--json"),
		&receipt); err != nil {
		t.Fatal(err)
	}
	if receipt.OrgID != "acme" || receipt.Users != 2 || receipt.Memories != 1 || receipt.Credentials != 4 ||
		receipt.Files < 1 {
		t.Errorf("the receipt says %+v; want acme with 2 users, 1 memory, 4 keys and its files", receipt)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "data", "orgs", "acme*")); err != nil || len(left) > 0 {
		t.Errorf("left of the org: %v, %v", left, err)
	}
	expect("a key of a deleted org", third, http.StatusUnauthorized)
	s.stop()
	if leaked := regexp.MustCompile(`loci_[a-z]+_[A-Za-z0-9_-]{20,}`).FindString(s.errors.String()); leaked != "" {
		t.Errorf("the server's log has a secret: %.20s…", leaked)
	}
}

// browser is a person's, which keeps cookies and does not follow redirects.
func browser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

// follow opens a one-time link as a person does: the page, then its button.
func (s *liveServer) follow(c *http.Client, link string) int {
	s.tb.Helper()
	u, err := url.Parse(link)
	if err != nil {
		s.tb.Fatal(err)
	}
	if got := s.get(c, "/app/link?"+u.RawQuery); got != http.StatusOK {
		return got // the page offers nothing to press
	}
	form := url.Values{"token": {u.Query().Get("token")}}
	r, err := http.NewRequestWithContext(s.tb.Context(), http.MethodPost, s.url+"/app/link",
		strings.NewReader(form.Encode()))
	if err != nil {
		s.tb.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", s.url)
	answer, err := c.Do(r)
	if err != nil {
		s.tb.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		s.tb.Fatal(err)
	}
	return answer.StatusCode
}

// TestFirstLinkSignsIn opens the link of the first start, once, and another of
// `session link`; a session that the command line ends is over at once.
func TestFirstLinkSignsIn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startServer(t, dir)
	m := regexp.MustCompile(`(?m)^Open this link .*: (http://localhost:[0-9]+/app/link\?token=\S+)$`).
		FindStringSubmatch(s.greeted)
	if m == nil {
		t.Fatalf("no link in %s", s.greeted)
	}
	mine := browser(t)
	if got := s.get(mine, "/app/account"); got != http.StatusSeeOther {
		t.Errorf("without a session: got %d, want a redirect to the sign-in page", got)
	}
	if got := s.follow(mine, m[1]); got != http.StatusSeeOther {
		t.Fatalf("the first link: got %d, want a redirect", got)
	}
	if got := s.get(mine, "/app/account"); got != http.StatusOK {
		t.Errorf("signed in: got %d", got)
	}
	for _, link := range []string{m[1], m[1] + "x"} {
		if got := s.follow(browser(t), link); got != http.StatusUnauthorized {
			t.Errorf("a link that was used, or never made: got %d", got)
		}
	}
	other := browser(t)
	if got := s.follow(other, decoded(t, dir, "link", "user", "link")); got != http.StatusSeeOther {
		t.Fatalf("another link: got %d", got)
	}
	var listed struct {
		Sessions []struct{ ID, Status string } `json:"sign_ins"`
	}
	if err := json.Unmarshal(runLoci(t, dir, "user", "sign-ins", "list", "--json"), &listed); err != nil {
		t.Fatal(err)
	}
	if len(listed.Sessions) != 2 {
		t.Fatalf("sessions: %+v, want two", listed.Sessions)
	}
	runLoci(t, dir, "user", "sign-ins", "end", listed.Sessions[0].ID) // newest first
	if got := s.get(other, "/app/account"); got != http.StatusSeeOther {
		t.Errorf("an ended session: got %d, want a redirect to the sign-in page", got)
	}
	if got := s.get(mine, "/app/account"); got != http.StatusOK {
		t.Errorf("the session that was not ended: got %d", got)
	}
	owner := decoded(t, dir, "user_id", "user", "link")
	runLoci(t, dir, "user", "set", owner, "--name", "Ann of here") // without an address that is what people know
	for _, list := range [][]string{{"user", "sign-ins", "list"}, {"audit", "--action", "sign_in.start"},
		{"audit", "--user", owner}} {
		if out := string(runLoci(t, dir, list...)); !strings.Contains(out, "Ann of here") {
			t.Errorf("loci %s names nobody: %s", strings.Join(list, " "), out)
		}
	}
	runLoci(t, dir, "user", "sign-ins", "end", "--user", owner, "--all")
	if got := s.get(mine, "/app/account"); got != http.StatusSeeOther {
		t.Errorf("all sessions ended: got %d", got)
	}
	if strings.Contains(s.errors.String(), "loci_") {
		t.Errorf("a link or cookie is in the log: %s", s.errors)
	}
}

// TestLimitsAreTheSettings counts requests of one key until the server says no.
func TestLimitsAreTheSettings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		setting string
		want    int // the first status that is not 200; 0: there was none
	}{{"LOCI_RATE_LIMIT=20", http.StatusTooManyRequests}, {"LOCI_RATE_LIMIT=0", 0}} {
		s := startServer(t, t.TempDir(), "LOCI_API_KEY="+shutdownKey, tt.setting)
		got := 0
		for range 60 { // a minute may begin in between
			if status := s.status(shutdownKey); status != http.StatusOK {
				got = status
				break
			}
		}
		if got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.setting, got, tt.want)
		}
		s.stop()
	}
}

// TestNoBrowsersWithoutTLS listens beyond this machine: people cannot sign in
// there in the clear, and can where a proxy brings TLS.
func TestNoBrowsersWithoutTLS(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		setting string
		want    int
	}{{"LOCI_PUBLIC_URL=", http.StatusNotFound}, {"LOCI_PUBLIC_URL=http://127.0.0.1", http.StatusNotFound},
		{"LOCI_PUBLIC_URL=https://127.0.0.1", http.StatusOK}} {
		s := &liveServer{tb: t, process: lociCommand(t, t.TempDir(), "serve", "--listen", "0.0.0.0:0"), errors: &output{}}
		s.process.Env = append(s.process.Env, "LOCI_API_KEY="+shutdownKey, tt.setting)
		s.process.Stderr = s.errors
		s.waitForAddress()
		if !strings.HasPrefix(s.url, "http://0.0.0.0:") {
			t.Errorf("it says that it listens on %s, which is not what was asked for", s.url)
		}
		_, port, err := net.SplitHostPort(strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		s.url = "http://" + net.JoinHostPort("127.0.0.1", port)
		if got := s.get(browser(t), "/app/sign-in"); got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.setting, got, tt.want)
		}
		if got := s.status(shutdownKey); got != http.StatusOK {
			t.Errorf("%s: a key got %d", tt.setting, got)
		}
		s.stop()
	}
}
