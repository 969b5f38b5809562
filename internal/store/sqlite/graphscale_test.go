package sqlite

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
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
