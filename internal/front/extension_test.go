package front_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/loci-memory/loci/internal/front"
)

const (
	chrome  = "chrome-extension://abcdefghijklmnopabcdefghijklmnop"
	firefox = "moz-extension://6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"
)

// preflight is what a browser asks before a request with a key.
var preflight = []string{"Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization"}

func TestExtensions(t *testing.T) {
	var log bytes.Buffer
	var seen http.Header
	surface := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r.Header })
	h := newDoor(front.Options{REST: surface, MCP: surface, Web: surface, AllowedOrigins: []string{chrome, firefox},
		Log: slog.New(slog.NewTextHandler(&log, nil))})
	for _, origin := range []string{chrome, firefox} {
		w := do(h, "OPTIONS", "/agent/memories", append(preflight, "Origin: "+origin)...)
		if w.Code != 204 || w.Header().Get("Access-Control-Allow-Origin") != origin ||
			!strings.Contains(w.Header().Get("Access-Control-Allow-Headers"), "Authorization") {
			t.Errorf("preflight of %s: got %d %v", origin, w.Code, w.Header())
		}
		seen = nil
		w = do(h, "POST", "/mcp", "Origin: "+origin, "Cookie: session=x", "Authorization: Bearer k")
		if w.Code != 200 || w.Header().Get("Access-Control-Allow-Origin") != origin || w.Header().Get("Vary") != "Origin" {
			t.Errorf("request of %s: got %d %v", origin, w.Code, w.Header())
		}
		if seen.Get("Cookie") != "" || seen.Get("Authorization") == "" || seen.Get("Sec-Fetch-Site") != "cross-site" {
			t.Errorf("the surface got %v, want the key and no cookie", seen)
		}
		if w := do(h, "GET", "/app/keys", "Origin: "+origin); w.Code != 403 {
			t.Errorf("a page for %s: got %d", origin, w.Code)
		}
	}
	log.Reset()
	for _, origin := range []string{"chrome-extension://ponmlkjihgfedcbaponmlkjihgfedcba", "safari-web-extension://x"} {
		for _, method := range []string{"OPTIONS", "GET"} {
			w := do(h, method, "/memories", append(preflight, "Origin: "+origin)...)
			if w.Code != 403 || w.Header().Get("Access-Control-Allow-Origin") != "" ||
				!strings.Contains(w.Body.String(), "ask its operator") {
				t.Errorf("%s from %s: got %d %v %s", method, origin, w.Code, w.Header(), w.Body)
			}
		}
		if !strings.Contains(log.String(), "LOCI_ALLOWED_ORIGINS") || !strings.Contains(log.String(), origin) {
			t.Errorf("the log does not name the setting and %s: %s", origin, log.String())
		}
	}
	for _, origin := range []string{"https://evil.example", "null"} {
		w := do(h, "OPTIONS", "/memories", append(preflight, "Origin: "+origin)...)
		if w.Code != 403 || w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: got %d %v", origin, w.Code, w.Header())
		}
	}
	if w := do(newDoor(front.Options{}), "GET", "/memories", "Origin: "+chrome); w.Code != 403 {
		t.Errorf("without the setting: got %d", w.Code)
	}
}

// TestUnknownExtensionsAtOpenPlaces requires that an extension is at the places that every web page may
// use what any other page is.
func TestUnknownExtensionsAtOpenPlaces(t *testing.T) {
	var seen http.Header
	surface := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r.Header })
	h := newDoor(front.Options{Web: surface})
	if w := do(h, "POST", "/oauth/token", "Origin: "+chrome); w.Code != 200 || seen == nil {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if w := do(h, "POST", "/agent/memories", "Origin: "+chrome); w.Code != 403 {
		t.Errorf("the API: got %d", w.Code)
	}
}
