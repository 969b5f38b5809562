package graph

import (
	"bufio"
	"cmp"
	"context"
	"io"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/jsonlines"
	"github.com/loci-memory/loci/internal/store"
)

// MaxWhole limits the text of Whole, in bytes. It is more than any model reads.
const MaxWhole = 4 << 20

// Whole returns everything that p sees of a project's graph, in the order in which it was stored,
// from one snapshot: the entities that keep accepts, and the relations of entities with their names.
// It is for clients that know no pages. TooLarge if that is more than MaxWhole bytes of text.
func (s *Service) Whole(ctx context.Context, p loci.Principal, in loci.ProjectID, keep func(*loci.Entity) bool) (
	*Page, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return nil, err
	}
	return View(ctx, s, p, in, func(tx store.GraphTx, v loci.Viewer) (*Page, error) {
		g := whole{keep: keep, names: map[string]bool{}}
		for q := (store.GraphQuery{Limit: exportRows}); ; {
			rows, next, err := tx.Graph().Rows(ctx, v, q)
			if err != nil {
				return nil, err
			}
			if q.After = next; next == "" || len(rows.Relations) > 0 {
				g.add(&rows, 0)
			} else {
				g.add(&rows, 1)
			}
			if g.size > MaxWhole {
				return nil, loci.Errorf(loci.TooLarge, "this is more than %d bytes of the graph at once; find a part of it with "+
					"search_nodes, or name entities with open_nodes", MaxWhole)
			}
			if next == "" {
				return &g.Page, nil
			}
		}
	})
}

type whole struct {
	Page
	keep  func(*loci.Entity) bool
	open  []loci.Entity   // not decided yet
	names map[string]bool // of the entities that are kept
	size  int             // of the text that is kept
}

// add adds a page of rows, which has entities with their observations and then relations. The
// observations of the last entities, as many as undecided, may go on in the next page.
func (g *whole) add(rows *store.GraphRows, undecided int) {
	g.open = append(g.open, rows.Entities...)
	at := map[loci.EntityID]int{}
	for i := range g.open {
		at[g.open[i].ID] = i
	}
	for _, o := range rows.Observations {
		e := &g.open[at[o.EntityID]]
		e.Observations = append(e.Observations, o)
	}
	for len(g.open) > undecided {
		if e := &g.open[0]; g.keep(e) {
			g.Entities, g.names[e.Name] = append(g.Entities, *e), true
			g.size += len(e.Name) + len(e.Type)
			for i := range e.Observations {
				g.size += len(e.Observations[i].Content)
			}
		}
		g.open = g.open[1:]
	}
	for _, r := range rows.Relations {
		if g.names[r.From] || g.names[r.To] {
			g.Relations = append(g.Relations, r)
			g.size += len(r.From) + len(r.To) + len(r.Type)
		}
	}
}

// CreateNew is CreateEntities, except that it leaves out items whose name an entity of any type
// has, and all but the first of items with one name.
func (s *Service) CreateNew(ctx context.Context, p loci.Principal, in loci.ProjectID, items []loci.NewEntity) (
	[]PutEntity, error) {
	if err := s.Begin(ctx, p, Write); err != nil {
		return nil, err
	}
	by, err := writer(p, nil)
	if err = cmp.Or(err, checkItems("entities", items, checkNew)); err != nil {
		return nil, err
	}
	return change(ctx, s, p, Write, in, count, func(tx store.GraphTx, v loci.Viewer) ([]PutEntity, error) {
		refs := loci.Mapped(items, func(e loci.NewEntity) loci.EntityRef { return loci.EntityRef{Name: e.Name} })
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

// drawnRows is how many rows a line of a drawing has at most.
const drawnRows = 2000

// Draw writes the compact form of what p sees of a project's live graph to w, one loci.GraphChunk on each line, in the
// order in which the rows were stored. It reads one snapshot, whatever is written meanwhile. In memory it keeps a page
// and the ids of the entities. TooLarge if there are more entities than loci.MaxDrawing.
func (s *Service) Draw(ctx context.Context, p loci.Principal, in loci.ProjectID, w io.Writer) error {
	if err := s.Begin(ctx, p, Read); err != nil {
		return err
	}
	return s.enter(ctx, p, in, s.Store.ViewProject, func(tx store.GraphTx, v loci.Viewer) error {
		first, err := tx.Graph().Read(ctx, v, store.GraphQuery{Limit: 1})
		if err != nil {
			return err
		}
		if n := len(first.Entities) + first.Left; n > loci.MaxDrawing {
			return loci.Errorf(loci.TooLarge, "the graph has %s entities, and the compact form at most %s; search it, or read "+
				"the neighbours of an entity", loci.Thousands(n), loci.Thousands(loci.MaxDrawing))
		}
		out := bufio.NewWriterSize(w, 1<<16)
		d := drawing{out: out, entities: make(map[loci.EntityID]int, len(first.Entities)+first.Left),
			entityTypes: map[string]int{}, relationTypes: map[string]int{}}
		for q := (store.GraphQuery{Limit: drawnRows, Bare: true}); ; {
			rows, next, err := tx.Graph().Rows(ctx, v, q)
			if err == nil {
				err = d.add(&rows)
			}
			if err != nil {
				return err
			}
			if q.After = next; next == "" {
				break
			}
		}
		end := loci.GraphEnd{Entities: len(d.entities), Relations: d.relations}
		if err := jsonlines.Write(out, loci.GraphChunk{End: &end}); err != nil {
			return err
		}
		return out.Flush()
	})
}

type drawing struct {
	out                        io.Writer
	entities                   map[loci.EntityID]int // their numbers
	entityTypes, relationTypes map[string]int        // their numbers
	relations                  int
}

// add writes a page of rows, as one line of entities and one of relations.
func (d *drawing) add(rows *store.GraphRows) error {
	var of, among loci.GraphChunk
	for i := range rows.Entities {
		e := &rows.Entities[i]
		d.entities[e.ID] = len(d.entities)
		of.IDs, of.Names = append(of.IDs, e.ID), append(of.Names, e.Name)
		of.Types = append(of.Types, numbered(d.entityTypes, e.Type, &of.EntityTypes))
	}
	for i := range rows.Relations {
		r := &rows.Relations[i]
		among.From, among.To = append(among.From, d.entities[r.FromID]), append(among.To, d.entities[r.ToID])
		among.Types = append(among.Types, numbered(d.relationTypes, r.Type, &among.RelationTypes))
		d.relations++
	}
	for _, line := range []*loci.GraphChunk{&of, &among} {
		if len(line.Types) == 0 {
			continue
		}
		if err := jsonlines.Write(d.out, line); err != nil {
			return err
		}
	}
	return nil
}

// numbered returns the number of a type. A new one gets the next, and goes to added.
func numbered(numbers map[string]int, name string, added *[]string) int {
	n, known := numbers[name]
	if !known {
		n = len(numbers)
		numbers[name], *added = n, append(*added, name)
	}
	return n
}
