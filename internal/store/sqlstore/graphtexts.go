package sqlstore

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

type graphTexts struct{ *GraphTx }

// Texts returns what the index of the graph reads.
func (tx *GraphTx) Texts() store.Texts { return graphTexts{tx} }

// textPlace is a place among the texts of a graph and their changes. New texts have higher numbers than those before.
// The ids of the last ones tell a graph from an older copy of it that has other texts since.
type textPlace struct {
	Entity, Observation, Change int64
	EntityID, ObservationID     string
}

func (p *textPlace) position() store.Position {
	text, _ := json.Marshal(p) // numbers and ids always marshal
	return store.Position(text)
}

const lastTexts = "SELECT coalesce((SELECT max(e.seq) FROM entities e WHERE {graph e} TRUE), 0), " +
	"coalesce((SELECT max(o.seq) FROM observations o WHERE {graph o} TRUE), 0), " +
	"coalesce((SELECT max(c.number) FROM text_changes c WHERE {graph c} TRUE), 0), " +
	"coalesce((SELECT e.id FROM entities e WHERE {graph e} e.seq > 0 ORDER BY e.seq DESC LIMIT 1), ''), " +
	"coalesce((SELECT o.id FROM observations o WHERE {graph o} o.seq > 0 ORDER BY o.seq DESC LIMIT 1), ''), " +
	"coalesce((SELECT min(c.number) FROM text_changes c WHERE {graph c} TRUE), 0), " +
	"coalesce((SELECT e.id FROM entities e WHERE {graph e} e.seq = ?), '') = ? AND " +
	"coalesce((SELECT o.id FROM observations o WHERE {graph o} o.seq = ?), '') = ?"

// last returns the last place. kept reports whether this graph has had the place p, and all changes since.
func (t graphTexts) last(p *textPlace) (last textPlace, kept bool, err error) {
	_, err = t.c.One(lastTexts, Args{p.Entity, p.EntityID, p.Observation, p.ObservationID}, func(r Row) error {
		last = textPlace{r.Int64(0), r.Int64(1), r.Int64(2), r.Text(3), r.Text(4)}
		kept = r.Bool(6) && (last.Change == p.Change || p.Change >= r.Int64(5)-1)
		return nil
	})
	return last, kept, err
}

func (t graphTexts) End(context.Context) (store.Position, error) {
	p, _, err := t.last(&textPlace{})
	return p.position(), err
}

// textBatch is how many changes, new entities and new observations Changed returns at most.
const textBatch = 1000

func (t graphTexts) Changed(ctx context.Context, after store.Position) (c store.TextChanges, err error) {
	var p textPlace
	if json.Unmarshal([]byte(after), &p) != nil {
		return c, loci.Errorf(loci.Invalid, "this is no position in a graph")
	}
	last, kept, err := t.last(&p)
	c.Next = after
	switch {
	case err != nil || last == p:
		return c, err
	case last.Entity <= p.Entity && last.Observation <= p.Observation && last.Change <= p.Change:
		c.Ahead = true
		return c, nil
	case !kept:
		return c, loci.Errorf(loci.Conflict, "the changes since are not known")
	}
	next := p
	err = t.c.Query("SELECT c.number, c.row_id, c.erased FROM text_changes c WHERE {graph c} c.number > ? ORDER BY "+
		"c.number LIMIT ?", Args{p.Change, textBatch}, func(r Row) error {
		id, err := IDAt[[16]byte](r, 1)
		if r.Bool(2) {
			c.Erased = append(c.Erased, id)
		}
		next.Change, c.Changed = r.Int64(0), append(c.Changed, id)
		return err
	})
	if err == nil && len(c.Changed) > 0 {
		c.Texts, err = t.Read(ctx, c.Changed)
	}
	known := map[[16]byte]bool{}
	for i := range c.Texts {
		known[c.Texts[i].ID] = true
	}
	add := func(text string, seq *int64, id *string, scan func(Row) (store.GraphText, error)) {
		if err != nil {
			return
		}
		n := 0
		err = t.c.Query(text, Args{*seq, textBatch}, func(r Row) error {
			n++
			one, err := scan(r)
			*seq, *id = r.Int64(5), r.Text(0)
			if r.Bool(6) && !known[one.ID] {
				c.Texts = append(c.Texts, one)
			}
			return err
		})
		c.More = c.More || n == textBatch
	}
	c.More = len(c.Changed) == textBatch
	add(newEntities, &next.Entity, &next.EntityID, entityText)
	add(newObservations, &next.Observation, &next.ObservationID, observationText)
	c.Next = next.position()
	return c, err
}

const (
	entityTexts = "SELECT e.id, e.allowed_vendors, e.created_at, e.name, e.entity_type, e.seq, e.deleted_at IS NULL"
	newEntities = entityTexts + " FROM entities e WHERE {graph e} e.seq > ? ORDER BY e.seq LIMIT ?"

	observationTexts = "SELECT o.id, o.allowed_vendors, o.created_at, o.content, e.allowed_vendors, o.seq, " +
		"o.deleted_at IS NULL AND e.deleted_at IS NULL, o.entity_id"
	withEntity      = " {join} entities e ON {graph e} e.id = o.entity_id WHERE "
	newObservations = observationTexts + " FROM observations o " + withEntity +
		"{graph o} o.seq > ? ORDER BY o.seq LIMIT ?"
	liveObservation = "o.deleted_at IS NULL AND e.deleted_at IS NULL"
)

func scanText(r Row) (text store.GraphText, err error) {
	if text.ID, err = IDAt[[16]byte](r, 0); err == nil {
		text.CreatedAt = isoAt(r, 2)
		text.AllowedVendors, err = fromJSON[loci.Vendor](r.Raw(1))
	}
	return text, err
}

func entityText(r Row) (store.GraphText, error) {
	text, err := scanText(r)
	text.Entity, text.Name, text.Type = text.ID, r.Text(3), r.Text(4)
	return text, err
}

func observationText(r Row) (store.GraphText, error) {
	text, err := scanText(r)
	if err != nil {
		return text, err
	}
	if text.Entity, err = IDAt[loci.EntityID](r, 7); err != nil {
		return text, err
	}
	vendors, err := fromJSON[loci.Vendor](r.Raw(4))
	text.Content, text.AllowedVendors = r.Text(3), loci.Narrowed(text.AllowedVendors, vendors)
	return text, err
}

func (t graphTexts) Read(_ context.Context, ids [][16]byte) ([]store.GraphText, error) {
	texts := loci.Mapped(ids, func(id [16]byte) string { return loci.EntityID(id).String() })
	each := ToJSON(loci.Unique(texts))
	list, err := all(t.c, entityTexts+" FROM {each ?} {join} entities e ON {graph e} e.id = value WHERE e.deleted_at IS "+
		"NULL", Args{each}, entityText)
	if err != nil {
		return nil, err
	}
	seen := map[[16]byte]bool{}
	for _, column := range []string{"id", "entity_id"} {
		err := t.c.Query(observationTexts+" FROM {each ?} {join} observations o ON {graph o} o."+column+" = value"+withEntity+
			liveObservation, Args{each}, func(r Row) error {
			text, err := observationText(r)
			if !seen[text.ID] {
				seen[text.ID], list = true, append(list, text)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (t graphTexts) List(_ context.Context, after store.Position, limit int) (
	list []store.GraphText, next store.Position, err error) {
	kind, before := 'e', int64(math.MaxInt64)
	if after != "" {
		if _, err := fmt.Sscanf(string(after), "%c%d", &kind, &before); err != nil || kind != 'e' && kind != 'o' {
			return nil, "", loci.Errorf(loci.Invalid, "this is no position in a graph")
		}
	}
	last := before
	read := func(text string, scan func(Row) (store.GraphText, error)) error {
		return t.c.Query(text, Args{before, limit}, func(r Row) error {
			one, err := scan(r)
			last, list = r.Int64(5), append(list, one)
			return err
		})
	}
	if kind == 'e' {
		err = read(entityTexts+" FROM entities e WHERE {graph e} e.seq < ? AND e.deleted_at IS NULL ORDER BY e.seq DESC "+
			"LIMIT ?", entityText)
	} else {
		err = read(observationTexts+" FROM observations o "+withEntity+"{graph o} o.seq < ? AND "+liveObservation+
			" ORDER BY o.seq DESC LIMIT ?", observationText)
	}
	switch {
	case len(list) == limit:
		next = store.Position(fmt.Sprintf("%c%d", kind, last))
	case kind == 'e':
		next = store.Position(fmt.Sprintf("o%d", int64(math.MaxInt64)))
	}
	return list, next, err
}

// Owners asks for the entities and for those of the observations in one statement.
func (g graph) Owners(_ context.Context, v loci.Viewer, texts [][16]byte) (map[[16]byte]loci.EntityID, error) {
	ids := loci.Mapped(texts, func(id [16]byte) string { return loci.EntityID(id).String() })
	var q Query
	q.Add("SELECT e.id, e.id FROM {each ?} {join} entities e ON {graph e} e.id = value WHERE ", ToJSON(ids))
	g.Sees(&q, v, "e", loci.LiveOnly)
	q.Add(" UNION ALL SELECT o.id, e.id FROM {each ?} {join} observations o ON {graph o} o.id = value"+withEntity,
		ToJSON(ids))
	g.Sees(&q, v, "o", loci.LiveOnly)
	q.Add(" AND ")
	g.Sees(&q, v, "e", loci.LiveOnly)
	owners := make(map[[16]byte]loci.EntityID, len(texts))
	err := g.c.Query(q.String(), q.Args, func(r Row) error {
		id, err := IDAt[[16]byte](r, 0)
		if err == nil {
			owners[id], err = IDAt[loci.EntityID](r, 1)
		}
		return err
	})
	return owners, err
}
