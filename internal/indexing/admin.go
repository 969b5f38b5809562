package indexing

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/loci-memory/loci"
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
	m, err := x.rebuilt(ctx, o)
	if err != nil {
		if m, bad := o.files.manifest(); bad == nil || errors.Is(bad, fs.ErrNotExist) {
			o.files.sweep(m) // segments that no manifest names
		}
		return err
	}
	if err := o.files.replace(&m); err != nil {
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

func (o *orgIndex) waitForFiles(ctx context.Context) (release func(), err error) {
	for ; ; rest(ctx, lockPause) {
		release, ok, err := o.files.lock()
		if err != nil || ok {
			return release, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// rebuilt writes segments of all rows. Whoever reads them follows what has changed since the beginning.
func (x *Index) rebuilt(ctx context.Context, o *orgIndex) (m manifest, err error) {
	o.loaded = true // nothing of what is there
	for !o.built {
		err := x.view(ctx, o.org, func(r rows) error {
			if err := o.begin(ctx, r); err != nil {
				return err
			}
			return o.buildSome(ctx, r)
		})
		if err == nil {
			err = ctx.Err()
		}
		if first := o.inFiles(); err == nil && (o.built || o.memoryRows() >= o.limits.fileRows) {
			var p *part
			if p, err = o.files.merge(viewsOf(o.parts[first:])); p != nil {
				o.parts = append(o.parts[:first:first], p)
			}
		}
		if err != nil {
			return m, err
		}
	}
	m = manifest{Position: o.at, Built: true}
	for _, p := range o.parts {
		m.Segments = append(m.Segments, listed{p.name, p.gone, p.erased})
	}
	return m, nil
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
	o.saved, o.parts, o.at, o.building, o.built = m, parts, m.Position, walk{rest: m.Rest}, m.Built
	err = x.view(ctx, org, func(r rows) error {
		if err := o.follow(ctx, r); err != nil {
			return err
		}
		problems, err = o.differences(ctx, r, x.one, x.many)
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

// differences compares the parts with the rows, of which one is called one and some are called many. The caller
// has followed all changes that r sees.
func (o *orgIndex) differences(ctx context.Context, r rows, one, many string) ([]string, error) {
	var missing, twice, outdated, wrong sample
	live := 0
	w := walk{}
	for more := true; more; more = w.rest != "" {
		list, _, err := r.next(ctx, o, &w)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		for _, l := range list {
			times, at := o.indexed(l.id)
			switch {
			case !l.found && times > 0:
				wrong.add(l.id)
			case l.found && times == 0:
				missing.add(l.id)
			case l.found && times > 1:
				twice.add(l.id)
			case l.found && at != l.updated.UnixMicro():
				outdated.add(l.id)
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
			problems = append(problems, fmt.Sprintf("%s %s, such as %s", loci.Plural(s.n, one+" is", many+" are"),
				s.what, s.first))
		}
	}
	for _, p := range o.parts {
		live -= p.view.Live()
	}
	if live != 0 {
		problems = append(problems, fmt.Sprintf("%s in the index, but no longer in the database",
			loci.Plural(-live, one+" is", many+" are")))
	}
	return problems, nil
}

// indexed returns how many parts have a memory, and its last change in one of them.
func (o *orgIndex) indexed(id rowID) (times int, updated int64) {
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
	first rowID
}

func (s *sample) add(id rowID) {
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
	err = x.view(ctx, org, func(r rows) error { return o.follow(short, r) })
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

// Forget writes the files again that have the words of earlier versions of a row, as if these were erased.
func (x *Index) Forget(ctx context.Context, org loci.OrgID, id [16]byte) {
	o := x.of(org)
	if _, err := x.Await(ctx, org); err != nil || !o.lock(ctx) {
		return
	}
	for i, p := range o.parts {
		if p.view.Had(id) && !p.view.Has(id) {
			o.parts[i] = p.without(nil)
			o.parts[i].erased = true
		}
	}
	o.unlock()
	x.upkeep(ctx, o, true, 0)
}
