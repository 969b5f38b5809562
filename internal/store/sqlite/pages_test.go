package sqlite

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// TestPagesAreOfNow asks for pages again and again, while two stores of one directory write, time
// passes, and readers and queries differ. A transaction that writes keeps no pages, so it tells what
// each answer must be.
func TestPagesAreOfNow(t *testing.T) {
	t.Parallel()
	now := oldTime
	opts := Options{Dir: t.TempDir(), Now: func() time.Time { return now }}
	s, user := newStore(t, opts)
	stores := []*Store{s, openStore(t, opts)}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	x := &pageWalk{T: t, random: rand.New(rand.NewPCG(seed, 0)), user: user} // #nosec G404 -- a test
	for step := range 80 {
		now = now.Add(time.Duration(x.random.IntN(20)) * time.Minute)
		if step < 10 || x.random.IntN(3) == 0 { // else only the time passes
			x.write(stores[x.random.IntN(2)], now, step)
		}
		for range 3 {
			x.compare(stores[x.random.IntN(2)])
		}
	}
}

// TestPagesEndInTime lets rows expire and become true that are not on the page.
func TestPagesEndInTime(t *testing.T) {
	t.Parallel()
	now := oldTime
	s, user := newStore(t, Options{Dir: t.TempDir(), Now: func() time.Time { return now }})
	x := &pageWalk{T: t, user: user}
	for i, expires := range []bool{true, false, false, true} { // from the oldest to the newest
		m := newMemory(user, string(rune('a'+i)), "t")
		m.CreatedAt = now.Add(time.Duration(i) * time.Second)
		if expires {
			m.ExpiresAt = now.Add(time.Hour)
		}
		if i == 2 {
			m.ValidFrom = now.Add(time.Hour)
		}
		insert(t, s, loci.DefaultOrg, m)
	}
	person := loci.Viewer{OrgID: loci.DefaultOrg, UserID: user}
	early := now.Add(3 * time.Second)
	current := store.Filter{Lifecycle: loci.CurrentOnly, From: now.Add(time.Second), To: early}
	queries := map[string]store.ListQuery{"after one": {Limit: 1, Offset: 1},
		"two": {Limit: 2, Filter: store.Filter{To: early}}, "current": {Limit: 4, Filter: current}}
	check := func(q string, more bool, want ...string) {
		t.Helper()
		for range 2 {
			if page := x.list(s.View, person, queries[q]); !slices.Equal(titles(page), want) || (page.Next != "") != more {
				t.Errorf("%s at %v: got %v, more: %v; want %v", q, now, titles(page), page.Next != "", want)
			}
		}
	}
	check("after one", true, "c")
	check("two", true, "c", "b")
	check("current", false, "b")
	now = now.Add(time.Hour)
	check("after one", false, "b")
	check("two", false, "c", "b")
	check("current", false, "c", "b")
}

type pageWalk struct {
	*testing.T

	random *rand.Rand
	user   loci.UserID
	ids    []loci.MemoryID
}

// write stores a memory or changes one in a way that decides who finds it.
func (x *pageWalk) write(s *Store, now time.Time, step int) {
	x.Helper()
	if len(x.ids) < 6 || x.random.IntN(3) == 0 {
		m := newMemory(x.user, "number "+strconv.Itoa(step), "t"+strconv.Itoa(x.random.IntN(2)))
		m.CreatedAt, m.UpdatedAt = now, now
		if x.random.IntN(3) == 0 {
			m.ExpiresAt = now.Add(time.Duration(1+x.random.IntN(60)) * time.Minute)
		}
		insert(x.T, s, loci.DefaultOrg, m)
		x.ids = append(x.ids, m.ID)
		return
	}
	err := s.Update(bg, loci.DefaultOrg, func(tx store.Tx) error {
		v := loci.Viewer{OrgID: loci.DefaultOrg, UserID: x.user}
		old, err := tx.Memories().Get(bg, v, x.ids[x.random.IntN(len(x.ids))], loci.AnyState)
		if err != nil {
			return err
		}
		m := old.Clone()
		m.Version++
		m.UpdatedAt = now
		switch x.random.IntN(4) {
		case 0:
			m.AllowedVendors = []loci.Vendor{"gemini"}
		case 1:
			m.AllowedVendors = []loci.Vendor{"*"}
		case 2:
			m.DeletedAt = now
		default:
			m.DeletedAt, m.Content = time.Time{}, "changed at "+now.String()
		}
		return tx.Memories().Replace(bg, m)
	})
	if err != nil {
		x.Fatal(err)
	}
}

// compare reads each page twice and compares it with what a transaction that writes reads.
func (x *pageWalk) compare(s *Store) {
	x.Helper()
	person := loci.Viewer{OrgID: loci.DefaultOrg, UserID: x.user}
	agent, stranger, limited := person, person, person
	agent.Vendor, stranger.UserID, limited.OnlyProjects = "claude", loci.NewUserID(), true
	for _, v := range []loci.Viewer{person, agent, stranger, limited} {
		for _, q := range []store.ListQuery{{}, {Oldest: true}, {Total: true}, {Offset: 2},
			{Filter: store.Filter{Tags: []string{"t0"}}}, {Filter: store.Filter{Tags: []string{"t0", "t1"}}},
			{Filter: store.Filter{Lifecycle: loci.TrashOnly}}, {Filter: store.Filter{Lifecycle: loci.CurrentOnly}}} {
			q.Limit = 4
			want := x.list(s.Update, v, q)
			for range 2 { // the first may read, the other finds what it has read
				got := x.list(s.View, v, q)
				if !reflect.DeepEqual(got, want) {
					x.Fatalf("%+v, %+v: got %v, want %v", v, q, titles(got), titles(want))
				}
				for _, m := range got.Memories { // a caller may change what it has read
					m.Title, m.Tags[0], m.AllowedVendors[0] = "changed", "changed", "changed"
				}
			}
		}
	}
}

var errEnough = errors.New("enough")

func (x *pageWalk) list(in func(context.Context, loci.OrgID, func(store.Tx) error) error, v loci.Viewer,
	q store.ListQuery) (page store.Page) {
	x.Helper()
	err := in(bg, loci.DefaultOrg, func(tx store.Tx) (err error) {
		if page, err = tx.Lists().List(bg, v, q); err != nil {
			return err
		}
		return errEnough
	})
	if !errors.Is(err, errEnough) {
		x.Fatal(err)
	}
	if page.Next != "" {
		page.Next = "more" // each position is encrypted anew
	}
	return page
}

func titles(page store.Page) (list []string) {
	for _, m := range page.Memories {
		list = append(list, m.Title)
	}
	return list
}
