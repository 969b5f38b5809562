package loci

import (
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// Hunk is a part of two texts that differs, with the lines around it.
type Hunk struct {
	OldLine int        `json:"old_line" doc:"The number of its first line in the old text, from 1"`
	NewLine int        `json:"new_line" doc:"In the new text"`
	Lines   []DiffLine `json:"lines"`
}

// DiffOp says where a part of a text is.
type DiffOp string

// The kinds of parts.
const (
	DiffSame    DiffOp = "same"    // in both texts
	DiffRemoved DiffOp = "removed" // in the old one
	DiffAdded   DiffOp = "added"   // in the new one
	DiffChanged DiffOp = "changed" // a line of which a part is in both
)

// DiffLine is one line of a hunk.
type DiffLine struct {
	Op    DiffOp     `json:"op" enum:"same,removed,added,changed"`
	Text  string     `json:"text,omitempty" doc:"The line, unless it is changed"`
	Words []DiffWord `json:"words,omitempty" doc:"A changed line in parts: without the added ones it is the old line, without the removed ones the new one"`
}

// DiffWord is a part of a changed line.
type DiffWord struct {
	Op   DiffOp `json:"op" enum:"same,removed,added"`
	Text string `json:"text"`
}

const (
	diffContext = 3 // lines around a change
	// diffSteps bounds what one comparison takes, in steps of some nanoseconds. Beyond it
	// a part is all old or all new: still true, only longer.
	diffSteps = 6_000_000
	// leastAlike is which part of a line has to stay for it to be shown as changed instead of as
	// another one, of 1.
	leastAlike = 0.4
)

// DiffText compares two texts by lines, and lines that are much alike by words. It is exact: the same and the removed
// parts are the old text, the same and the added ones the new text, except for what is far from any change.
func DiffText(from, to string) []Hunk {
	d := &textDiff{steps: diffSteps, ids: map[string]int32{}}
	old, now := strings.Split(from, "\n"), strings.Split(to, "\n")
	var lines []DiffLine
	i, j := 0, 0
	for _, m := range append(d.align(old, now), alignment{len(old), len(now), 0}) {
		lines = append(lines, d.replaced(old[i:m.a], now[j:m.b])...)
		for _, text := range old[m.a : m.a+m.n] {
			lines = append(lines, DiffLine{Op: DiffSame, Text: text})
		}
		i, j = m.a+m.n, m.b+m.n
	}
	return hunks(lines)
}

// hunks leaves out what is far from any change.
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

// textDiff is one comparison.
type textDiff struct {
	steps int
	ids   map[string]int32
}

// replaced returns the lines that stand in the place of others, each beside the one that it replaces.
func (d *textDiff) replaced(old, now []string) []DiffLine {
	var out, removed, added []DiffLine
	for i := range max(len(old), len(now)) {
		if i < min(len(old), len(now)) {
			if parts, alike := d.words(old[i], now[i]); alike {
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

// words compares two lines, and reports whether enough of them is the same.
func (d *textDiff) words(from, to string) (parts []DiffWord, alike bool) {
	old, now := tokens(from), tokens(to)
	same := 0
	var out wordParts
	i, j := 0, 0
	for _, m := range append(d.align(old, now), alignment{len(old), len(now), 0}) {
		text := strings.Join(old[m.a:m.a+m.n], "")
		inside := (i < m.a || j < m.b) && m.a+m.n < len(old) && m.b+m.n < len(now)
		removed, added := strings.Join(old[i:m.a], ""), strings.Join(now[j:m.b], "")
		if inside && strings.TrimSpace(text) == "" { // a space between two changes only makes them harder to read
			removed, added, text = removed+text, added+text, ""
		}
		out.add(DiffRemoved, removed)
		out.add(DiffAdded, added)
		out.add(DiffSame, text)
		same += utf8.RuneCountInString(strings.TrimSpace(text))
		i, j = m.a+m.n, m.b+m.n
	}
	most := max(utf8.RuneCountInString(strings.TrimSpace(from)), utf8.RuneCountInString(strings.TrimSpace(to)))
	return out.list(), float64(same) >= leastAlike*float64(most) && most > 0
}

// wordParts joins parts of one kind, the removed ones before the added ones.
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

// tokens cuts a line into words and what is between them.
func tokens(line string) []string {
	var out []string
	for each := words.FromString(line); each.Next(); {
		out = append(out, each.Value())
	}
	return out
}
