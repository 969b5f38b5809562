package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestHookIsBounded demands that neither a slow server nor an input without end makes Claude Code wait, and that it
// sees nothing of that.
func TestHookIsBounded(t *testing.T) {
	block := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-block:
		case <-r.Context().Done():
		}
	}))
	defer server.Close()
	defer close(block)
	home := t.TempDir()
	entry := `{"mcpServers":{"loci":{"type":"http","url":"` + server.URL + `/mcp","headers":{"Authorization":` +
		`"Bearer loci_agent_abcdefgh"}}}}`
	if err := os.WriteFile(filepath.Join(home, ".claude.json"), []byte(entry), 0o600); err != nil {
		t.Fatal(err)
	}
	endless, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer endless.Close()
	for name, in := range map[string]*program{
		"a slow server": {in: strings.NewReader(`{"session_id":"a","hook_event_name":"UserPromptSubmit","prompt":"x"}`)},
		"no end":        {in: endless},
	} {
		var out, errors bytes.Buffer
		in.out, in.err, in.settings = &out, &errors, &settings{Home: home, ClientDirs: map[string]string{}}
		ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
		start := time.Now()
		in.runHook(ctx)
		stop()
		if took := time.Since(start); took > 10*time.Second || out.Len()+errors.Len() > 0 {
			t.Errorf("%s: took %s, printed %q and %q", name, took, out.String(), errors.String())
		}
	}
}
