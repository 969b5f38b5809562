package index

// best keeps the best values that it was offered. The worst of them comes first. container/heap takes several times
// as long.
type best[T interface{ worse(T) bool }] struct {
	list  []T
	limit int
}

func (b *best[T]) full() bool { return len(b.list) == b.limit }

func (b *best[T]) offer(v T) {
	list := b.list
	if !b.full() {
		at := len(list)
		for list = append(list, v); at > 0 && v.worse(list[(at-1)/2]); at = (at - 1) / 2 {
			list[at] = list[(at-1)/2]
		}
		list[at], b.list = v, list
		return
	}
	if !list[0].worse(v) {
		return
	}
	at := 0
	for {
		next := 2*at + 1
		if next >= len(list) {
			break
		}
		if next+1 < len(list) && list[next+1].worse(list[next]) {
			next++
		}
		if !list[next].worse(v) {
			break
		}
		list[at] = list[next]
		at = next
	}
	list[at] = v
}

// score is a score as a value of best.
type score float64

func (s score) worse(o score) bool { return s < o } //nolint:unused // best uses it
