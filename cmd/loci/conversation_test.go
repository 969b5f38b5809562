package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// turn is one line of testdata/conversation.jsonl: two friends, each with an
// assistant of another vendor.
type turn struct {
	Session, Date, Speaker, Text string
	Turn                         int
	Private                      bool
}

func readConversation(tb testing.TB) []turn {
	tb.Helper()
	text, err := os.ReadFile("testdata/conversation.jsonl")
	if err != nil {
		tb.Fatal(err)
	}
	var turns []turn
	for line := range bytes.Lines(text) {
		var t turn
		if err := json.Unmarshal(line, &t); err != nil {
			tb.Fatal(err)
		}
		turns = append(turns, t)
	}
	return turns
}

// TestTwoVendorsShareAConversation is the main job, with real parts: a server
// process, two clients over HTTP with the keys that it printed, one over
// stdio, and the command line beside them.
func TestTwoVendorsShareAConversation(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := startServer(t, dir)
	claude := server.assistant("claude", server.key("claude"))
	cursor := server.assistant("cursor", server.key("cursor"))
	chatgpt := stdioAssistant(t, "chatgpt", dir)
	speakers := map[string]*assistant{"Mara": claude, "Jonas": cursor}

	turns := readConversation(t)
	if len(turns) < 120 {
		t.Fatalf("the conversation has %d turns, want a long one", len(turns))
	}
	private := map[string]turn{}
	for _, turn := range turns {
		by := speakers[turn.Speaker]
		more := map[string]any{"tags": []string{turn.Session, turn.Speaker}, "memory_type": "episodic"}
		if turn.Private && turn.Speaker == "Jonas" { // one restricts while writing …
			more["allowed_vendors"] = []string{by.name}
		}
		id, err := by.write(fmt.Sprintf("%s, turn %d", turn.Session, turn.Turn), turn.Text, more)
		if err != nil {
			t.Fatalf("%s writes: %v", by.name, err)
		}
		if turn.Private {
			private[id] = turn
		}
	}
	for id, turn := range private { // … the other has the person do it, afterwards
		if turn.Speaker != "Mara" {
			continue
		}
		if !finds(cursor, turn.Text, id) {
			t.Errorf("cursor does not find %q, which is not restricted yet", turn.Text)
		}
		runLoci(t, dir, "edit", id, "--allow", "claude")
	}
	checkEverybodyFinds(t, []*assistant{claude, cursor, chatgpt})
	checkPrivate(t, private, speakers, []*assistant{claude, cursor, chatgpt})
	checkCounts(t, dir, len(turns), private)
	checkRoundTrip(t, dir)
	server.stop()
	if key := wholeKey.FindString(server.errors.String()); key != "" {
		t.Errorf("a key is in the log: %.16s…", key)
	}
}

func finds(a *assistant, text, id string) bool {
	words := strings.Fields(text)
	return slices.ContainsFunc(a.search(strings.Join(words[:min(len(words), 12)], " ")),
		func(m foundMemory) bool { return strings.HasPrefix(id, m.ID) })
}

// checkEverybodyFinds asks questions whose answers one of the two wrote; all
// three must find them first.
func checkEverybodyFinds(t *testing.T, all []*assistant) {
	t.Helper()
	for _, tt := range []struct{ question, answer, origin string }{
		{"kiln through the back door", "four centimetres to spare", "claude"},
		{"row fourteen cello seat", "Mister Cello", "cursor"},
		{"clay supplier Barcelos", "Ilídio", "claude"},
		{"chimney inspection class F extinguisher", "spark guard", "claude"},
		{"first day tram line", "number one along the river", "cursor"},
		{`"sixty plates by September"`, "Maré Baixa", "claude"},
		{"shipping company from Stavanger", "thirtieth of March", "cursor"},
	} {
		for _, a := range all {
			hits := a.search(tt.question)
			if len(hits) == 0 || !strings.Contains(hits[0].Content, tt.answer) || hits[0].Origin != tt.origin {
				t.Errorf("%s asks %q: got %v, want first what %s wrote about %q", a.name, tt.question, hits, tt.origin, tt.answer)
			}
		}
	}
}

// checkPrivate: the speaker's own vendor finds it; for the others it does not
// exist, neither by its words nor by its id.
func checkPrivate(t *testing.T, private map[string]turn, speakers map[string]*assistant, all []*assistant) {
	t.Helper()
	if len(private) != 4 {
		t.Fatalf("%d private turns, want 4", len(private))
	}
	for id, turn := range private {
		for _, a := range all {
			mine := a == speakers[turn.Speaker]
			if got := finds(a, turn.Text, id); got != mine {
				t.Errorf("%s finds %q: %v, want %v", a.name, turn.Text, got, mine)
			}
			var m foundMemory
			err := a.call("get_memory_by_id", map[string]any{"id": id}, &m)
			absent := a.call("get_memory_by_id", map[string]any{"id": "6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"}, &m)
			if mine && err != nil {
				t.Errorf("%s reads its own %s: %v", a.name, id, err)
			}
			if !mine && (err == nil || err.Error() != absent.Error()) {
				t.Errorf("%s reads %s: got %v, want the answer about one that never existed, %v", a.name, id, err, absent)
			}
		}
	}
}

// checkCounts looks through everybody's eyes from the command line, while the
// server runs.
func checkCounts(t *testing.T, dir string, all int, private map[string]turn) {
	t.Helper()
	hidden := map[string]int{}
	for _, turn := range private {
		hidden[turn.Speaker]++
	}
	for vendor, want := range map[string]int{"": all, "claude": all - hidden["Jonas"], "cursor": all - hidden["Mara"],
		"chatgpt": all - len(private)} {
		var page struct{ Total int }
		args := []string{"list", "--json", "--limit", "1"}
		if vendor != "" {
			args = append(args, "--as", vendor)
		}
		if err := json.Unmarshal(runLoci(t, dir, args...), &page); err != nil {
			t.Fatal(err)
		}
		if page.Total != want {
			t.Errorf("as %q: %d memories, want %d", vendor, page.Total, want)
		}
	}
}

// checkRoundTrip exports beside the running server, imports into a fresh
// directory and exports again.
func checkRoundTrip(t *testing.T, dir string) {
	t.Helper()
	file, fresh := filepath.Join(t.TempDir(), "all.jsonl"), t.TempDir()
	first := runLoci(t, dir, "export")
	if err := os.WriteFile(file, first, 0o600); err != nil {
		t.Fatal(err)
	}
	runLoci(t, fresh, "import", file)
	if second := runLoci(t, fresh, "export"); !bytes.Equal(first, second) {
		t.Errorf("export, import, export: %d bytes became %d, or others", len(first), len(second))
	}
}
