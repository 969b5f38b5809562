package embedded

import "testing"

// A reader of an old snapshot neither gets streams as they are now, nor makes others get old ones.
func TestWorks(t *testing.T) {
	t.Parallel()
	var ws works
	old, now := &work{class: 1}, &work{class: 2}
	ws.put(1, 7, old)
	if ws.get(1, 7) != old || ws.get(2, 7) != nil || ws.get(1, 8) != nil {
		t.Errorf("at first: %v, %v, %v", ws.get(1, 7), ws.get(2, 7), ws.get(1, 8))
	}
	ws.put(2, 7, now)
	ws.put(1, 7, old)
	if ws.get(2, 7) != now || ws.get(1, 7) != nil {
		t.Errorf("after a change: %v, %v", ws.get(2, 7), ws.get(1, 7))
	}
	for n := range int64(3 * maxWorks) {
		ws.put(2, n, now)
	}
	if len(ws.streams) > maxWorks {
		t.Errorf("%d streams are remembered, want at most %d", len(ws.streams), maxWorks)
	}
}
