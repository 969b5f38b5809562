package app

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// GraphFormat is how a graph is written in lines of JSON.
type GraphFormat string

// The formats.
const (
	// GraphLoci has everything: ids, times, writers, vendors.
	GraphLoci GraphFormat = "loci"
	// GraphReference is the memory.json of the reference "memory" MCP server. It knows names only: of
	// several entities of one name it cannot tell which one a relation means.
	GraphReference GraphFormat = "reference"
)

// ParseGraphFormat reads a format, or returns an Invalid error; "" is GraphLoci.
func ParseGraphFormat(s string) (GraphFormat, error) {
	switch f := GraphFormat(s); f {
	case "":
		return GraphLoci, nil
	case GraphLoci, GraphReference:
		return f, nil
	}
	return "", loci.FieldErrorf("format", "must be %s or %s", GraphLoci, GraphReference)
}

// GraphImportOptions configure ImportGraph.
type GraphImportOptions struct {
	AllowedVendors []loci.Vendor       // of what the reference format brings; nil: everybody
	DryRun         bool                // check and count, store nothing; keeps the file in memory, and other writers of the graph waiting
	Progress       func(GraphReport)   // told after each batch; may be nil
	Problem        func(ImportProblem) // told of each line that was not taken, or not whole; may be nil
}

// GraphReport says what an import did.
type GraphReport struct {
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

// ExportGraph writes what p sees of a project's live graph to w, one JSON object a line: first the entities with
// their observations, in the order in which they were stored, then the relations. It sees one moment, whatever is written
// meanwhile, and keeps no more than a page in memory. It is recorded before the first byte. Invalid for an unknown format.
func (a *App) ExportGraph(ctx context.Context, p loci.Principal, in loci.ProjectID, format GraphFormat, w io.Writer) error {
	if err := a.begin(ctx, p, GraphExport); err != nil {
		return err
	}
	format, err := ParseGraphFormat(string(format))
	if err != nil {
		return err
	}
	if err := a.recordGraph(ctx, p, GraphExport, in); err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	return a.enterGraph(ctx, p, in, a.store.ViewProject, func(tx store.GraphTx, v loci.Viewer) error {
		var lines graphWriter = &ownWriter{out: out}
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

// ImportGraph reads what ExportGraph writes and what the reference server keeps, in either of its spellings, or what its
// read_graph answers, telling them apart by themselves. It may be repeated: what is there already is counted and left as it is, so after an
// interruption it goes on where it was. What the reference format brings is written by p; members that it does not know are passed over. Our own format keeps ids,
// times and writers, so only the operator imports it: Forbidden for others. A line that cannot be taken is reported, the others are stored.
func (a *App) ImportGraph(ctx context.Context, p loci.Principal, in loci.ProjectID, r io.Reader, o GraphImportOptions) (GraphReport, error) {
	if err := a.begin(ctx, p, GraphImport); err != nil {
		return GraphReport{}, err
	}
	by, err := writer(p, o.AllowedVendors)
	if err != nil {
		return GraphReport{}, err
	}
	if o.DryRun {
		err = a.mayEnterGraph(ctx, p, in)
	} else {
		err = a.recordGraph(ctx, p, GraphImport, in)
	}
	if err != nil {
		return GraphReport{}, err
	}
	im := &graphImporter{app: a, p: p, in: in, by: by, o: o}
	err = im.read(ctx, r)
	return im.report, err
}
