package graph

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/jsonlines"
	"github.com/loci-memory/loci/internal/store"
)

// Format is how a graph is written in lines of JSON.
type Format string

// The formats.
const (
	// GraphLoci has everything: ids, times, writers, vendors.
	GraphLoci Format = "loci"
	// GraphReference is the memory.json of the reference "memory" MCP server. It knows names only: of
	// several entities of one name it cannot tell which one a relation means.
	GraphReference Format = "reference"
)

// ParseFormat reads a format, or returns an Invalid error; "" is GraphLoci.
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
	AllowedVendors []loci.Vendor // of what the reference format brings; nil: everybody
	// check and count, store nothing; keeps the file in memory, and other writers of the graph waiting
	DryRun   bool
	Progress func(Report)            // told after each batch; may be nil
	Problem  func(jsonlines.Problem) // told of each line that was not taken, or not whole; may be nil
}

// Report says what an import did.
type Report struct {
	Lines    int   `json:"lines"`
	Bytes    int64 `json:"-"`        // read so far
	Entities int   `json:"entities"` // added
	// Observations and Relations were added.
	Observations int `json:"observations"`
	Relations    int `json:"relations"`
	Present      int `json:"present"` // rows that were there already
	Refused      int `json:"refused"` // lines that were not taken, or not whole
}

// exportRows is how many rows of a graph are read at a time.
const exportRows = 500

// Export writes what p sees of a project's live graph to w, one JSON object a line: first the entities with
// their observations, in the order in which they were stored, then the relations. It sees one moment, whatever is
// written meanwhile, and keeps no more than a page in memory. It is recorded before the first byte. Invalid for an
// unknown format.
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
		for q := (store.GraphQuery{Limit: exportRows}); ; {
			rows, next, err := tx.Graph().Rows(ctx, v, q)
			if err != nil {
				return err
			}
			if err := lines.page(rows); err != nil {
				return err
			}
			if q.After = next; next == "" {
				return errors.Join(lines.end(), out.Flush())
			}
		}
	})
}

// Import reads what Export writes and what the reference server keeps, in either of its spellings, or what its
// read_graph answers, telling them apart by themselves. It may be repeated: what is there already is counted and left
// as it is, so after an interruption it goes on where it was. What the reference format brings is written by p;
// members that it does not know are passed over. Our own format keeps ids, times and writers, so only the operator
// imports it: Forbidden for others. A line that cannot be taken is reported, the others are stored.
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
