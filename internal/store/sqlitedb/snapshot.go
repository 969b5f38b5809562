package sqlitedb

import (
	"slices"
	"time"
)

// keepTime is how long calls may continue a snapshot. Nobody's log can start over before it ends,
// which it does at the latest after twice that time.
const keepTime = 10 * time.Millisecond

// snapshot is the read transaction of a reader connection. View keeps it open, because to begin and to end one takes
// as long as to read a row. The next call continues it if nobody, in any process, has committed since.
type snapshot struct {
	kept    bool      // no call uses the transaction, but it is still open
	failed  bool      // a statement of the transaction has failed
	stamped bool      // stamp is known
	stamp   Stamp     // from before the transaction
	since   Stamp     // Steady then
	until   time.Time // it is not continued after that
}

// begin begins a transaction for View, or continues the one that the pool found to be the present state.
func (db *DB) begin(c *Conn) error {
	if c.kept {
		c.kept = false
		return nil
	}
	c.stampFrom(db)
	c.failed, c.until = false, time.Now().Add(keepTime)
	return c.tx("BEGIN")
}

// Stamp returns the stamp from before the transaction that View has begun or continued. Nothing
// that the transaction sees is older. ok is false if it isn't known.
func (c *Conn) Stamp() (stamp Stamp, ok bool) { return c.stamp, c.stamped }

// Steady is [DB.Steady] from before the transaction of View or Update. ok is false if it isn't known, or if the
// transaction may have changed another table.
func (c *Conn) Steady() (stamp Stamp, ok bool) { return c.since, c.stamped && !c.rare }

// stampFrom keeps the stamps before a transaction.
func (c *Conn) stampFrom(db *DB) {
	c.rare = false
	c.stamp, c.stamped = db.Stamp()
	c.since = db.steady.at(c.stamp)
}

// mayKeep reports whether the next call may continue the transaction. A file that may move has no
// lock while nobody uses it. After a failed statement, SQLite may report the failure again when the
// transaction ends, and the next caller would get it.
func (db *DB) mayKeep(c *Conn) bool { return c.stamped && !c.failed && !db.opts.Moves }

// settle ends the transaction of a connection that comes back, unless it is kept. It reports whether
// the connection can be used again.
func (c *Conn) settle() bool {
	if c.inDriver {
		return false
	}
	if c.raw.GetAutocommit() {
		c.kept = false
		return true
	}
	return c.kept || c.tx("COMMIT") == nil
}

// isPresent reports whether no transaction is kept, or one whose snapshot is the present state.
func (c *Conn) isPresent(stamp func() (Stamp, bool)) bool {
	if !c.kept {
		return true
	}
	now, ok := stamp()
	return ok && now == c.stamp && time.Now().Before(c.until)
}

// drop ends the kept transaction. It reports whether the connection can be used again.
func (c *Conn) drop() bool {
	c.kept = false
	return c.settle()
}

// discard closes a connection in an unknown state.
func (c *Conn) discard() {
	defer func() { _ = recover() }() // SQLite may be too damaged even to close
	_ = c.close()
}

// expireSoon lets kept transactions end soon if no call continues them. The caller holds p.mu.
func (p *pool) expireSoon() {
	if !p.timed {
		p.timed = true
		time.AfterFunc(keepTime, p.expire)
	}
}

func (p *pool) expire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timed = false
	if p.endOlder(time.Now()) {
		p.expireSoon()
	}
}

func (p *pool) endKept() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endOlder(time.Time{})
}

// endOlder ends the kept transactions that are too old at a time, or all for the zero time. It
// reports whether there are others. The caller holds p.mu.
func (p *pool) endOlder(now time.Time) (more bool) {
	p.idle = slices.DeleteFunc(p.idle, func(c *Conn) bool {
		if !c.kept {
			return false
		}
		if now.Before(c.until) && !now.IsZero() {
			more = true
			return false
		}
		if c.drop() {
			return false
		}
		c.discard()
		return true
	})
	return more
}
