package sqlite

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// zipf draws words as texts have them: a few make up most of a text, and most
// occur in few texts.
type zipf struct{ r *rand.Rand }

const zipfWords = 40_000

func newZipf(seed uint64) zipf { return zipf{rand.New(rand.NewPCG(seed, 7))} }

func (z zipf) rank() int {
	const flat = 5 // the most frequent word is in a quarter of the observations
	u := z.r.Float64()
	return min(zipfWords-1, int(flat*(math.Pow(zipfWords/float64(flat)+1, u)-1)))
}

func zipfWord(rank int) string {
	var b strings.Builder
	for n := rank + 40; n > 0; n /= 70 {
		b.WriteByte("bdfgklmnprstvz"[n%14])
		b.WriteByte("aeiou"[n/14%5])
	}
	return b.String()
}

func (z zipf) text(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = zipfWord(z.rank())
	}
	return strings.Join(words, " ")
}

// scaleProject returns a project of so many entities with ten observations each.
func scaleProject(tb testing.TB, entities int) (*Store, loci.Viewer, loci.Project) {
	tb.Helper()
	st, user := newStore(tb, Options{})
	v := loci.Viewer{OrgID: loci.DefaultOrg, UserID: user, Vendor: "claude"}
	p, err := st.Projects().Create(bg,
		loci.Project{ID: loci.NewProjectID(), OrgID: loci.DefaultOrg, Name: "scale", Everyone: true,
			Status: loci.ProjectActive}, user)
	if err != nil {
		tb.Fatal(explain(err))
	}
	v.ProjectIDs = []loci.ProjectID{p.ID}
	z := newZipf(1)
	for done := 0; done < entities; {
		n := min(1000, entities-done)
		err := st.UpdateProject(bg, v.OrgID, p.ID,
			func(tx store.GraphTx) error { return scaleRows(tx.(*graphTx), z, user, done, n) })
		if err != nil {
			tb.Fatal(explain(err))
		}
		done += n
	}
	return st, v, p
}

func scaleRows(tx *graphTx, z zipf, user loci.UserID, from, n int) error {
	for i := range n {
		id := loci.NewEntityID()
		err := tx.c.Exec("INSERT INTO entities (id, name, entity_type, user_id, origin) VALUES (?, ?, ?, ?, 'claude')",
			id.String(), fmt.Sprint(z.text(2), " ", from+i), zipfWord(i%20), user.String())
		if err != nil {
			return err
		}
		for range 10 {
			text := z.text(14)
			err := tx.c.Exec("INSERT INTO observations (id, entity_id, user_id, origin, hash, content) VALUES (?, ?, ?, "+
				"'claude', ?, ?)",
				loci.NewObservationID().String(), id.String(), user.String(), sqlstore.GraphHash(id.String(), text), text)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func someTexts(tb testing.TB, st *Store, p loci.Project) (list []string) {
	tb.Helper()
	err := st.ViewProject(bg, p.OrgID, p.ID, func(tx store.GraphTx) (err error) {
		return tx.(*graphTx).c.Query("SELECT content FROM observations WHERE seq % 4999 = 7", nil,
			func(r *sqlitedb.Row) error { list = append(list, r.Text(0)); return nil })
	})
	if err != nil {
		tb.Fatal(explain(err))
	}
	return list
}

func BenchmarkGraphSearchScale(b *testing.B) {
	st, v, p := scaleProject(b, 100_000)
	texts := someTexts(b, st, p)
	for _, kind := range []struct {
		name  string
		query func(z zipf, texts []string) string
	}{
		{"one", func(z zipf, _ []string) string { return zipfWord(z.rank()) + "*" }},
		{"and", func(z zipf, _ []string) string { return zipfWord(z.rank()) + " AND " + zipfWord(z.rank()) }},
		{"and3", func(z zipf, _ []string) string {
			return zipfWord(z.rank()) + " AND " + zipfWord(z.rank()) + " AND " + zipfWord(z.rank())
		}},
		{"or", func(z zipf, _ []string) string { return zipfWord(z.rank()) + " OR " + zipfWord(z.rank()) }},
		{"phrase", func(z zipf, texts []string) string {
			words := strings.Fields(texts[z.r.IntN(len(texts))])
			i, n := z.r.IntN(len(words)-3), 2+z.r.IntN(2)
			return `"` + strings.Join(words[i:i+n], " ") + `"`
		}},
		{"phrase of nothing", func(z zipf, _ []string) string {
			return `"` + zipfWord(z.rank()) + " " + zipfWord(z.rank()) +
				`"`
		}},
		{"plain", func(z zipf, _ []string) string { return z.text(4) }},
		{"not", func(z zipf, _ []string) string { return zipfWord(z.rank()) + " NOT " + zipfWord(z.rank()) }},
	} {
		b.Run(kind.name, func(b *testing.B) {
			z := newZipf(99)
			var times []time.Duration
			found := 0
			for b.Loop() {
				q, err := loci.ParseGraphQuery(kind.query(z, texts))
				if err != nil {
					b.Fatal(err)
				}
				start := time.Now()
				err = st.ViewProject(bg, v.OrgID, p.ID, func(tx store.GraphTx) error {
					n, err := searchGraph(tx.Graph(), v, q)
					found += min(1, n)
					return err
				})
				if err != nil {
					b.Fatal(explain(err))
				}
				times = append(times, time.Since(start))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2])/1e6, "p50-ms")
			b.ReportMetric(float64(times[len(times)*95/100])/1e6, "p95-ms")
			b.ReportMetric(float64(times[len(times)-1])/1e6, "max-ms")
			b.ReportMetric(float64(found)/float64(len(times)), "found")
		})
	}
}
