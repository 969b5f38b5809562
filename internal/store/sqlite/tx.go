package sqlite

import (
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

func indexOf(t store.Tx) index {
	return t.(*sqlstore.Tx).Index().(index) //nolint:forcetypeassert // a transaction of this engine
}

func (s *Store) tx(f *orgFile, c *sqlitedb.Conn) *sqlstore.Tx {
	return sqlstore.New(sharedConn(c), dialect, f.options)
}

// readTx returns a transaction that only reads. stamp is from before its snapshot.
func (s *Store) readTx(f *orgFile, c *sqlitedb.Conn, stamp sqlitedb.Stamp) *sqlstore.Tx {
	tx := s.tx(f, c)
	tx.Kept = sqlstore.KeptPages{Of: s.pages, Stamp: publicStamp(stamp), Now: f.now}
	return tx
}

// newIndex returns the index of a transaction. One that only reads also has what the file keeps.
func (f *orgFile) newIndex(tx *sqlstore.Tx) sqlstore.Index {
	x := indexOn(tx)
	if tx.Kept.Of != nil {
		x.counts = f.counts
	}
	return x
}

// stamp identifies what the file contains.
func (f *orgFile) stamp() (store.Stamp, bool) {
	stamp, ok := f.DB.Stamp()
	return publicStamp(stamp), ok
}

func indexOn(tx *sqlstore.Tx) index {
	shared := tx.Conn().(conn).Conn //nolint:forcetypeassert // a transaction of this engine
	return index{Tx: tx, c: shared.Plain(), shared: shared}
}
