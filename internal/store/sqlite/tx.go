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
	tx := t.(*sqlstore.Tx)      //nolint:forcetypeassert // ours
	return tx.Index(tx).(index) //nolint:forcetypeassert // ours
}

// tx is a transaction on one org's file.
func (s *Store) tx(f *orgFile, c *sqlitedb.Conn) *sqlstore.Tx {
	shared := sharedConn(c)
	return sqlstore.New(shared, dialect, sqlstore.Options{Org: f.org, Now: s.opts.Now, Positions: f.positions, KeepBlob: s.keepBlob,
		Index: func(tx *sqlstore.Tx) sqlstore.Index { return index{tx, c, shared.Conn} }})
}

func (s *Store) keepBlob(org loci.OrgID, sum []byte, now time.Time) error {
	err := os.Chtimes(blobPath(s.opts.Dir, org, sum), now, now)
	if errors.Is(err, os.ErrNotExist) {
		return loci.Errorf(loci.Conflict, "the bytes of this attachment are not there any more; upload it again")
	}
	return fileError(err)
}
