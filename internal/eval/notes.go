package eval

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
)

// These are the files of a set of labelled notes. The second one may be missing.
const (
	notesFile = "notes.jsonl"
	pairsFile = "pairs.jsonl"
)

// noteKinds are the kinds of candidates, in the order of a report.
var noteKinds = []string{"decision", "plan", "idea", "claim", "artifact", "procedure", "session"}

// pairLabels are how a new text can stand to an older one, in the order of a report.
var pairLabels = []string{"duplicate", "update_supersedes", "contradiction", "refinement", "unrelated"}

// NoteSet is notes with labels: what a careful reader keeps of them, and what must not be kept.
type NoteSet struct {
	Name  string
	Notes []LabelledNote
	Pairs []LabelledPair
}

// LabelledNote is one line of notes.jsonl. All offsets count Unicode code points and are half-open. Only Content and
// Intent may reach an extractor.
type LabelledNote struct {
	ID        string              `json:"id"`
	Language  string              `json:"lang"`
	Intent    string              `json:"intent"`
	Traps     []string            `json:"traps"`
	Content   string              `json:"content"`
	Expected  []LabelledCandidate `json:"expected"`
	Forbidden []LabelledTrap      `json:"forbidden"`
	Sensitive []LabelledSecret    `json:"sensitive"`
	Relations []NoteRelation      `json:"relations"`
	NoSession bool                `json:"no_session"` // the whole note as a session is wrong, and not neutral

	text []rune
}

// LabelledSpan is a part of a note. Text repeats it, so that a moved offset is noticed.
type LabelledSpan struct {
	Start int    `json:"span_start"`
	End   int    `json:"span_end"`
	Text  string `json:"text"`
}

// LabelledCandidate is what a careful reader keeps.
type LabelledCandidate struct {
	LabelledSpan

	Kind      string   `json:"kind"`
	AltKinds  []string `json:"alt_kinds"` // these are right as well
	Must      bool     `json:"must"`      // missing it is a fault
	Group     string   `json:"group"`     // labels of one group are the same statement
	CoreStart *int     `json:"core_start"`
	CoreEnd   *int     `json:"core_end"`
}

// LabelledTrap is what must not become a candidate of these kinds.
type LabelledTrap struct {
	LabelledSpan

	Kinds []string `json:"kinds"`
	Hard  bool     `json:"hard"` // an injected instruction
}

// LabelledSecret is a secret or a personal datum.
type LabelledSecret struct {
	LabelledSpan

	Type string `json:"type"`
}

// LabelledPair is one line of pairs.jsonl.
type LabelledPair struct {
	ID        string   `json:"id"`
	Old       string   `json:"old"`
	New       string   `json:"new"`
	Label     string   `json:"label"`
	AltLabels []string `json:"alt_labels"`
}

// LoadNotes reads a set of labelled notes: notes.jsonl in dir, and pairs.jsonl if it exists. language keeps only the
// notes of a language, such as "de"; "" keeps all. NotFound if the notes are missing or none is of the language.
// Invalid, with file, line and field, for what no score could be computed from.
func LoadNotes(dir, language string) (NoteSet, error) {
	set := NoteSet{Name: filepath.Base(filepath.Clean(dir))}
	file, seen := filepath.Join(dir, notesFile), map[string]bool{}
	err := eachLine(file, false, func(_ int, n LabelledNote) error {
		if err := cmp.Or(unseen(seen, n.ID), n.check()); err != nil {
			return err
		}
		if language == "" || shortLanguage(n.Language) == language {
			set.Notes = append(set.Notes, n)
		}
		return nil
	})
	if err != nil {
		return set, err
	}
	if len(seen) == 0 {
		return set, loci.Errorf(loci.Invalid, "%s has no notes; add one JSON object a line", file)
	}
	if len(set.Notes) == 0 {
		return set, loci.Errorf(loci.NotFound, "%s has no note in the language %q; its field lang must begin with it", file,
			language)
	}
	set.Pairs, err = loadPairs(filepath.Join(dir, pairsFile))
	return set, err
}

func loadPairs(file string) (pairs []LabelledPair, err error) {
	seen := map[string]bool{}
	err = eachLine(file, false, func(_ int, p LabelledPair) error {
		pairs = append(pairs, p)
		return cmp.Or(unseen(seen, p.ID), present("old", p.Old, "new", p.New, "label", p.Label),
			oneOf("label", pairLabels, p.Label), oneOf("alt_labels", pairLabels, p.AltLabels...))
	})
	if loci.CodeOf(err) == loci.NotFound {
		return nil, nil
	}
	return pairs, err
}

// unseen rejects an id that is empty or that the file has before.
func unseen(seen map[string]bool, id string) error {
	if err := present("id", id); err != nil {
		return err
	}
	if seen[id] {
		return loci.FieldErrorf("id", "%q appears twice; give each line its own", id)
	}
	seen[id] = true
	return nil
}

// shortLanguage is the language of a tag such as de-AT.
func shortLanguage(tag string) string {
	short, _, _ := strings.Cut(tag, "-")
	return short
}

// check rejects labels that do not fit their note, and fills in the cores.
func (n *LabelledNote) check() error {
	if err := present("lang", n.Language, "content", n.Content); err != nil {
		return err
	}
	n.text = []rune(n.Content)
	for i := range n.Expected {
		if err := n.checkExpected(fmt.Sprintf("expected[%d]", i), &n.Expected[i]); err != nil {
			return err
		}
	}
	for i := range n.Forbidden {
		at, f := fmt.Sprintf("forbidden[%d]", i), &n.Forbidden[i]
		if err := cmp.Or(n.within(at, f.LabelledSpan), oneOf(at+".kinds", noteKinds, f.Kinds...)); err != nil {
			return err
		}
	}
	for i := range n.Sensitive {
		at, s := fmt.Sprintf("sensitive[%d]", i), &n.Sensitive[i]
		if err := cmp.Or(n.within(at, s.LabelledSpan), present(at+".type", s.Type)); err != nil {
			return err
		}
	}
	for i := range n.Relations {
		at, r := fmt.Sprintf("relations[%d]", i), &n.Relations[i]
		if err := cmp.Or(present(at+".type", r.Type), n.bounds(at, "from", r.FromStart, r.FromEnd),
			n.bounds(at, "to", r.ToStart, r.ToEnd)); err != nil {
			return err
		}
	}
	return nil
}

func (n *LabelledNote) checkExpected(at string, e *LabelledCandidate) error {
	if err := cmp.Or(n.within(at, e.LabelledSpan), oneOf(at+".kind", noteKinds, e.Kind),
		oneOf(at+".alt_kinds", noteKinds, e.AltKinds...)); err != nil {
		return err
	}
	if e.CoreStart == nil {
		e.CoreStart = &e.Start
	}
	if e.CoreEnd == nil {
		e.CoreEnd = &e.End
	}
	if *e.CoreStart < e.Start || *e.CoreEnd > e.End || *e.CoreStart >= *e.CoreEnd {
		return loci.FieldErrorf(at+".core_start", "and core_end must lie within the span from %d to %d; leave both out for "+
			"the whole span", e.Start, e.End)
	}
	return nil
}

// within rejects a span that is not in the note or has another text.
func (n *LabelledNote) within(at string, s LabelledSpan) error {
	if err := n.bounds(at, "span", s.Start, s.End); err != nil {
		return err
	}
	if got := string(n.text[s.Start:s.End]); s.Text != "" && got != s.Text {
		return loci.FieldErrorf(at+".text", "must be what content has from %d to %d, which is %q; count Unicode code "+
			"points, not bytes", s.Start, s.End, loci.Shorten(got, 60))
	}
	return nil
}

func (n *LabelledNote) bounds(at, name string, start, end int) error {
	if start < 0 || start >= end || end > len(n.text) {
		return loci.FieldErrorf(fmt.Sprintf("%s.%s_end", at, name), "must be more than %s_start, and both from 0 to %d, the "+
			"code points of content; got %d to %d", name, len(n.text), start, end)
	}
	return nil
}

func oneOf(field string, known []string, values ...string) error {
	for _, v := range values {
		if !slices.Contains(known, v) {
			return loci.FieldErrorf(field, "must be of %s, not %q", strings.Join(known, ", "), loci.Shorten(v, 40))
		}
	}
	return nil
}
