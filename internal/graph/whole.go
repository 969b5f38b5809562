package graph

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// MaxWhole limits the text of Whole, in bytes.
const MaxWhole = 16 << 20

// Whole returns everything that p sees of a project's graph, in the order in which it was stored,
// from one snapshot. It is for clients that know no pages. TooLarge if the graph has more than
// MaxWhole bytes of text.
func (s *Service) Whole(ctx context.Context, p loci.Principal, in loci.ProjectID) (*Page, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return nil, err
	}
	return View(ctx, s, p, in, func(tx store.GraphTx, v loci.Viewer) (*Page, error) {
		out, at, size := &Page{}, map[loci.EntityID]int{}, 0
		for q := (store.GraphQuery{Limit: exportRows}); ; {
			rows, next, err := tx.Graph().Rows(ctx, v, q)
			if err != nil {
				return nil, err
			}
			for _, e := range rows.Entities {
				at[e.ID] = len(out.Entities)
				out.Entities = append(out.Entities, e)
				size += len(e.Name) + len(e.Type)
			}
			for _, o := range rows.Observations {
				e := &out.Entities[at[o.EntityID]]
				e.Observations = append(e.Observations, o)
				size += len(o.Content)
			}
			out.Relations = append(out.Relations, rows.Relations...)
			if size > MaxWhole {
				return nil, loci.Errorf(loci.TooLarge, "the graph has more than %d bytes of text; read it in pages", MaxWhole)
			}
			if q.After = next; next == "" {
				return out, nil
			}
		}
	})
}

// CreateNew is CreateEntities, except that it leaves out items whose name an entity of any type
// has, and all but the first of items with one name.
func (s *Service) CreateNew(ctx context.Context, p loci.Principal, in loci.ProjectID, items []loci.NewEntity) (
	[]PutEntity, error) {
	if err := s.Begin(ctx, p, Write); err != nil {
		return nil, err
	}
	by, err := writer(p, nil)
	if err == nil {
		err = checkItems("entities", items, (*loci.NewEntity).Validate)
	}
	if err != nil {
		return nil, err
	}
	return change(ctx, s, p, Write, in, many[PutEntity], func(tx store.GraphTx, v loci.Viewer) ([]PutEntity, error) {
		refs := make([]loci.EntityRef, len(items))
		for i := range items {
			refs[i].Name = items[i].Name
		}
		found, err := tx.Graph().Find(ctx, v, refs)
		if err != nil {
			return nil, err
		}
		taken := map[string]bool{}
		for i := range found {
			taken[found[i].Name] = true
		}
		var absent []loci.NewEntity
		for _, item := range items {
			if !taken[item.Name] {
				taken[item.Name], absent = true, append(absent, item)
			}
		}
		if len(absent) == 0 {
			return nil, nil
		}
		return tx.Entities().Create(ctx, v, by, absent)
	})
}
