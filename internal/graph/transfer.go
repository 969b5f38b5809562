package graph

import (
	"bufio"
	"context"
	"errors"
	"io"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/jsonlines"
	"github.com/loci-memory/loci/internal/store"
)

// Format is a format of graphs in lines of JSON.
type Format string

// These are the formats.
const (
	// GraphLoci has everything: ids, times, writers, vendors.
	GraphLoci Format = "loci"
	// GraphReference is the memory.json of the reference "memory" MCP server. It has only names:
	// if several entities share a name, it cannot express which one a relation means.
	GraphReference Format = "reference"
)

// ParseFormat parses a format, or returns an Invalid error. "" is GraphLoci.
func ParseFormat(s string) (Format, error) {
	switch f := Format(s); f {
	case "":
		return GraphLoci, nil
	case GraphLoci, GraphReference:
		return f, nil
	}
	return "", loci.FieldErrorf("format", "must be %s or %s", GraphLoci, GraphReference)
}

// ImportOptions configure Import.
type ImportOptions struct {
	AllowedVendors []loci.Vendor // for rows in the reference format; nil: everybody
	// check and count, store nothing; keeps the file in memory, and other writers of the graph waiting
	DryRun  bool
	Size    int64                   // the size of the input in bytes, to report progress; 0 or less: unknown
	Problem func(jsonlines.Problem) // called for each line that was not imported, or not wholly; may be nil
}

// Report is the result of an import.
type Report struct {
	Lines    int   `json:"lines"`
	Bytes    int64 `json:"-"`        // read so far
	Entities int   `json:"entities"` // added
	// Observations and Relations count the added rows.
	Observations int `json:"observations"`
	Relations    int `json:"relations"`
	Present      int `json:"present"` // rows that were there already
	Refused      int `json:"refused"` // lines that were not taken, or not whole
	Dangling     int `json:"-"`       // of these, relations to entities that are not in the graph
}

// exportRows is how many rows of a graph are read at a time.
const exportRows = 500

// Export writes what p sees of a project's live graph to w, one JSON object on each line: first the entities with
// their observations, in the order in which they were stored, then the relations. It reads one snapshot, whatever is
// written meanwhile, and keeps no more than a page in memory. It records the export in the audit trail before the
// first byte. Invalid for an unknown format.
func (s *Service) Export(ctx context.Context, p loci.Principal, in loci.ProjectID, format Format, w io.Writer) error {
	if err := s.Begin(ctx, p, Export); err != nil {
		return err
	}
	format, err := ParseFormat(string(format))
	if err != nil {
		return err
	}
	if err := s.recordIn(ctx, p, Export, in); err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	return s.enter(ctx, p, in, s.Store.ViewProject, func(tx store.GraphTx, v loci.Viewer) error {
		var lines rowWriter = &ownWriter{out: out}
		if format == GraphReference {
			lines = &referenceWriter{out: out}
		}
		if err := lines.begin(tx.Project()); err != nil {
			return err
		}
		at := loci.Progress{Stage: "exporting rows"}
		for q := (store.GraphQuery{Limit: exportRows}); ; {
			rows, next, err := tx.Graph().Rows(ctx, v, q)
			if err != nil {
				return err
			}
			at.Done += int64(len(rows.Entities) + len(rows.Observations) + len(rows.Relations))
			loci.ReportProgress(ctx, at)
			if err := lines.page(rows); err != nil {
				return err
			}
			if q.After = next; next == "" {
				return errors.Join(lines.end(), out.Flush())
			}
		}
	})
}

// Import reads the output of Export, files of the reference server in either spelling, and answers of its read_graph.
// It detects the format. It may be repeated: it counts and skips what exists already, so after an interruption it
// continues where it stopped. p becomes the writer of rows in the reference format, and Import ignores members that
// this format does not define. Our own format keeps ids, times and writers, so only the operator may import it:
// Forbidden for others. Import reports lines that it cannot import and stores the others.
func (s *Service) Import(ctx context.Context, p loci.Principal, in loci.ProjectID, r io.Reader, o ImportOptions) (
	Report, error) {
	if err := s.Begin(ctx, p, Import); err != nil {
		return Report{}, err
	}
	by, err := writer(p, o.AllowedVendors)
	if err != nil {
		return Report{}, err
	}
	if o.DryRun {
		err = s.mayEnter(ctx, p, in)
	} else {
		err = s.recordIn(ctx, p, Import, in)
	}
	if err != nil {
		return Report{}, err
	}
	im := &importer{app: s, p: p, in: in, by: by, o: o}
	err = im.read(ctx, r)
	return im.report, err
}

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
