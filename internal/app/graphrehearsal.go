package app

import (
	"context"
	"crypto/sha256"
	"encoding/json"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// rehearsal is what the batches of a dry run would have stored so far. Each is
// undone, so the next one is given back what it builds on. A nil one is of an import that stores.
type rehearsal struct {
	named map[string][]ghost      // entities, by name
	rows  map[loci.EntityID]ghost // those of our own format
	facts map[[32]byte]bool       // observations and relations of the reference format
	ids   map[[16]byte][32]byte   // observations and relations of our own
	news  []func()                // what is learnt if the batch succeeds
}

// ghost is an entity that would be there.
type ghost struct {
	ref loci.EntityRef
	row *loci.Entity // as our own format has it
}

func newRehearsal() *rehearsal {
	return &rehearsal{named: map[string][]ghost{}, rows: map[loci.EntityID]ghost{}, facts: map[[32]byte]bool{}, ids: map[[16]byte][32]byte{}}
}

// learn remembers what the batch would have stored.
func (h *rehearsal) learn() {
	for _, fn := range h.news {
		fn()
	}
	h.news = nil
}

// entity notes an entity that the batch makes.
func (h *rehearsal) entity(ref loci.EntityRef, row *loci.Entity) {
	if h == nil {
		return
	}
	h.news = append(h.news, func() {
		g := ghost{ref, row}
		h.named[ref.Name] = append(h.named[ref.Name], g)
		if row != nil {
			h.rows[row.ID] = g
		}
	})
}

// repeats reports whether an earlier batch would have stored this already.
func (h *rehearsal) repeats(fact ...string) bool {
	if h == nil {
		return false
	}
	b, _ := json.Marshal(fact) // texts
	sum := sha256.Sum256(b)
	h.news = append(h.news, func() { h.facts[sum] = true })
	return h.facts[sum]
}

// repeated returns how many of the rows earlier batches would have stored, and
// refuses those that they would have stored otherwise.
func (h *rehearsal) repeated(items []*graphItem) (n int, err error) {
	if h == nil {
		return 0, nil
	}
	bad := refusedItems{}
	for _, item := range items {
		id, sum, ok := rowOf(&item.rows)
		if !ok {
			continue
		}
		was, there := h.ids[id]
		switch {
		case there && was == sum:
			n++
		case there:
			bad[item] = loci.ItemError{Code: loci.Conflict, Text: "an earlier line has another row of this id"}
		}
		h.news = append(h.news, func() { h.ids[id] = sum })
	}
	if len(bad) > 0 {
		return 0, bad
	}
	return n, nil
}

// rowOf returns what stands for an observation or a relation.
func rowOf(rows *store.GraphRows) (id [16]byte, sum [32]byte, ok bool) {
	switch {
	case len(rows.Observations) > 0:
		id = rows.Observations[0].ID
	case len(rows.Relations) > 0:
		id = rows.Relations[0].ID
	default:
		return id, sum, false
	}
	b, _ := json.Marshal(rows) // plain rows
	return id, sha256.Sum256(b), true
}

// stage makes the entities of earlier batches that these items may mean.
func (h *rehearsal) stage(ctx context.Context, g *graphPut, items []*graphItem) error {
	h.news = nil
	seen := map[loci.EntityRef]bool{}
	var made []loci.NewEntity
	var rows []loci.Entity
	add := func(list ...ghost) {
		for _, x := range list {
			switch {
			case seen[x.ref]:
			case x.row != nil:
				rows = append(rows, *x.row)
			default:
				made = append(made, loci.NewEntity{EntityRef: x.ref})
			}
			seen[x.ref] = true
		}
	}
	for _, item := range items {
		for _, name := range item.names() {
			add(h.named[name]...)
		}
		for _, id := range item.ids() {
			if x, ok := h.rows[id]; ok {
				add(x)
			}
		}
	}
	err := chunks(rows, func(some []loci.Entity) error {
		_, _, err := g.tx.Nodes().Insert(ctx, g.v, store.GraphRows{Entities: some})
		return err
	})
	if err != nil {
		return err
	}
	return chunks(made, func(some []loci.NewEntity) error {
		_, err := g.tx.Nodes().Create(ctx, g.v, g.by, some)
		return err
	})
}

// names returns the names of entities that the item is about.
func (g *graphItem) names() (names []string) {
	for _, e := range g.entities[:min(1, len(g.entities))] {
		names = append(names, e.Name)
	}
	if g.relation != nil {
		names = append(names, g.relation.From.Name, g.relation.To.Name)
	}
	for _, e := range g.rows.Entities {
		names = append(names, e.Name)
	}
	return names
}

// ids returns the ids of entities that the item is about.
func (g *graphItem) ids() (ids []loci.EntityID) {
	for _, e := range g.rows.Entities {
		ids = append(ids, e.ID)
	}
	for _, o := range g.rows.Observations {
		ids = append(ids, o.EntityID)
	}
	for _, r := range g.rows.Relations {
		ids = append(ids, r.FromID, r.ToID)
	}
	return ids
}
