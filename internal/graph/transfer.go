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
