package indexing

import (
	"context"
	"log/slog"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// counted counts the rows that InSession returns.
type counted struct {
	store.Store
	rows *int
}

func (s counted) View(ctx context.Context, org loci.OrgID, fn func(store.Tx) error) error {
	return s.Store.View(ctx, org, func(tx store.Tx) error { return fn(countedTx{tx, s.rows}) })
}

type countedTx struct {
	store.Tx
	rows *int
}

func (tx countedTx) Rows() store.Rows { return countedRows{tx.Tx.Rows(), tx.rows} }

type countedRows struct {
	store.Rows
	rows *int
}

func (r countedRows) InSession(ctx context.Context, id loci.SessionID) ([]store.Placed, error) {
	list, err := r.Rows.InSession(ctx, id)
	*r.rows += len(list)
	return list, err
}

// TestLongSessionsAreReadOnce requires a build not to read the order of a long session for each batch of its memories,
// unless something has changed.
func TestLongSessionsAreReadOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir())
	defer w.close()
	session := loci.NewSessionID()
	w.insert(3*buildBatch, "words", session)
	rows := 0
	st := counted{w.st, &rows}
	x := New(Options{Store: st, Dir: w.dir, Log: slog.New(slog.DiscardHandler)})
	if err := x.Rebuild(t.Context(), w.org); err != nil || rows != len(w.live) {
		t.Errorf("a rebuild of %d memories reads the order of %d: %v", len(w.live), rows, err)
	}
	rows = 0
	o := newOrg(New(Options{Store: st, Log: slog.New(slog.DiscardHandler)}), w.org)
	batch := func() {
		t.Helper()
		err := st.View(t.Context(), w.org, func(tx store.Tx) error {
			if err := o.begin(t.Context(), memories{tx, w.org}); err != nil {
				return err
			}
			return o.buildSome(t.Context(), memories{tx, w.org})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	batch()
	batch()
	if rows != len(w.live) {
		t.Errorf("two batches of %d memories read the order of %d", len(w.live), rows)
	}
	w.insert(1, "words", session)
	if batch(); rows != len(w.live)+len(w.live)-1 {
		t.Errorf("after a change, the order of %d memories was read", rows)
	}
}
