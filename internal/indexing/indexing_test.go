package indexing

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

// world is an org with some memories, and indexes of it in several processes.
type world struct {
	tb       testing.TB
	dir      string
	st       store.Store
	org      loci.OrgID
	user     loci.UserID
	now      time.Time
	live     []*loci.Memory
	sessions []loci.SessionID
	readers  []loci.Vendor // of what is inserted
	back     time.Duration // how long before now it was created
}

var (
	readers = [][]loci.Vendor{{loci.AnyVendor}, {"claude"}, {"claude", "cursor"}}
	ago     = []time.Duration{0, 10 * time.Second, time.Minute}
)

func newWorld(tb testing.TB, dir string) *world {
	tb.Helper()
	w := &world{tb: tb, dir: filepath.Join(dir, "index"), now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	st, err := sqlite.Open(context.Background(), sqlite.Options{Dir: dir, Now: func() time.Time { return w.now }})
	if err != nil {
		tb.Fatal(err)
	}
	w.st, w.org, w.user, w.readers = st, loci.DefaultOrg, loci.NewUserID(), readers[0]
	org := loci.Org{ID: w.org, Name: "Default", OwnerID: w.user, CreatedAt: w.now}
	if _, _, err := st.Orgs().Ensure(context.Background(), org, loci.User{}); err != nil {
		tb.Fatal(err)
	}
	return w
}

func (w *world) close() {
	if err := w.st.Close(); err != nil {
		w.tb.Error(err)
	}
}

// process returns an index as another process has it, which writes small files.
func (w *world) process() *Index {
	x := New(Options{Store: w.st, Dir: w.dir, Log: slog.New(slog.DiscardHandler)})
	x.limits = limits{flushRows: 5, buildRows: 7, fileRows: 40, stint: 50 * time.Millisecond, block: 4}
	return x
}

func (w *world) update(fn func(context.Context, store.Tx) error) {
	w.tb.Helper()
	ctx := context.Background()
	if err := w.st.Update(ctx, w.org, func(tx store.Tx) error { return fn(ctx, tx) }); err != nil {
		w.tb.Fatal(err)
	}
}

func (w *world) insert(n int, text string, session loci.SessionID) {
	var list []*loci.Memory
	for range n {
		w.now = w.now.Add(time.Second)
		m := &loci.Memory{ID: loci.NewMemoryID(), Title: text, Content: text, Type: loci.Semantic, Category: "fact",
			Importance: 5, Source: "manual", SessionID: session, CreatedAt: w.now.Add(-w.back), UpdatedAt: w.now,
			Tags: []string{}, Access: loci.Access{OrgID: w.org, UserID: w.user, Scope: loci.ScopeGlobal, Origin: "api",
				AllowedVendors: w.readers},
			State: loci.State{Version: 1, Change: loci.Created, Editor: "api"}}
		list = append(list, m)
	}
	w.update(func(ctx context.Context, tx store.Tx) error {
		for _, m := range list {
			if err := tx.Memories().Insert(ctx, m); err != nil {
				return err
			}
		}
		return nil
	})
	w.live = append(w.live, list...)
}

// replace changes a memory, and forgets it if it is not live any more.
func (w *world) replace(i int, change func(*loci.Memory)) {
	w.now = w.now.Add(time.Second)
	m := *w.live[i]
	m.Version++
	m.UpdatedAt, m.Change = w.now, loci.Updated
	change(&m)
	w.update(func(ctx context.Context, tx store.Tx) error { return tx.Memories().Replace(ctx, &m) })
	if w.live[i] = &m; !m.DeletedAt.IsZero() || !m.SupersededBy.IsZero() {
		w.live = slices.Delete(w.live, i, i+1)
	}
}

func (w *world) erase(id loci.MemoryID) {
	w.update(func(ctx context.Context, tx store.Tx) error { return tx.Memories().Erase(ctx, id) })
	w.live = slices.DeleteFunc(w.live, func(m *loci.Memory) bool { return m.ID == id })
}

func (w *world) snapshot(x *Index) (s *Snapshot) {
	w.tb.Helper()
	ctx := context.Background()
	err := w.st.View(ctx, w.org, func(tx store.Tx) (err error) { s, err = x.Snapshot(ctx, tx, w.org); return err })
	if err != nil || !s.Whole {
		w.tb.Fatalf("whole %v: %v", s != nil && s.Whole, err)
	}
	return s
}

// check requires an index to have each live memory once, as it is now, with the memories beside it
// that an index built at once has.
func (w *world) check(what string, x *Index) {
	w.tb.Helper()
	once := New(Options{Store: w.st, Log: x.log})
	once.limits.block = x.limits.block
	s, fresh := w.snapshot(x), w.snapshot(once)
	n := 0
	for _, v := range s.views {
		n += v.Live()
	}
	if n != len(w.live) {
		w.tb.Errorf("%s: the index has %d rows, want %d", what, n, len(w.live))
	}
	for _, m := range w.live {
		found := 0
		for _, v := range s.views {
			if at, ok := v.Updated(m.ID); ok {
				found++
				if at != m.UpdatedAt.UnixMicro() {
					w.tb.Errorf("%s: memory %s is indexed as of %d, and changed at %d", what, m.ID, at, m.UpdatedAt.UnixMicro())
				}
			}
		}
		if got, want := group(s, m.ID), group(fresh, m.ID); found != 1 || !slices.Equal(got, want) {
			w.tb.Errorf("%s: memory %s is there %d times, beside %v, want %v", what, m.ID, found, got, want)
		}
	}
	for _, p := range s.parts {
		all := &Snapshot{views: []*index.View{index.NewView(p.view.Segment)}}
		p.view.Each(func(id [16]byte) bool {
			if has, had := group(&Snapshot{views: []*index.View{p.view}}, id), group(all, id); !slices.Equal(has, had) {
				w.tb.Errorf("%s: of what was indexed beside each other, %d of %d rows are left", what, len(has), len(had))
				return false
			}
			return true
		})
	}
	if len(s.views) > 60 {
		w.tb.Errorf("%s: there are %d parts", what, len(s.views))
	}
}

func group(s *Snapshot, id loci.MemoryID) (list []string) {
	for _, v := range s.views {
		v.Group(id, func(mate [16]byte) { list = append(list, loci.MemoryID(mate).String()) })
	}
	slices.Sort(list)
	return list
}

// TestIndexHasTheRows changes memories at random, in the presence of several processes that write and
// merge files at random times, end and begin. Each index must have exactly the live memories.
func TestIndexHasTheRows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		w := newWorld(t, dir)
		defer w.close()
		processes := []*Index{w.process(), w.process()}
		w.sessions = []loci.SessionID{{}, loci.NewSessionID(), loci.NewSessionID()}
		some := func() int { return rapid.IntRange(0, len(w.live)-1).Draw(rt, "memory") }
		one := func() *Index { return processes[rapid.IntRange(0, 1).Draw(rt, "process")] }
		actions := map[string]func(*rapid.T){
			"insert": func(rt *rapid.T) {
				w.readers, w.back = rapid.SampledFrom(readers).Draw(rt, "readers"), rapid.SampledFrom(ago).Draw(rt, "ago")
				w.insert(rapid.IntRange(1, 20).Draw(rt, "n"), "words", rapid.SampledFrom(w.sessions).Draw(rt, "session"))
			},
			"search": func(rt *rapid.T) { w.snapshot(one()) },
			"save": func(rt *rapid.T) {
				x, ctx := one(), context.Background()
				err := w.st.View(ctx, w.org, func(tx store.Tx) error { _, err := x.Recent(ctx, tx, w.org); return err })
				if err != nil {
					rt.Fatal(err)
				}
			},
			"upkeep": func(rt *rapid.T) {
				x := one()
				for _, o := range x.open() {
					x.upkeep(context.Background(), o, rapid.Bool().Draw(rt, "erased"), 0)
				}
			},
			"restart": func(rt *rapid.T) { processes[rapid.IntRange(0, 1).Draw(rt, "process")] = w.process() },
			"change": func(rt *rapid.T) {
				if len(w.live) == 0 {
					return
				}
				switch i := some(); rapid.IntRange(0, 5).Draw(rt, "change") {
				case 0:
					w.erase(w.live[i].ID)
				case 1:
					w.replace(i, func(m *loci.Memory) { m.DeletedAt, m.Change = w.now, loci.Trashed })
				case 2:
					w.replace(i, func(m *loci.Memory) { m.SupersededBy = loci.NewMemoryID() })
				case 3:
					w.replace(i, func(m *loci.Memory) { m.SessionID = rapid.SampledFrom(w.sessions).Draw(rt, "session") })
				case 4:
					w.replace(i, func(m *loci.Memory) { m.Content = "other" })
				case 5:
					w.replace(i, func(m *loci.Memory) { m.AllowedVendors = rapid.SampledFrom(readers).Draw(rt, "readers") })
				}
			},
		}
		rt.Repeat(actions)
		for i, x := range processes {
			w.check(fmt.Sprintf("process %d", i), x)
		}
		w.check("a new process", w.process())
	})
}

// TestDamagedFiles requires an index whose files are damaged, cut, or missing to be built again.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func([]byte) []byte{
		"a changed byte": func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		"cut":            func(b []byte) []byte { return b[:len(b)/2] },
		"empty":          func([]byte) []byte { return nil },
		"gone":           nil,
	} {
		for _, kind := range []string{manifestName, "*" + segmentSuffix} {
			w := newWorld(t, t.TempDir())
			w.insert(20, "words", loci.SessionID{})
			x := w.process()
			w.snapshot(x)
			x.Flush(t.Context())
			files, err := filepath.Glob(filepath.Join(w.dir, string(w.org), kind))
			if err != nil || len(files) != 1 {
				t.Fatalf("%d files: %v", len(files), err)
			}
			if damage == nil {
				err = os.Remove(files[0])
			} else if data, e := os.ReadFile(files[0]); e == nil {
				err = os.WriteFile(files[0], damage(data), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			x = w.process()
			w.check(kind+" "+name, x)
			x.Flush(t.Context())
			w.check(kind+" "+name+", written again", w.process())
			w.close()
		}
	}
}

// TestIndexWithoutADirectory requires an index whose files cannot be written to work in memory.
func TestIndexWithoutADirectory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir())
	defer w.close()
	w.insert(20, "words", loci.SessionID{})
	if err := os.WriteFile(w.dir, nil, 0o600); err != nil { // a file where the directory should be
		t.Fatal(err)
	}
	x := w.process()
	w.check("before", x)
	x.Flush(t.Context())
	w.check("after", x)
}

// TestOlderTransactions requires a search in an older transaction to leave the index as it is.
func TestOlderTransactions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir())
	defer w.close()
	w.insert(3, "words", loci.SessionID{})
	x := w.process()
	err := w.st.View(t.Context(), w.org, func(older store.Tx) error {
		if _, err := older.Rows().End(t.Context()); err != nil { // the snapshot begins here
			return err
		}
		w.insert(3, "words", loci.SessionID{})
		w.snapshot(x)
		s, err := x.Snapshot(t.Context(), older, w.org)
		if err != nil || len(s.views) == 0 {
			t.Errorf("%d parts: %v", len(s.views), err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w.check("after that", x)
}

// TestLongSessions requires a change of a long session to touch a part of it only.
func TestLongSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir())
	defer w.close()
	session := loci.NewSessionID()
	w.insert(9*blockRows, "words", session)
	x := New(Options{Store: w.st, Log: slog.New(slog.DiscardHandler)})
	w.snapshot(x)
	for what, change := range map[string]func(){
		"one more":   func() { w.insert(1, "words", session) },
		"one edited": func() { w.replace(rand.IntN(len(w.live)), func(m *loci.Memory) { m.Content = "other" }) },
	} {
		change()
		s := w.snapshot(x)
		if n := s.views[len(s.views)-1].Live(); n > 7*blockRows { // mostly a third of that, but ids are random
			t.Errorf("%s: %d rows changed", what, n)
		}
		w.check(what, x)
	}
	w.erase(w.live[rand.IntN(blockRows)].ID)
	w.check("one erased", x)
}

func BenchmarkFollow(b *testing.B) {
	w := newWorld(b, b.TempDir())
	defer w.close()
	w.insert(1000, "several words of a memory that is about as long as many", loci.SessionID{})
	x := New(Options{Store: w.st, Log: slog.New(slog.DiscardHandler)})
	w.snapshot(x)
	for b.Loop() {
		b.StopTimer()
		w.insert(1, "several words of a memory that is about as long as many", loci.SessionID{})
		b.StartTimer()
		w.snapshot(x)
	}
}

// TestUpkeepOfDeletedOrgs requires the upkeep of an org that does not exist any more to end, and to forget it.
func TestUpkeepOfDeletedOrgs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir())
	defer w.close()
	x := w.process()
	x.Touch("gone")
	x.Touch(w.org)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, o := range x.open() {
		x.upkeep(ctx, o, false, 0) // must return by itself
	}
	if list := x.open(); len(list) != 1 || list[0].org != w.org {
		t.Errorf("%d indexes are open, want that of %s", len(list), w.org)
	}
}

// TestIdleIndexesAreClosed requires an index that nobody uses to leave the memory, and to be found in its
// files.
func TestIdleIndexesAreClosed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir())
	defer w.close()
	w.insert(9, "words", loci.SessionID{})
	x := w.process()
	w.snapshot(x)
	x.Flush(t.Context())
	for i, want := range []int{1, 0, 0} {
		if x.rewriteAll(t.Context()); len(x.open()) != want {
			t.Errorf("after round %d: %d indexes are open, want %d", i, len(x.open()), want)
		}
	}
	w.insert(1, "words", loci.SessionID{})
	w.check("after that", x)
}
