package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
)

// entryFor has one short line for JSON, so that the tables can be read.
const (
	shortJSON = `{"command": "l"}`
	shortTOML = "[mcp_servers.loci]\ncommand = \"l\"\n"
)

func TestPutAndRemove(t *testing.T) {
	tests := []struct {
		name       string
		format     configFormat
		text, with string
		without    string // after removal; "=": text itself
	}{
		{"no file", jsonConfig{}, "", "{\n  \"mcpServers\": {\n    \"loci\": {\"command\": \"l\"}\n  }\n}\n",
			"{\n  \"mcpServers\": {}\n}\n"},
		{"empty object", jsonConfig{}, "{}", "{\n  \"mcpServers\": {\n    \"loci\": {\"command\": \"l\"}\n  }\n}",
			"{\n  \"mcpServers\": {}\n}"},
		{"other keys", jsonConfig{}, "{\n\t\"a\": 1\n}\n",
			"{\n\t\"a\": 1,\n\t\"mcpServers\": {\n\t\t\"loci\": {\"command\": \"l\"}\n\t}\n}\n",
			"{\n\t\"a\": 1,\n\t\"mcpServers\": {}\n}\n"},
		{"one line", jsonConfig{}, `{"mcpServers": {"o": {}}, "z": [1, 2]}`,
			`{"mcpServers": {"o": {}, "loci": {"command":"l"}}, "z": [1, 2]}`, "="},
		{"other servers", jsonConfig{}, "{\n  \"mcpServers\": {\n    \"o\": {}\n  }\n}",
			"{\n  \"mcpServers\": {\n    \"o\": {},\n    \"loci\": {\"command\": \"l\"}\n  }\n}", "="},
		{"replaced, first of two", jsonConfig{}, `{"mcpServers": {"loci": 5, "o": {}}}`,
			`{"mcpServers": {"loci": {"command": "l"}, "o": {}}}`, `{"mcpServers": {"o": {}}}`},
		{"line ends of Windows", jsonConfig{}, "{\r\n  \"mcpServers\": {\r\n    \"o\": {}\r\n  }\r\n}",
			"{\r\n  \"mcpServers\": {\r\n    \"o\": {},\r\n    \"loci\": {\"command\": \"l\"}\r\n  }\r\n}", "="},
		{
			"comments",
			jsonConfig{servers: "servers"},
			"// mine\n{\n  \"servers\": {\n    \"o\": {} // other\n    /* end */\n  }\n}\n",
			"// mine\n{\n  \"servers\": {\n    \"o\": {}, // other\n    \"loci\": {\"command\": \"l\"}\n    /* end */\n  }\n}\n",
			"=",
		},
		{"trailing commas", jsonConfig{}, "{\n  \"mcpServers\": {\n    \"o\": {}, // other\n  },\n}",
			"{\n  \"mcpServers\": {\n    \"o\": {}, // other\n    \"loci\": {\"command\": \"l\"},\n  },\n}", "="},
		{"a trailing comma without a comment", jsonConfig{}, "{\n  \"mcpServers\": {\n    \"o\": {},\n  }\n}",
			"{\n  \"mcpServers\": {\n    \"o\": {},\n    \"loci\": {\"command\": \"l\"},\n  }\n}", "="},
		{"only comments", jsonConfig{servers: "context_servers"}, "// settings\n{\n  // none yet\n}\n",
			"// settings\n{\n  // none yet\n  \"context_servers\": {\n    \"loci\": {\"command\": \"l\"}\n  }\n}\n",
			"// settings\n{\n  // none yet\n  \"context_servers\": {}\n}\n"},
		{"no TOML file", tomlConfig{}, "", shortTOML, "="},
		{"TOML without a line end", tomlConfig{}, "a = 1", "a = 1\n\n" + shortTOML, "a = 1\n"},
		{"TOML with others", tomlConfig{}, "[x]\na = [\n[1],\n]\n", "[x]\na = [\n[1],\n]\n\n" + shortTOML, "="},
		{"TOML in the middle", tomlConfig{},
			"[mcp_servers.\"loci\"]\nurl = \"u\"\n[mcp_servers.loci.env]\nA = \"1\"\n\n# of x\n[x]\n", shortTOML +
				"\n# of x\n[x]\n", "\n# of x\n[x]\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			entry := shortJSON
			if _, ok := tt.format.(tomlConfig); ok {
				entry = shortTOML
			}
			got, err := changeEntry(tt.format, "f", []byte(tt.text), []byte(entry))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.with, string(got)); diff != "" {
				t.Errorf("put (-want +got):\n%s", diff)
			}
			got, err = changeEntry(tt.format, "f", got, nil)
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

func TestChangeEntryRefusesWhatItCannotKeep(t *testing.T) {
	tests := []struct {
		name   string
		format configFormat
		text   string
		want   string
	}{
		{"not JSON", jsonConfig{}, "{,}", ": it is not valid JSON at line 1, column 2; fix the file"},
		{"a bare word", jsonConfig{}, "{\n  broken\n}", ": it is not valid JSON at line 2, column 3; fix the file"},
		{"it ends early", jsonConfig{}, "{\n", ": it is not valid JSON at line 2, column 1; fix the file"},
		{"two objects", jsonConfig{}, "{} {}", ": it is not valid JSON at line 1, column 4; fix the file"},
		{"a list", jsonConfig{}, "[]", "not JSON with an object"},
		{"servers are a list", jsonConfig{}, `{"mcpServers": []}`, "not an object"},
		{"servers twice", jsonConfig{}, `{"mcpServers": {}, "mcpServers": {}}`, "twice"},
		{"not TOML", tomlConfig{}, "b = 1\na = ", ": it is not valid TOML at line 2, column 5; fix the file"},
		{"a key twice", tomlConfig{}, "a = 1\na = 2\n", ": it is not valid TOML: "},
		{"inline table", tomlConfig{}, "mcp_servers = { o = { command = \"c\" } }\n", "would change other entries"},
		{
			"a header inside a text",
			tomlConfig{},
			"a = \"\"\"\n[mcp_servers.loci]\nb\n\"\"\"\n",
			"would change other entries",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			entry := shortJSON
			if _, ok := tt.format.(tomlConfig); ok {
				entry = shortTOML
			}
			got, err := changeEntry(tt.format, "f", []byte(tt.text), []byte(entry))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %q, %v; want an error with %q", got, err, tt.want)
			}
		})
	}
}

func TestUndoKeepsWhatOthersChanged(t *testing.T) {
	before := "{\n  \"mcpServers\": {\n    \"loci\": {\"command\": \"mine\"}\n  }\n}\n"
	written, err := changeEntry(jsonConfig{}, "f", []byte(before), []byte(shortJSON))
	if err != nil {
		t.Fatal(err)
	}
	n := &connection{File: "f", Command: "l", Previous: `{"command": "mine"}`, Written: digest(written), Existed: true,
		original: []byte(before)}
	tests := []struct{ name, now, want string }{
		{"untouched", string(written), before},
		{"others added", strings.Replace(string(written), "{\n", "{\n  \"theme\": \"dark\",\n", 1),
			strings.Replace(before, "{\n", "{\n  \"theme\": \"dark\",\n", 1)},
		{"only white space changed", strings.ReplaceAll(string(written), " ", "\t\t"),
			"{\n\t\t\t\t\"mcpServers\":\t\t{\n\t\t\t\t\t\t\t\t\"loci\":\t\t{\"command\": \"mine\"}\n\t\t\t\t}\n}\n"},
		{"ours was replaced", strings.Replace(string(written), `"l"`, `"theirs"`, 1),
			strings.Replace(string(written), `"l"`, `"theirs"`, 1)},
		{"ours was removed", "{}", "{}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			parsed, err := jsonConfig{}.parse([]byte(tt.now))
			if err != nil {
				t.Fatal(err)
			}
			now := &configFile{name: "f", existed: true, text: []byte(tt.now), parsed: parsed}
			p := &program{settings: &settings{}}
			own := p.ownEntry(newClient("v", loci.ClientConfig{Name: "c", File: "f.json"}), n, nil, now) != nil
			got, remains, err := n.undo(jsonConfig{}, now, own)
			if err != nil || !remains {
				t.Fatal(remains, err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestReplaceKeepsWhatSomebodyWroteMeanwhile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(name, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := clients[0].readFile(name)
	if err != nil {
		t.Fatal(err)
	}
	const theirs = `{"mcpServers": {}}`
	if err := os.WriteFile(name, []byte(theirs), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func() error{
		"replace": func() error { return file.replace([]byte("ours")) },
		"remove":  file.remove,
	} {
		if err := change(); loci.CodeOf(err) != loci.Conflict {
			t.Errorf("%s: got %v, want a conflict", what, err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != theirs {
			t.Errorf("%s left %q, %v", what, got, err)
		}
	}
}

func TestIsTransient(t *testing.T) {
	for binary, want := range map[string]bool{
		"/tmp/go-build1416808010/b001/exe/loci":                        true,
		"/root/.cache/go-build/ab/abcdef-d/loci":                       true,
		`C:\Users\ada\AppData\Local\Temp\go-build12\b001\exe\loci.exe`: true,
		"/home/ada/go/bin/loci":                                        false,
		"/tmp/loci":                                                    false,
	} {
		if got := isTransient(binary); got != want {
			t.Errorf("%s: got %t, want %t", binary, got, want)
		}
	}
}
