package storetest

import (
	"context"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

func (e *env) rowsEnd() (p store.Position) {
	e.Helper()
	e.view(func(ctx context.Context, tx store.Tx) (err error) { p, err = tx.Rows().End(ctx); return err })
	return p
}

func (e *env) rowsChanged(after store.Position) (c store.RowChanges, err error) {
	err = e.st.View(e.Context(), e.org, func(tx store.Tx) error {
		c, err = tx.Rows().Changed(e.Context(), after)
		return err
	})
	return c, err
}

// wantChanged reads what changed after a position, whatever the state of the rows, and returns where it stopped.
func (e *env) wantChanged(what string, after store.Position, want ...loci.MemoryID) store.Position {
	e.Helper()
	c, err := e.rowsChanged(after)
	if err != nil || c.More || !slices.Equal(c.IDs, want) {
		e.Errorf("%s: %v, more %v, %v; want %v", what, c.IDs, c.More, explain(err), want)
	}
	return c.Next
}

func testRowsChanged(e *env) {
	at := e.rowsEnd()
	at = e.wantChanged("nothing", at)
	m := e.insert()
	hidden := e.insert(func(m *loci.Memory) { m.UserID = e.addUser().ID })
	m = e.replace(m)
	if c, err := e.rowsChanged(at); err != nil || !slices.Equal(c.Versions, []int{2, 1}) {
		e.Errorf("versions %v: %v", c.Versions, explain(err))
	}
	end := e.wantChanged("stored and changed, each once", at, m.ID, hidden.ID)
	e.wantChanged("nothing since", end)
	e.view(func(ctx context.Context, tx store.Tx) error {
		if _, err := tx.Rows().End(ctx); err != nil { // what the transaction sees is fixed from here
			return err
		}
		later := e.insert()
		c, err := tx.Rows().Changed(ctx, e.rowsEnd())
		if err != nil || !c.Ahead || len(c.IDs) > 0 {
			e.Errorf("a position of a later transaction: %+v, %v", c, explain(err))
		}
		end = e.wantChanged("in a new transaction", end, later.ID)
		return nil
	})
	e.trash(m)
	e.erase(hidden)
	if c, err := e.rowsChanged(end); err != nil || !slices.Equal(c.Versions, []int{3, store.Erased}) {
		e.Errorf("versions %v: %v", c.Versions, explain(err))
	}
	end = e.wantChanged("trashed and erased", end, m.ID, hidden.ID)
	var list []loci.MemoryID
	for range store.FeedWindow + 1 {
		list = append(list, e.insert().ID)
	}
	first, err := e.rowsChanged(end)
	if err != nil || !first.More || !slices.Equal(first.IDs, list[:store.FeedWindow]) {
		e.Errorf("the first window has %d rows, more %v: %v", len(first.IDs), first.More, explain(err))
	}
	end = e.wantChanged("the rest", first.Next, list[store.FeedWindow])
	e.clock.move(time.Hour)
	e.update(func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Feed().Purge(ctx, e.clock.now(), 2*store.FeedWindow)
		return err
	})
	e.wantChanged("nothing, though all events are purged", end)
	_, err = e.rowsChanged(at)
	e.wantCode("from before the purge", err, loci.Conflict)
	_, err = e.rowsChanged(e.feedNow(e.person()))
	e.wantCode("a viewer's position", err, loci.Conflict)
	_, err = e.rowsChanged("x")
	e.wantCode("no position", err, loci.Invalid)
}

func testRowsSkipNodes(e *env) {
	at := e.rowsEnd()
	e.insertNode()
	at = e.wantChanged("a node is no memory", at)
	e.wantChanged("a memory after it", at, e.insert().ID)
}

func testRowsRead(e *env) {
	session := newID[loci.SessionID]()
	in := func(m *loci.Memory) { m.SessionID = session }
	first := e.insert(in)
	e.clock.move(time.Second)
	second, trashed, other := e.insert(in), e.insert(in), e.insert()
	replaced := e.insert(in, func(m *loci.Memory) { m.SupersededBy = first.ID })
	trashed = e.trash(trashed)
	want := []loci.MemoryID{replaced.ID, other.ID, trashed.ID, second.ID, first.ID}
	e.view(func(ctx context.Context, tx store.Tx) error {
		memories, err := tx.Rows().Read(ctx, []loci.MemoryID{trashed.ID, loci.NewMemoryID(), first.ID})
		if err != nil || len(memories) != 2 || memories[0].Title == "" ||
			memories[0].DeletedAt.IsZero() == memories[1].DeletedAt.IsZero() {
			e.Errorf("read %d memories: %v", len(memories), explain(err))
		}
		var got []loci.MemoryID
		for next, more := int64(0), true; more; more = next > 0 {
			memories, next, err = tx.Rows().Before(ctx, next, 2)
			if err != nil || len(memories) > 2 {
				e.Fatalf("%d memories: %v", len(memories), explain(err))
			}
			for _, m := range memories {
				got = append(got, m.ID)
			}
		}
		if !slices.Equal(got, want) {
			e.Errorf("all memories are %v, want %v", got, want)
		}
		return nil
	})
}
