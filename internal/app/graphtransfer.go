package app

import (
	"context"
	"errors"
	"io"

	"github.com/loci-memory/loci"
)

var errUnbuilt = errors.New("not built yet")

// GraphFormat is how a graph is written in lines of JSON.
type GraphFormat string

// The formats.
const (
	// GraphLoci has everything: ids, times, writers, vendors.
	GraphLoci GraphFormat = "loci"
	// GraphReference is the memory.json of the reference "memory" MCP server.
	GraphReference GraphFormat = "reference"
)

// GraphImportOptions configure ImportGraph.
type GraphImportOptions struct {
	AllowedVendors []loci.Vendor // of what the reference format brings; nil: everybody
	DryRun         bool
	Progress       func(GraphReport)   // may be nil
	Problem        func(ImportProblem) // told of each line that was not taken; may be nil
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
	Refused      int `json:"refused"` // lines that were not taken
}

// ExportGraph writes what p sees of a project's live graph to w, one JSON object a line.
func (a *App) ExportGraph(ctx context.Context, p loci.Principal, in loci.ProjectID, format GraphFormat, w io.Writer) error {
	if err := a.begin(ctx, p, GraphExport); err != nil {
		return err
	}
	return errUnbuilt
}

// ImportGraph reads what ExportGraph writes and what the reference server keeps, in either of its spellings, telling them apart by
// themselves. It may be repeated, so after an interruption it goes on where it was. What the reference format brings is written by p; our own format keeps ids,
// times and writers, so only the operator imports it: Forbidden for others. A line that cannot be taken is reported, the others are stored.
func (a *App) ImportGraph(ctx context.Context, p loci.Principal, in loci.ProjectID, r io.Reader, o GraphImportOptions) (GraphReport, error) {
	if err := a.begin(ctx, p, GraphImport); err != nil {
		return GraphReport{}, err
	}
	return GraphReport{}, errUnbuilt
}
