package graph

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// item is the content of one line of an import. entities and relation are from the reference
// format, rows has the one row of our own.
type item struct {
	line     int // counted from 1
	size     int // bytes
	header   bool
	entities []loci.NewEntity // one entity, split if it has more observations than a call may have
	relation *loci.NewRelation
	rows     store.GraphRows
	flaw     error // why part of the line was left out
}

func (g *item) isOwn() bool {
	return g.header || len(g.rows.Entities)+len(g.rows.Observations)+len(g.rows.Relations) > 0
}

// waits reports whether a later line may still supply what the item needs.
func (g *item) waits() bool {
	return g.relation != nil || len(g.rows.Observations)+len(g.rows.Relations) > 0
}

func (g *item) count() int {
	n := 1
	for _, e := range g.entities {
		n += len(e.Observations)
	}
	return n
}

// graphLine has all members that distinguish the formats.
type graphLine struct {
	Loci        *string         `json:"loci"`
	Format      int             `json:"format"`
	Type        *string         `json:"type"`
	Name        *string         `json:"name"`
	From        *string         `json:"from"`
	Entity      json.RawMessage `json:"entity"`
	Observation json.RawMessage `json:"observation"`
	Relation    json.RawMessage `json:"relation"`
	Entities    json.RawMessage `json:"entities"`
	Relations   json.RawMessage `json:"relations"`
}

// These are the kinds of lines in the reference format.
const (
	referenceEntity   = "entity"
	referenceRelation = "relation"
)

// parseLine reads a line of either format. An Invalid error gives the reason why it cannot be
// imported. errNotGraph means that the whole input is not a graph.
func parseLine(line []byte) (*item, error) {
	if err := loci.CheckJSON(line); err != nil {
		return nil, err
	}
	var l graphLine
	dec := json.NewDecoder(bytes.NewReader(line)) // its errors have a type for what is cut off
	if err := dec.Decode(&l); err != nil {
		return nil, badLine(err)
	}
	switch {
	case l.Loci != nil && json.Valid(line):
		return &item{header: true}, checkHeader(*l.Loci, l.Format)
	case l.Type != nil:
		return parseReference(*l.Type, line)
	case l.Entity != nil || l.Observation != nil || l.Relation != nil:
		return parseOwn(line)
	case l.From != nil:
		return parseReference(referenceRelation, line)
	case l.Name != nil:
		return parseReference(referenceEntity, line)
	case l.Entities != nil || l.Relations != nil:
		return nil, loci.Errorf(loci.Invalid, "a graph that is one JSON object must be the only one in its file")
	}
	return nil, loci.Errorf(loci.Invalid,
		`this is no line of a graph: it has no "type", "entity", "observation" or "relation"`)
}

var errNotGraph = errors.New("not a graph")

func checkHeader(name string, format int) error {
	if name == "export" {
		return loci.WrapError(loci.Invalid, errNotGraph,
			"this is an export of memories, not a graph; import it with `loci import FILE`")
	}
	if name != "graph" {
		return loci.WrapError(loci.Invalid, errNotGraph, "this is not an export of a graph, but of %q",
			repeated(name))
	}
	if format > formatVersion {
		return loci.WrapError(loci.Invalid, errNotGraph,
			"this export has format %d, made by a newer Loci; this version reads up to %d", format, formatVersion)
	}
	return nil
}

func badLine(err error) error {
	var kind *json.UnmarshalTypeError
	switch {
	case loci.CodeOf(err) != "":
		return err
	case errors.As(err, &kind) && kind.Field != "":
		return loci.FieldErrorf(kind.Field, "must not be a JSON %s", kind.Value)
	case errors.As(err, &kind):
		return loci.Errorf(loci.Invalid, "a line must be a JSON object, not a JSON %s", kind.Value)
	}
	return notJSON(err)
}

// notJSON returns where a text stops being JSON.
func notJSON(err error) error {
	var found *json.SyntaxError
	var no *time.ParseError
	switch {
	case errors.As(err, &no):
		return loci.WrapError(loci.Invalid, err, "%q is no time; use RFC 3339", repeated(no.Value))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return loci.WrapError(loci.Invalid, err, "this row of a graph is cut off")
	case errors.As(err, &found):
		return loci.WrapError(loci.Invalid, err, "this is no row of a graph: not valid JSON at byte %d", found.Offset)
	}
	return loci.WrapError(loci.Invalid, err, "this is no row of a graph: %s", err)
}

// referenceLine is a line of the reference format, in both its spellings.
type referenceLine struct {
	Name          string          `json:"name"`
	EntityType    string          `json:"entityType"`
	EntityType2   string          `json:"entity_type"`
	Observations  json.RawMessage `json:"observations"` // a list or one
	From          string          `json:"from"`
	To            string          `json:"to"`
	RelationType  string          `json:"relationType"`
	RelationType2 string          `json:"relation_type"`
}

func parseReference(kind string, line []byte) (*item, error) {
	var r referenceLine
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, badLine(err)
	}
	switch kind {
	case referenceEntity:
		return r.entity()
	case referenceRelation:
		rel := loci.NewRelation{From: loci.EntityRef{Name: r.From}, To: loci.EntityRef{Name: r.To},
			Type: cmp.Or(r.RelationType, r.RelationType2)}
		return &item{relation: &rel}, rel.Validate("relation")
	}
	return nil, loci.FieldErrorf("type", "must be entity or relation, not %q", repeated(kind))
}

// entity returns the valid parts: one bad observation does not affect the others.
func (r *referenceLine) entity() (*item, error) {
	e := loci.NewEntity{EntityRef: loci.EntityRef{Name: r.Name, Type: cmp.Or(r.EntityType, r.EntityType2, unknownType)}}
	if err := e.Validate("entity"); err != nil {
		return nil, err
	}
	item := &item{}
	var list []json.RawMessage
	if err := json.Unmarshal(r.Observations, &list); err != nil && len(r.Observations) > 0 {
		list = []json.RawMessage{r.Observations}
	}
	texts := make([]string, 0, len(list))
	for i, raw := range list {
		field := fmt.Sprintf("observations[%d]", i)
		text, err := observationText(field, raw)
		if err == nil {
			err = loci.CheckText(field, text, 1, loci.MaxObservation)
		}
		if err == nil {
			texts = append(texts, text)
		} else if item.flaw == nil {
			item.flaw = loci.Errorf(loci.Invalid, "%s; the rest of the line was imported", err)
		}
	}
	texts = loci.Unique(texts)
	for {
		n := min(len(texts), loci.MaxGraphItems)
		item.entities = append(item.entities, loci.NewEntity{EntityRef: e.EntityRef, Observations: texts[:n]})
		if texts = texts[n:]; len(texts) == 0 {
			return item, nil
		}
	}
}

const unknownType = "unknown"

// observationText returns the text of an observation: a string, or an object with the content.
func observationText(field string, raw json.RawMessage) (text string, err error) {
	var object struct {
		Content string `json:"content"`
	}
	if raw[0] == '{' && json.Unmarshal(raw, &object) == nil && object.Content != "" {
		return object.Content, nil
	}
	if raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return "", loci.FieldErrorf(field, "must be a string")
	}
	return text, nil
}

func parseOwn(line []byte) (*item, error) {
	var own Line
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&own); err != nil {
		return nil, badLine(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, loci.Errorf(loci.Invalid, "each line must have one row; there is more text after it")
	}
	item := &item{}
	return item, own.AddTo(&item.rows)
}

// AddTo adds the row of a line to rows. Invalid if the line breaks a limit, or has not exactly one row.
func (l *Line) AddTo(rows *store.GraphRows) error {
	switch {
	case l.Entity != nil && l.Observation == nil && l.Relation == nil:
		e := loci.Entity{ID: l.Entity.ID, Name: l.Entity.Name, Type: l.Entity.Type, GraphAccess: l.Entity.GraphAccess,
			CreatedAt: l.Entity.CreatedAt, UpdatedAt: l.Entity.UpdatedAt}
		rows.Entities = append(rows.Entities, e)
		return e.Validate("entity")
	case l.Observation != nil && l.Entity == nil && l.Relation == nil:
		rows.Observations = append(rows.Observations, *l.Observation)
		return l.Observation.Validate("observation")
	case l.Relation != nil && l.Entity == nil && l.Observation == nil:
		r := loci.Relation{ID: l.Relation.ID, FromID: l.Relation.FromID, ToID: l.Relation.ToID, Type: l.Relation.Type,
			GraphAccess: l.Relation.GraphAccess, CreatedAt: l.Relation.CreatedAt}
		rows.Relations = append(rows.Relations, r)
		return r.Validate("relation")
	}
	return loci.Errorf(loci.Invalid, "a line must have exactly one of entity, observation and relation")
}

// repeated makes user input safe to repeat in a message.
func repeated(s string) string { return loci.Shorten(loci.OneLine(s), 60) }
