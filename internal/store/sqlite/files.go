package sqlite

import (
	"sync/atomic"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

type orgFile struct {
	sqlitedb.Pooled
	org     loci.OrgID
	options *sqlstore.Options          // for its transactions
	now     func() (store.Stamp, bool) // stamp as a value, which would be made for each transaction
	// seen is the stamp of the file when it had the org's own row; nil: not seen yet.
	seen   atomic.Pointer[sqlitedb.Stamp]
	counts counts
}

func newOrgFile(key string) *orgFile { return &orgFile{org: loci.OrgID(key)} }
