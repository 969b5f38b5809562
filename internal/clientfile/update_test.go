package clientfile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci/internal/clientfile"
)

func TestUpdateKeepsWhatAPersonAdded(t *testing.T) {
	http := &clientfile.Endpoint{URL: "u2", Key: "k2"}
	stdio := &clientfile.Endpoint{Command: "l", Args: []string{"mcp"}}
	tests := []struct {
		name       string
		format     clientfile.Format
		e          *clientfile.Endpoint
		text, want string
	}{
		{"one line", clientfile.JSON{}, http,
			`{"mcpServers": {"loci": {"url": "u", "timeout": 5, "headers": {"X": "y", "authorization": "k"}}}}`,
			`{"mcpServers": {"loci": {"url": "u2", "timeout": 5, "headers": {"X": "y", "authorization": "Bearer k2"}}}}`},
		{"another transport", clientfile.JSON{OverStdio: "stdio"}, stdio,
			"{\n\t\"mcpServers\": {\n\t\t\"loci\": {\n\t\t\t\"type\": \"http\",\n\t\t\t\"disabled\": true, // mine\n" +
				"\t\t\t\"url\": \"u\",\n\t\t\t\"headers\": {\"Authorization\": \"k\"}\n\t\t}\n\t}\n}\n",
			"{\n\t\"mcpServers\": {\n\t\t\"loci\": {\n\t\t\t\"type\": \"stdio\",\n\t\t\t\"disabled\": true, // mine\n" +
				"\t\t\t\"command\": \"l\",\n\t\t\t\"args\": [\n\t\t\t\t\"mcp\"\n\t\t\t]\n\t\t}\n\t}\n}\n"},
		{"and back", clientfile.JSON{}, http,
			`{"mcpServers": {"loci": {"command": "l", "args": ["mcp"], "env": {"A": "b"}, "timeout": 5}}}`,
			`{"mcpServers": {"loci": {"timeout": 5, "url": "u2", "headers": {"Authorization":"Bearer k2"}}}}`},
		{"nothing else", clientfile.JSON{}, stdio, `{"mcpServers": {"loci": {"url": "u"}}}`,
			`{"mcpServers": {"loci": {"command": "l", "args": ["mcp"]}}}`},
		{"the headers are no object", clientfile.JSON{}, http, `{"mcpServers": {"loci": {"url": "u", "headers": 1}}}`,
			`{"mcpServers": {"loci": {"url": "u2", "headers": {"Authorization":"Bearer k2"}}}}`},
		{"TOML", clientfile.TOML{}, http,
			"[mcp_servers.loci] # mine\r\nenabled_tools = [\r\n  \"a\", # b\r\n]\r\nurl = \"u\"\r\n" +
				"http_headers.Authorization = \"k\"\r\nhttp_headers.X = \"y\"\r\n\r\n[x]\r\n",
			"[mcp_servers.loci] # mine\r\nurl = \"u2\"\r\n" +
				"http_headers = { \"Authorization\" = \"Bearer k2\", \"X\" = \"y\" }\r\n" +
				"enabled_tools = [\r\n  \"a\", # b\r\n]\r\n\r\n[x]\r\n"},
		{"sub-tables", clientfile.TOML{}, http,
			"[mcp_servers.loci]\nurl = \"u\"\n\n[mcp_servers.loci.http_headers]\nAuthorization = \"k\"\nX = \"y\"\n\n" +
				"[mcp_servers.loci.tools.t]\napproval_mode = \"approve\"\n[mcp_servers.o]\nurl = \"o\"\n",
			"[mcp_servers.loci]\nurl = \"u2\"\nhttp_headers = { \"Authorization\" = \"Bearer k2\", \"X\" = \"y\" }\n\n" +
				"[mcp_servers.loci.tools.t]\napproval_mode = \"approve\"\n[mcp_servers.o]\nurl = \"o\"\n"},
		{"TOML, another transport", clientfile.TOML{}, stdio,
			"[mcp_servers.loci]\nurl = \"u\"\nhttp_headers = { Authorization = \"k\", X = \"y\" }\nenabled = false\n",
			"[mcp_servers.loci]\ncommand = \"l\"\nargs = [\"mcp\"]\nenabled = false\n"},
		{"TOML, and back", clientfile.TOML{}, http,
			"[mcp_servers.loci]\ncommand = \"l\"\nargs = [\n\"mcp\",\n]\n[mcp_servers.loci.env]\nA = \"b\"\n",
			"[mcp_servers.loci]\nurl = \"u2\"\nhttp_headers = { \"Authorization\" = \"Bearer k2\" }\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file, err := clientfile.Parse(tt.format, "c", "f", []byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			got, err := file.With(tt.format, tt.e, true)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEntryFollowsTheIndentation(t *testing.T) {
	for _, step := range []string{"\t", "  ", "    "} {
		text := "{\n" + step + "\"a\": {\n" + step + step + "\"b\": 1\n" + step + "}\n}\n"
		entry := clientfile.JSON{}.Render(&clientfile.Endpoint{URL: "u", Key: "k"})
		got, err := clientfile.Change(clientfile.JSON{}, &clientfile.File{Name: "f"}, []byte(text), entry)
		if err != nil {
			t.Fatal(err)
		}
		for depth, line := range []string{"{", `"mcpServers": {`, `"loci": {`, `"headers": {`,
			`"Authorization": "Bearer k"`} {
			if want := "\n" + strings.Repeat(step, depth) + line + "\n"; depth > 0 && !strings.Contains(string(got), want) {
				t.Errorf("%q: the line %q is missing in\n%s", step, want, got)
			}
		}
	}
}
