package sqlitedb

import (
	"slices"
	"time"
)

// keepTime is how long a reader connection may keep its snapshot for the next call. Meanwhile the
// log cannot start over.
const keepTime = 20 * time.Millisecond

// snapshot is the read transaction of a reader connection. View keeps it open, because to begin and
// to end one takes as long as to read a row. The next call continues it if nobody, in any process,
// has committed since.
type snapshot struct {
	kept    bool      // no call uses the transaction, but it is still open
	stamped bool      // stamp is known
	stamp   Stamp     // from before the transaction
	until   time.Time // it is not continued after that
}

// beginRead continues the transaction that c has kept if its snapshot is the present state, or
// begins one.
func (db *DB) beginRead(c *Conn) error {
	stamp, ok := db.Stamp()
	now := time.Now()
	if c.kept {
		c.kept = false
		if ok && stamp == c.stamp && now.Before(c.until) {
			return nil
		}
		if err := c.tx("COMMIT"); err != nil {
			return err
		}
	}
	c.stamp, c.stamped, c.until = stamp, ok, now.Add(keepTime)
	return c.tx("BEGIN")
}

// Stamp returns the stamp from before the transaction that View has begun or continued. Nothing
// that the transaction sees is older. ok is false if it isn't known.
func (c *Conn) Stamp() (stamp Stamp, ok bool) { return c.stamp, c.stamped }

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
	more := p.endKept(time.Now())
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timed = false; more {
		p.expireSoon()
	}
}

// endKept ends the kept transactions that are old at a time, or all for the zero time. It reports
// whether there are others.
func (p *pool) endKept(now time.Time) (more bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = slices.DeleteFunc(p.idle, func(c *Conn) bool {
		if !c.kept {
			return false
		}
		if !now.IsZero() && now.Before(c.until) {
			more = true
			return false
		}
		c.kept = false
		if c.tx("COMMIT") == nil {
			return false
		}
		c.discard()
		return true
	})
	return more
}
