package embedded

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

var day = eventlog.Dedup{Window: 24 * time.Hour}

func TestBloom(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 100, 100_000} {
		b := newBloom(n)
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		keys := make([]int64, n)
		for i := range keys {
			keys[i] = int64(rng.Uint64())
			b.add(keys[i])
		}
		for _, k := range keys {
			if !b.has(k) {
				t.Fatalf("%d keys: %x is missing", n, k)
			}
		}
		wrong := 0
		const asked = 100_000
		for range asked {
			if b.has(int64(rng.Uint64())) {
				wrong++
			}
		}
		if most := asked / 200; n > 1 && wrong > most {
			t.Errorf("%d keys: wrong about %d of %d, want at most %d", n, wrong, asked, most)
		}
	}
}

// Runs of all levels find every hash, also those that several events share, and old runs go.
func TestRuns(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	put(t, l, day, newEvent(c, "a"))
	rng := rand.New(rand.NewPCG(1, 2))
	want := map[int64][]int64{}
	inLog(t, l, func(_ *orgLog, c *sqlitedb.Conn) error {
		var rs runs
		seq := int64(0)
		for i := range 70 {
			var entries []entry
			for range 1 + rng.IntN(2*pageEntries) {
				seq++
				e := entry{int64(rng.Uint64()), seq}
				if rng.IntN(10) == 0 {
					e.hash = int64(rng.IntN(3)) - 1 // so that many have it
				}
				entries = append(entries, e)
				want[e.hash] = append(want[e.hash], seq)
			}
			slices.SortFunc(entries, func(a, b entry) int {
				if a.hash < b.hash {
					return -1
				}
				return 1
			})
			if err := rs.add(c, entries, run{last: seq, recorded: int64(100 * i)}); err != nil {
				return err
			}
			if err := rs.tidy(c, 0); err != nil {
				return err
			}
		}
		if _, err := rs.follow(c, 0); err != nil {
			return err
		}
		if n := len(rs.list); n != 1+0+6 || rs.list[n-1].level != topLevel || rs.last != seq {
			t.Errorf("%d runs, the first of level %d, up to %d; want 7, %d, %d", n, rs.list[n-1].level, rs.last, topLevel, seq)
		}
		for hash, seqs := range want {
			got, err := rs.find(c, hash)
			slices.Sort(got)
			if err != nil || !slices.Equal(got, seqs) {
				t.Fatalf("hash %d: %v, %v, want %v", hash, got, err, seqs)
			}
		}
		if err := rs.tidy(c, 6300); err != nil { // when the last of the first 64 was recorded
			return err
		}
		if n := number(t, c, "SELECT count(*) FROM runs"); n != 7 {
			t.Errorf("%d runs are left before any has expired, want 7", n)
		}
		if err := rs.tidy(c, 1<<40); err != nil {
			return err
		}
		if runs, pages := number(t, c, "SELECT count(*) FROM runs"), number(t, c,
			"SELECT count(*) FROM run_pages WHERE n >> 20 NOT IN (SELECT n FROM runs)"); runs != 1 || pages != 0 {
			t.Errorf("after all have expired: %d runs, %d pages of others; want the newest alone", runs, pages)
		}
		return nil
	})
}

// A run whose number was given again, after a transaction was rolled back, is another run.
func TestRunsWithOneNumber(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	put(t, l, day, newEvent(c, "a"))
	inLog(t, l, func(_ *orgLog, c *sqlitedb.Conn) error {
		var rs runs
		for _, hash := range []int64{1, 2} {
			if err := rs.add(c, []entry{{hash, 1}}, run{last: 1}); err != nil {
				return err
			}
			changed, err := rs.follow(c, 0)
			if seqs, err := rs.find(c, hash); !changed || err != nil || len(seqs) != 1 {
				t.Errorf("hash %d: changed %v, %v, %v", hash, changed, seqs, err)
			}
			if err != nil {
				return err
			}
			if err := deleteRuns(c, []int64{1}); err != nil {
				return err
			}
			if err := c.Exec("UPDATE sqlite_sequence SET seq = 0 WHERE name = 'runs'"); err != nil {
				return err
			}
		}
		return nil
	})
}

// A longer window than that of the call before looks further back.
func TestWindowsOfOtherLength(t *testing.T) {
	t.Parallel()
	c := newClock()
	dir := filepath.Join(t.TempDir(), "events")
	first := newEvents(c, runSize)
	put(t, open(t, dir, c.now), eventlog.Dedup{}, first...)
	c.move(2 * time.Hour)
	l := open(t, dir, c.now) // which has looked for nothing yet
	for _, tt := range []struct {
		window time.Duration
		want   bool
	}{{time.Hour, false}, {24 * time.Hour, true}, {time.Hour, false}, {24 * time.Hour, true}} {
		again := newEvent(c, first[7].Content)
		if tt.window == time.Hour {
			again.DedupKey = fmt.Sprint(c.now()) // not to be a duplicate of the one before
		}
		got := put(t, l, eventlog.Dedup{Window: tt.window}, again)[0]
		if got.Duplicate != tt.want || tt.want && got.ID != first[7].ID {
			t.Errorf("window %s: %v, want a duplicate: %v", tt.window, got, tt.want)
		}
	}
}

// Two logs on one directory, as two processes have, see each other's events.
func TestDuplicatesOfOtherProcesses(t *testing.T) {
	t.Parallel()
	c := newClock()
	dir := filepath.Join(t.TempDir(), "events")
	logs := []*Log{open(t, dir, c.now), open(t, dir, c.now)}
	const calls, each = 12, 2500 // so that both make runs, and merge them
	first := map[string]loci.EventID{}
	for call := range calls {
		var events []*loci.Event
		for i := range each {
			events = append(events, newEvent(c, fmt.Sprint(call*each+i)))
		}
		for i, o := range put(t, logs[call%2], day, events...) {
			if o.Duplicate {
				t.Fatalf("event %s is a duplicate", events[i].Content)
			}
			first[events[i].Content] = o.ID
		}
		for range 20 {
			content := fmt.Sprint(rand.IntN((call + 1) * each))
			if o := put(t, logs[(call+1)%2], day, newEvent(c, content))[0]; !o.Duplicate || o.ID != first[content] {
				t.Fatalf("event %s: %v, want a duplicate of %s", content, o, first[content])
			}
		}
	}
}

// What a transaction added before it failed makes nothing a duplicate, and hides nothing that others
// store in its place.
func TestFailedAppendLeavesNoHashes(t *testing.T) {
	t.Parallel()
	c := newClock()
	dir := filepath.Join(t.TempDir(), "events")
	l, other := open(t, dir, c.now), open(t, dir, c.now)
	taken := put(t, l, day, newEvent(c, "taken"))[0].ID
	for i := range 3 {
		bad := newEvent(c, "bad")
		bad.ID = taken
		bad.Time, _ = loci.EventTime(taken)
		lost := newEvent(c, fmt.Sprint("lost ", i))
		_, err := l.Append(t.Context(), person, []*loci.Event{lost, bad}, day)
		if loci.CodeOf(err) != loci.Conflict {
			t.Fatalf("an id twice: %v", err)
		}
		if theirs := newEvent(c, fmt.Sprint("theirs ", i)); put(t, other, day, theirs)[0].Duplicate ||
			!put(t, l, day, newEvent(c, theirs.Content))[0].Duplicate {
			t.Errorf("an event of another process is no duplicate")
		}
		if o := put(t, l, day, newEvent(c, lost.Content))[0]; o.Duplicate {
			t.Errorf("an event is a duplicate of one that was not stored")
		}
		if o := put(t, l, day, newEvent(c, lost.Content))[0]; !o.Duplicate {
			t.Errorf("the second one is no duplicate")
		}
	}
}

// Two digests may begin alike.
func TestEqualHashes(t *testing.T) {
	t.Parallel()
	c := newClock()
	dir := filepath.Join(t.TempDir(), "events")
	l := open(t, dir, c.now)
	put(t, l, day, newEvent(c, "a"))
	b := newEvent(c, "b")
	a, err := prepare(person, []*loci.Event{b}, day, &l.access)
	if err != nil {
		t.Fatal(err)
	}
	inLog(t, l, func(_ *orgLog, c *sqlitedb.Conn) error {
		return c.Exec("UPDATE events SET hash = ?", a.rows[0].hash)
	})
	again := open(t, dir, c.now)
	if o := put(t, again, day, b)[0]; o.Duplicate {
		t.Errorf("b is a duplicate of a")
	}
	if o := put(t, again, day, newEvent(c, "b"))[0]; !o.Duplicate || o.ID != b.ID {
		t.Errorf("the second b: %v, want a duplicate of %s", o, b.ID)
	}
}

// Calls that fail beside others, in the same group commit, disturb nobody.
func TestDuplicatesBesideFailures(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	taken := put(t, l, day, newEvent(c, "taken"))[0].ID
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 40 {
				e := newEvent(c, fmt.Sprint("event ", i))
				if w%4 == 0 {
					e.ID = taken
					e.Time, _ = loci.EventTime(taken)
					e.Content = fmt.Sprint("bad ", i)
					e.DedupKey = fmt.Sprint(w, i)
				}
				if _, err := l.Append(t.Context(), person, []*loci.Event{e}, day); (err != nil) != (w%4 == 0) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := len(found(t, l, eventlog.Filter{})); got != 41 {
		t.Errorf("%d events are stored, want 41", got)
	}
}
