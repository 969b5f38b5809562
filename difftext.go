package loci

import (
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff/lcs"
	"github.com/clipperhouse/uax29/v2/words"
)

// Hunk is a part in which two texts differ, with the lines around it.
type Hunk struct {
	OldLine int        `json:"old_line" doc:"Line number in the old text at which the hunk begins, from 1"`
	NewLine int        `json:"new_line" doc:"Line number in the new text at which the hunk begins, from 1"`
	Lines   []DiffLine `json:"lines"`
}

// DiffOp is the place of a part: in the old text, in the new text or in both.
type DiffOp string

// The places of a part.
const (
	DiffSame    DiffOp = "same"    // in both texts
	DiffRemoved DiffOp = "removed" // in the old one
	DiffAdded   DiffOp = "added"   // in the new one
	DiffChanged DiffOp = "changed" // a line that is partly in both
)

// DiffLine is one line of a hunk.
type DiffLine struct {
	Op    DiffOp     `json:"op" enum:"same,removed,added,changed"`
	Text  string     `json:"text,omitempty" doc:"The line, if op is not changed"`
	Words []DiffWord `json:"words,omitempty" doc:"Parts of a changed line. Without the added parts it is the old line; without the removed parts it is the new line"`
}

// DiffWord is one part of a changed line.
type DiffWord struct {
	Op   DiffOp `json:"op" enum:"same,removed,added"`
	Text string `json:"text"`
}

const (
	diffContext = 3 // lines around a change
	// leastAlike is the share of a line that must stay, from 0 to 1. If less stays, the line counts as
	// replaced, not changed.
	leastAlike = 0.5
)

// DiffText compares two texts by lines, and similar lines by words. The same and removed parts form
// the old text, the same and added parts the new text. Lines far from any change are left out.
func DiffText(from, to string) []Hunk {
	old, now := strings.Split(from, "\n"), strings.Split(to, "\n")
	var lines []DiffLine
	for _, r := range align(old, now) {
		lines = append(lines, replaced(old[r.Start:r.End], now[r.ReplStart:r.ReplEnd])...)
		for _, text := range old[r.End:r.same] {
			lines = append(lines, DiffLine{Op: DiffSame, Text: text})
		}
	}
	return hunks(lines)
}

// replacement is a part of a list that another part replaces. Both lists contain what follows it, up to same.
type replacement struct {
	lcs.Diff
	same int
}

// align returns the replacements that turn list a into list b, in order. The first one may be empty.
func align(a, b []string) []replacement {
	out := []replacement{{}}
	for _, d := range lcs.DiffLines(a, b) {
		out[len(out)-1].same = d.Start
		out = append(out, replacement{Diff: d})
	}
	out[len(out)-1].same = len(a)
	return out
}

// hunks drops the lines that are far from any change.
func hunks(lines []DiffLine) []Hunk {
	near := make([]bool, len(lines))
	for i, line := range lines {
		if line.Op != DiffSame {
			for k := max(i-diffContext, 0); k <= min(i+diffContext, len(lines)-1); k++ {
				near[k] = true
			}
		}
	}
	out := []Hunk{}
	old, now := 1, 1
	for i, line := range lines {
		if near[i] && (i == 0 || !near[i-1]) {
			out = append(out, Hunk{OldLine: old, NewLine: now})
		}
		if near[i] {
			last := &out[len(out)-1]
			last.Lines = append(last.Lines, line)
		}
		if line.Op != DiffAdded {
			old++
		}
		if line.Op != DiffRemoved {
			now++
		}
	}
	return out
}

// replaced returns the lines of a replacement. Each new line is next to the old line that it replaces.
func replaced(old, now []string) []DiffLine {
	var out, removed, added []DiffLine
	for i := range max(len(old), len(now)) {
		if i < min(len(old), len(now)) {
			if parts, alike := compareWords(old[i], now[i]); alike {
				out = append(append(append(out, removed...), added...), DiffLine{Op: DiffChanged, Words: parts})
				removed, added = nil, nil
				continue
			}
		}
		if i < len(old) {
			removed = append(removed, DiffLine{Op: DiffRemoved, Text: old[i]})
		}
		if i < len(now) {
			added = append(added, DiffLine{Op: DiffAdded, Text: now[i]})
		}
	}
	return append(append(out, removed...), added...)
}

// compareWords compares two lines by words and reports whether enough words are the same.
func compareWords(from, to string) (parts []DiffWord, alike bool) {
	old, now := tokens(from), tokens(to)
	same := 0
	var out wordParts
	for _, r := range align(old, now) {
		text := strings.Join(old[r.End:r.same], "")
		between := r.Start < r.End || r.ReplStart < r.ReplEnd
		removed, added := strings.Join(old[r.Start:r.End], ""), strings.Join(now[r.ReplStart:r.ReplEnd], "")
		if between && r.same < len(old) && strings.TrimSpace(text) == "" {
			// A lone space between two changes would only make them harder to read.
			removed, added, text = removed+text, added+text, ""
		}
		out.add(DiffRemoved, removed)
		out.add(DiffAdded, added)
		out.add(DiffSame, text)
		same += utf8.RuneCountInString(strings.TrimSpace(text))
	}
	most := max(utf8.RuneCountInString(strings.TrimSpace(from)), utf8.RuneCountInString(strings.TrimSpace(to)))
	return out.list(), float64(same) >= leastAlike*float64(most) && most > 0
}

// wordParts joins adjacent parts of the same kind and puts removed parts before added ones.
type wordParts struct {
	done           []DiffWord
	removed, added string
}

func (w *wordParts) add(op DiffOp, text string) {
	switch {
	case text == "":
	case op == DiffRemoved:
		w.removed += text
	case op == DiffAdded:
		w.added += text
	default:
		w.done = append(w.list(), DiffWord{op, text})
		w.removed, w.added = "", ""
	}
}

func (w *wordParts) list() []DiffWord {
	out := w.done
	if w.removed != "" {
		out = append(out, DiffWord{DiffRemoved, w.removed})
	}
	if w.added != "" {
		out = append(out, DiffWord{DiffAdded, w.added})
	}
	return out
}

// tokens splits a line into words and the text between them.
func tokens(line string) []string {
	var out []string
	for each := words.FromString(line); each.Next(); {
		out = append(out, each.Value())
	}
	return out
}
