package rest_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/rest"
	"github.com/loci-memory/loci/test/random"
)

var update = flag.Bool("update", false, "rewrite testdata/*.txtar with what the API answers")

// secrets are credentials that are the same in every run.
var secrets = map[string]string{"owner": owner, "claude": claude, "cursor": cursor, "gemini": gemini, "nobody": "",
	"stranger": "loci_live_unknown"}

// lastID sorts behind those of others, so that lists have one order.
var lastID = loci.UserID{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x4f, 0xff, 0xbf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}

// cast returns who can ask in a transcript: the owner (ada) with a browser whose
// proof is fresh or stale, a member (noor), the owner of another org (bo), and an
// admin of the deployment (kim).
func (s *server) cast(t *testing.T) map[string]string {
	t.Helper()
	if err := s.app.Identity.SetOwnerEmail(t.Context(), "ada@loci.example"); err != nil {
		t.Fatal(err)
	}
	who := maps.Clone(secrets)
	who["ada"] = s.session(t, loci.DefaultOrg, s.owner.UserID, 0)
	who["stale"] = s.session(t, loci.DefaultOrg, s.owner.UserID, time.Hour)
	who["noor"] = s.session(t, loci.DefaultOrg, s.addUser(t, loci.DefaultOrg, "noor@loci.example", loci.Member,
		lastID).ID, 0)
	_, bo := s.addOrg(t, "bravo", "bo@bravo.example")
	who["bo"] = s.session(t, "bravo", bo.ID, 0)
	who["kim"] = s.session(t, "ops", s.instanceAdmin(t, "ops").ID, 0)
	return who
}

// TestTranscripts sends the requests of testdata/*.txtar and compares the
// answers. A request is a section "WHO METHOD PATH" with optional header lines
// and a body; the section after it is the answer. Ids, cursors and times are
// normalised to <id1>, <cursor1>, <time>; requests may use them. Each file is
// played under both prefixes and must give the same answers.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	doc := readDocument(t, newServer(t))
	for _, file := range files {
		for _, prefix := range []string{"/api/v1", ""}[:random.Rounds(2, 1)] {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+" at "+prefix+"/", func(t *testing.T) {
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				got := play(t, doc, txtar.Parse(want), prefix)
				if *update {
					if err := os.WriteFile(file, got, 0o644); err != nil {
						t.Fatal(err)
					}
					return
				}
				if diff := cmp.Diff(string(want), string(got)); diff != "" {
					t.Errorf("the answers changed (-want +got); -update accepts them:\n%s", diff)
				}
			})
		}
	}
}

func play(t *testing.T, doc *document, script *txtar.Archive, prefix string) []byte {
	// Notes are read by the rules, as in a real server.
	s := newServer(t, func(ro *rest.Options, ao *app.Options) { ao.Budget, ao.Extractor = 400, nil })
	s.clock.step = 100 * time.Millisecond // so that no call runs out of time
	keys := s.cast(t)
	names := &names{known: map[string]string{}, values: map[string]string{}, counts: map[string]int{}}
	out := &txtar.Archive{Comment: script.Comment}
	for _, f := range script.Files {
		if f.Name == "answer" {
			continue
		}
		who, rest, _ := strings.Cut(f.Name, " ")
		method, path, _ := strings.Cut(rest, " ")
		key, ok := keys[who]
		if !ok {
			t.Fatalf("%q: nobody is called %q", f.Name, who)
		}
		headers, body := split(names.expand(string(f.Data)))
		w := s.do(method, prefix+names.expand(path), key, body, headers...)
		doc.checkAnswer(t, method, prefix+names.expand(path), w.Code, w.Header().Get("Content-Type"), w.Body.Bytes())
		out.Files = append(out.Files, f,
			txtar.File{Name: "answer", Data: []byte(names.normalise(strings.ReplaceAll(show(t, w, method == "HEAD"),
				prefix+"/", "/")))})
	}
	return txtar.Format(out)
}

// split takes header lines off the front of a request.
func split(text string) (headers []string, body string) {
	for {
		line, rest, _ := strings.Cut(text, "\n")
		if !headerLine.MatchString(line) {
			return headers, strings.TrimSuffix(text, "\n")
		}
		headers, text = append(headers, line), rest
	}
}

var headerLine = regexp.MustCompile(`^[A-Z][A-Za-z-]+: `)

func show(t *testing.T, w *httptest.ResponseRecorder, head bool) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%d\n", w.Code)
	for _, name := range []string{"Allow", "Cache-Control", "Content-Disposition", "Content-Type", "ETag", "Location",
		"WWW-Authenticate"} {
		if v := w.Header().Get(name); v != "" && v != "application/json" && v != "private, no-cache" {
			fmt.Fprintf(&out, "%s: %s\n", name, v)
		}
	}
	if w.Body.Len() == 0 || head {
		return out.String()
	}
	if ct := w.Header().Get("Content-Type"); !strings.Contains(ct, "json") || strings.Contains(ct, "ndjson") {
		return out.String() + w.Body.String()
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, w.Body.Bytes(), "", "  "); err != nil {
		t.Fatalf("the answer is not JSON: %s", w.Body)
	}
	return out.String() + strings.TrimRight(pretty.String(), "\n") + "\n"
}

// names gives what differs between runs a name.
type names struct {
	known  map[string]string // value → name
	values map[string]string // name → value
	counts map[string]int
}

var (
	secretPattern = regexp.MustCompile(`loci_(live|agent|invite)_[A-Za-z0-9_-]{43}`)
	prefixPattern = regexp.MustCompile(`("prefix": ?"loci_[a-z]+_)[A-Za-z0-9_-]{4}`)
	idPattern     = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	entryPattern  = regexp.MustCompile(`("id": ")([A-Za-z0-9_-]{22})(")`) // of the audit trail: sealed by each server
	cursorPattern = regexp.MustCompile(`("next_cursor": ")([A-Za-z0-9_-]{4,})(")`)
	// A JSON value has exactly six digits; texts for people have none.
	timePattern   = regexp.MustCompile(`20\d\d-\d\d-\d\d(T\d\d:\d\d:\d\d\.\d{6}Z| \d\d:\d\d)`)
	changedAt     = regexp.MustCompile(` at 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ \(`)
	versionID     = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)
	uptimePattern = regexp.MustCompile(`("(?:uptime_seconds|latency_ms)": )[0-9.]+`)
	shortPattern  = regexp.MustCompile(`\[[0-9a-f]{8}\] `)
	command       = regexp.MustCompile("`loci review [^`]+`")
	commandID     = regexp.MustCompile(` [0-9a-f]{8}\b`)
	packTokens    = regexp.MustCompile(`("tokens": )\d+`) // which depend on the ids that are cited
	confidence    = regexp.MustCompile(`("confidence": )[01]\.[0-9]{5,}|(\] confidence )[01]\.[0-9]{2}`)
	namePattern   = regexp.MustCompile(`<(id|cursor|secret)\d+>`)
)

func (n *names) expand(text string) string {
	return namePattern.ReplaceAllStringFunc(text, func(name string) string {
		if v, ok := n.values[name]; ok {
			return v
		}
		return name
	})
}

func (n *names) normalise(text string) string {
	text = secretPattern.ReplaceAllStringFunc(text, func(v string) string { return n.name("secret", v) })
	text = prefixPattern.ReplaceAllString(text, "${1}<prefix>")
	text = versionID.ReplaceAllString(text, "<version>")
	text = idPattern.ReplaceAllStringFunc(text, func(v string) string { return n.name("id", v) })
	short := func(text string) string { // an id of 8 characters behind another one
		for id, name := range n.known {
			if strings.HasPrefix(id, text[1:9]) {
				return text[:1] + name + text[9:]
			}
		}
		return text
	}
	text = shortPattern.ReplaceAllStringFunc(text, short)
	text = command.ReplaceAllStringFunc(text, func(c string) string { return commandID.ReplaceAllStringFunc(c, short) })
	text = confidence.ReplaceAllString(text, "${1}${2}<confidence>") // it moves with each training of the extractor
	text = cursorPattern.ReplaceAllStringFunc(text, func(v string) string {
		m := cursorPattern.FindStringSubmatch(v)
		return m[1] + n.name("cursor", m[2]) + m[3]
	})
	text = entryPattern.ReplaceAllStringFunc(text, func(v string) string {
		m := entryPattern.FindStringSubmatch(v)
		return m[1] + n.name("id", m[2]) + m[3]
	})
	if strings.Contains(text, `"prefix_bytes"`) {
		text = packTokens.ReplaceAllString(text, "${1}<tokens>")
	}
	text = changedAt.ReplaceAllString(text, " at <time> (")
	return uptimePattern.ReplaceAllString(timePattern.ReplaceAllString(text, "<time>"), "${1}1")
}

func (n *names) name(kind, value string) string {
	if name, ok := n.known[value]; ok {
		return name
	}
	n.counts[kind]++
	name := fmt.Sprintf("<%s%d>", kind, n.counts[kind])
	n.known[value], n.values[name] = name, value
	return name
}
