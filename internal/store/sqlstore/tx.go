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
	index Index // created on first use
	// calm are memories that this transaction has read and that have no open suggestion.
	calm []loci.MemoryID
	// held are rows that this transaction has read or written, if it may write.
	held map[loci.MemoryID]*Stored
	// fed are the changes that this transaction has added to the feed.
	fed []fedRow
	// before is the row that was read last.
	before *loci.Memory
	// Kept are the pages for a transaction that only reads; zero: none.
	Kept KeptPages
}

var _ store.Tx = (*Tx)(nil)

// Options are what all transactions on one org need besides their connection. All fields are required.
type Options struct {
	Org       loci.OrgID
	Now       func() time.Time // for checks of expiry
	Positions Positions
	NewIndex  func(*Tx) Index
	// KeepBlob updates the time of an attachment's bytes, so that no sweep removes them. Conflict if they are gone.
	KeepBlob func(org loci.OrgID, sum []byte, now time.Time) error
}

// New returns a transaction on c, which is limited to o.Org.
func New(c Conn, d *Dialect, o *Options) *Tx { return &Tx{Options: o, c: c, d: d} }

// Conn returns the connection of the transaction.
func (tx *Tx) Conn() Conn { return tx.c }

// Index returns what the engine derives from memories.
func (tx *Tx) Index() Index {
	if tx.index == nil {
		tx.index = tx.NewIndex(tx)
	}
	return tx.index
}

// Memories returns the store of memories and their versions.
func (tx *Tx) Memories() store.Memories { return memories{tx} }

// Lists returns the searches over memories.
func (tx *Tx) Lists() store.Lists { return lists{tx} }

// Rows returns the memories for data that is derived from them.
func (tx *Tx) Rows() store.Rows { return rows{tx} }

// Users returns the store of the org's people.
func (tx *Tx) Users() store.Users { return users{tx} }

// Teams returns the store of teams and their invitations.
func (tx *Tx) Teams() store.Teams { return teams{tx} }

// Workspaces returns the store of the org's workspaces.
func (tx *Tx) Workspaces() store.Workspaces { return workspaces{tx} }

// SignIn returns the store of passwords and passkeys.
func (tx *Tx) SignIn() store.SignIn { return signIn{tx} }

// Audit returns the audit trail.
func (tx *Tx) Audit() store.Audit { return audit{tx} }

// Agents returns the store of registered agents.
func (tx *Tx) Agents() store.Agents { return agents{tx} }

// Sessions returns the store of sessions of agents and people.
func (tx *Tx) Sessions() store.Sessions { return sessions{tx} }

// Tasks returns the store of the tasks of projects.
func (tx *Tx) Tasks() store.Tasks { return tasks{tx} }

// Packs returns what sessions have received.
func (tx *Tx) Packs() store.Packs { return packs{tx} }

// Golden returns the store of golden questions and their runs.
func (tx *Tx) Golden() store.Golden { return golden{tx} }

// Suggestions returns the store of suggested changes.
func (tx *Tx) Suggestions() store.Suggestions { return suggestions{tx} }

// Candidates returns the store of proposed memories.
func (tx *Tx) Candidates() store.Candidates { return candidates{tx} }

// Reflections returns the store of the notes from which they come.
func (tx *Tx) Reflections() store.Reflections { return reflections{tx} }

// Dreams returns the store of what the dream-cycle has done.
func (tx *Tx) Dreams() store.Dreams { return dreams{tx} }

// Assets returns the store of attachments, without their bytes.
func (tx *Tx) Assets() store.Assets { return assets{tx} }

// Sources returns the store of the sources of memories.
func (tx *Tx) Sources() store.Sources { return sources{tx} }

// MemoryNodes returns the store of memory nodes and their items.
func (tx *Tx) MemoryNodes() store.MemoryNodes { return memoryNodes{tx} }

// Feed returns the feed of changes.
func (tx *Tx) Feed() store.Feed { return feed{tx} }

// Idempotency returns the store of requests and their answers.
func (tx *Tx) Idempotency() store.Idempotency { return idempotency{tx} }

// mine rejects a row that names another tenant.
func (tx *Tx) mine(org loci.OrgID) error {
	if org != "" && org != tx.Org {
		return loci.Errorf(loci.Invalid, "the row belongs to another org")
	}
	return nil
}

// writable returns an error for a row of another org or of an unknown user.
func (tx *Tx) writable(org loci.OrgID, user loci.UserID) error {
	if err := tx.mine(org); err != nil {
		return err
	}
	return tx.knowsUser(user)
}

// taken reports whether a statement failed because a row with its key exists.
func (d *Dialect) taken(err error) bool { return errors.Is(err, d.Unique) }

// orTaken returns err, or Conflict with a text if a row with the key of the new one exists.
func (d *Dialect) orTaken(err error, format string, args ...any) error {
	if d.taken(err) {
		return loci.Errorf(loci.Conflict, format, args...)
	}
	return err
}

// dangling reports whether a statement failed because a row that it refers to is missing, or is still referred to.
func (d *Dialect) dangling(err error) bool { return errors.Is(err, d.Reference) }

// there reports whether the statement finds a row.
func (tx *Tx) there(text string, args ...any) (bool, error) {
	return tx.c.One(text, args, func(Row) error { return nil })
}
