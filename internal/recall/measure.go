package recall

// RanksOf returns the place of each wanted id in a ranking without duplicates, counted from 1; 0: it is not there.
func RanksOf[ID comparable](wanted, ranking []ID) []int {
	at := make(map[ID]int, len(ranking))
	for i, id := range ranking {
		at[id] = i + 1
	}
	ranks := make([]int, len(wanted))
	for i, id := range wanted {
		ranks[i] = at[id]
	}
	return ranks
}

// ShareWithin returns which part of what is wanted is among the first k, by its ranks.
func ShareWithin(ranks []int, k int) float64 {
	n := 0
	for _, rank := range ranks {
		if rank > 0 && rank <= k {
			n++
		}
	}
	return float64(n) / float64(len(ranks))
}

// First returns the best of the ranks; 0: nothing was found.
func First(ranks []int) (best int) {
	for _, rank := range ranks {
		if rank > 0 && (best == 0 || rank < best) {
			best = rank
		}
	}
	return best
}

// Reciprocal returns 1 divided by the best of the ranks, or 0.
func Reciprocal(ranks []int) float64 {
	if best := First(ranks); best > 0 {
		return 1 / float64(best)
	}
	return 0
}
