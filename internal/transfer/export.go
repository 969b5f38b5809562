package transfer

import (
	"bufio"
	"context"
	"io"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/jsonlines"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
)

// An export is JSON lines: one header, then sessions, tasks, memories with their attachments and sources, nodes,
// agents, suggestions and golden questions with their runs, each oldest first, and one end, so that a part of an
// export does not look like a whole one. The bytes of an attachment come before the first memory that has it. An agent
// comes before the first row that names it, even if somebody else registered it. An export contains neither the name of
// a person nor its own time, so the same rows always produce the same bytes, wherever they were imported.

// exportFormat must increase when an older Loci could not read the new output: at every new field.
// testdata/format.txt lists the fields of this format.
const exportFormat = 4

type exportHeader struct {
	Loci   string `json:"loci"` // always "export"
	Format int    `json:"format"`
}

// record is one line of an export. It has exactly one of Agent, Session, Task, Memory, Blob, Node,
// Suggestion, Golden, GoldenRun and End. A line is imported whole or not at all.
type record struct {
	Agent      *loci.Agent          `json:"agent,omitempty"`
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
	End        *exportEnd           `json:"end,omitempty"`
}

// sessionLine is a session, with the vendor that it had before format 4: then only this vendor's
// credentials could see the session, or none without one.
type sessionLine struct {
	loci.Session
	Vendor loci.Vendor `json:"vendor,omitempty"`
}

// endedSince is the first format whose exports have an end.
const endedSince = 3

// exportEnd is the last line of an export.
type exportEnd struct {
	Lines int `json:"lines"` // between the first line and this one
}

// lineWriter counts the lines that jsonlines writes.
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

// Export writes every memory of the person as JSON lines, with all versions, trashed and expired
// ones, and the person's agents, sessions, tasks, sources, attachments, nodes, suggestions and golden
// questions. It reads one snapshot, whatever is written meanwhile. It records the export in the audit trail before
// the first byte. It returns the number of memories. Conflict if the bytes of an attachment are
// missing.
func (s *Service) Export(ctx context.Context, p loci.Principal, w io.Writer) (int, error) {
	if err := s.Begin(ctx, p, Export); err != nil {
		return 0, err
	}
	if err := s.Record(ctx, p, Export, p.UserID.String()); err != nil {
		return 0, err
	}
	x := &export{app: s, out: &lineWriter{Writer: bufio.NewWriterSize(w, 1<<16)}, blobs: map[string]bool{},
		agentsDone: map[loci.AgentID]bool{}}
	if err := jsonlines.Write(x.out, exportHeader{"export", exportFormat}); err != nil {
		return 0, err
	}
	err := s.Store.Scan(ctx, p.OrgID, func(tx store.Tx) error {
		rows, err := ownRows(ctx, tx, p)
		if err != nil {
			return err
		}
		x.ownedRows = rows
		for _, part := range []func(context.Context) error{x.writeSessions, x.writeTasks, x.writeMemories, x.writeNodes,
			x.writeAgents, x.writeSuggestions, x.writeGolden} {
			if err := part(ctx); err != nil {
				return err
			}
		}
		if err := jsonlines.Write(x.out, record{End: &exportEnd{Lines: x.out.lines - 1}}); err != nil {
			return err
		}
		return x.out.Flush()
	})
	return x.written, err
}

// export is the state of one export.
type export struct {
	*ownedRows
	app     *Service
	out     *lineWriter
	written int             // number of memories
	blobs   map[string]bool // blobs written so far, by checksum
	// agentsDone are the agents written so far.
	agentsDone map[loci.AgentID]bool
}

// ownedRows reads a person's rows in one transaction.
type ownedRows struct {
	tx     store.Tx
	viewer loci.Viewer
	agents []loci.Agent // of the org
}

func ownRows(ctx context.Context, tx store.Tx, p loci.Principal) (*ownedRows, error) {
	o := &ownedRows{tx: tx, viewer: p.Viewer()}
	for q := (store.AgentQuery{Limit: gate.MaxPage}); ; {
		page, err := tx.Agents().List(ctx, o.viewer, q)
		if err != nil {
			return nil, err
		}
		if o.agents = append(o.agents, page...); len(page) < q.Limit {
			return o, nil
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
			x.written++
		}
		at.Done += int64(len(page.Memories))
		loci.ReportProgress(ctx, at)
		q.After = page.Next
	}
	return nil
}

func (x *export) writeMemory(ctx context.Context, m *loci.Memory) error {
	r, err := x.recordOf(ctx, m)
	if err == nil {
		err = x.writeAgent(m.AgentID)
	}
	if err != nil {
		return err
	}
	for i := range r.Assets {
		if err := x.writeBlob(ctx, &r.Assets[i]); err != nil {
			return err
		}
	}
	return jsonlines.Write(x.out, r)
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
	r.Sources = slices.DeleteFunc(r.Sources, func(s loci.Source) bool { return s.UserID != o.viewer.UserID })
	r.Assets = slices.DeleteFunc(r.Assets, func(a loci.Asset) bool { return a.UserID != o.viewer.UserID })
	r.setOwner(loci.OrgID(""), loci.UserID{})
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

// setOwner sets the owner of a record. An export names no person and no credential. It also has
// no workspace and team: they belong to the org, so in another org the same rows would produce
// other bytes.
func (r *record) setOwner(org loci.OrgID, user loci.UserID) {
	if org == "" {
		r.leavePlaces()
	}
	own := func(m *loci.Memory) {
		m.OrgID, m.UserID, m.EditorID, m.EditorCredentialID = org, user, loci.UserID{}, loci.CredentialID{}
	}
	switch {
	case r.Agent != nil:
		r.Agent.OrgID, r.Agent.UserID = org, user
	case r.Session != nil:
		r.Session.OrgID, r.Session.UserID = org, user
	case r.Task != nil:
		r.Task.OrgID, r.Task.UserID = org, user
	case r.Memory != nil:
		own(r.Memory)
	case r.Node != nil:
		r.Node.OrgID, r.Node.UserID = org, user
	case r.Suggestion != nil:
		r.Suggestion.UserID = user
	case r.Golden != nil:
		r.Golden.OrgID, r.Golden.UserID = org, user
	case r.GoldenRun != nil:
		r.GoldenRun.OrgID, r.GoldenRun.UserID = org, user
	}
	for _, v := range r.Versions {
		own(&v.Memory)
	}
	for i := range r.Sources {
		r.Sources[i].UserID = user
	}
	for i := range r.Assets {
		r.Assets[i].UserID = user
	}
	for i := range r.Items {
		r.Items[i].UserID = user
	}
}

func (r *record) leavePlaces() {
	for _, a := range r.accesses() {
		a.WorkspaceID, a.TeamID = loci.WorkspaceID{}, loci.TeamID{}
	}
	if r.Session != nil {
		r.Session.WorkspaceID = loci.WorkspaceID{}
		leaveTeam(r.Session)
	}
	if r.Task != nil {
		r.Task.WorkspaceID = loci.WorkspaceID{}
	}
}

// leaveTeam makes a session private if its team sees it.
func leaveTeam(s *sessionLine) {
	if s.TeamID = (loci.TeamID{}); s.Reach == loci.ReachTeam {
		s.Reach = loci.ReachPrivate
	}
}
