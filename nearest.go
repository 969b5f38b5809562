package loci

import (
	"cmp"
	"slices"
	"strings"
)

// Nearest returns at most n of the names that the caller probably meant by name, nearest first.
// These are names that differ by few letters, contain name or are part of it. It ignores case.
func Nearest(name string, names []string, n int) []string {
	type candidate struct {
		name     string
		distance int
	}
	want := []rune(strings.ToLower(name))
	limit := max(1, len(want)/3)
	var found []candidate
	for _, other := range Unique(names) {
		lower := strings.ToLower(other)
		d := distance(want, []rune(lower), limit)
		if d > limit && len(want) > 2 && len(lower) > 2 &&
			(strings.Contains(lower, string(want)) || strings.Contains(string(want), lower)) {
			d = limit + 1
		} else if d > limit {
			continue
		}
		found = append(found, candidate{other, d})
	}
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	var out []string
	for _, c := range found[:min(n, len(found))] {
		out = append(out, c.name)
	}
	return out
}

// distance returns the number of letters to insert, delete, replace or swap with their neighbour
// (optimal string alignment). If that is more than limit, it returns some number above limit.
func distance(a, b []rune, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		next[0] = i + 1
		best := i + 1
		for j := range b {
			change := row[j]
			if a[i] != b[j] {
				change++
			}
			next[j+1] = min(change, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
			best = min(best, next[j+1])
		}
		if best > limit {
			return limit + 1
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
