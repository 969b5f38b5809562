package event

import "sync"

// maxRecent limits how much a process remembers. It only costs time to forget.
const maxRecent = 10_000

// recent remembers something about the things that this process met last.
type recent[K comparable, V any] struct {
	mu    sync.Mutex
	known map[K]V
}

func (r *recent[K, V]) get(k K) V {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[k]
}

func (r *recent[K, V]) put(k K, v V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil || len(r.known) >= maxRecent {
		r.known = map[K]V{}
	}
	r.known[k] = v
}
