//go:build unix

package app_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

// BenchmarkCreate saves memories beside 100,000 others: with a look at what is similar, and by who may not read,
// without. cpu-µs/op is of the whole process, and says more than the time where others use the machine too.
func BenchmarkCreate(b *testing.B) {
	a, st, p := benchmarked(b)
	fill(b, st, p, 100_000)
	for partial := true; partial; { // the index is built while one searches
		page, err := a.Memory.Search(b.Context(), p, memory.SearchRequest{Query: "deploy"})
		if err != nil {
			b.Fatal(err)
		}
		partial = page.StoppedBy != ""
	}
	blind := p
	blind.Rights = []loci.Right{loci.RightWrite}
	none := func(int) string { return "" }
	keyed := func(i int) string { return "key-" + spoken(i) }
	for _, bb := range []struct {
		name  string
		by    loci.Principal
		words int
		key   func(int) string
	}{{"long/similar", p, 42, none}, {"long/blind", blind, 42, none}, {"short/similar", p, 9, none},
		{"short/blind", blind, 9, none}, {"keyed/similar", p, 42, keyed}} {
		save := func(b *testing.B, i int) {
			d := memory.Draft{Title: someWords(4), Content: someWords(bb.words), Tags: []string{"ops"}, Key: bb.key(i)}
			if _, err := a.Memory.Create(b.Context(), bb.by, d); err != nil {
				b.Error(err)
			}
		}
		b.Run(bb.name+"/one", func(b *testing.B) {
			before, n := processTime(b), 0
			for b.Loop() {
				save(b, n)
				n++
			}
			b.ReportMetric(float64((processTime(b)-before).Microseconds())/float64(n), "cpu-µs/op")
		})
		b.Run(bb.name+"/sixteen", func(b *testing.B) {
			before := processTime(b)
			b.SetParallelism(8)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					save(b, rand.IntN(1<<30))
				}
			})
			b.ReportMetric(float64((processTime(b)-before).Microseconds())/float64(b.N), "cpu-µs/op")
		})
	}
}

func benchmarked(b *testing.B) (*app.App, store.Store, loci.Principal) {
	st, err := sqlite.Open(b.Context(), sqlite.Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = st.Close() })
	a := app.New(app.Options{Store: st, Now: time.Now})
	org, _, err := a.Identity.Setup(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return a, st, loci.Principal{Kind: loci.KindUser, OrgID: org.ID, UserID: org.OwnerID, Origin: "api"}
}

func fill(b *testing.B, st store.Store, p loci.Principal, memories int) {
	b.Helper()
	for done := 0; done < memories; done += 100 { // as small transactions make the index that there is in practice
		err := st.Update(b.Context(), p.OrgID, func(tx store.Tx) error {
			for range 100 {
				m := &loci.Memory{ID: loci.NewMemoryID(), Title: someWords(4), Content: someWords(42), CreatedAt: time.Now(),
					UpdatedAt: time.Now()}
				m.OrgID, m.UserID, m.Origin = p.OrgID, p.UserID, "api"
				m.Version, m.Change, m.Editor = 1, loci.Created, "api"
				m.SetDefaults()
				if err := tx.Memories().Insert(b.Context(), m); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// processTime is the time of a processor that this process has used.
func processTime(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// someWords are as often in a text as words are: one in the first ten is a hundred times as frequent as one of the
// last thousand.
func someWords(n int) string {
	var text []string
	for range n {
		text = append(text, spoken(int(math.Exp(rand.Float64()*9)))) // up to 8,103
	}
	return strings.Join(text, " ")
}
