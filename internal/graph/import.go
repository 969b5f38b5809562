package graph

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/jsonlines"
	"github.com/loci-memory/loci/internal/store"
)

const (
	graphBatch      = 500     // approximate number of rows in a transaction
	graphBatchBytes = 4 << 20 // and of bytes of lines
	maxKept         = 100_000 // lines that wait for an entity in a later line
	maxKeptBytes    = 64 << 20
)

type importer struct {
	app       *Service
	p         loci.Principal
	in        loci.ProjectID
	by        loci.GraphAccess
	o         ImportOptions
	report    Report
	batch     []*item
	rows      int
	bytes     int
	kept      []*item
	keptBytes int
	damaged   bool         // the input is the rest of a damaged whole graph
	last      bool         // the input has ended: what is missing now stays missing
	later     [][]*item    // batches of a dry run
	undone    *undoneGraph // the transaction of a dry run; nil: a separate one for each batch
}

// undoneGraph is a transaction that is rolled back.
type undoneGraph struct {
	tx store.GraphTx
	v  loci.Viewer
}

func (im *importer) read(ctx context.Context, r io.Reader) error {
	in := bufio.NewReaderSize(r, 1<<16)
	if err := im.skipMark(in); err != nil {
		return err
	}
	read := im.readLines
	if isWholeGraph(in) {
		read = im.readWhole
	}
	if err := read(ctx, in); err != nil {
		return err
	}
	if im.o.DryRun {
		return im.rehearse(ctx)
	}
	return im.finish(ctx)
}

// rehearse stores all batches in one transaction and rolls it back, so that each batch builds on those before it.
func (im *importer) rehearse(ctx context.Context) error {
	im.later = append(im.later, im.batch)
	var problems []jsonlines.Problem
	done := *im
	err := im.app.enter(ctx, im.p, im.in, im.app.Store.UpdateProject, func(tx store.GraphTx, v loci.Viewer) error {
		done, problems = *im, nil // it may run twice
		done.undone = &undoneGraph{tx, v}
		done.o.Problem = func(p jsonlines.Problem) { problems = append(problems, p) }
		for _, done.batch = range im.later {
			if err := done.flush(ctx); err != nil {
				return err
			}
		}
		if err := done.finish(ctx); err != nil {
			return err
		}
		return jsonlines.ErrDryRun
	})
	if !errors.Is(err, jsonlines.ErrDryRun) {
		return err
	}
	im.report = done.report
	for _, p := range problems {
		if im.o.Problem != nil {
			im.o.Problem(p)
		}
	}
	return nil
}

// skipMark skips the byte order mark that some editors put before UTF-8.
func (im *importer) skipMark(in *bufio.Reader) error {
	head, _ := in.Peek(3) // a read error comes back with the next read
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return loci.Errorf(loci.Invalid, "the import is in UTF-16; save it as UTF-8")
	}
	if !bytes.Equal(head, []byte("\ufeff")) {
		return nil
	}
	n, err := in.Discard(len(head))
	im.report.Bytes += int64(n)
	return err
}

func (im *importer) readLines(ctx context.Context, in *bufio.Reader) error {
	return jsonlines.Each(in, func(line []byte) error {
		im.report.Lines++
		im.report.Bytes += int64(len(line))
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			return nil
		}
		item, err := parseLine(line)
		if err == nil || json.Valid(line) && line[0] != '[' {
			return im.take(ctx, im.report.Lines, len(line), item, err)
		}
		if im.damaged && !bytes.Contains(line, []byte(`{"`)) {
			return nil // a part of the whole graph around its rows
		}
		return eachObject(line, false, im.takeObject(ctx))
	})
}

func (im *importer) takeObject(ctx context.Context) func([]byte, error) error {
	return func(object []byte, err error) error {
		if err != nil {
			return im.take(ctx, im.report.Lines, 0, nil, err)
		}
		item, err := parseLine(object)
		return im.take(ctx, im.report.Lines, len(object), item, err)
	}
}

// maxTries is at how many places of a damaged line an import looks for the next intact object.
const maxTries = 1_000

// eachObject calls fn with each object of a line that is not one, because objects were joined, cut or put into an
// array. For what is no object, it calls fn with an error, except at the beginning of a line that is known to be
// damaged there.
func eachObject(line []byte, damaged bool, fn func(object []byte, bad error) error) error {
	for tries := 0; ; damaged = false {
		const around = " \t\r\n,[]}\x00"
		line = bytes.TrimPrefix(bytes.TrimLeft(line, around), []byte(`"relations":`))
		line = bytes.TrimLeft(line, around)
		if len(line) == 0 {
			return nil
		}
		if !damaged {
			object, bad := firstObject(line)
			if err := fn(object, bad); err != nil {
				return err
			}
			if line = line[len(object):]; bad == nil {
				continue
			}
		}
		for end := line[1:]; ; tries++ {
			next := bytes.IndexByte(end, '{')
			if next < 0 || tries == maxTries {
				return nil
			}
			end = end[next:]
			if first, err := firstObject(end); err == nil {
				if _, err = parseLine(first); err == nil { // a row, and not a part of one
					line = end
					break
				}
			}
			end = end[1:]
		}
	}
}

// firstObject returns the JSON object with which b begins.
func firstObject(b []byte) (object []byte, err error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return nil, badLine(err)
	}
	if raw[0] != '{' {
		return nil, loci.Errorf(loci.Invalid, "a row of a graph must be a JSON object")
	}
	return b[:dec.InputOffset()], nil
}

func (im *importer) take(ctx context.Context, line, size int, item *item, err error) error {
	if errors.Is(err, errNotGraph) {
		return err
	}
	if err != nil {
		im.refuse(line, err)
		return nil
	}
	if item.isOwn() && im.p.Kind != loci.KindLocal {
		im.app.Refused(ctx, im.p, Import)
		return loci.Errorf(loci.Forbidden,
			"this is an export of Loci with ids and writers, which only the operator imports: `loci graph import`; "+
				"export it with the format %q to import it here", GraphReference)
	}
	if item.header {
		return nil
	}
	if item.flaw != nil {
		im.refuse(line, item.flaw)
	}
	item.line, item.size = line, size
	im.batch = append(im.batch, item)
	im.rows += item.count()
	im.bytes += size
	if im.rows < graphBatch && im.bytes < graphBatchBytes {
		return nil
	}
	if im.o.DryRun {
		im.later = append(im.later, im.batch)
		im.batch, im.rows, im.bytes = nil, 0, 0
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

// finish stores the remaining batch and retries the lines that waited.
func (im *importer) finish(ctx context.Context) error {
	if err := im.flush(ctx); err != nil {
		return err
	}
	im.last = true
	for some := range slices.Chunk(im.kept, graphBatch) {
		im.batch = some
		if err := im.flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// flush stores the whole batch or none of it. It takes rejected lines out and tries the others again.
func (im *importer) flush(ctx context.Context) error {
	items := im.batch
	im.batch, im.rows, im.bytes = nil, 0, 0
	if len(items) == 0 {
		return nil
	}
	for len(items) > 0 {
		err := im.store(ctx, items)
		bad := refusedItems{}
		if !errors.As(err, &bad) {
			if err != nil {
				return err
			}
			break
		}
		items = im.setAside(items, bad)
	}
	loci.ReportProgress(ctx, loci.Progress{Stage: "importing", Done: im.report.Bytes, Total: im.o.Size, Bytes: true})
	return nil
}

// setAside returns the items that were not rejected. Of the others, it keeps those whose entities
// may come in a later line.
func (im *importer) setAside(items []*item, bad refusedItems) (good []*item) {
	for _, item := range items {
		why, refused := bad[item]
		switch {
		case !refused:
			good = append(good, item)
		case why.Code != loci.NotFound || !item.waits() || im.last:
			im.refuse(item.line, loci.Errorf(why.Code, "%s", why.Text))
			if why.Code == loci.NotFound && item.relation != nil {
				im.report.Dangling++
			}
		case len(im.kept) == maxKept || im.keptBytes+item.size > maxKeptBytes:
			im.refuse(item.line, loci.Errorf(why.Code, "%s; too many lines wait for entities in later lines; import again, or "+
				"put entities first", why.Text))
		default:
			im.kept = append(im.kept, item)
			im.keptBytes += item.size
		}
	}
	return good
}

// refusedItems are the lines that caused a rollback, with the reasons.
type refusedItems map[*item]loci.ItemError

func (r refusedItems) Error() string { return fmt.Sprintf("%d lines refused", len(r)) }

// blame maps the rejected items of a call to their lines.
func blame(err error, from []*item) error {
	var refused *loci.ItemsError
	if !errors.As(err, &refused) {
		return err
	}
	bad := refusedItems{}
	for _, item := range refused.Items {
		if item.Index >= len(from) {
			return fmt.Errorf("the store refused item %d of %d: %w", item.Index, len(from), err)
		}
		bad[from[item.Index]] = item
	}
	return bad
}

// store stores everything in the items, or nothing.
func (im *importer) store(ctx context.Context, items []*item) error {
	var done Report
	var put putter
	var of loci.Project
	all := func(tx store.GraphTx, v loci.Viewer) error {
		done, of = Report{}, tx.Project()
		put = putter{tx: tx, v: v, by: im.by, done: &done}
		return put.all(ctx, items)
	}
	var err error
	if im.undone != nil {
		err = im.undone.tx.Try(func() error { return all(im.undone.tx, im.undone.v) })
	} else {
		err = im.app.enter(ctx, im.p, im.in, im.app.Store.UpdateProject, all)
	}
	if err != nil {
		return err
	}
	for i := 0; i < len(put.rows) && im.undone == nil; i++ {
		im.app.Notice(ctx, of, put.rows[i])
	}
	im.report.Entities += done.Entities
	im.report.Observations += done.Observations
	im.report.Relations += done.Relations
	im.report.Present += done.Present
	return nil
}
