package mcpserver_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/loci-memory/loci"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata")

// TestTranscripts plays the requests of each archive in testdata, over both
// generations of the protocol, and compares the answers. A request is a line:
// who, method, params. Who is a vendor acting for the owner, or noor:vendor acting
// for someone else. The line "team" puts both people into one team. "keys delete"
// lets keys delete. "at" sets the query of the address for later clients. $1 is the
// first id that appeared in an answer, $cursor the last cursor.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts (%v)", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(bytes.TrimSpace(archive.Comment)) == 0 {
				t.Error("no prose on top")
			}
			requests := section(archive, "requests")
			played := &txtar.Archive{Comment: archive.Comment, Files: []txtar.File{{Name: "requests", Data: []byte(requests)}}}
			for _, version := range []string{stateful, stateless} {
				answers := play(t, version, requests)
				played.Files = append(played.Files, txtar.File{Name: version, Data: []byte(answers)})
				if want := section(archive, version); !*update && answers != want {
					t.Errorf("answers over %s (-want +got):\n%s", version, cmp.Diff(want, answers))
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(played), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func section(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

// player replaces values that differ between runs with names.
type player struct {
	ids    []string
	cursor string
}

func play(t *testing.T, version, requests string) string {
	w := newWorldOf(t, nil)
	clients := map[string]*raw{}
	noor := w.person(loci.DefaultOrg, "noor@loci.example")
	var p player
	var out strings.Builder
	query := ""
	for line := range strings.Lines(requests) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if line == "team" {
			w.team("Platform", w.owner, noor)
			continue
		}
		if line == "keys delete" {
			w.deletesByKey()
			continue
		}
		if at, ok := strings.CutPrefix(line, "at "); ok {
			query = at
			continue
		}
		who, rest, _ := strings.Cut(line, " ")
		method, params, _ := strings.Cut(rest, " ")
		if clients[who] == nil {
			_, key := w.key(loci.Vendor(strings.TrimPrefix(who, "noor:")))
			if vendor, other := strings.CutPrefix(who, "noor:"); other {
				_, key = w.keyOf(noor, loci.Vendor(vendor))
			}
			clients[who] = w.rawAt(key, version, query)
		}
		if params == "" {
			params = "{}"
		}
		answer := clients[who].call(method, p.expand(params))
		fmt.Fprintf(&out, "# %s\n", line)
		if answer.status != 200 {
			fmt.Fprintf(&out, "status %d\n", answer.status)
		}
		out.WriteString(p.normal(t, answer.body))
	}
	return out.String()
}

func (p *player) expand(params string) string {
	for i := len(p.ids); i > 0; i-- {
		params = strings.ReplaceAll(params, fmt.Sprintf("$%d", i), p.ids[i-1])
	}
	return strings.ReplaceAll(params, "$cursor", p.cursor)
}

var uuid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[478][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)

// normal checks that a tool's text equals its structured content, and returns only
// the latter.
func (p *player) normal(t *testing.T, body string) string {
	var message map[string]any
	if err := json.Unmarshal([]byte(body), &message); err != nil {
		t.Fatalf("not JSON: %s", body)
	}
	delete(message, "jsonrpc")
	delete(message, "id")
	if result, ok := message["result"].(map[string]any); ok && result["structuredContent"] != nil {
		item := result["content"].([]any)[0].(map[string]any)
		var text any
		if err := json.Unmarshal([]byte(item["text"].(string)), &text); err != nil {
			t.Errorf("text is not JSON: %v", err)
		}
		if diff := cmp.Diff(result["structuredContent"], text); diff != "" {
			t.Errorf("text differs from structuredContent: %s", diff)
		}
		item["text"] = "(structuredContent)"
		if next, ok := result["structuredContent"].(map[string]any)["next_cursor"].(string); ok {
			p.cursor = next
			result["structuredContent"].(map[string]any)["next_cursor"] = "$cursor"
		}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(message); err != nil {
		t.Fatal(err)
	}
	// A model does not need to know who made a version.
	if regexp.MustCompile(`editor_(?:credential_)?id`).MatchString(out.String()) {
		t.Errorf("the answer has ids of an editor: %s", out.String())
	}
	text := timeText.ReplaceAllString(out.String(), "(time)")
	text = confidence.ReplaceAllString(text, "${1}${2}(confidence)")
	text = uuid.ReplaceAllStringFunc(text, p.name)
	text = command.ReplaceAllStringFunc(text, func(c string) string { return commandID.ReplaceAllStringFunc(c, p.short) })
	return shortID.ReplaceAllStringFunc(text, p.short)
}

// command is one that an answer proposes, and commandID an id in it.
var (
	command   = regexp.MustCompile("`loci review [^`]+`")
	commandID = regexp.MustCompile(` [0-9a-f]{8}\b`)
)

// shortID is the beginning of an id, as a value or in a hint to read on.
var shortID = regexp.MustCompile(`("|\\"|id=|- \[)([0-9a-f]{8})\b`)

// short replaces the beginning of a known id. A new one counts as an id, too.
func (p *player) short(text string) string {
	before, id := text[:len(text)-8], text[len(text)-8:]
	for i, known := range p.ids {
		if strings.HasPrefix(known, id) {
			return fmt.Sprintf("%s$%d", before, i+1)
		}
	}
	return before + p.name(id)
}

// timeText is a time of the test's clock, which moves whenever it is read.
var timeText = regexp.MustCompile(`2026-03-0[34](T[0-9:]{8}(\.[0-9]{6})?Z| [0-9:]+)`)

// confidence is one of a candidate. It moves with each training of the extractor.
var confidence = regexp.MustCompile(`("confidence": )[01]\.(?:[0-9]{5,}|[0-9]{2}\b)|(\] confidence )[01]\.[0-9]{2}`)

// exampleID is in an error message.
const exampleID = "6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"

func (p *player) name(id string) string {
	if id == exampleID {
		return id
	}
	for i, known := range p.ids {
		if known == id {
			return fmt.Sprintf("$%d", i+1)
		}
	}
	p.ids = append(p.ids, id)
	return fmt.Sprintf("$%d", len(p.ids))
}
