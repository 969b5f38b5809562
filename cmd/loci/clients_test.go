package main

import (
	"strings"
	"testing"

	"github.com/loci-memory/loci"
)

// TestInstructionsForAnyClient pins that a new client requires only its row in loci.Vendors.
func TestInstructionsForAnyClient(t *testing.T) {
	e := &endpoint{URL: "http://127.0.0.1:5624/mcp", Key: "k"}
	for file, want := range map[string]string{
		".new/mcp.json": "New, put this into ~/.new/mcp.json:\n\n    {\n      \"mcpServers\": {\n        \"loci\": {\n" +
			"          \"url\": \"http://127.0.0.1:5624/mcp\",\n",
		".new/config.toml": "New, add these lines to ~/.new/config.toml:\n\n    [mcp_servers.loci]\n    url = ",
	} {
		v := loci.KnownVendor{Name: "new", Client: &loci.ClientConfig{Name: "new", Label: "New", File: file}}
		got := newClient(v).instructions(e)
		if !strings.HasPrefix(got, want) || strings.HasSuffix(got, "\n") {
			t.Errorf("%s:\n%s\nwant it to begin with\n%s", file, got, want)
		}
	}
}
