package sqlite

import (
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// tx is a transaction on one org's file.
type tx struct {
	org       loci.OrgID
	c         *sqlitedb.Conn
	now       func() time.Time
	positions positions
	dir       string // the data directory
}

func (s *Store) tx(f *orgFile, c *sqlitedb.Conn) *tx {
	return &tx{org: f.org, c: c, now: s.opts.Now, positions: f.positions, dir: s.opts.Dir}
}

func (tx *tx) Memories() store.Memories     { return memories{tx} }
func (tx *tx) Lists() store.Lists           { return lists{tx} }
func (tx *tx) Users() store.Users           { return users{tx} }
func (tx *tx) Teams() store.Teams           { return teams{tx} }
func (tx *tx) Workspaces() store.Workspaces { return workspaces{tx} }
func (tx *tx) SignIn() store.SignIn         { return signIn{tx} }
func (tx *tx) Audit() store.Audit           { return audit{tx} }

// mine refuses a row that says it is another tenant's.
func (tx *tx) mine(org loci.OrgID) error {
	if org != "" && org != tx.org {
		return loci.Errorf(loci.Invalid, "the row belongs to another org")
	}
	return nil
}
