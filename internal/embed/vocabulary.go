package embed

import (
	"iter"
	"maps"
	"sort"
	"strings"
)

// vocabulary has the id of each token, without added tokens: in a map, or as lines in the order of their bytes, whose
// numbers are the ids. Such lines are ready to use.
type vocabulary struct {
	ids    map[string]int32
	lines  string
	starts []uint32 // of the lines, and where the next one would start
}

func sortedVocabulary(lines string) vocabulary {
	v := vocabulary{lines: lines, starts: make([]uint32, 1, strings.Count(lines, "\n")+1)}
	for i := range len(lines) {
		if lines[i] == '\n' {
			v.starts = append(v.starts, uint32(i+1))
		}
	}
	return v
}

func (v *vocabulary) size() int { return max(len(v.ids), len(v.starts)-1) }

func (v *vocabulary) line(i int) string { return v.lines[v.starts[i] : v.starts[i+1]-1] }

// id returns the id of a token, or false if there is no such token.
func (v *vocabulary) id(token string) (int32, bool) {
	if v.starts == nil {
		id, ok := v.ids[token]
		return id, ok
	}
	i, ok := sort.Find(len(v.starts)-1, func(i int) int { return strings.Compare(token, v.line(i)) })
	return int32(i), ok
}

// all returns the tokens with their ids.
func (v *vocabulary) all() iter.Seq2[string, int32] {
	if v.starts == nil {
		return maps.All(v.ids)
	}
	return func(yield func(string, int32) bool) {
		for i := range len(v.starts) - 1 {
			if !yield(v.line(i), int32(i)) {
				return
			}
		}
	}
}
