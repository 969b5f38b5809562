package indexing

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
)

const (
	// buildBatch is how many rows a build reads at a time.
	buildBatch = 1000
	// sessionBlock is how many memories of a session are each other's context, so that a change of a
	// long session changes few of them.
	sessionBlock = 256
)

// follow adds all changes that tx sees, as far as ctx allows.
func (o *orgIndex) follow(ctx context.Context, tx store.Tx) error {
	if err := o.begin(ctx, tx); err != nil {
		return err
	}
	for more := true; more && ctx.Err() == nil; {
		c, err := o.changed(ctx, tx)
		if err != nil || c.Ahead {
			return err
		}
		if len(c.IDs) > 0 {
			if err := o.change(ctx, tx, c.IDs); err != nil {
				return err
			}
		}
		o.at, more = c.Next, c.More
		o.ended = !more
	}
	return o.build(ctx, tx)
}

// changed returns what changed since. If that is not known, it begins anew.
func (o *orgIndex) changed(ctx context.Context, tx store.Tx) (store.RowChanges, error) {
	c, err := tx.Rows().Changed(ctx, o.at)
	code := loci.CodeOf(err)
	lost := code == loci.Conflict || code == loci.Invalid
	switch {
	case err == nil && !c.Ahead:
		o.ahead = time.Time{}
	case c.Ahead && o.ahead.IsZero():
		o.ahead = time.Now()
	case c.Ahead:
		lost = time.Since(o.ahead) > maxAhead
	}
	if !lost {
		return c, err
	}
	o.forget()
	if err := o.begin(ctx, tx); err != nil {
		return c, err
	}
	return tx.Rows().Changed(ctx, o.at)
}

// maxAhead is for how long a transaction may come before the changes that another one has added. After
// that, the rows are from a backup.
const maxAhead = time.Minute

// begin loads the files, or prepares to build the index of all rows.
func (o *orgIndex) begin(ctx context.Context, tx store.Tx) (err error) {
	if !o.loaded {
		o.loaded = true
		o.load(ctx)
	}
	if o.begun {
		return nil
	}
	o.at, err = tx.Rows().End(ctx)
	o.begun, o.built, o.rest = err == nil, false, 0
	return err
}

// forget drops everything, because the changes since are not known any more.
func (o *orgIndex) forget() {
	o.parts, o.frozen, o.begun, o.built, o.fresh, o.ahead = nil, 0, false, false, false, time.Time{}
	o.building = sessions{}
	o.ended = false
}

// build reads the rows that were there at the beginning, the newest first.
func (o *orgIndex) build(ctx context.Context, tx store.Tx) error {
	for !o.built && ctx.Err() == nil {
		if err := o.buildSome(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

// buildSome reads one batch of these rows.
func (o *orgIndex) buildSome(ctx context.Context, tx store.Tx) error {
	memories, next, err := tx.Rows().Before(ctx, o.rest, buildBatch)
	if err != nil {
		return err
	}
	err = o.building.in(ctx, tx)
	var rows map[loci.MemoryID]index.Row
	if err == nil {
		rows, err = missingRows(ctx, &o.building, memories, o.has)
	}
	if err == nil {
		err = o.addPart(rows)
	}
	if err != nil {
		return err
	}
	if o.rest, o.built, o.fresh = next, next == 0, next == 0; o.built {
		o.building = sessions{}
	}
	return nil
}

func (o *orgIndex) has(id loci.MemoryID) bool {
	return slices.ContainsFunc(o.parts, func(p *part) bool { return p.view.Has(id) })
}

// change takes memories that changed, and those whose context changes with them, out of the parts
// that have them, and adds them as they are now.
func (o *orgIndex) change(ctx context.Context, tx store.Tx, ids []loci.MemoryID) error {
	changed, err := tx.Rows().Read(ctx, ids)
	if err != nil {
		return err
	}
	sessions := sessions{tx: tx, order: map[loci.SessionID][]store.Placed{}}
	affected, err := o.affected(ctx, &sessions, ids, changed)
	if err != nil {
		return err
	}
	erased := map[loci.MemoryID]bool{}
	for _, id := range ids {
		erased[id] = true
		delete(affected, id)
	}
	others, err := tx.Rows().Read(ctx, slices.Collect(maps.Keys(affected)))
	if err != nil {
		return err
	}
	for _, m := range changed {
		delete(erased, m.ID)
	}
	for _, id := range ids {
		affected[id] = true
	}
	rows, err := rowsOf(ctx, &sessions, append(changed, others...), o.shown.mark)
	if err != nil {
		return err
	}
	o.takeOut(affected, erased)
	return o.addPart(rows)
}

// takeOut takes rows out of the parts that have them. A part that had an erased row earlier still has its words.
func (o *orgIndex) takeOut(ids, erased map[loci.MemoryID]bool) {
	for i, p := range o.parts {
		var gone []loci.MemoryID
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

// affected returns ids and the memories whose context changes with them: those that are beside them
// in a part, and those of the sessions that they are in now. These may have others beside them in a
// part, and so on.
func (o *orgIndex) affected(ctx context.Context, sessions *sessions, ids []loci.MemoryID, changed []*loci.Memory) (
	map[loci.MemoryID]bool, error) {
	all := map[loci.MemoryID]bool{}
	next := slices.Clone(ids)
	for _, m := range changed {
		mates, err := sessions.beside(ctx, m)
		if err != nil {
			return nil, err
		}
		for _, mate := range mates {
			next = append(next, mate.ID)
		}
	}
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
	return all, nil
}

// addPart adds rows as one part.
func (o *orgIndex) addPart(rows map[loci.MemoryID]index.Row) error {
	if len(rows) == 0 {
		return nil
	}
	b := index.NewBuilder()
	for _, r := range rows {
		b.Add(r)
	}
	p, err := inMemory(b.Build())
	if err != nil {
		return err
	}
	o.parts = append(o.parts, p)
	return o.compact()
}

// rowsOf returns what the index has of memories: nothing of those in the trash or superseded.
func rowsOf(ctx context.Context, sessions *sessions, memories []*loci.Memory, mark func(*loci.Memory) index.Mark) (
	map[loci.MemoryID]index.Row, error) {
	rows := make(map[loci.MemoryID]index.Row, len(memories))
	for _, m := range memories {
		if !m.DeletedAt.IsZero() || !m.SupersededBy.IsZero() {
			continue
		}
		row := recall.IndexRow(m)
		row.Mark = mark(m)
		if row.Session != "" {
			block, err := sessions.block(ctx, m)
			if err != nil {
				return nil, err
			}
			row.Session += "/" + strconv.Itoa(block)
		}
		rows[m.ID] = row
	}
	return rows, nil
}

// missingRows returns what the index has of memories that has does not report, and of those beside them in
// sessions. Rows of a session must come together, because merging parts does not join what they have of it.
func missingRows(ctx context.Context, sessions *sessions, memories []*loci.Memory, has func(loci.MemoryID) bool) (
	map[loci.MemoryID]index.Row, error) {
	known := map[loci.MemoryID]bool{}
	memories = slices.DeleteFunc(memories, func(m *loci.Memory) bool { return has(m.ID) })
	for _, m := range memories {
		known[m.ID] = true
	}
	var others []loci.MemoryID
	for _, m := range memories {
		mates, err := sessions.beside(ctx, m)
		if err != nil {
			return nil, err
		}
		for _, mate := range mates {
			if id := mate.ID; !known[id] && !has(id) {
				known[id], others = true, append(others, id)
			}
		}
	}
	beside, err := sessions.tx.Rows().Read(ctx, others)
	if err != nil {
		return nil, err
	}
	return rowsOf(ctx, sessions, append(memories, beside...), recall.MarkOf)
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
