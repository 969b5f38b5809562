package loci

import "sort"

// alignment is a run of n equal elements, at a in the one list and at b in the other.
type alignment struct{ a, b, n int }

// align returns what two lists have in common, in order.
func (d *textDiff) align(a, b []string) []alignment {
	al := &aligner{textDiff: d, a: d.intern(a), b: d.intern(b)}
	al.between(0, len(a), 0, len(b))
	return al.found
}

// intern numbers elements, so that they are compared in one step.
func (d *textDiff) intern(list []string) []int32 {
	out := make([]int32, len(list))
	for i, s := range list {
		id, ok := d.ids[s]
		if !ok {
			id = int32(len(d.ids)) //nolint:gosec // a text has fewer words than that
			d.ids[s] = id
		}
		out[i] = id
	}
	return out
}

// aligner compares two lists. What is in each of them once holds the rest in place ("patience"), so that moved and
// repeated lines do not tear a text apart; what is between is compared by the shortest edit (Myers, "An O(ND) Difference Algorithm").
type aligner struct {
	*textDiff
	a, b  []int32
	found []alignment
}

func (al *aligner) add(a, b, n int) {
	if n == 0 {
		return
	}
	if last := len(al.found) - 1; last >= 0 && al.found[last].a+al.found[last].n == a && al.found[last].b+al.found[last].n == b {
		al.found[last].n += n
		return
	}
	al.found = append(al.found, alignment{a, b, n})
}

// between aligns a[a0:a1] with b[b0:b1].
func (al *aligner) between(a0, a1, b0, b1 int) {
	n := 0
	for a0+n < a1 && b0+n < b1 && al.a[a0+n] == al.b[b0+n] {
		n++
	}
	al.add(a0, b0, n)
	a0, b0 = a0+n, b0+n
	n = 0
	for a0 < a1-n && b0 < b1-n && al.a[a1-n-1] == al.b[b1-n-1] {
		n++
	}
	defer al.add(a1-n, b1-n, n)
	a1, b1 = a1-n, b1-n
	al.steps -= a1 - a0 + b1 - b0
	if a0 == a1 || b0 == b1 || al.steps < 0 {
		return
	}
	anchors := al.anchors(a0, a1, b0, b1)
	if len(anchors) == 0 {
		al.shortest(a0, a1, b0, b1)
		return
	}
	for _, at := range anchors {
		al.between(a0, at.a, b0, at.b)
		al.add(at.a, at.b, 1)
		a0, b0 = at.a+1, at.b+1
	}
	al.between(a0, a1, b0, b1)
}

// anchors returns the longest rising sequence of what is in each of the two parts exactly once.
func (al *aligner) anchors(a0, a1, b0, b1 int) []alignment {
	type place struct{ inA, inB, a, b int }
	seen := make(map[int32]*place, a1-a0)
	for i, id := range al.a[a0:a1] {
		p := seen[id]
		if p == nil {
			p = &place{}
			seen[id] = p
		}
		p.inA, p.a = p.inA+1, a0+i
	}
	for j, id := range al.b[b0:b1] {
		if p := seen[id]; p != nil {
			p.inB, p.b = p.inB+1, b0+j
		}
	}
	var once []alignment
	for i, id := range al.a[a0:a1] {
		if p := seen[id]; p.inA == 1 && p.inB == 1 {
			once = append(once, alignment{a0 + i, p.b, 1})
		}
	}
	return rising(once)
}

// rising returns the longest part of a list ordered by a that is ordered by b, too.
func rising(list []alignment) []alignment {
	var ends []int // the index of the lowest end of a sequence of each length
	before := make([]int, len(list))
	for i, m := range list {
		at := sort.Search(len(ends), func(k int) bool { return list[ends[k]].b >= m.b })
		before[i] = -1
		if at > 0 {
			before[i] = ends[at-1]
		}
		if at == len(ends) {
			ends = append(ends, i)
		} else {
			ends[at] = i
		}
	}
	if len(ends) == 0 {
		return nil
	}
	out := make([]alignment, len(ends))
	for k, i := len(ends)-1, ends[len(ends)-1]; i >= 0; k, i = k-1, before[i] {
		out[k] = list[i]
	}
	return out
}

// maxEdits bounds what the shortest edit keeps: some megabytes.
const maxEdits = 1_200

// shortest aligns by the shortest edit, unless that takes too much.
func (al *aligner) shortest(a0, a1, b0, b1 int) {
	n, m := a1-a0, b1-b0
	limit := min(n+m, maxEdits)
	furthest := make([]int32, 2*limit+2) // by diagonal, x-y+limit
	var trace [][]int32
	for edits := 0; edits <= limit; edits++ {
		trace = append(trace, append([]int32(nil), furthest[limit-edits:limit+edits+1]...))
		for k := -edits; k <= edits; k += 2 {
			x := al.reach(furthest, limit, edits, k)
			for y := x - k; x < n && y < m && y >= 0 && al.a[a0+x] == al.b[b0+y]; x, y = x+1, y+1 {
				al.steps--
			}
			furthest[limit+k] = int32(x) //nolint:gosec // of a text
			if x >= n && x-k >= m {
				al.trace(trace, n, m, a0, b0)
				return
			}
		}
		if al.steps -= edits + 1; al.steps < 0 {
			return
		}
	}
}

// reach is how far the best edit goes that ends with a step onto diagonal k.
func (al *aligner) reach(furthest []int32, limit, edits, k int) int {
	if edits == 0 {
		return 0
	}
	if k == -edits || k != edits && furthest[limit+k-1] < furthest[limit+k+1] {
		return int(furthest[limit+k+1])
	}
	return int(furthest[limit+k-1]) + 1
}

// trace follows the shortest edit back and adds what is equal on its way.
func (al *aligner) trace(trace [][]int32, x, y, a0, b0 int) {
	var back []alignment
	for edits := len(trace) - 1; edits > 0; edits-- {
		before := func(k int) int { return int(trace[edits][k+edits]) } // as it was before this step
		k := x - y
		from := k - 1
		if k == -edits || k != edits && before(k-1) < before(k+1) {
			from = k + 1
		}
		px := before(from)
		start := px // behind the step
		if from == k-1 {
			start++
		}
		back = append(back, alignment{a0 + start, b0 + start - k, x - start})
		x, y = px, px-from
	}
	back = append(back, alignment{a0, b0, x})
	for i := len(back) - 1; i >= 0; i-- {
		al.add(back[i].a, back[i].b, back[i].n)
	}
}
