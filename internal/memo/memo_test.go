package memo

import (
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// A Memo has the last value of a key for its stamp or none, and those in use stay.
func TestMemoKeepsWhatHolds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m, last, stamps := New[int, int, int](10), map[int]int{}, map[int]int{}
		for n := range rapid.IntRange(1, 100).Draw(t, "steps") {
			key, stamp := rapid.IntRange(0, 20).Draw(t, "key"), rapid.IntRange(0, 2).Draw(t, "stamp")
			if rapid.Bool().Draw(t, "put") {
				m.Put(key, stamp, n, rapid.IntRange(1, 3).Draw(t, "size"))
				last[key], stamps[key] = n, stamp
				continue
			}
			if v, ok := m.Get(key, stamp); ok && (v != last[key] || stamps[key] != stamp) {
				t.Fatalf("key %d at %d has %d, want %d at %d", key, stamp, v, last[key], stamps[key])
			}
			if m.size > 10 || len(m.young)+len(m.old) > 20 {
				t.Fatalf("it keeps %d and %d values of size %d", len(m.young), len(m.old), m.size)
			}
		}
	})
}

func TestMemoKeepsWhatIsUsed(t *testing.T) {
	t.Parallel()
	m := New[int, int, string](4)
	m.Put(0, 0, "used", 1)
	m.Put(-1, 0, "too large", 5)
	for i := 1; i < 100; i++ {
		m.Put(i, 0, "other", 1)
		if v, ok := m.Get(0, 0); !ok || v != "used" {
			t.Fatalf("it is gone after %d others", i)
		}
	}
	if _, ok := m.Get(-1, 0); ok {
		t.Error("it keeps a value that is too large")
	}
	if _, ok := m.Get(1, 0); ok {
		t.Error("it keeps a value that nobody has used for long")
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 100 {
				m.Put(i, 0, "other", 1)
				m.Get(i, 0)
			}
		})
	}
	wg.Wait()
}
