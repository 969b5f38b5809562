package graph

import (
	"bufio"
	"context"
	"io"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/jsonlines"
	"github.com/loci-memory/loci/internal/store"
)

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
