package oauth

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

func TestOnlyPublicAddressesAreDialled(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"8.8.8.8:443": true, "[2606:4700::1111]:443": true, "[64:ff9b::808:808]:443": true, "[::ffff:8.8.8.8]:443": true,
		"8.8.8.8:80": false, "8.8.8.8:8443": false,
		"127.0.0.1:443": false, "127.8.8.8:443": false, "0.0.0.0:443": false, "10.1.2.3:443": false,
		"172.31.255.255:443": false, "192.168.0.1:443": false,
		"169.254.169.254:443": false, "100.64.0.1:443": false, "100.127.255.255:443": false, "192.0.0.8:443": false,
		"198.18.0.1:443": false, "224.0.0.1:443": false,
		"240.0.0.1:443": false, "255.255.255.255:443": false, "192.0.2.1:443": false,
		"[::]:443": false, "[::1]:443": false, "[fe80::1]:443": false, "[fe80::1%eth0]:443": false, "[fc00::1]:443": false,
		"[fd12::1]:443": false, "[ff02::1]:443": false,
		"[::ffff:127.0.0.1]:443": false, "[::ffff:10.0.0.1]:443": false, "[::127.0.0.1]:443": false,
		"[64:ff9b::7f00:1]:443": false, "[64:ff9b::a9fe:a9fe]:443": false,
		"[64:ff9b:1::1]:443": false, "[2002:7f00:1::]:443": false, "[2002:a00:1::1]:443": false,
		"[2002:808:808::1]:443": true, "[2001::1]:443": false,
		"[2001:db8::1]:443": false, "[fec0::1]:443": false, "[100::1]:443": false, "claude.ai:443": false, "": false,
	} {
		network := map[bool]string{true: "tcp6", false: "tcp4"}[strings.HasPrefix(address, "[")]
		if err := checkDial(network, address); (err == nil) != want {
			t.Errorf("%s: %v, want %v", address, err, want)
		}
	}
	if checkDial("udp4", "8.8.8.8:443") == nil || checkDial("unix", "/run/x") == nil {
		t.Error("another network is dialled")
	}
	if isPublic(netip.Addr{}) {
		t.Error("no address is public")
	}
}

// TestTransportDoesNotReachThisMachine dials a listener that is there.
func TestTransportDoesNotReachThisMachine(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, address := range []string{l.Addr().String(), strings.Replace(l.Addr().String(), "127.0.0.1", "localhost", 1)} {
		c, err := guardedTransport().DialContext(t.Context(), "tcp", address)
		if err == nil {
			c.Close()
			t.Errorf("reached %s", address)
		} else if !strings.Contains(err.Error(), "only port 443") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"https://a.example/cb", "https://a.example:8443/cb?x=1", "http://127.0.0.1/",
		"http://127.0.0.1:1234", "http://[::1]:9/cb", "http://localhost:3000/cb",
		"com.example.app:/cb", "com.example.app://cb", "cursor://anysphere.cursor-retrieval/oauth/callback", "vscode://a/cb",
		"vscode-insiders://a/cb", "windsurf://a/cb", "zed://a/cb", "warp://mcp/oauth2callback", "raycast://oauth?x=1",
		"kiro://kiro.mcp/cb", "goose://cb", "antigravity://cb", "lmstudio://cb", "jetbrains://idea/cb", "vscodium://cb",
		"obsidian://cb", "app:/cb", "app2+x-y.z://cb"} {
		if !checkRedirect(s) {
			t.Errorf("%s is refused", s)
		}
	}
	for _, s := range []string{"", "a", "/cb", "//a.example/cb", "http://a.example/cb", "https://", "https:a",
		"https:///cb", "https://u@a.example/", "https://u:p@a.example/", "https://a.example/#x", "https://a.example/#",
		"javascript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd", "blob:https://a.example/x",
		"about:blank", "javascript://a.example/%0aalert(1)", "data://text/html,x", "blob://x", "about://blank", "file:/x",
		"vbscript://x", "JavaScript://x", "App://cb", "app:cb", "1app://cb", "app://u@cb", "app://cb#x",
		"HTTPS://a.example/", "https://a.example/\n", "https://a.example/ x",
		"https://a.example\\@b.example/", "http://127.0.0.1@evil.example/", "http://127.0.0.1:80@evil.example/",
		"http://127.0.0.1.evil.example/", "http://127.0.0.1:123456/", "http://127.0.0.1:/", "http://localhost.evil.example/",
		"http://127.0.0.2/", "http://0.0.0.0/", "http://[::]/", "http://2130706433/", "https://a.example/é",
		"java.script:alert(1)//\n", strings.Repeat("x", 3000)} {
		if checkRedirect(s) {
			t.Errorf("%q is taken", s)
		}
	}
	registered := []string{"https://a.example/cb", "http://127.0.0.1:1/cb", "http://localhost/"}
	for got, want := range map[string]bool{
		"https://a.example/cb": true, "https://a.example:443/cb": false, "https://a.example/cb/": false,
		"https://A.example/cb": false, "https://a.example/cb?x": false, "https://a.example/x/../cb": false,
		"http://127.0.0.1/cb": true, "http://127.0.0.1:65535/cb": true, "http://127.0.0.1:1/cb2": false,
		"http://127.0.0.1:1/cb?x": false, "http://[::1]:1/cb": false, "http://localhost:7/": true,
		"http://localhost:7":    false,
		"http://localhost:7/cb": false, "http://127.0.0.1:1@evil.example/cb": false, "http://127.0.0.1:1#/cb": false,
	} {
		if matchRedirect(registered, got) != want {
			t.Errorf("%s: got %v", got, !want)
		}
	}
}

// TestProvedHosts knows the ways to write an IPv4 address that browsers take for
// one, and our parser does not.
func TestProvedHosts(t *testing.T) {
	t.Parallel()
	for redirect, want := range map[string]string{
		"https://Claude.ai/cb": "claude.ai", "https://claude.ai:8443/cb": "claude.ai", "https://7.example/": "7.example",
		"https://127.0.0.1/": "", "https://[::1]/": "", "https://localhost/": "", "https://a.localhost/": "",
		"http://claude.ai/": "", "com.app:/x": "",
		"https://127.1/": "", "https://0x7f.1/": "", "https://2130706433/": "", "https://0177.0.0.0x1/": "",
		"https://127.0.0.1./": "", "https:///x": "",
	} {
		if got := provedBy(redirect); got != want {
			t.Errorf("%s proves %q, want %q", redirect, got, want)
		}
	}
}

func FuzzMatchedRedirectIsRegistered(f *testing.F) {
	f.Add("http://127.0.0.1:1/cb", "http://127.0.0.1:22/cb")
	f.Add("https://a.example/cb", "https://a.example/cb")
	f.Add("http://localhost", "http://localhost:80@evil.example")
	f.Add("com.a.b:/x", "com.a.b:/x")
	f.Fuzz(func(t *testing.T, registered, got string) {
		if !matchRedirect([]string{registered}, got) || registered == got {
			return
		}
		a, errA := url.Parse(registered)
		b, errB := url.Parse(got)
		if errA != nil || errB != nil || a.Scheme != "http" || b.Scheme != "http" || a.Hostname() != b.Hostname() ||
			a.User != nil || b.User != nil ||
			a.Path != b.Path || a.RawQuery != b.RawQuery || a.Fragment != "" || b.Fragment != "" {
			t.Errorf("%q matches %q", got, registered)
		}
		if h := b.Hostname(); h != "127.0.0.1" && h != "::1" && h != "localhost" {
			t.Errorf("%q is at %q", got, h)
		}
	})
}

func FuzzDocumentURL(f *testing.F) {
	for _, s := range []string{"https://claude.ai/a.json", "https://a.b/..", "https://a.b/%2e%2e", "https://a.b:443/x",
		"https://[::1]/x", "https://a.b/x#", "https://a@b.c/x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		host, err := checkDocumentURL(s)
		if err != nil {
			return
		}
		u, err := url.Parse(s)
		if err != nil || u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" ||
			!strings.EqualFold(u.Hostname(), host) || u.Port() != "" && u.Port() != "443" ||
			u.JoinPath().Path != u.Path && !strings.Contains(u.Path, "//") || !strings.Contains(host, ".") {
			t.Errorf("%q is taken as a document at %q", s, host)
		}
		if _, err := netip.ParseAddr(host); err == nil {
			t.Errorf("%q is an address", s)
		}
	})
}
