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

// ImportOptions tune an import.
type ImportOptions struct {
	DryRun   bool                    // check and count, store nothing
	Progress func(ImportReport)      // told after each batch; may be nil
	Problem  func(jsonlines.Problem) // told of each line that was not taken; may be nil
}

// ImportReport says what an import did so far. The bytes of attachments are counted with the memories that have them.
type ImportReport struct {
	Lines   int   // read
	Bytes   int64 // read
	Added   int
	Present int // already there, the same to the letter
	Refused int // see ImportOptions.Problem
}

// A batch is stored when it has that many lines or bytes: what is kept in memory is bounded by the longest line.
const (
	importBatch      = 200
	importBatchBytes = 8 << 20
)

// Import stores the rows of an export, with ids, origins, times and
// versions as they were, as the person's. It can be repeated: what is there
// already is skipped, so an interrupted import is resumed by running it again.
// A bad line is reported and left out with what hangs on it; the others are stored. An agent that the person has
// already, by vendor and name, is that one. The trail has one
// entry with a count for each batch that stored something. Invalid if the
// input is not an export.
func (s *Service) Import(ctx context.Context, p loci.Principal, r io.Reader, o ImportOptions) (ImportReport, error) {
	if err := s.Begin(ctx, p, Import); err != nil {
		return ImportReport{}, err
	}
	im := &importer{app: s, p: p, o: o, aliases: map[loci.AgentID]loci.AgentID{}, blobs: map[string]bool{}}
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
	began   bool
	batch   []numbered
	size    int         // of the lines in batch, in bytes
	team    loci.TeamID // the person's
	spaces  []loci.Workspace
	aliases map[loci.AgentID]loci.AgentID // agents of the export that go by another id here
	blob    *blobIn                       // the attachment that is being read
	blobs   map[string]bool               // by their sum: whether their bytes were taken
}

// look reads what the places that an export names are compared with.
func (im *importer) look(ctx context.Context) error {
	return im.app.Store.View(ctx, im.p.OrgID, func(tx store.Tx) error {
		me, err := tx.Users().Get(ctx, im.p.UserID)
		if err != nil && loci.CodeOf(err) != loci.NotFound { // storing says so, of lines that are good
			return err
		}
		im.team = me.TeamID
		im.spaces, err = tx.Workspaces().List(ctx)
		return err
	})
}

// place takes a row out of a team that the person is not in and a workspace
// that the org does not have: ids of another org would share it with whoever
// has them here, or hide it from everybody. Such a workspace hides a version, too.
func (im *importer) place(r *record) {
	for _, a := range r.accesses() {
		im.inWorkspace(&a.WorkspaceID)
	}
	if r.Session != nil {
		im.inWorkspace(&r.Session.WorkspaceID)
	}
	if r.Memory != nil && r.Memory.TeamID != im.team {
		r.Memory.TeamID = loci.TeamID{}
	}
	if r.Node != nil && r.Node.TeamID != im.team {
		r.Node.TeamID = loci.TeamID{}
	}
}

func (im *importer) inWorkspace(id *loci.WorkspaceID) {
	if !slices.ContainsFunc(im.spaces, func(w loci.Workspace) bool { return w.ID == *id }) {
		*id = im.p.WorkspaceID
	}
}

// accesses returns what says where the rows of a record are.
func (r *record) accesses() (all []*loci.Access) {
	if r.Memory != nil {
		all = append(all, &r.Memory.Access)
	}
	for _, v := range r.Versions {
		all = append(all, &v.Access)
	}
	if r.Node != nil {
		all = append(all, &r.Node.Access)
	}
	return all
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
	if !im.began {
		im.began = true
		return checkHeader(line)
	}
	r, err := parseRecord(line)
	if err == nil && r.Blob != nil {
		return im.takeBlob(ctx, r.Blob)
	}
	im.endBlob()
	if err != nil {
		im.refuse(im.report.Lines, err)
		return nil
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

func checkHeader(line []byte) error {
	var h exportHeader
	if err := json.Unmarshal(line, &h); err != nil || h.Loci != "export" {
		return loci.Errorf(loci.Invalid,
			`this is not an export of Loci: its first line must be {"loci":"export","format":%d}`, exportFormat)
	}
	if h.Format > exportFormat {
		return loci.Errorf(loci.Invalid, "this export has format %d, made by a newer Loci; this one reads up to %d", h.Format,
			exportFormat)
	}
	return nil
}

func (im *importer) finish(ctx context.Context) error {
	if !im.began {
		return loci.Errorf(loci.Invalid, "the import is empty")
	}
	im.endBlob()
	return im.flush(ctx)
}

// flush stores the batch in one transaction. If one of its lines is refused by
// the store, each is tried alone, so that only the bad one is left out.
func (im *importer) flush(ctx context.Context) error {
	if len(im.batch) == 0 {
		return nil
	}
	err := im.store(ctx, im.batch)
	if isOfLine(err) {
		err = im.oneByOne(ctx)
	}
	im.batch, im.size = im.batch[:0], 0
	im.tell(err)
	return err
}

func (im *importer) tell(err error) {
	if err == nil && im.o.Progress != nil {
		im.o.Progress(im.report)
	}
}

// isOfLine reports whether an error is about one line and not about them all.
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
	var added, present int
	err := im.app.Write(ctx, im.p, Import, func(tx store.Tx, e *loci.AuditEntry) error {
		added, present = 0, 0
		rows, err := ownRows(ctx, tx, im.p)
		if err != nil {
			return err
		}
		for _, r := range batch {
			isNew, err := im.storeOne(ctx, rows, r.clone())
			if err != nil {
				return err
			}
			if isNew {
				added++
			} else {
				present++
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
	im.report.Added += added
	im.report.Present += present
	return nil
}
