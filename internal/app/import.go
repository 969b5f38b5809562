package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// ImportOptions tune an import.
type ImportOptions struct {
	DryRun   bool                // check and count, store nothing
	Progress func(ImportReport)  // told after each batch; may be nil
	Problem  func(ImportProblem) // told of each line that was not taken; may be nil
}

// ImportReport says what an import did so far.
type ImportReport struct {
	Lines   int   // read
	Bytes   int64 // read
	Added   int
	Present int // already there, the same to the letter
	Refused int // see ImportOptions.Problem
}

// ImportProblem is a line that was not taken, and why.
type ImportProblem struct {
	Line int // from 1
	Text string
}

const (
	importBatch   = 200
	maxImportLine = 256 << 20
)

// Import stores the memories of an export, with ids, origins, times and
// versions as they were, as the person's. It can be repeated: what is there
// already is skipped, so an interrupted import is resumed by running it again.
// A bad line is reported and left out; the others are stored. The trail has one
// entry with a count for each batch that stored something. Invalid if the
// input is not an export.
func (a *App) Import(ctx context.Context, p loci.Principal, r io.Reader, o ImportOptions) (ImportReport, error) {
	if err := a.begin(ctx, p, Import); err != nil {
		return ImportReport{}, err
	}
	im := &importer{app: a, p: p, o: o}
	if err := im.look(ctx); err != nil {
		return ImportReport{}, err
	}
	err := eachLine(bufio.NewReaderSize(r, 1<<16), func(line []byte) error {
		im.report.Lines++
		im.report.Bytes += int64(len(line))
		return im.take(ctx, line)
	})
	if err != nil {
		return im.report, err
	}
	return im.report, im.finish(ctx)
}

// eachLine runs fn for each line, with its newline.
func eachLine(in *bufio.Reader, fn func(line []byte) error) error {
	for {
		line, err := readLine(in)
		if len(line) > 0 {
			if err := fn(line); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readLine reads up to and with the next newline; a line beyond the limit is
// an Invalid error, so that no input can fill the memory.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxImportLine {
			return nil, loci.Errorf(loci.TooLarge, "a line of the import is longer than %d MiB", maxImportLine>>20)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

type importer struct {
	app    *App
	p      loci.Principal
	o      ImportOptions
	report ImportReport
	began  bool
	batch  []numbered
	team   loci.TeamID // the person's
	spaces []loci.Workspace
}

// look reads what the places that an export names are compared with.
func (im *importer) look(ctx context.Context) error {
	return im.app.store.View(ctx, im.p.OrgID, func(tx store.Tx) error {
		me, err := tx.Users().Get(ctx, im.p.UserID)
		if err != nil && loci.CodeOf(err) != loci.NotFound { // storing says so, of lines that are good
			return err
		}
		im.team = me.TeamID
		im.spaces, err = tx.Workspaces().List(ctx)
		return err
	})
}

// place takes a memory out of a team that the person is not in and a workspace
// that the org does not have: ids of another org would share it with whoever
// has them here, or hide it from everybody. Such a workspace hides a version, too.
func (im *importer) place(r *record) {
	if r.Memory.TeamID != im.team {
		r.Memory.TeamID = loci.TeamID{}
	}
	im.inWorkspace(r.Memory)
	for _, v := range r.Versions {
		im.inWorkspace(&v.Memory)
	}
}

func (im *importer) inWorkspace(m *loci.Memory) {
	if !slices.ContainsFunc(im.spaces, func(w loci.Workspace) bool { return w.ID == m.WorkspaceID }) {
		m.WorkspaceID = im.p.WorkspaceID
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
	if !im.began {
		im.began = true
		return checkHeader(line)
	}
	r, err := parseRecord(line)
	if err != nil {
		im.refuse(im.report.Lines, err)
		return nil
	}
	r.setOwner(im.p.OrgID, im.p.UserID)
	im.place(r)
	im.batch = append(im.batch, numbered{im.report.Lines, r})
	if len(im.batch) < importBatch {
		return nil
	}
	return im.flush(ctx)
}

func (im *importer) refuse(line int, err error) {
	im.report.Refused++
	if im.o.Problem != nil {
		im.o.Problem(ImportProblem{line, loci.SafeText(err)})
	}
}

func checkHeader(line []byte) error {
	var h exportHeader
	if err := json.Unmarshal(line, &h); err != nil || h.Loci != "export" {
		return loci.Errorf(loci.Invalid, `this is not an export of Loci: its first line must be {"loci":"export","format":%d}`, exportFormat)
	}
	if h.Format > exportFormat {
		return loci.Errorf(loci.Invalid, "this export has format %d, made by a newer Loci; this one reads up to %d", h.Format, exportFormat)
	}
	return nil
}

func parseRecord(line []byte) (*record, error) {
	if err := loci.CheckJSON(line); err != nil {
		return nil, err
	}
	var r record
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return nil, loci.WrapError(loci.Invalid, err, "not a record of an export: %s", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, loci.Errorf(loci.Invalid, "something stands behind the record; each line is one")
	}
	if r.Memory == nil {
		return nil, loci.Errorf(loci.Invalid, `the record has no "memory"`)
	}
	if err := checkStored(r.Memory); err != nil {
		return nil, err
	}
	for i, v := range r.Versions {
		if err := checkStored(&v.Memory); err != nil {
			return nil, err
		}
		v.ReplacedAt = loci.CutTime(v.ReplacedAt)
		if v.ID != r.Memory.ID || v.Version >= r.Memory.Version || i > 0 && v.Version <= r.Versions[i-1].Version {
			return nil, loci.FieldErrorf(fmt.Sprintf("versions[%d]", i), "is not an older version of the same memory, in order")
		}
	}
	return &r, nil
}

// checkStored brings a memory into the form in which it is kept and checks what
// only the server sets, besides the usual limits.
func checkStored(m *loci.Memory) error {
	if m.ID.IsZero() {
		return loci.FieldErrorf("id", "is missing")
	}
	m.SetDefaults()
	for _, t := range []*time.Time{&m.ExpiresAt, &m.DeletedAt, &m.ValidFrom, &m.ValidTo, &m.CreatedAt, &m.UpdatedAt} {
		*t = loci.CutTime(*t)
	}
	if err := m.Validate(); err != nil {
		return err
	}
	if m.Scope == loci.ScopeAgent {
		return loci.FieldErrorf("scope", "is agent, which nobody here could read; agents and their sessions come with a later version")
	}
	if loci.Vendor(m.Origin).Validate() != nil {
		return loci.FieldErrorf("origin", "is not a vendor or one of api, cli and dashboard")
	}
	if loci.Vendor(m.Editor).Validate() != nil {
		return loci.FieldErrorf("editor", "is not a vendor or one of api, cli and dashboard")
	}
	if m.Version < 1 {
		return loci.FieldErrorf("version", "must be at least 1")
	}
	switch m.Change {
	case loci.Created, loci.Updated, loci.Trashed, loci.Restored:
	default:
		return loci.FieldErrorf("change", "must be created, updated, trashed or restored")
	}
	if m.CreatedAt.IsZero() || m.UpdatedAt.IsZero() {
		return loci.FieldErrorf("created_at", "and updated_at are needed")
	}
	return nil
}

func (im *importer) finish(ctx context.Context) error {
	if !im.began {
		return loci.Errorf(loci.Invalid, "the import is empty")
	}
	return im.flush(ctx)
}

// flush stores the batch in one transaction. If one of its lines is refused by
// the store, each is tried alone, so that only the bad one is left out.
func (im *importer) flush(ctx context.Context) error {
	if len(im.batch) == 0 {
		return nil
	}
	err := im.store(ctx, im.batch)
	if loci.CodeOf(err) == loci.Conflict {
		err = im.oneByOne(ctx)
	}
	im.batch = im.batch[:0]
	if err == nil && im.o.Progress != nil {
		im.o.Progress(im.report)
	}
	return err
}

func (im *importer) oneByOne(ctx context.Context) error {
	for i := range im.batch {
		err := im.store(ctx, im.batch[i:i+1])
		if loci.CodeOf(err) == loci.Conflict {
			im.refuse(im.batch[i].line, err)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// errDryRun undoes a transaction that only tried.
var errDryRun = errors.New("dry run")

func (im *importer) store(ctx context.Context, batch []numbered) error {
	var added, present int
	err := im.app.write(ctx, im.p, Import, func(tx store.Tx, e *loci.AuditEntry) error {
		added, present = 0, 0
		for _, r := range batch {
			isNew, err := im.storeOne(ctx, tx, r.record)
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
			return errDryRun
		}
		if e.Target, e.Count = im.p.UserID.String(), added; added == 0 {
			e.Action = ""
		}
		return nil
	})
	if err != nil && !errors.Is(err, errDryRun) {
		return err
	}
	im.report.Added += added
	im.report.Present += present
	return nil
}

func (im *importer) storeOne(ctx context.Context, tx store.Tx, r *record) (isNew bool, err error) {
	there, err := tx.Memories().Get(ctx, im.p.Viewer(), r.Memory.ID, loci.AnyState)
	if err == nil {
		return false, im.compare(ctx, tx, there, r)
	}
	if loci.CodeOf(err) != loci.NotFound {
		return false, err
	}
	if err := tx.Memories().Insert(ctx, r.Memory); err != nil {
		return false, err
	}
	for _, v := range r.Versions {
		if err := tx.Memories().InsertVersion(ctx, v); err != nil {
			return false, err
		}
	}
	return true, nil
}

// compare returns a Conflict unless the stored memory is the same to the byte
// in its exported form.
func (im *importer) compare(ctx context.Context, tx store.Tx, there *loci.Memory, r *record) error {
	stored, err := recordOf(ctx, tx, im.p, there)
	if err != nil {
		return err
	}
	have, err := encodeLine(stored)
	if err != nil {
		return err
	}
	bare := record{Memory: r.Memory.Clone()}
	for _, v := range r.Versions {
		bare.Versions = append(bare.Versions, &loci.Version{Memory: *v.Memory.Clone(), ReplacedAt: v.ReplacedAt})
	}
	bare.setOwner("", loci.UserID{})
	want, err := encodeLine(&bare)
	if err != nil {
		return err
	}
	if !bytes.Equal(have, want) {
		return loci.Errorf(loci.Conflict, "memory %s is here already with another text or history; it was left as it is", r.Memory.ID)
	}
	return nil
}
