package indexing

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/store"
)

// lockPause is how long to wait before another attempt to lock the files.
const lockPause = 50 * time.Millisecond

// Rebuild builds the index of an org of all its rows, and replaces the files by it. It waits while
// another process writes them. Searches go on with the old files, also those of other processes. A process
// that calls Run takes over the new ones within ten seconds. Rebuild tells loci.ReportProgress how far it is.
func (x *Index) Rebuild(ctx context.Context, org loci.OrgID) error {
	o := newOrg(x, org)
	if o.files == nil {
		return nil // an index in memory is built of the rows in any case
	}
	release, err := o.waitForFiles(ctx)
	if err != nil {
		return err
	}
	defer release()
	m, parts, err := x.rebuilt(ctx, o)
	if err != nil {
		o.sweepUnused()
		return err
	}
	if err := o.replace(m, parts); err != nil {
		return err
	}
	used := x.of(org)
	if !used.lock(ctx) {
		return ctx.Err()
	}
	defer used.unlock()
	used.forget()
	used.load(ctx)
	used.loaded = true
	return nil
}

// waitForFiles returns the right to write the files.
func (o *orgIndex) waitForFiles(ctx context.Context) (release func(), err error) {
	for {
		release, ok, err := o.files.lock()
		if err != nil || ok {
			return release, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockPause):
		}
	}
}

// sweepUnused removes segments that no manifest names. The caller has the lock of the files.
func (o *orgIndex) sweepUnused() {
	if m, err := o.files.manifest(); err == nil || errors.Is(err, fs.ErrNotExist) {
		o.files.sweep(m)
	}
}

// rebuilt writes segments of all rows. Whoever reads them follows what has changed since the beginning.
func (x *Index) rebuilt(ctx context.Context, o *orgIndex) (manifest, []*part, error) {
	r := rebuild{o: o}
	r.begin()
	r.m.Built = true
	err := x.store.View(ctx, o.org, func(tx store.Tx) (err error) { r.m.Position, err = tx.Rows().End(ctx); return err })
	if err != nil {
		return r.m, nil, err
	}
	walk := rowWalk{org: o.org}
	for more := true; more; {
		err := x.store.View(ctx, o.org, func(tx store.Tx) (err error) {
			var memories []*loci.Memory
			if memories, more, err = walk.next(ctx, tx); err != nil {
				return err
			}
			return r.add(ctx, tx, memories)
		})
		if err == nil && r.b.Len() >= o.limits.fileRows {
			err = r.write()
		}
		if err != nil {
			return r.m, nil, err
		}
	}
	err = r.write()
	return r.m, r.parts, err
}

// rebuild is the segments that are written and the one that is being made.
type rebuild struct {
	o     *orgIndex
	m     manifest
	parts []*part
	b     *index.Builder
	added map[loci.MemoryID]bool // to b
	order sessions
}

func (r *rebuild) begin() { r.b, r.added = index.NewBuilder(), map[loci.MemoryID]bool{} }

func (r *rebuild) has(id loci.MemoryID) bool {
	return r.added[id] || slices.ContainsFunc(r.parts, func(p *part) bool { return p.view.Has(id) })
}

// add adds memories and those beside them.
func (r *rebuild) add(ctx context.Context, tx store.Tx, memories []*loci.Memory) error {
	if err := r.order.in(ctx, tx); err != nil {
		return err
	}
	rows, err := missingRows(ctx, &r.order, memories, r.has)
	for id, row := range rows {
		r.b.Add(row)
		r.added[id] = true
	}
	return err
}

func (r *rebuild) write() error {
	if r.b.Len() == 0 {
		return nil
	}
	p, err := r.o.files.store(r.b.Build())
	if err != nil {
		return err
	}
	r.parts, r.m.Segments = append(r.parts, p), append(r.m.Segments, listed{Name: p.name})
	r.begin()
	return nil
}

// rowWalk reads all rows of an org in batches, the last stored first.
type rowWalk struct {
	org     loci.OrgID
	number  int64 // of the batch at hand; 0: the first
	highest int64
}

// next returns a batch. more is false with the last one.
func (w *rowWalk) next(ctx context.Context, tx store.Tx) (memories []*loci.Memory, more bool, err error) {
	memories, next, err := tx.Rows().Before(ctx, w.number, buildBatch)
	if err != nil {
		return nil, false, err
	}
	if w.number == 0 {
		w.highest = next + int64(len(memories))
	}
	w.number = next
	loci.ReportProgress(ctx, loci.Progress{Stage: "reading the memories of " + string(w.org), Done: w.highest - next,
		Total: w.highest})
	return memories, next != 0, ctx.Err()
}

// Verify compares the index of an org with its rows, and returns one sentence for each kind of problem.
// An index that has not been written yet has none.
func (x *Index) Verify(ctx context.Context, org loci.OrgID) (problems []string, err error) {
	o := newOrg(x, org)
	if o.files == nil {
		return nil, nil
	}
	m, parts, problems, err := o.files.readable(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil || len(problems) > 0 {
		return problems, err
	}
	o.loaded, o.begun = true, true
	o.saved, o.parts, o.at, o.rest, o.built = m, parts, m.Position, m.Rest, m.Built
	err = x.store.View(ctx, org, func(tx store.Tx) error {
		if err := o.follow(ctx, tx); err != nil {
			return err
		}
		problems, err = o.differences(ctx, tx)
		return err
	})
	return problems, err
}

// readable returns what the manifest lists, and a sentence for each file that cannot be read. It fails
// with fs.ErrNotExist if there is no manifest.
func (f *files) readable(ctx context.Context) (m manifest, parts []*part, problems []string, err error) {
	for ctx.Err() == nil {
		m, err = f.manifest()
		if errors.Is(err, fs.ErrNotExist) {
			return m, nil, nil, err
		}
		if err != nil {
			return m, nil, []string{"the file " + manifestName + " cannot be read: " + err.Error()}, nil
		}
		parts, problems = nil, nil
		for _, l := range m.Segments {
			p, err := f.part(l)
			if err != nil {
				problems = append(problems, fmt.Sprintf("the file %s cannot be read: %s", l.Name, err))
				continue
			}
			parts = append(parts, p)
		}
		if len(problems) == 0 || onDisk(f) == m.Version {
			return m, parts, problems, nil
		} // else another process has just merged files
	}
	return m, nil, nil, ctx.Err()
}

// differences compares the parts with the rows. The caller has followed all changes that tx sees.
func (o *orgIndex) differences(ctx context.Context, tx store.Tx) ([]string, error) {
	var missing, twice, outdated, wrong sample
	live := 0
	walk := rowWalk{org: o.org}
	for more := true; more; {
		var memories []*loci.Memory
		var err error
		if memories, more, err = walk.next(ctx, tx); err != nil {
			return nil, err
		}
		for _, m := range memories {
			times, at := o.indexed(m.ID)
			switch found := m.DeletedAt.IsZero() && m.SupersededBy.IsZero(); {
			case !found && times > 0:
				wrong.add(m.ID)
			case found && times == 0:
				missing.add(m.ID)
			case found && times > 1:
				twice.add(m.ID)
			case found && at != m.UpdatedAt.UnixMicro():
				outdated.add(m.ID)
			}
			live += times
		}
	}
	var problems []string
	for _, s := range []struct {
		sample
		what string
	}{{missing, "missing"}, {twice, "in the index twice"}, {outdated, "in the index in an old version"},
		{wrong, "in the index, but in the trash or superseded"}} {
		if s.n > 0 {
			problems = append(problems, fmt.Sprintf("%s %s, such as %s", loci.Plural(s.n, "memory is", "memories are"),
				s.what, s.first))
		}
	}
	for _, p := range o.parts {
		live -= p.view.Live()
	}
	if live != 0 {
		problems = append(problems, fmt.Sprintf("%s in the index, but no longer in the database",
			loci.Plural(-live, "memory is", "memories are")))
	}
	return problems, nil
}

// indexed returns how many parts have a memory, and its last change in one of them.
func (o *orgIndex) indexed(id loci.MemoryID) (times int, updated int64) {
	for _, p := range o.parts {
		if at, ok := p.view.Updated(id); ok {
			times, updated = times+1, at
		}
	}
	return times, updated
}

// sample counts memories and keeps the first one.
type sample struct {
	n     int
	first loci.MemoryID
}

func (s *sample) add(id loci.MemoryID) {
	if s.n == 0 {
		s.first = id
	}
	s.n++
}

// Stats describes the index of an org.
type Stats struct {
	Files  int   `json:"files"`
	Bytes  int64 `json:"bytes"`  // of the files
	Rows   int   `json:"rows"`   // that can be found
	Gone   int   `json:"gone"`   // rows in files that have changed or gone since
	Memory int   `json:"memory"` // those of Rows that are not in files yet
	// Whole is false while old memories are missing.
	Whole       bool    `json:"whole"`
	BytesPerRow float64 `json:"bytes_per_row"` // of the rows in files
}

// statsTime is for how long Stats waits for an index that is not complete.
const statsTime = time.Second

// Stats describes the index that this process would search.
func (x *Index) Stats(ctx context.Context, org loci.OrgID) (s Stats, err error) {
	o := newOrg(x, org)
	short, cancel := context.WithTimeout(ctx, statsTime)
	defer cancel()
	err = x.store.View(ctx, org, func(tx store.Tx) error { return o.follow(short, tx) })
	if err != nil && (short.Err() == nil || ctx.Err() != nil) {
		return s, err
	}
	inFiles := o.inFiles()
	for i, p := range o.parts {
		s.Rows += p.view.Live()
		if i < inFiles {
			s.Files, s.Bytes, s.Gone = s.Files+1, s.Bytes+p.size, s.Gone+p.view.Len()-p.view.Live()
		}
	}
	s.Memory, s.Whole = o.memoryRows(), o.begun && o.built
	if filed := s.Rows - s.Memory; filed > 0 {
		s.BytesPerRow = float64(s.Bytes) / float64(filed)
	}
	return s, nil
}
