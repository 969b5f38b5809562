package recall

import (
	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
)

// Question tmp.
type Question struct{ Ask Ask }

// Find tmp.
func (q *Question) Find(views []*index.View) index.Result { return index.Result{Hits: Find(views, q.Ask)} }

// IndexRow tmp.
func IndexRow(m *loci.Memory) index.Row {
	r := index.Row{ID: m.ID, Time: m.CreatedAt, Fields: []index.Field{{Text: m.Title}, {Text: m.Content}}, Updated: m.UpdatedAt}
	if !m.SessionID.IsZero() {
		r.Session = m.SessionID.String()
	}
	return r
}
