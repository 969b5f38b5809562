package graph

import (
	"bufio"
	"errors"
	"io"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/jsonlines"
	"github.com/loci-memory/loci/internal/store"
)

// Our own format is a header, then one row on each line. Rows are always named by id, so that
// names cannot contradict each other.

// formatVersion must increase when an older Loci could not read the new output.
const formatVersion = 1

type header struct {
	Loci    string `json:"loci"` // always "graph"
	Format  int    `json:"format"`
	Project string `json:"project"` // its name, for people; nothing depends on it
}

// Line is a line of our own format. Exactly one of the three is set.
type Line struct {
	Entity      *EntityLine       `json:"entity,omitempty"`
	Observation *loci.Observation `json:"observation,omitempty"`
	Relation    *RelationLine     `json:"relation,omitempty"`
}

// Access returns the access of the row, or nil without one.
func (l *Line) Access() *loci.GraphAccess {
	switch {
	case l.Entity != nil:
		return &l.Entity.GraphAccess
	case l.Observation != nil:
		return &l.Observation.GraphAccess
	case l.Relation != nil:
		return &l.Relation.GraphAccess
	}
	return nil
}

// Lines returns the lines of rows, in their order.
func Lines(rows store.GraphRows) (lines []Line) {
	for _, e := range rows.Entities {
		lines = append(lines, Line{Entity: &EntityLine{e.ID, e.Name, e.Type, e.GraphAccess, e.CreatedAt, e.UpdatedAt}})
	}
	for i := range rows.Observations {
		lines = append(lines, Line{Observation: &rows.Observations[i]})
	}
	for _, r := range rows.Relations {
		lines = append(lines, Line{Relation: &RelationLine{r.ID, r.FromID, r.ToID, r.Type, r.GraphAccess, r.CreatedAt}})
	}
	return lines
}

// EntityLine is an entity without its observations and relations, which have lines of their own.
type EntityLine struct {
	ID   loci.EntityID `json:"id"`
	Name string        `json:"name"`
	Type string        `json:"entity_type"`
	loci.GraphAccess
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// RelationLine is a relation by the ids of its ends.
type RelationLine struct {
	ID     loci.RelationID `json:"id"`
	FromID loci.EntityID   `json:"from_entity"`
	ToID   loci.EntityID   `json:"to_entity"`
	Type   string          `json:"relation_type"`
	loci.GraphAccess
	CreatedAt time.Time `json:"created_at"`
}

// rowWriter writes the rows of a graph, page by page as Graph.Rows returns them. The observations
// of an entity may continue on the next page.
type rowWriter interface {
	begin(p loci.Project) error
	page(rows store.GraphRows) error
	end() error
}

type ownWriter struct{ out io.Writer }

func (w *ownWriter) begin(p loci.Project) error {
	return jsonlines.Write(w.out, header{"graph", formatVersion, p.Name})
}

func (w *ownWriter) page(rows store.GraphRows) error {
	for _, line := range Lines(rows) {
		if err := jsonlines.Write(w.out, line); err != nil {
			return err
		}
	}
	return nil
}

func (w *ownWriter) end() error { return nil }

// referenceWriter writes the format of the reference server. An entity is one line with all its
// observations, however many.
type referenceWriter struct {
	out  *bufio.Writer
	open loci.EntityID // the entity whose line is not finished
	some bool          // it has at least one observation
}

func (w *referenceWriter) begin(loci.Project) error { return nil }

func (w *referenceWriter) page(rows store.GraphRows) error {
	of := make(map[loci.EntityID][]loci.Observation, len(rows.Entities))
	for _, o := range rows.Observations {
		of[o.EntityID] = append(of[o.EntityID], o)
	}
	if err := w.add(of[w.open]); err != nil {
		return err
	}
	for _, e := range rows.Entities {
		if err := w.start(e); err != nil {
			return err
		}
		if err := w.add(of[e.ID]); err != nil {
			return err
		}
	}
	return w.relations(rows.Relations)
}

func (w *referenceWriter) start(e loci.Entity) error {
	if err := w.end(); err != nil {
		return err
	}
	head, err := jsonlines.Encode(struct {
		Type       string `json:"type"`
		Name       string `json:"name"`
		EntityType string `json:"entityType"`
	}{"entity", e.Name, e.Type})
	if err != nil {
		return err
	}
	w.open, w.some = e.ID, false
	_, err = w.out.WriteString(string(head[:len(head)-len("}\n")]) + `,"observations":[`)
	return err
}

func (w *referenceWriter) add(list []loci.Observation) error {
	for _, o := range list {
		text, err := jsonlines.Encode(o.Content)
		if err != nil {
			return err
		}
		if w.some {
			text = append([]byte{','}, text...)
		}
		w.some = true
		if _, err := w.out.Write(text[:len(text)-1]); err != nil {
			return err
		}
	}
	return nil
}

func (w *referenceWriter) end() error {
	if w.open.IsZero() {
		return nil
	}
	w.open = loci.EntityID{}
	_, err := w.out.WriteString("]}\n")
	return err
}

func (w *referenceWriter) relations(list []loci.Relation) error {
	for _, r := range list {
		line := struct {
			Type         string `json:"type"`
			From         string `json:"from"`
			To           string `json:"to"`
			RelationType string `json:"relationType"`
		}{"relation", r.From, r.To, r.Type}
		if err := errors.Join(w.end(), jsonlines.Write(w.out, line)); err != nil {
			return err
		}
	}
	return nil
}
