// Package transfer exports what a person owns as lines of JSON, and imports it.
package transfer

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/jsonlines"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/store"
)

// Service provides exports and imports. It is safe for concurrent use.
type Service struct {
	*gate.Gate
	projects *project.Service
	events   *event.Service
}

// New returns a Service.
func New(g *gate.Gate, projects *project.Service, events *event.Service) *Service {
	return &Service{g, projects, events}
}

// An export is JSON lines: one header, then events, sessions, tasks, memories with their attachments and sources,
// nodes, agents, suggestions, golden questions with their runs, candidates and graphs, each oldest first, and one
// end, so that a part of an export does not look like a whole one. The bytes of an attachment come before the first
// memory that has it. An agent, a project and notes come before the first row that names them. Events come before
// their session, because a closed session takes no more. An export contains neither the name of a person nor its own
// time, so the same rows always produce the same lines, wherever they were imported.

// exportFormat must increase when an older Loci could not read the new output: at every new field.
// testdata/format.txt lists the fields of this format.
const exportFormat = 5

type exportHeader struct {
	Loci   string `json:"loci"` // always "export"
	Format int    `json:"format"`
}

// record is one line of an export. It has exactly one of its kinds. A line is imported whole or not at all.
type record struct {
	Agent      *loci.Agent          `json:"agent,omitempty"`
	Project    *projectLine         `json:"project,omitempty"`
	Event      *loci.Event          `json:"event,omitempty"`
	Session    *sessionLine         `json:"session,omitempty"`
	Task       *loci.Task           `json:"task,omitempty"`
	Memory     *loci.Memory         `json:"memory,omitempty"`
	Versions   []*loci.Version      `json:"versions,omitempty"` // the old ones, oldest first
	Sources    []loci.Source        `json:"sources,omitempty"`
	Assets     []loci.Asset         `json:"assets,omitempty"`
	Blob       *blobLine            `json:"blob,omitempty"`
	Node       *loci.MemoryNode     `json:"node,omitempty"`
	Items      []loci.NodeItem      `json:"items,omitempty"` // each behind the one above it
	Suggestion *loci.Suggestion     `json:"suggestion,omitempty"`
	Golden     *loci.GoldenQuestion `json:"golden,omitempty"`
	GoldenRun  *loci.GoldenRun      `json:"golden_run,omitempty"`
	Note       *loci.Reflection     `json:"note,omitempty"`
	Candidate  *loci.Candidate      `json:"candidate,omitempty"`
	Before     []*loci.Candidate    `json:"before,omitempty"` // what the candidate was, oldest first
	graph.Line
	In  loci.ProjectID `json:"in,omitzero"` // the project of a row of a graph
	End *ExportEnd     `json:"end,omitempty"`
}

// projectLine is a project without what an import gives it: people, times and a workspace.
type projectLine struct {
	ID          loci.ProjectID     `json:"id"`
	Name        string             `json:"name"`
	Description string             `json:"description,omitempty"`
	Status      loci.ProjectStatus `json:"status"`
}

// sessionLine is a session, with the vendor that it had before format 4: then only this vendor's
// credentials could see the session, or none without one.
type sessionLine struct {
	loci.Session
	Vendor loci.Vendor `json:"vendor,omitempty"`
}

// endedSince is the first format whose exports have an end.
const endedSince = 3

// ExportEnd is the last line of an export.
type ExportEnd struct {
	Lines   int            `json:"lines"`              // between the first line and this one
	Rows    map[string]int `json:"rows,omitempty"`     // how many of each kind
	LeftOut []string       `json:"left_out,omitempty"` // what the export lacks, with counts
}

type lineWriter struct {
	*bufio.Writer
	lines int
}

func (w *lineWriter) Write(line []byte) (int, error) {
	w.lines++
	return w.Writer.Write(line)
}

// exportPage is how many rows are read at a time.
const exportPage = 200

// Export writes what the person owns as JSON lines: memories with all versions, trashed and expired ones, sources and
// attachments, and their agents, sessions, events, tasks, nodes, suggestions, golden questions, candidates, projects
// and graphs. It reads one snapshot of these rows, and then of each graph, whatever is written meanwhile. It records
// the export in the audit trail before the first byte. It returns the last line, which also names what the export
// lacks. Conflict if the bytes of an attachment are missing.
func (s *Service) Export(ctx context.Context, p loci.Principal, w io.Writer) (ExportEnd, error) {
	if err := s.Begin(ctx, p, Export); err != nil {
		return ExportEnd{}, err
	}
	if err := s.Record(ctx, p, Export, p.UserID.String()); err != nil {
		return ExportEnd{}, err
	}
	x := &export{app: s, p: p, out: &lineWriter{Writer: bufio.NewWriterSize(w, 1<<16)}, done: map[any]bool{},
		left: map[string]int{}, end: ExportEnd{Rows: map[string]int{}}}
	if err := jsonlines.Write(x.out, exportHeader{"export", exportFormat}); err != nil {
		return x.end, err
	}
	err := s.Store.Scan(ctx, p.OrgID, func(tx store.Tx) (err error) {
		x.ownedRows = &ownedRows{tx: tx, viewer: p.Viewer()}
		if x.agents, err = agentsOf(ctx, tx, x.viewer); err != nil {
			return err
		}
		for _, part := range []func(context.Context) error{x.findProjects, x.writeEvents, x.writeSessions, x.writeTasks,
			x.writeMemories, x.writeNodes, x.writeAgents, x.writeSuggestions, x.writeGolden, x.writeCandidates, x.writeGraphs} {
			if err := part(ctx); err != nil {
				return err
			}
		}
		x.left["sources and attachments of other people"] = x.others
		for _, what := range slices.Sorted(maps.Keys(x.left)) {
			if n := x.left[what]; n > 0 {
				x.end.LeftOut = append(x.end.LeftOut, fmt.Sprintf("%s: %d", what, n))
			}
		}
		x.end.Lines = x.out.lines - 1
		if err := jsonlines.Write(x.out, record{End: &x.end}); err != nil {
			return err
		}
		return x.out.Flush()
	})
	return x.end, err
}

type export struct {
	*ownedRows
	app    *Service
	p      loci.Principal
	out    *lineWriter
	done   map[any]bool // the agents, projects and notes by their ids, and the blobs by checksum, that are written
	agents []loci.Agent // of the org
	// projects are those that the person belongs to.
	projects []loci.ProjectID
	end      ExportEnd
	left     map[string]int // what the export lacks, and how much of it
}

// once reports whether it is the first call with an id.
func (x *export) once(id any) bool {
	was := x.done[id]
	x.done[id] = true
	return !was
}

// ownedRows reads a person's rows in one transaction.
type ownedRows struct {
	tx     store.Tx
	viewer loci.Viewer
	others int // sources and attachments of other people, so far
}

// agentsOf returns the agents of an org, by name.
func agentsOf(ctx context.Context, tx store.Tx, v loci.Viewer) (all []loci.Agent, err error) {
	for q := (store.AgentQuery{Limit: gate.MaxPage}); ; {
		page, err := tx.Agents().List(ctx, v, q)
		if all = append(all, page...); err != nil || len(page) < q.Limit {
			return all, err
		}
		q.After = page[len(page)-1].Name
	}
}

func (x *export) writeMemories(ctx context.Context) error {
	q := store.ListQuery{Filter: memory.Filter{Lifecycle: loci.AnyState}, Limit: exportPage, Oldest: true,
		Total: true, All: true}
	at := loci.Progress{Stage: "exporting memories"} // Done and Total include what is shared with the person
	for more := true; more; more = q.After != "" {
		page, err := x.tx.Lists().List(ctx, x.viewer, q)
		if err != nil {
			return err
		}
		if q.Total {
			at.Total, q.Total = int64(page.Total), false
		}
		for _, m := range page.Memories {
			if m.UserID != x.viewer.UserID {
				continue // shared with the person, so not theirs to export
			}
			if err := x.writeMemory(ctx, m); err != nil {
				return err
			}
		}
		at.Done += int64(len(page.Memories))
		loci.ReportProgress(ctx, at)
		q.After = page.Next
	}
	return nil
}

func (x *export) writeMemory(ctx context.Context, m *loci.Memory) error {
	r, err := x.recordOf(ctx, m)
	if err != nil {
		return err
	}
	for i := range r.Assets {
		if err := x.writeBlob(ctx, &r.Assets[i]); err != nil {
			return err
		}
	}
	return x.write(ctx, r)
}

// recordOf returns the export's form of a stored memory.
func (o *ownedRows) recordOf(ctx context.Context, m *loci.Memory) (*record, error) {
	r := &record{Memory: m}
	var err error
	if r.Versions, err = o.versions(ctx, m); err != nil {
		return nil, err
	}
	if r.Sources, err = o.tx.Sources().List(ctx, o.viewer, []loci.MemoryID{m.ID}, loci.AnyState); err != nil {
		return nil, err
	}
	if r.Assets, err = o.tx.Assets().List(ctx, o.viewer, m.ID, loci.AnyState); err != nil {
		return nil, err
	}
	all := len(r.Sources) + len(r.Assets)
	r.Sources = slices.DeleteFunc(r.Sources, func(s loci.Source) bool { return s.UserID != o.viewer.UserID })
	r.Assets = slices.DeleteFunc(r.Assets, func(a loci.Asset) bool { return a.UserID != o.viewer.UserID })
	o.others += all - len(r.Sources) - len(r.Assets)
	return r, nil
}

// versions returns the old versions, oldest first.
func (o *ownedRows) versions(ctx context.Context, m *loci.Memory) (all []*loci.Version, err error) {
	for before := m.Version; before > 1; {
		page, err := o.tx.Memories().Versions(ctx, o.viewer, m.ID, loci.AnyState, before, exportPage)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if len(page) < exportPage {
			break
		}
		before = page[len(page)-1].Version
	}
	slices.Reverse(all)
	return all, nil
}
