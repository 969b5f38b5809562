package sqlite

import (
	"errors"
	"os"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// indexOf returns the index of a transaction of this engine.
func indexOf(t store.Tx) index {
	return t.(*sqlstore.Tx).Index().(index) //nolint:forcetypeassert // a transaction of this engine
}

// tx returns a transaction on one org's file.
func (s *Store) tx(f *orgFile, c *sqlitedb.Conn) *sqlstore.Tx {
	return sqlstore.New(sharedConn(c), dialect, f.options)
}

func newIndex(tx *sqlstore.Tx) sqlstore.Index {
	shared := tx.Conn().(conn).Conn //nolint:forcetypeassert // a transaction of this engine
	return index{tx, shared.Plain(), shared}
}

func (s *Store) keepBlob(org loci.OrgID, sum []byte, now time.Time) error {
	err := os.Chtimes(blobPath(s.opts.Dir, org, sum), now, now)
	if errors.Is(err, os.ErrNotExist) {
		return loci.Errorf(loci.Conflict, "the bytes of this attachment are gone; upload it again")
	}
	return fileError(err)
}
