package indexing

import (
	"context"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/store"
)

// buildBatch is how many rows a build reads at a time.
const buildBatch = 1000

// rows are the rows of an org: memories as one transaction sees them, or events as they are when asked for.
type rows interface {
	// end returns the position after all changes.
	end(ctx context.Context) (store.Position, error)
	// changed returns what o has to follow next. It fails with Conflict or Invalid if that is not known.
	changed(ctx context.Context, o *orgIndex) (changes, error)
	// read returns what o indexes of some rows, and which of them do not exist any more.
	read(ctx context.Context, o *orgIndex, ids []rowID) (list []index.Row, erased map[rowID]bool, err error)
	// next returns the next batch of all rows, and what makes of them what o indexes.
	next(ctx context.Context, o *orgIndex, w *walk) (list []listedRow, rows func() []index.Row, err error)
}

// changes are what an index has to follow next.
type changes struct {
	next store.Position
	more bool
	// ahead is set if the transaction comes before the position of the index.
	ahead bool
	// apply brings the parts up to date; nil: nothing has changed.
	apply func() error
}

// listedRow is a row, and whether it can be found.
type listedRow struct {
	id      rowID
	updated time.Time
	found   bool
}

// walk is how far all rows have been read: memories from the newest to the oldest, and events the other way round,
// because a session grows at its end.
type walk struct {
	rest    string // where to go on; "": at the first row, or nowhere after the last one
	highest int64  // number of the newest row, if rows have numbers
	batch   batch  // of events
}

// follow adds all changes that a transaction sees, as far as ctx allows.
func (o *orgIndex) follow(ctx context.Context, r rows) error {
	if err := o.begin(ctx, r); err != nil {
		return err
	}
	o.ended = false
	for more := true; more && ctx.Err() == nil; {
		var err error
		if more, err = o.followSome(ctx, r); err != nil || !o.ahead.IsZero() {
			return err
		}
	}
	for !o.built && ctx.Err() == nil {
		if err := o.buildSome(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// followSome adds some of these changes. more reports whether there are others.
func (o *orgIndex) followSome(ctx context.Context, r rows) (more bool, err error) {
	c, err := o.changed(ctx, r)
	if err != nil || c.ahead {
		o.ended = c.ahead // the parts have all that the transaction sees
		return false, err
	}
	if c.apply != nil {
		if err := c.apply(); err != nil {
			return false, err
		}
		o.steps.Add(1)
	}
	o.at, o.ended = c.next, !c.more
	return c.more, nil
}

// step does something of what follow does, so that a caller gets on who has no time for more.
func (o *orgIndex) step(ctx context.Context, r rows) error {
	if err := o.begin(ctx, r); err != nil {
		return err
	}
	before := o.steps.Load()
	_, err := o.followSome(ctx, r)
	if err == nil && o.steps.Load() == before && !o.built {
		err = o.buildSome(ctx, r)
	}
	return err
}

// changed returns what changed since. If that is not known, it begins anew.
func (o *orgIndex) changed(ctx context.Context, r rows) (changes, error) {
	c, err := r.changed(ctx, o)
	code := loci.CodeOf(err)
	lost := code == loci.Conflict || code == loci.Invalid
	switch {
	case err == nil && !c.ahead:
		o.ahead = time.Time{}
	case c.ahead && o.ahead.IsZero():
		o.ahead = time.Now()
	case c.ahead:
		lost = time.Since(o.ahead) > maxAhead
	}
	if !lost {
		return c, err
	}
	o.forget()
	if err := o.begin(ctx, r); err != nil {
		return c, err
	}
	return r.changed(ctx, o)
}

// maxAhead is for how long a transaction may come before the changes that another one has added. After
// that, the rows are from a backup.
const maxAhead = time.Minute

// begin loads the files, or prepares to build the index of all rows.
func (o *orgIndex) begin(ctx context.Context, r rows) (err error) {
	if !o.loaded {
		o.loaded = true
		o.load(ctx)
	}
	if o.begun {
		return nil
	}
	o.at, err = r.end(ctx)
	o.begun, o.built, o.building = err == nil, false, walk{}
	return err
}

// forget drops everything, because the changes since are not known any more.
func (o *orgIndex) forget() {
	o.parts, o.frozen, o.begun, o.built, o.fresh, o.ahead = nil, 0, false, false, false, time.Time{}
	o.building, o.pending, o.ended = walk{}, nil, false
}

func (o *orgIndex) buildSome(ctx context.Context, r rows) error {
	w := o.building
	_, list, err := r.next(ctx, o, &w)
	if err == nil {
		news := slices.DeleteFunc(list(), func(row index.Row) bool { return o.has(row.ID) })
		err = o.place(ctx, &placing{rows: r}, news)
	}
	if err != nil {
		return err
	}
	o.steps.Add(1)
	if o.building, o.built, o.fresh = w, w.rest == "", w.rest == ""; o.built {
		o.building = walk{}
	}
	return nil
}

func (o *orgIndex) has(id rowID) bool {
	return slices.ContainsFunc(o.parts, func(p *part) bool { return p.view.Has(id) })
}

// beside adds to ids those of the rows that are beside them in a part. These may have others beside them in
// another part, and so on.
func (o *orgIndex) beside(ids []rowID) map[rowID]bool {
	all := map[rowID]bool{}
	next := slices.Clone(ids)
	for len(next) > 0 {
		id := next[len(next)-1]
		next = next[:len(next)-1]
		if all[id] {
			continue
		}
		all[id] = true
		for _, p := range o.parts {
			p.view.Group(id, func(mate [16]byte) { next = append(next, mate) })
		}
	}
	return all
}

// takeOut takes rows out of the parts that have them. A part that had an erased row earlier still has its words.
func (o *orgIndex) takeOut(ids, erased map[rowID]bool) {
	for i, p := range o.parts {
		var gone []rowID
		leaves := false
		for id := range ids {
			if p.view.Has(id) {
				gone = append(gone, id)
			}
			leaves = leaves || erased[id] && p.view.Had(id)
		}
		if len(gone) > 0 || leaves {
			o.parts[i] = p.without(gone)
			o.parts[i].erased = p.erased || leaves
		}
	}
}

func (o *orgIndex) addPart(rows []index.Row) error {
	if len(rows) == 0 {
		return nil
	}
	p, err := partOf(rows)
	if err != nil {
		return err
	}
	o.parts = append(o.parts, p)
	return o.compact()
}

// These bound the parts in memory. Those of a tier are merged into one of the next.
const (
	tier     = 8
	mostRows = 8 << 10 // of a part in memory
)

// compact merges parts in memory, so that there are few of them, and each row is merged few times.
func (o *orgIndex) compact() error {
	for {
		free := o.parts[o.inFiles()+o.frozen:]
		n := len(free)
		if n < tier || tierOf(free[n-1]) != tierOf(free[n-tier]) || free[n-tier].view.Len() >= mostRows {
			return nil
		}
		merged, err := inMemory(index.Merge(viewsOf(free[n-tier:])))
		if err != nil {
			return err
		}
		o.parts = append(o.parts[:len(o.parts)-tier:len(o.parts)-tier], merged)
	}
}

func tierOf(p *part) (n int) {
	for rows := p.view.Len(); rows >= tier; rows /= tier {
		n++
	}
	return n
}

// inFiles returns how many parts are in files. These come first.
func (o *orgIndex) inFiles() int {
	n := slices.IndexFunc(o.parts, func(p *part) bool { return !p.inFile() })
	if n < 0 {
		return len(o.parts)
	}
	return n
}
