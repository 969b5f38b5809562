package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/clientfile"
)

// TestInstructionsForAnyClient pins that a new client requires only its row in loci.Vendors.
func TestInstructionsForAnyClient(t *testing.T) {
	e := &clientfile.Endpoint{URL: "http://127.0.0.1:5624/mcp", Key: "k"}
	for file, want := range map[string]string{
		"~/.new/mcp.json": "New, put this into FILE:\n\n    {\n      \"mcpServers\": {\n        \"loci\": {\n" +
			"          \"url\": \"http://127.0.0.1:5624/mcp\",\n",
		"~/.new/config.toml": "New, add these lines to FILE:\n\n    [mcp_servers.loci]\n    url = ",
	} {
		got := newClient("new", loci.ClientConfig{Name: "new", Label: "New", File: file}).instructions(e, "FILE")
		if !strings.HasPrefix(got, want) || strings.HasSuffix(got, "\n") {
			t.Errorf("%s:\n%s\nwant it to begin with\n%s", file, got, want)
		}
	}
}

// TestEntriesOfClients pins how each client lists a server, as its documentation describes.
func TestEntriesOfClients(t *testing.T) {
	http := &clientfile.Endpoint{URL: "http://localhost:5624/mcp", Key: "k"}
	stdio := &clientfile.Endpoint{Command: "/bin/loci", Args: []string{"mcp"}}
	const headers = `"headers":{"Authorization":"Bearer k"}`
	const command = `"command":"/bin/loci","args":["mcp"]`
	const url = `"url":"http://localhost:5624/mcp",`
	for id, want := range map[string][3]string{
		"claude-code":    {"mcpServers", `{"type":"http",` + url + headers + `}`, `{"type":"stdio",` + command + `}`},
		"claude-desktop": {"mcpServers", "", `{` + command + `}`},
		"cursor":         {"mcpServers", `{` + url + headers + `}`, `{` + command + `}`},
		"vscode":         {"servers", `{"type":"http",` + url + headers + `}`, `{"type":"stdio",` + command + `}`},
		"gemini-cli":     {"mcpServers", `{"httpUrl":"http://localhost:5624/mcp",` + headers + `}`, `{` + command + `}`},
		"windsurf":       {"mcpServers", `{"serverUrl":"http://localhost:5624/mcp",` + headers + `}`, `{` + command + `}`},
		"devin-desktop":  {"mcpServers", `{` + url + headers + `}`, `{` + command + `}`},
		"zed":            {"context_servers", `{` + url + headers + `}`, `{` + command + `}`},
		"opencode": {"mcp", `{"type":"remote",` + url + headers + `}`,
			`{"type":"local","command":["/bin/loci","mcp"]}`},
	} {
		c, err := findClient(id, canConnect)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.format.Table(); got != want[0] {
			t.Errorf("%s lists servers in %q, want %q", id, got, want[0])
		}
		for i, e := range []*clientfile.Endpoint{http, stdio} {
			var got bytes.Buffer
			if err := json.Compact(&got, c.format.Render(e)); err != nil {
				t.Fatal(err)
			}
			if want := want[i+1]; want != "" && got.String() != want {
				t.Errorf("%s:\ngot  %s\nwant %s", id, &got, want)
			}
		}
		if (want[1] == "") != c.stdio {
			t.Errorf("%s: only stdio is %t", id, c.stdio)
		}
	}
}
