package transfer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/jsonlines"
	"github.com/loci-memory/loci/internal/store"
)

// ImportOptions configure an import.
type ImportOptions struct {
	DryRun  bool                    // check and count, store nothing
	Size    int64                   // the size of the input in bytes, to report progress; 0 or less: unknown
	Problem func(jsonlines.Problem) // called for each line that was not imported; may be nil
}

// ImportReport is the result of an import so far. The bytes of attachments count with the memories that have them.
type ImportReport struct {
	Lines   int   // read
	Bytes   int64 // read
	Added   int   // rows
	Others  int   // those of Added that are no memories
	Present int   // exactly the same row exists already
	Refused int   // see ImportOptions.Problem
}

// A batch is stored when it has that many lines or bytes. So the longest line limits the memory use.
const (
	importBatch      = 200
	importBatchBytes = 8 << 20
)

// Import stores the rows of an export as the person's, and keeps their ids, origins, times and versions. It may be
// repeated: it skips existing rows, so running it again resumes an interrupted import. It reports a bad line, skips
// it with everything that depends on it, and stores the others. If the org already has an agent with the same vendor
// and name, Import uses that one. project.Adopt decides which project here is that of the export. For each batch that
// stored anything, it adds one entry with a count to the audit trail. Invalid if the input is not an export. Invalid
// too if it is only a part of one; then it has stored that part.
func (s *Service) Import(ctx context.Context, p loci.Principal, r io.Reader, o ImportOptions) (ImportReport, error) {
	if err := s.Begin(ctx, p, Import); err != nil {
		return ImportReport{}, err
	}
	im := &importer{app: s, p: p, o: o, aliases: map[loci.AgentID]loci.AgentID{}, blobs: map[string]bool{},
		projects: map[loci.ProjectID]loci.ProjectID{}, dry: map[loci.ProjectID]bool{}}
	if err := im.look(ctx); err != nil {
		return ImportReport{}, err
	}
	defer im.dropBlob()
	err := jsonlines.Each(bufio.NewReaderSize(r, 1<<16), func(line []byte) error {
		im.report.Lines++
		im.report.Bytes += int64(len(line))
		return im.take(ctx, line)
	})
	if err != nil {
		return im.report, err
	}
	return im.report, im.finish(ctx)
}

type importer struct {
	app     *Service
	p       loci.Principal
	o       ImportOptions
	report  ImportReport
	format  int // of the export; 0: its first line was not read yet
	lines   int // records after the first line, but the end
	end     *ExportEnd
	batch   []numbered
	part    any         // of each record in batch
	size    int         // bytes of the lines in batch
	team    loci.TeamID // the person's team
	spaces  []loci.Workspace
	agents  []loci.Agent                  // of the org
	aliases map[loci.AgentID]loci.AgentID // agents in the export that have another id here
	blob    *blobIn                       // the attachment that is being imported
	blobs   map[string]bool               // whether its bytes were accepted, by checksum
	// projects are those of the export, by their ids there. A dry run makes none of those in dry.
	projects map[loci.ProjectID]loci.ProjectID
	dry      map[loci.ProjectID]bool
}

// look reads the present team, workspaces and agents, to check the ids in the export.
func (im *importer) look(ctx context.Context) error {
	return im.app.Store.View(ctx, im.p.OrgID, func(tx store.Tx) error {
		me, err := tx.Users().Get(ctx, im.p.UserID)
		if err != nil && loci.CodeOf(err) != loci.NotFound { // storing good lines reports it
			return err
		}
		im.team = me.TeamID
		if im.spaces, err = tx.Workspaces().List(ctx); err == nil {
			im.agents, err = agentsOf(ctx, tx, im.p.Viewer())
		}
		return err
	})
}

// place removes a row's team if the person is not in it, and its workspace if the org does not
// have it. Ids of another org would share the row with people who have these ids here, or hide it
// from everybody. Such a workspace hides a version, too. place also sets the ids that projects and agents have here.
func (im *importer) place(r *record) {
	f := r.refs()
	for _, id := range f.spaces {
		im.inWorkspace(id)
	}
	for _, id := range f.teams {
		if *id != im.team {
			*id = loci.TeamID{}
		}
	}
	for _, a := range f.works {
		if a.TeamID != im.team {
			leaveTeam(a)
		}
	}
	for _, id := range f.projects {
		*id = hereOf(im.projects, *id)
	}
	for _, id := range f.agents {
		*id = hereOf(im.aliases, *id)
	}
	for _, c := range r.candidates() {
		im.placeCandidate(c)
	}
}

func (im *importer) inWorkspace(id *loci.WorkspaceID) {
	if !slices.ContainsFunc(im.spaces, func(w loci.Workspace) bool { return w.ID == *id }) {
		*id = im.p.WorkspaceID
	}
}

type numbered struct {
	line int
	*record
}

func (im *importer) take(ctx context.Context, line []byte) error {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil
	}
	if im.format == 0 {
		var err error
		im.format, err = readHeader(line)
		return err
	}
	r, err := parseRecord(line)
	if err == nil && r.End != nil {
		im.end = r.End
		return nil
	}
	im.lines++
	if err == nil && r.Blob != nil {
		return im.takeBlob(ctx, r.Blob)
	}
	im.endBlob()
	if err != nil {
		im.refuse(im.report.Lines, err)
		return nil
	}
	if r.Project != nil {
		return im.takeProject(ctx, r.Project)
	}
	if r.Agent != nil && !im.isNewAgent(r.Agent) {
		im.count(0, 0, 1)
		return nil
	}
	if part := r.part(); part != im.part {
		if err := im.flush(ctx); err != nil {
			return err
		}
		im.part = part
	}
	r.setOwner(im.p.OrgID, im.p.UserID)
	im.place(r)
	im.batch = append(im.batch, numbered{im.report.Lines, r})
	if im.size += len(line); len(im.batch) < importBatch && im.size < importBatchBytes {
		return nil
	}
	return im.flush(ctx)
}

func (im *importer) refuse(line int, err error) {
	im.report.Refused++
	if im.o.Problem != nil {
		im.o.Problem(jsonlines.Problem{Line: line, Text: loci.SafeText(err)})
	}
}

func readHeader(line []byte) (format int, err error) {
	var h struct {
		exportHeader
		Type     string          `json:"type"`     // of a line of the reference memory server
		Entities json.RawMessage `json:"entities"` // of its older file
	}
	err = json.Unmarshal(line, &h)
	if err == nil && (h.Loci == "graph" || h.Type == "entity" || h.Type == "relation" || h.Entities != nil) {
		return 0, loci.Errorf(loci.Invalid, "this is a graph, not an export of memories; import it into a project: "+
			"`loci graph import FILE --project NAME --create`")
	}
	if err != nil || h.Loci != "export" {
		return 0, loci.Errorf(loci.Invalid,
			`this is not an export of Loci: its first line must be {"loci":"export","format":%d}`, exportFormat)
	}
	if h.Format > exportFormat {
		return 0, loci.Errorf(loci.Invalid, "this export has format %d, made by a newer Loci; this version reads up to %d",
			h.Format,
			exportFormat)
	}
	return max(h.Format, 1), nil
}

func (im *importer) finish(ctx context.Context) error {
	if im.format == 0 {
		return loci.Errorf(loci.Invalid, "the file is empty; choose the one that `loci export` wrote")
	}
	im.endBlob()
	if err := im.flush(ctx); err != nil || im.format < endedSince {
		return err
	}
	return im.whole()
}

// whole returns an error if the input is only a part of an export.
func (im *importer) whole() error {
	switch {
	case im.end == nil:
		return loci.Errorf(loci.Invalid,
			"this is only the beginning of an export: its last line is missing; copy the whole file, and import it again")
	case im.end.Lines != im.lines:
		return loci.Errorf(loci.Invalid, "the export had %d lines between the first and the last, and this file has %d; "+
			"copy the whole file, and import it again", im.end.Lines, im.lines)
	}
	return nil
}

// flush stores the batch in one transaction. If the store rejects one of its lines, flush tries
// each line alone, so that it skips only the bad one.
func (im *importer) flush(ctx context.Context) error {
	if len(im.batch) == 0 {
		return nil
	}
	err := im.store(ctx, im.batch)
	if isOfLine(err) {
		err = im.oneByOne(ctx)
	}
	im.batch, im.size = im.batch[:0], 0
	if err == nil {
		im.tell(ctx)
	}
	return err
}

func (im *importer) tell(ctx context.Context) {
	loci.ReportProgress(ctx, loci.Progress{Stage: "importing", Done: im.report.Bytes, Total: im.o.Size, Bytes: true})
}

// isOfLine reports whether an error concerns one line and not all of them.
func isOfLine(err error) bool {
	return loci.CodeOf(err) == loci.Conflict || loci.CodeOf(err) == loci.Invalid
}

func (im *importer) oneByOne(ctx context.Context) error {
	for i := range im.batch {
		err := im.store(ctx, im.batch[i:i+1])
		if isOfLine(err) {
			im.refuse(im.batch[i].line, err)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (im *importer) store(ctx context.Context, batch []numbered) error {
	switch {
	case batch[0].Event != nil:
		return im.storeEvents(ctx, batch)
	case !batch[0].In.IsZero():
		return im.storeRows(ctx, batch)
	}
	var added, others, present int
	err := im.app.Write(ctx, im.p, Import, func(tx store.Tx, e *loci.AuditEntry) error {
		added, others, present = 0, 0, 0
		rows := &ownedRows{tx: tx, viewer: im.p.Viewer()}
		for _, r := range batch {
			isNew, err := im.storeOne(ctx, rows, r.record)
			if err != nil {
				return err
			}
			switch {
			case !isNew:
				present++
			case r.Memory == nil:
				others++
				fallthrough
			default:
				added++
			}
		}
		if im.o.DryRun {
			return jsonlines.ErrDryRun
		}
		if e.Target, e.Count = im.p.UserID.String(), added; added == 0 {
			e.Action = ""
		}
		return nil
	})
	if err != nil && !errors.Is(err, jsonlines.ErrDryRun) {
		return err
	}
	im.count(added, others, present)
	return nil
}

func (im *importer) count(added, others, present int) {
	im.report.Added += added
	im.report.Others += others
	im.report.Present += present
}
