package sqlite

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
)

// searchGraph does what App.SearchGraph does for the first ten hits, and returns how many there are.
func searchGraph(g store.Graph, v loci.Viewer, q *loci.GraphQuery) (int, error) {
	found, err := g.Search(bg, v, q)
	ids := recall.RankGraph(found.Matches)
	if err == nil {
		_, err = g.Get(bg, v, ids[:min(10, len(ids))]...)
	}
	return len(ids), err
}

// frequentText has frequent words more often than text has: the most frequent one is in a third of them.
func frequentText(z zipf, n int) string {
	const flat, vocabulary = 2.7, 24_000
	words := make([]string, n)
	for i := range words {
		words[i] = zipfWord(int(flat * (math.Pow(vocabulary/flat+1, z.r.Float64()) - 1)))
	}
	return strings.Join(words, " ")
}

// BenchmarkGraphSearchWords searches 15,000 entities of two observations for two
// words that stand apart in one of these, as `loci bench graph` does.
func BenchmarkGraphSearchWords(b *testing.B) {
	st, user := newStore(b, Options{})
	p, err := st.Projects().Create(bg, loci.Project{OrgID: loci.DefaultOrg, Name: "p", Everyone: true}, user)
	if err != nil {
		b.Fatal(explain(err))
	}
	by := loci.GraphAccess{UserID: user, Origin: "claude", AllowedVendors: []loci.Vendor{"*"}}
	v := loci.Viewer{OrgID: p.OrgID, UserID: user, ProjectIDs: []loci.ProjectID{p.ID}}
	var texts []string
	z := newZipf(1)
	for range 15 {
		items := make([]loci.NewEntity, 1000)
		for k := range items {
			items[k] = loci.NewEntity{EntityRef: loci.EntityRef{Name: fmt.Sprint(frequentText(z, 2), " ", len(texts)+k),
				Type: zipfWord(k % 20)},
				Observations: []string{frequentText(z, 12), frequentText(z, 12)}}
		}
		err := st.UpdateProject(bg, p.OrgID, p.ID,
			func(tx store.GraphTx) error { _, err := tx.Entities().Create(bg, v, by, items); return err })
		if err != nil {
			b.Fatal(explain(err))
		}
		for _, item := range items {
			texts = append(texts, item.Observations[0])
		}
	}
	for _, vendor := range []loci.Vendor{"", "claude"} {
		v.Vendor = vendor
		b.Run("vendor="+string(vendor), func(b *testing.B) {
			median(b, func(i int) {
				words := strings.Fields(texts[i*7919%len(texts)])
				q, err := loci.ParseGraphQuery(words[7] + " " + words[2])
				if err != nil {
					b.Fatal(err)
				}
				err = st.ViewProject(bg, v.OrgID, p.ID, func(tx store.GraphTx) error {
					n, err := searchGraph(tx.Graph(), v, q)
					if n == 0 {
						b.Fatalf("nothing for %q", words)
					}
					return err
				})
				if err != nil {
					b.Fatal(explain(err))
				}
			})
		})
	}
}
