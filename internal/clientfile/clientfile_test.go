package clientfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/clientfile"
)

// These are entries with one short line for JSON, so that the tables can be read.
const (
	shortJSON = `{"command": "l"}`
	shortTOML = "[mcp_servers.loci]\ncommand = \"l\"\n"
)

func TestPutAndRemove(t *testing.T) {
	tests := []struct {
		name       string
		format     clientfile.Format
		text, with string
		without    string // after removal; "=": text itself
	}{
		{"no file", clientfile.JSON{}, "", "{\n  \"mcpServers\": {\n    \"loci\": {\"command\": \"l\"}\n  }\n}\n",
			"{\n  \"mcpServers\": {}\n}\n"},
		{"empty object", clientfile.JSON{}, "{}", "{\n  \"mcpServers\": {\n    \"loci\": {\"command\": \"l\"}\n  }\n}",
			"{\n  \"mcpServers\": {}\n}"},
		{"other keys", clientfile.JSON{}, "{\n\t\"a\": 1\n}\n",
			"{\n\t\"a\": 1,\n\t\"mcpServers\": {\n\t\t\"loci\": {\"command\": \"l\"}\n\t}\n}\n",
			"{\n\t\"a\": 1,\n\t\"mcpServers\": {}\n}\n"},
		{"one line", clientfile.JSON{}, `{"mcpServers": {"o": {}}, "z": [1, 2]}`,
			`{"mcpServers": {"o": {}, "loci": {"command":"l"}}, "z": [1, 2]}`, "="},
		{"other servers", clientfile.JSON{}, "{\n  \"mcpServers\": {\n    \"o\": {}\n  }\n}",
			"{\n  \"mcpServers\": {\n    \"o\": {},\n    \"loci\": {\"command\": \"l\"}\n  }\n}", "="},
		{"replaced, first of two", clientfile.JSON{}, `{"mcpServers": {"loci": 5, "o": {}}}`,
			`{"mcpServers": {"loci": {"command": "l"}, "o": {}}}`, `{"mcpServers": {"o": {}}}`},
		{"line ends of Windows", clientfile.JSON{}, "{\r\n  \"mcpServers\": {\r\n    \"o\": {}\r\n  }\r\n}",
			"{\r\n  \"mcpServers\": {\r\n    \"o\": {},\r\n    \"loci\": {\"command\": \"l\"}\r\n  }\r\n}", "="},
		{
			"comments",
			clientfile.JSON{Servers: "servers"},
			"// mine\n{\n  \"servers\": {\n    \"o\": {} // other\n    /* end */\n  }\n}\n",
			"// mine\n{\n  \"servers\": {\n    \"o\": {}, // other\n    \"loci\": {\"command\": \"l\"}\n    /* end */\n  }\n}\n",
			"=",
		},
		{"trailing commas", clientfile.JSON{}, "{\n  \"mcpServers\": {\n    \"o\": {}, // other\n  },\n}",
			"{\n  \"mcpServers\": {\n    \"o\": {}, // other\n    \"loci\": {\"command\": \"l\"},\n  },\n}", "="},
		{"a trailing comma without a comment", clientfile.JSON{}, "{\n  \"mcpServers\": {\n    \"o\": {},\n  }\n}",
			"{\n  \"mcpServers\": {\n    \"o\": {},\n    \"loci\": {\"command\": \"l\"},\n  }\n}", "="},
		{"only comments", clientfile.JSON{Servers: "context_servers"}, "// settings\n{\n  // none yet\n}\n",
			"// settings\n{\n  // none yet\n  \"context_servers\": {\n    \"loci\": {\"command\": \"l\"}\n  }\n}\n",
			"// settings\n{\n  // none yet\n  \"context_servers\": {}\n}\n"},
		{"null", clientfile.JSON{}, "{\n  \"mcpServers\": null,\n  \"a\": 1\n}",
			"{\n  \"mcpServers\": {\n    \"loci\": {\"command\": \"l\"}\n  },\n  \"a\": 1\n}",
			"{\n  \"mcpServers\": {},\n  \"a\": 1\n}"},
		{"null on one line", clientfile.JSON{}, `{"mcpServers":null}`, `{"mcpServers":{"loci":{"command":"l"}}}`,
			`{"mcpServers":{}}`},
		{"TOML with quoted names", clientfile.TOML{}, "[\"mcp_servers\".\"loci\"]\ncommand = \"x\"\n[o]\n",
			shortTOML + "[o]\n", "[o]\n"},
		{"no TOML file", clientfile.TOML{}, "", shortTOML, "="},
		{"TOML without a line end", clientfile.TOML{}, "a = 1", "a = 1\n\n" + shortTOML, "a = 1\n"},
		{"TOML with others", clientfile.TOML{}, "[x]\na = [\n[1],\n]\n", "[x]\na = [\n[1],\n]\n\n" + shortTOML, "="},
		{"TOML in the middle", clientfile.TOML{},
			"[mcp_servers.\"loci\"]\nurl = \"u\"\n[mcp_servers.loci.env]\nA = \"1\"\n\n# of x\n[x]\n", shortTOML +
				"\n# of x\n[x]\n", "\n# of x\n[x]\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			entry := shortJSON
			if _, ok := tt.format.(clientfile.TOML); ok {
				entry = shortTOML
			}
			got, err := clientfile.Change(tt.format, &clientfile.File{Name: "f"}, []byte(tt.text), []byte(entry))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.with, string(got)); diff != "" {
				t.Errorf("put (-want +got):\n%s", diff)
			}
			got, err = clientfile.Change(tt.format, &clientfile.File{Name: "f"}, got, nil)
			if err != nil {
				t.Fatal(err)
			}
			if tt.without == "=" {
				tt.without = tt.text
			}
			if diff := cmp.Diff(tt.without, string(got)); diff != "" {
				t.Errorf("remove (-want +got):\n%s", diff)
			}
		})
	}
}

func TestChangeRefusesWhatItCannotKeep(t *testing.T) {
	tests := []struct {
		name   string
		format clientfile.Format
		text   string
		want   string
	}{
		{"not JSON", clientfile.JSON{}, "{,}", ": it is not valid JSON at line 1, column 2; fix the file"},
		{"a bare word", clientfile.JSON{}, "{\n  broken\n}", ": it is not valid JSON at line 2, column 3; fix the file"},
		{"it ends early", clientfile.JSON{}, "{\n", ": it is not valid JSON at line 2, column 1; fix the file"},
		{"two objects", clientfile.JSON{}, "{} {}", ": it is not valid JSON at line 1, column 4; fix the file"},
		{"a list", clientfile.JSON{}, "[]", "not JSON with an object"},
		{"servers are a list", clientfile.JSON{}, `{"mcpServers": []}`, "not an object"},
		{"servers twice", clientfile.JSON{}, `{"mcpServers": {}, "mcpServers": {}}`, "twice"},
		{"not TOML", clientfile.TOML{}, "b = 1\na = ", ": it is not valid TOML at line 2, column 5; fix the file"},
		{"a key twice", clientfile.TOML{}, "a = 1\na = 2\n", ": it is not valid TOML: "},
		{"inline table", clientfile.TOML{}, "mcp_servers = { o = { command = \"c\" } }\n",
			"it cannot take the entry loci; write it as a table [mcp_servers.loci], and other servers as tables, too; fix"},
		{
			"a header inside a text",
			clientfile.TOML{},
			"a = \"\"\"\n[mcp_servers.loci]\nb\n\"\"\"\n",
			"a text in it looks like the entry of Loci; change the line [mcp_servers.loci]; fix",
		},
		{"a dotted entry", clientfile.TOML{}, "mcp_servers.loci.url = \"u\"\n",
			"in a form that Loci cannot edit; write it as a table [mcp_servers.loci]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			entry := shortJSON
			if _, ok := tt.format.(clientfile.TOML); ok {
				entry = shortTOML
			}
			got, err := clientfile.Change(tt.format, &clientfile.File{Name: "f"}, []byte(tt.text), []byte(entry))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %q, %v; want an error with %q", got, err, tt.want)
			}
		})
	}
}

func TestReplaceKeepsWhatSomebodyWroteMeanwhile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(name, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := clientfile.Read(clientfile.JSON{}, "cursor", name)
	if err != nil {
		t.Fatal(err)
	}
	const theirs = `{"mcpServers": {}}`
	if err := os.WriteFile(name, []byte(theirs), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func() error{
		"replace": func() error { return file.Replace([]byte("ours")) },
		"remove":  file.Remove,
	} {
		if err := change(); loci.CodeOf(err) != loci.Conflict {
			t.Errorf("%s: got %v, want a conflict", what, err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != theirs {
			t.Errorf("%s left %q, %v", what, got, err)
		}
	}
}

// TestDataDir finds the directory of an entry in its arguments, also those of one list, or in its variables.
func TestDataDir(t *testing.T) {
	for text, want := range map[string]string{
		`{"command": "loci", "args": ["mcp", "--data-dir", "/a"]}`:             "/a",
		`{"command": ["loci", "mcp", "--data-dir=/b"]}`:                        "/b",
		`{"command": "loci", "args": ["mcp"], "env": {"LOCI_DATA_DIR": "/c"}}`: "/c",
		`{"command": "loci", "args": ["mcp", "--data-dir"]}`:                   "",
		`{"url": "http://localhost:5624/mcp"}`:                                 "",
	} {
		file, err := clientfile.Parse(clientfile.JSON{}, "cursor", "f", []byte(`{"mcpServers": {"loci": `+text+`}}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := clientfile.DataDir(clientfile.Entry(clientfile.JSON{}, file.Parsed)); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// TestLinksStay writes through a symbolic link, also to a file that is missing, and into all names of a file.
func TestLinksStay(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.Symlink(filepath.Join("dotfiles", "mcp.json"), at("link.json")); err != nil {
		t.Fatal(err)
	}
	read := func(name string) *clientfile.File {
		t.Helper()
		file, err := clientfile.Read(clientfile.JSON{}, "cursor", at(name))
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	if err := read("link.json").Replace([]byte("{}")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(at("dotfiles/mcp.json")); err != nil || string(got) != "{}" {
		t.Errorf("the target: got %q, %v", got, err)
	}
	if err := read("link.json").Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(at("link.json")); err != nil {
		t.Errorf("the link: %v", err)
	}
	if _, err := os.Stat(at("dotfiles/mcp.json")); err == nil {
		t.Error("the target is still there")
	}
	if err := os.WriteFile(at("one.json"), []byte("{ }"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(at("one.json"), at("two.json")); err != nil {
		t.Fatal(err)
	}
	if err := read("one.json").Replace([]byte("{}")); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(at("two.json"))
	if info, _ := os.Stat(at("two.json")); err != nil || string(got) != "{}" || info.Mode().Perm() != 0o600 {
		t.Errorf("the other name: got %q, %v", got, err)
	}
}

// TestDifferenceOfKeys shows a line in which only the key changes once.
func TestDifferenceOfKeys(t *testing.T) {
	before, after := "a\n\"k\": \"loci_agent_abcdefgh\",\nb\n", "a\n\"k\": \"loci_agent_ijklmnop\",\nc\n"
	want := "@@ line 2 @@\n~\"k\": \"loci_agent_…\",   (another key)\n-b\n+c\n"
	if got := clientfile.Difference([]byte(before), []byte(after)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
