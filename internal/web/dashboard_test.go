package web_test

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
)

var assetName = regexp.MustCompile(`/app/assets/[\w.-]+\.(?:js|css)`)

func TestDashboardIsServed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	const signIn = "/app/sign-in?next=%2Fapp%2Fmemories%2Fx%3Fq%3D1"
	if a := b.get("/app/memories/x?q=1"); a.status != 303 || a.location() != signIn {
		t.Fatalf("a stranger: %d %s", a.status, a.location())
	}
	want(t, "a stranger", b.get("/app/nowhere"), 404, "page not found")
	b.signIn()
	first := b.get("/app/")
	for _, path := range []string{"/app/nowhere", "/somewhere/memories"} {
		a := b.do(http.MethodGet, path, http.Header{"If-None-Match": {first.header.Get("ETag")}}, "")
		want(t, path, a, 404, `<div id="app">`)
		if a.header.Get("Cache-Control") != "no-store" || !strings.Contains(a.header.Get("Content-Security-Policy"),
			"require-trusted-types-for") {
			t.Errorf("%s: %v", path, a.header)
		}
	}
	want(t, "a form", b.post("/app/nowhere"), 404, "page not found")
	for _, path := range []string{"/app/", "/app/memories", "/app/memories/", "/app/memories/x", "/app/memories/x/y",
		"/app/connections", "/app/keys", "/app/account"} {
		a := b.get(path)
		want(t, path, a, 200, `<div id="app">`)
		policy := a.header.Get("Content-Security-Policy")
		if a.body != first.body || strings.Contains(policy, "unsafe") ||
			!strings.Contains(policy, "require-trusted-types-for") ||
			a.header.Get("X-Content-Type-Options") != "nosniff" || a.header.Get("Cache-Control") != "private, no-cache" {
			t.Errorf("%s: %v", path, a.header)
		}
	}
	tag := first.header.Get("ETag")
	if a := b.do(http.MethodGet, "/app/memories", http.Header{"If-None-Match": {tag}}, ""); a.status != 304 || tag == "" {
		t.Errorf("with the tag %s: %d", tag, a.status)
	}
	if a := b.get("/app/trash"); a.status != 303 || a.location() != "/app/memories?trash=1" {
		t.Errorf("the old trash: %d %s", a.status, a.location())
	}
	if a := b.get("/app/sign-ins"); a.status != 303 || a.location() != "/app/account" {
		t.Errorf("the old sign-ins: %d %s", a.status, a.location())
	}
	names := assetName.FindAllString(first.body, -1)
	if len(names) < 2 {
		t.Fatalf("the page has no script and no style: %s", first.body)
	}
	for _, name := range names {
		packed := b.do(http.MethodGet, name, http.Header{"Accept-Encoding": {"br, gzip;q=0.5"}}, "")
		plain := b.do(http.MethodGet, name, http.Header{"Accept-Encoding": {"gzip;q=0, identity"}}, "")
		if packed.status != 200 || packed.header.Get("Content-Encoding") != "gzip" ||
			!strings.Contains(packed.header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s in gzip: %d %v", name, packed.status, packed.header)
		}
		if plain.status != 200 || plain.header.Get("Content-Encoding") != "" || len(plain.body) <= len(packed.body) ||
			plain.header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s as it is: %d %v", name, plain.status, plain.header)
		}
	}
	for _, name := range []string{"none.js", "index.html", "..%2Fweb.go", "index.html.gz"} {
		want(t, name, b.get("/app/assets/"+name), 404)
	}
}

// The server and the dashboard have a list of views each.
func TestDashboardServesItsViews(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../web/src/views.ts")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	b := w.browser()
	b.signIn()
	views := regexp.MustCompile(`\{ path: "([\w-]+)"`).FindAllStringSubmatch(string(text), -1)
	if len(views) == 0 {
		t.Fatal("web/src/views.ts has no views")
	}
	for _, view := range views {
		want(t, view[1], b.get("/app/"+view[1]), 200, `<div id="app">`)
	}
}
