package sqlitedb

import (
	"context"
	"errors"
	"sync"
)

// pool lends reader connections. It lends the most recently used one first, so that only few stay
// in use at quiet times.
type pool struct {
	connect func() (*Conn, error)
	stamp   func() (Stamp, bool) // of the present state
	slots   chan struct{}        // one token for each lent connection
	done    chan struct{}        // closed when the pool closes

	mu    sync.Mutex
	idle  []*Conn
	timed bool // expire will run
}

func newPool(size int, connect func() (*Conn, error), stamp func() (Stamp, bool)) *pool {
	return &pool{connect: connect, stamp: stamp, slots: make(chan struct{}, size), done: make(chan struct{})}
}

func (p *pool) get(ctx context.Context) (*Conn, error) {
	select {
	case p.slots <- struct{}{}:
	default:
		select {
		case p.slots <- struct{}{}:
		case <-p.done:
			return nil, ErrClosed
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	select {
	case <-p.done:
		<-p.slots
		return nil, ErrClosed
	default:
	}
	for c := p.takeIdle(); c != nil; c = p.takeIdle() {
		if c.isPresent(p.stamp) || c.drop() {
			return c, nil
		}
		c.discard()
	}
	c, err := p.connect()
	if err != nil {
		<-p.slots
	}
	return c, err
}

func (p *pool) takeIdle() *Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.idle) - 1
	if last < 0 {
		return nil
	}
	c := p.idle[last]
	p.idle = p.idle[:last]
	return c
}

// put takes a connection back. If keep is false, it closes the connection.
func (p *pool) put(c *Conn, keep bool) {
	if keep {
		p.mu.Lock()
		p.idle = append(p.idle, c)
		if c.kept {
			p.expireSoon()
		}
		p.mu.Unlock()
	} else {
		c.discard()
	}
	<-p.slots
}

// close waits for the lent connections.
func (p *pool) close() (err error) {
	close(p.done)
	for range cap(p.slots) {
		p.slots <- struct{}{}
	}
	for c := p.takeIdle(); c != nil; c = p.takeIdle() {
		err = errors.Join(err, c.close())
	}
	for range cap(p.slots) {
		<-p.slots
	}
	return err
}

// View runs fn on a reader connection inside one read transaction. fn sees one snapshot, which has everything that
// was committed before the call. Writing fails with [ErrReadOnly]. When ctx ends, statements in SQLite stop and View
// returns the context's error. While fn runs, the log cannot be reset and may grow, so fn should be short.
func (db *DB) View(ctx context.Context, fn func(*Conn) error) error {
	return db.lend(ctx, db.readers, func(c *Conn) error {
		if err := db.begin(c); err != nil {
			return err
		}
		c.lent = true
		err := fn(c)
		c.kept = err == nil && db.mayKeep(c)
		return err
	})
}

// Scan is View for reads that may take long, such as searches and backups. It uses separate
// connections, so View and Update never wait for it.
func (db *DB) Scan(ctx context.Context, fn func(*Conn) error) error {
	return db.lend(ctx, db.scans, func(c *Conn) error {
		if err := c.tx("BEGIN"); err != nil {
			return err
		}
		c.lent = true
		return fn(c)
	})
}

// Within runs fn, and stops its statements when ctx ends. The transaction remains usable. Use it
// for a step that may take less time than the rest.
func (c *Conn) Within(ctx context.Context, fn func() error) error {
	defer c.interruptWith(ctx)()
	return interrupted(ctx, fn())
}

// lend runs fn on a connection of p without a transaction.
func (db *DB) lend(ctx context.Context, p *pool, fn func(*Conn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := db.refuse(); err != nil {
		return err
	}
	c, err := p.get(ctx)
	if err != nil {
		return err
	}
	restore := c.interruptWith(ctx)
	defer func() {
		restore()
		c.lent = false
		p.put(c, c.settle())
	}()
	return interrupted(ctx, classify(fn(c)))
}
