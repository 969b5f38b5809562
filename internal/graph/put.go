package graph

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// putter stores a batch of an import in one transaction and counts the results.
type putter struct {
	tx   store.GraphTx
	v    loci.Viewer
	by   loci.GraphAccess
	done *Report
	rows []any // what was added, for Notice
}

func (g *putter) all(ctx context.Context, items []*item) error {
	err := g.entities(ctx, items)
	if err == nil {
		err = g.relations(ctx, items)
	}
	for _, kind := range []struct {
		count *int
		has   func(*store.GraphRows) int
	}{{&g.done.Entities, func(r *store.GraphRows) int { return len(r.Entities) }},
		{&g.done.Observations, func(r *store.GraphRows) int { return len(r.Observations) }},
		{&g.done.Relations, func(r *store.GraphRows) int { return len(r.Relations) }}} {
		if err == nil {
			err = g.insert(ctx, items, kind.count, kind.has)
		}
	}
	return err
}

func (g *putter) entities(ctx context.Context, items []*item) error {
	var news []loci.NewEntity
	var from []*item
	for _, item := range items {
		for _, e := range item.entities {
			news, from = append(news, e), append(from, item)
		}
	}
	var before *item
	for some := range slices.Chunk(news, loci.MaxGraphItems) {
		put, err := g.tx.Entities().Create(ctx, g.v, g.by, some)
		if err != nil {
			return blame(err, from)
		}
		g.rows = append(g.rows, put)
		for i := range put {
			g.countEntity(&some[i], &put[i], from[i] == before)
			before = from[i]
		}
		from = from[len(some):]
	}
	return nil
}

// countEntity counts the result for an entity, or for a further part of one.
func (g *putter) countEntity(e *loci.NewEntity, put *PutEntity, part bool) {
	switch {
	case put.Created:
		g.done.Entities++
	case !part:
		g.done.Present++
	}
	g.done.Present += len(e.Observations) - len(put.Added)
	g.done.Observations += len(put.Added)
}

func (g *putter) relations(ctx context.Context, items []*item) error {
	var news []loci.NewRelation
	var from []*item
	for _, item := range items {
		if item.relation != nil {
			news, from = append(news, *item.relation), append(from, item)
		}
	}
	if len(news) == 0 {
		return nil
	}
	put, err := g.tx.Entities().Relate(ctx, g.v, g.by, news)
	if err != nil {
		return blame(err, from)
	}
	g.rows = append(g.rows, put)
	for i := range put {
		if put[i].Created {
			g.done.Relations++
		} else {
			g.done.Present++
		}
	}
	return nil
}

// insert stores the rows of one kind unchanged.
func (g *putter) insert(ctx context.Context, items []*item, count *int, has func(*store.GraphRows) int) error {
	var rows store.GraphRows
	var from []*item
	for _, item := range items {
		if has(&item.rows) == 0 {
			continue
		}
		rows.Entities = append(rows.Entities, item.rows.Entities...)
		rows.Observations = append(rows.Observations, item.rows.Observations...)
		rows.Relations = append(rows.Relations, item.rows.Relations...)
		from = append(from, item)
	}
	if len(from) == 0 {
		return nil
	}
	added, present, err := g.tx.Entities().Insert(ctx, g.v, rows)
	if err != nil {
		return blame(err, from)
	}
	*count += added
	g.rows = append(g.rows, rows)
	g.done.Present += present
	return nil
}
