package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

func TestProxyAddsTheTokenAndKeepsTheHost(t *testing.T) {
	var got *http.Request
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r }))
	defer server.Close()
	upstream, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(newProxy(upstream, "secret"))
	defer proxy.Close()

	req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, proxy.URL+"/mcp?x=1", nil)
	req.RequestURI = ""
	req.Host = "evil.example.com"
	req.Header.Set("Origin", "http://evil.example.com")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()

	for name, pair := range map[string][2]string{
		"Authorization": {got.Header.Get("Authorization"), "Bearer secret"},
		"Host":          {got.Host, "evil.example.com"},
		"Origin":        {got.Header.Get("Origin"), "http://evil.example.com"},
		"URI":           {got.RequestURI, "/mcp?x=1"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: got %q, want %q", name, pair[0], pair[1])
		}
	}
}

func TestRunRefusesBadSettings(t *testing.T) {
	for name, args := range map[string][3]string{
		"no token":         {"127.0.0.1:0", "http://127.0.0.1:1", ""},
		"no target":        {"127.0.0.1:0", "", "t"},
		"open to the net":  {"0.0.0.0:0", "http://127.0.0.1:1", "t"},
		"not an address":   {"nowhere", "http://127.0.0.1:1", "t"},
		"address, no port": {"127.0.0.1", "http://127.0.0.1:1", "t"},
	} {
		if err := run(args[0], args[1], args[2]); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}
