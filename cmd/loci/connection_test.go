package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/clientfile"
)

func TestUndoKeepsWhatOthersChanged(t *testing.T) {
	before := "{\n  \"mcpServers\": {\n    \"loci\": {\"command\": \"mine\"}\n  }\n}\n"
	written, err := clientfile.Change(
		clientfile.JSON{},
		&clientfile.File{Name: "f"},
		[]byte(before),
		[]byte(`{"command": "l"}`),
	)
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
			now, err := clientfile.Parse(clientfile.JSON{}, "c", "f", []byte(tt.now))
			if err != nil {
				t.Fatal(err)
			}
			now.Existed = true
			p := &program{settings: &settings{}}
			own := p.ownEntry(newClient("v", loci.ClientConfig{Name: "c", File: "f.json"}), n, nil, now) != nil
			got, remains, err := n.undo(clientfile.JSON{}, now, own)
			if err != nil || !remains {
				t.Fatal(remains, err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
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
