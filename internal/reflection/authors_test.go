package reflection

import (
	"maps"
	"slices"
	"testing"
)

// byAuthor divides notes by the file that they are from.
func byAuthor(notes []*prepared) map[string][]*prepared {
	authors := map[string][]*prepared{}
	for _, p := range notes {
		authors[p.note.set] = append(authors[p.note.set], p)
	}
	return authors
}

// without returns the notes of all authors but one.
func without(notes []*prepared, set string) []*prepared {
	return slices.DeleteFunc(slices.Clone(notes), func(p *prepared) bool { return p.note.set == set })
}

// foreign scores the notes of each author with weights that were fitted to those of the others, as notes of a new
// author will be.
func foreign(notes []*prepared, threshold float64) *outcome {
	var o outcome
	authors := byAuthor(notes)
	for _, set := range slices.Sorted(maps.Keys(authors)) {
		m := fit(without(notes, set))
		m.threshold = threshold
		for _, p := range authors[set] {
			o.score(&p.note, p.run(m))
		}
	}
	return &o
}

// crossAuthors prints the figures of the notes of each author with weights that were fitted to those of the others.
func crossAuthors(t *testing.T, notes []*prepared) {
	t.Helper()
	authors := byAuthor(notes)
	if len(authors) < 3 {
		return
	}
	for _, set := range slices.Sorted(maps.Keys(authors)) {
		foldCache = nil
		rest := without(notes, set)
		m := fit(rest)
		m.threshold = chooseThreshold(t, rest)
		m.slope, m.offset = calibrate(foreign(rest, m.threshold))
		var o outcome
		for _, p := range authors[set] {
			o.score(&p.note, p.run(m))
		}
		p, r, f := o.figures()
		t.Logf("AUTHOR %s (threshold %.2f): P %.3f R %.3f F1 %.3f forbidden %d hard %d of %d found, ECE %.3f", set,
			m.threshold, p, r, f, o.forbidden, o.hard, o.found, o.ece())
	}
	foldCache = nil
}
