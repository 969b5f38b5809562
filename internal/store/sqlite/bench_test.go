package sqlite

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// vocabulary is skewed as words are: few are frequent.
type vocabulary struct{ r *rand.Rand }

func newVocabulary() vocabulary { return vocabulary{rand.New(rand.NewPCG(1, 2))} }

func (v vocabulary) word() string {
	x := v.r.Float64()
	n := int(20000 * x * x * x)
	return string([]byte{'a' + byte(n%26), 'e', 'a' + byte(n/26%26), 'o', 'a' + byte(n/676%26), 'i', 'a' + byte(n/17576)})
}

func (v vocabulary) words(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = v.word()
	}
	return strings.Join(list, " ")
}

// memory is about as long as those that people keep: 8 + 45 words, 3 tags.
func (v vocabulary) memory(user loci.UserID, i int) *loci.Memory {
	m := newMemory(user, v.words(8), fmt.Sprint("tag-", i%50), fmt.Sprint("topic-", v.r.IntN(500)), "note")
	m.Content, m.Pinned = v.words(45), i%500 == 0
	if i%10 == 0 {
		m.Key = fmt.Sprint("key-", i/10%100)
	}
	m.CreatedAt = time.UnixMicro(1_700_000_000_000_000 + int64(i)*1_000_000).UTC()
	m.UpdatedAt = m.CreatedAt
	return m
}

func fill(b *testing.B, n int) (*Store, loci.UserID, []loci.MemoryID) {
	b.Helper()
	s, user := newStore(b, Options{})
	v := newVocabulary()
	var ids []loci.MemoryID
	for len(ids) < n {
		list := make([]*loci.Memory, min(1000, n-len(ids)))
		for i := range list {
			list[i] = v.memory(user, len(ids))
			ids = append(ids, list[i].ID)
		}
		insert(b, s, loci.DefaultOrg, list...)
	}
	return s, user, ids
}

func BenchmarkInsert(b *testing.B) {
	s, user := newStore(b, Options{})
	v := newVocabulary()
	list := make([]*loci.Memory, b.N)
	for i := range list {
		list[i] = v.memory(user, i)
	}
	b.ResetTimer()
	for _, m := range list {
		insert(b, s, loci.DefaultOrg, m)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkInsert16(b *testing.B) {
	s, user := newStore(b, Options{})
	b.SetParallelism(8) // × GOMAXPROCS, which is 2 where the figures were taken
	b.RunParallel(func(pb *testing.PB) {
		v := newVocabulary()
		for i := 0; pb.Next(); i++ {
			insert(b, s, loci.DefaultOrg, v.memory(user, i))
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkInsertDriver is the yardstick: the same statements on the driver
// itself, one transaction for each row.
func BenchmarkInsertDriver(b *testing.B) {
	user := loci.NewUserID()
	plain, err := OpenPlain(filepath.Join(b.TempDir(), "plain.db"), user, true)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = plain.Close() }()
	v := newVocabulary()
	list := make([]*loci.Memory, b.N)
	for i := range list {
		list[i] = v.memory(user, i)
	}
	b.ResetTimer()
	for _, m := range list {
		if err := plain.Insert(m); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkRead(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		if testing.Short() && n > 10_000 {
			continue
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, user, ids := fill(b, n)
			v := loci.Viewer{OrgID: loci.DefaultOrg, UserID: user, Vendor: "claude"}
			view := func(b *testing.B, fn func(i int, tx store.Tx) error) {
				i := 0
				for b.Loop() {
					if err := s.View(bg, loci.DefaultOrg, func(tx store.Tx) error { return fn(i, tx) }); err != nil {
						b.Fatal(err)
					}
					i++
				}
			}
			repeated := false // else each list is the first one since a commit
			list := func(q store.ListQuery) func(b *testing.B) {
				return func(b *testing.B) {
					view(b, func(i int, tx store.Tx) error {
						if !repeated {
							s.pages = sqlstore.NewPages()
						}
						page, err := tx.Lists().List(bg, v, q)
						if len(page.Memories) != 20 {
							b.Fatalf("%d rows", len(page.Memories))
						}
						return err
					})
				}
			}
			b.Run("Get", func(b *testing.B) {
				view(b, func(i int, tx store.Tx) error {
					_, err := tx.Memories().Get(bg, v, ids[i*7919%len(ids)], loci.LiveOnly)
					return err
				})
			})
			b.Run("Latest20", list(store.ListQuery{Limit: 20}))
			b.Run("Latest20Total", list(store.ListQuery{Limit: 20, Total: true}))
			repeated = true
			b.Run("Latest20Repeated", list(store.ListQuery{Limit: 20}))
			repeated = false
			tag := store.Filter{Tags: []string{"tag-7"}}
			b.Run("ByTag20", list(store.ListQuery{Limit: 20, Filter: tag}))
			b.Run("ByTag20Total", list(store.ListQuery{Limit: 20, Total: true, Filter: tag}))
			b.Run("Key20", func(b *testing.B) {
				view(b, func(_ int, tx store.Tx) error {
					page, err := tx.Lists().List(bg, v, store.ListQuery{Limit: 20, Total: true, Filter: store.Filter{Key: "key-7"}})
					if len(page.Memories) != n/1000 && len(page.Memories) != 20 {
						b.Fatalf("%d rows", len(page.Memories))
					}
					return err
				})
			})
			b.Run("Pinned20", list(store.ListQuery{Limit: 20, Filter: store.Filter{Pinned: true}}))
			b.Run("Superseded20", list(store.ListQuery{Limit: 20, Filter: store.Filter{When: loci.When{Superseded: true}}}))
			at := time.UnixMicro(1_700_000_000_000_000 + int64(n/2)*1_000_000)
			b.Run("AsOf20", list(store.ListQuery{Limit: 20, Filter: store.Filter{When: loci.When{AsOf: at}}}))
			b.Run("KnownAt20", list(store.ListQuery{Limit: 20, Filter: store.Filter{When: loci.When{KnownAt: at}}}))
			b.Run("GetKnownAt", func(b *testing.B) {
				view(b, func(i int, tx store.Tx) error {
					_, err := tx.Memories().GetAt(bg, v, ids[i*7919%(len(ids)/2)], loci.When{KnownAt: at})
					return err
				})
			})
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
			b.Run("Disk", func(b *testing.B) {
				info, err := os.Stat(filepath.Join(s.Dir(), orgsDir, "default.db"))
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
				}
				b.ReportMetric(float64(info.Size())/float64(n), "bytes/memory")
			})
		})
	}
}

// BenchmarkByHash finds one of 100,000 credentials with its org, as every
// request with a key does.
func BenchmarkByHash(b *testing.B) {
	s, user := newStore(b, Options{})
	const n = 100_000
	hash := func(i int) (h [32]byte) { return [32]byte{byte(i), byte(i >> 8), byte(i >> 16), 1} }
	err := s.meta.Update(bg, func(c *sqlitedb.Conn) error {
		r := sqlstore.NewRegistry(oneTx{sharedConn(c)}, dialect, time.Now)
		for i := range n {
			key := loci.Credential{ID: loci.NewCredentialID(), OrgID: loci.DefaultOrg, UserID: user, Kind: loci.KindAgent,
				Vendor: "claude",
				Name:   "laptop", Hash: hash(i), Prefix: "loci_agent_ab", CreatedAt: oldTime}
			if err := r.Credentials().Insert(bg, key); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(explain(err))
	}
	for i := 0; b.Loop(); i++ {
		if _, err := s.Credentials().ByHash(bg, hash(i*7919%n)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkView is what a read transaction costs that reads nothing.
func BenchmarkView(b *testing.B) {
	s, _ := newStore(b, Options{})
	for b.Loop() {
		if err := s.View(bg, loci.DefaultOrg, func(store.Tx) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

// oneTx runs everything in the transaction that is there.
type oneTx struct{ conn }

func (t oneTx) View(_ context.Context, fn func(sqlstore.Conn) error) error { return fn(t.conn) }

func (t oneTx) Update(_ context.Context, fn func(sqlstore.Conn) error) error { return fn(t.conn) }
