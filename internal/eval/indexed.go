package eval

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/recall"
)

// Indexed returns the Build with package index and a formula like recall.Formula, in memory and
// without the rest of Loci.
func Indexed(formula index.Weights) Build {
	return func(_ context.Context, units []Unit) (Searcher, int64, error) { return indexUnits(units, formula) }
}

func indexUnits(units []Unit, formula index.Weights) (Searcher, int64, error) {
	b := index.NewBuilder()
	ids := make(map[[16]byte]string, len(units))
	for _, u := range units {
		hash := sha256.Sum256([]byte(u.ID))
		id := [16]byte(hash[:])
		ids[id] = u.ID
		b.Add(index.Row{ID: id, Session: u.Session, Time: u.Time, Actor: u.Speaker,
			Fields: []index.Field{{Text: u.Text}}})
	}
	s, err := index.Open(b.Build())
	if err != nil {
		return nil, 0, err
	}
	return &indexed{[]*index.View{index.NewView(s)}, ids, formula}, s.Size(), nil
}

type indexed struct {
	views []*index.View
	ids   map[[16]byte]string

	formula index.Weights
}

// theUser is how conversations with an assistant call the person who asks.
const theUser = "user"

func (s *indexed) Search(_ context.Context, question string, askedAt time.Time, limit int) ([]string, error) {
	hits := recall.Ask{Text: question, At: askedAt, Self: []string{theUser},
		Sees: func(index.Class) bool { return true }, Limit: limit,
		Weights: s.formula}.Read().Find(s.views).Hits
	list := make([]string, len(hits))
	for i, h := range hits {
		list[i] = s.ids[h.ID]
	}
	return list, nil
}
