package sqlstore

import (
	"errors"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Tx is a transaction on the rows of one org. It implements store.Tx.
type Tx struct {
	*Options
	c     Conn
	d     *Dialect
	index Index // made when it is first asked for
}

var _ store.Tx = (*Tx)(nil)

// Options are what all transactions on one org need beside their connection. All are required.
type Options struct {
	Org       loci.OrgID
	Now       func() time.Time // decides about expiry
	Positions Positions
	NewIndex  func(*Tx) Index
	// KeepBlob gives the bytes of an attachment a new time, so that no sweep removes them. Conflict if they are gone.
	KeepBlob func(org loci.OrgID, sum []byte, now time.Time) error
}

// New returns a transaction that runs on c, which is confined to o.Org.
func New(c Conn, d *Dialect, o *Options) *Tx { return &Tx{Options: o, c: c, d: d} }

// Conn is the connection that the transaction runs on.
func (tx *Tx) Conn() Conn { return tx.c }

// Index is what the engine derives from memories.
func (tx *Tx) Index() Index {
	if tx.index == nil {
		tx.index = tx.NewIndex(tx)
	}
	return tx.index
}

// Memories keeps memories with all their versions.
func (tx *Tx) Memories() store.Memories { return memories{tx} }

// Lists finds memories.
func (tx *Tx) Lists() store.Lists { return lists{tx} }

// Users keeps the people of the org.
func (tx *Tx) Users() store.Users { return users{tx} }

// Teams keeps teams and the invitations to them.
func (tx *Tx) Teams() store.Teams { return teams{tx} }

// Workspaces keeps the divisions of the org.
func (tx *Tx) Workspaces() store.Workspaces { return workspaces{tx} }

// SignIn keeps passwords and passkeys.
func (tx *Tx) SignIn() store.SignIn { return signIn{tx} }

// Audit keeps what was done.
func (tx *Tx) Audit() store.Audit { return audit{tx} }

// Agents keeps registered agents.
func (tx *Tx) Agents() store.Agents { return agents{tx} }

// Sessions keeps the sessions of agents.
func (tx *Tx) Sessions() store.Sessions { return sessions{tx} }

// Suggestions keeps the changes that agents suggest.
func (tx *Tx) Suggestions() store.Suggestions { return suggestions{tx} }

// Assets keeps the rows of attachments.
func (tx *Tx) Assets() store.Assets { return assets{tx} }

// Sources keeps from what memories were derived.
func (tx *Tx) Sources() store.Sources { return sources{tx} }

// MemoryNodes keeps memory nodes and their items.
func (tx *Tx) MemoryNodes() store.MemoryNodes { return memoryNodes{tx} }

// Feed keeps what has changed.
func (tx *Tx) Feed() store.Feed { return feed{tx} }

// Idempotency keeps requests with their answers.
func (tx *Tx) Idempotency() store.Idempotency { return idempotency{tx} }

// mine refuses a row that says it is another tenant's.
func (tx *Tx) mine(org loci.OrgID) error {
	if org != "" && org != tx.Org {
		return loci.Errorf(loci.Invalid, "the row belongs to another org")
	}
	return nil
}

// taken reports whether a statement failed because a row with its key exists.
func (d *Dialect) taken(err error) bool { return errors.Is(err, d.Unique) }

// dangling reports whether a statement failed because a row that it refers to is missing, or is still referred to.
func (d *Dialect) dangling(err error) bool { return errors.Is(err, d.Reference) }

// there says whether text finds a row.
func (tx *Tx) there(text string, args ...any) (bool, error) {
	return tx.c.One(text, args, func(Row) error { return nil })
}
