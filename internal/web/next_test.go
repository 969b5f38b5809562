package web

import (
	"strings"
	"testing"

	"github.com/loci-memory/loci"
)

func TestSafeNextStaysOnThisSite(t *testing.T) {
	t.Parallel()
	for _, next := range []string{"/app/", "/app/keys", "/app/keys?done=revoked", "/app/invite?token=loci_invite_x",
		"/oauth/authorize?client_id=https%3A%2F%2Fclaude.ai%2Fc&redirect_uri=https://claude.ai/cb&state=a..b//c"} {
		if got := safeNext(next); got != next {
			t.Errorf("safeNext(%q) = %q, want it as it is", next, got)
		}
	}
	for _, next := range []string{"", "/", "//evil.example", "///evil.example", `/\evil.example`, `\\evil.example`,
		"https://evil.example/app/", "https:/app/", "https:evil.example",
		"javascript:alert(1)", "data:text/html,x", "//evil.example/app/", "/app//evil.example", "/app/../mcp",
		"/app/..//evil.example", "/app/%2e%2e/x", "/app/%2f%2fevil",
		"/app/%5cevil", "/app/\tx", "/app/\nx", " /app/", "/app/ x", "app/", "/mcp", "/api/v1/memories", "/oauth/token",
		"/oauth/authorize/x", "/app", "/app/#x", "/app/\x00",
		"http://localhost/app/", "//localhost/app/", "/app/" + strings.Repeat("a", maxNext), "/\t/evil.example",
		"\x01//evil.example"} {
		if got := safeNext(next); got != homePath {
			t.Errorf("safeNext(%q) = %q, want the home page", next, got)
		}
	}
}

func FuzzSafeNext(f *testing.F) {
	for _, seed := range []string{"/app/keys", "//evil", `/\evil`, "/app/..", "/oauth/authorize?x=1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, next string) {
		got := safeNext(next)
		if !strings.HasPrefix(got, "/app/") && !strings.HasPrefix(got, "/oauth/authorize") || strings.ContainsAny(got,
			"\\\t\n\r") {
			t.Errorf("safeNext(%q) = %q", next, got)
		}
	})
}

func TestFormTarget(t *testing.T) {
	t.Parallel()
	tests := []struct{ redirect, want string }{
		{"https://claude.ai/api/mcp/auth_callback", ""},
		{"http://127.0.0.1:33418/", "http://127.0.0.1:33418"},
		{"http://localhost:1/cb?x=1", "http://localhost:1"},
		{"http://[::1]:33418/cb", "http:"},
		{"com.example.app:/cb", "com.example.app:"},
		{"http://a.example;script-src/", "http:"},
		{"", ""},
	}
	for _, tt := range tests {
		if got := formTarget(tt.redirect); got != tt.want {
			t.Errorf("formTarget(%q) = %q, want %q", tt.redirect, got, tt.want)
		}
	}
}

func TestStatusCoversEveryCode(t *testing.T) {
	t.Parallel()
	for _, c := range append(loci.Codes(), "") {
		if statuses[c] == 0 {
			t.Errorf("code %q has no HTTP status", c)
		}
	}
}
