package sqlitedb

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// One batch holds the lock file for about this long at most, so that other processes get their
// turn, and runs at most this many functions.
const (
	batchTime  = 10 * time.Millisecond
	batchCount = 256
)

// PanicError is the error of Update if the function panicked.
type PanicError struct {
	Value any
	Stack []byte // for logs
}

// Error returns the panic's value, without the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("the function panicked: %v", e.Value) }

// Unwrap returns the panic's value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

var (
	errEndedTx = errors.New("sqlitedb: the transaction was rolled back while the function ran")
	errGoexit  = errors.New("sqlitedb: the function ended its goroutine")
)

// write runs on the writer's goroutine. A function that calls runtime.Goexit, as testing.T.Fatal
// does, ends it. Then a new goroutine takes over.
func (db *DB) write() {
	emptied := false
	defer func() {
		if !emptied {
			go db.write()
			return
		}
		close(db.drained)
	}()
	for o := db.queue.wait(); o != nil; o = db.queue.wait() {
		db.serve(o)
	}
	emptied = true
}

// serve runs one batch, starting with o.
func (db *DB) serve(o *operation) {
	if err := db.lock.acquire(db.hurry); err != nil {
		db.queue.done(o, 0)
		if o.start() {
			o.done <- err
		}
		return
	}
	b := batch{db: db}
	defer b.finish()
	if err := db.mendWriter(); err != nil {
		db.queue.done(o, 0)
		if o.start() {
			b.refuse(o, err)
		}
		return
	}
	b.fill(o)
	b.commit()
	b.repeat(true)
	b.repeat(false)
}

// batch is one turn of the writer, from taking the lock file to the answers.
type batch struct {
	db      *DB
	current *operation   // running now
	kept    []*operation // succeeded in the open transaction
	lost    []*operation // succeeded, then lost their transaction because of another
	owed    []*operation // lost ones that wait for their next run
	answers []answer
	open    bool // a transaction is open
	careful bool // each function has a savepoint
}

type answer struct {
	to  *operation
	err error
}

func (b *batch) refuse(o *operation, err error) { b.answers = append(b.answers, answer{o, err}) }

// fill adds queued operations until the batch is full. A long operation begins a batch, so that the
// ones before it need not wait for its end.
func (b *batch) fill(o *operation) {
	var took time.Duration
	began, n := time.Now(), 0
	defer func() { b.db.lastBatch = n }()
	for o != nil {
		if o.start() {
			b.run(o)
		}
		before := took
		took = time.Since(began)
		b.db.queue.done(o, took-before)
		if n++; n >= batchCount || took > b.db.batchTime || b.db.writer == nil {
			return
		}
		if o, _ = b.db.queue.pop(b.db.batchTime); o == nil {
			o = b.expect(n)
		}
	}
}

// companyTime is how long a batch waits for operations like those that the last one had, and companyTurns is how often
// it lets others run meanwhile, at most: a clock may stand still.
const (
	companyTime  = 100 * time.Microsecond
	companyTurns = 2000
)

// expect waits a moment for another operation if the last batch was larger than n: those who wrote together soon write
// again, and a commit costs much more than the moment. A single writer waits for nobody.
func (b *batch) expect(n int) *operation {
	if n >= b.db.lastBatch || b.db.lastBatch < 2 {
		return nil
	}
	until := time.Now().Add(b.db.companyTime)
	for range b.db.companyTurns {
		runtime.Gosched()
		if o, closed := b.db.queue.pop(b.db.batchTime); o != nil || closed || !time.Now().Before(until) {
			return o
		}
	}
	return nil
}

// run executes one function so that its failure undoes only its own work.
//
// A savepoint makes FTS5 write out its pending data, which costs more than the row. So the first run has none. A
// function that failed before it changed anything has nothing to undo. In the rare other case, the whole transaction
// is undone, and the rest of the batch runs again with savepoints.
func (b *batch) run(o *operation) {
	c := b.db.writer
	if !b.open {
		b.db.readers.endKept() // they will be old, and until they end the log can't start over
		if err := c.tx("BEGIN IMMEDIATE"); err != nil {
			b.refuse(o, err)
			return
		}
		b.open = true
	}
	guarded := b.careful && len(b.kept) > 0 // the first has nothing else to keep
	if guarded {
		if err := c.tx("SAVEPOINT one"); err != nil {
			b.refuse(o, err)
			return
		}
	}
	before := c.mark()
	b.current = o
	err := b.call(o)
	b.current = nil
	if err == nil {
		err = unresolved(c)
	}
	if err == nil && guarded {
		err = c.tx("RELEASE one")
	}
	if err == nil {
		b.kept = append(b.kept, o)
		return
	}
	b.refuse(o, err)
	b.undo(guarded, before)
}

// call runs the function and turns a panic into an error. It returns an error if SQLite itself ended the transaction.
func (b *batch) call(o *operation) (err error) {
	c := b.db.writer
	defer func() {
		c.lent = false
		if p := recover(); p != nil {
			err = &PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	c.lent = true
	err = classify(o.fn(c))
	if err == nil && c.raw.GetAutocommit() {
		err = errEndedTx
	}
	return err
}

// unresolved returns an error if the function left a deferred foreign key dangling. At COMMIT it
// would fail the whole batch.
func unresolved(c *Conn) error {
	n, _, err := c.raw.Status(sqlite3.DBSTATUS_DEFERRED_FKS, false)
	if err == nil && n > 0 {
		err = sqlite3.CONSTRAINT_FOREIGNKEY
	}
	return classify(err)
}

// undo rolls back the function that failed last. If only the whole transaction can be rolled
// back, the others are kept for another run.
func (b *batch) undo(guarded bool, before int64) {
	c := b.db.writer
	intact := !c.inDriver && !c.raw.GetAutocommit()
	if intact && guarded && c.tx("ROLLBACK TO one") == nil && c.tx("RELEASE one") == nil {
		return
	}
	if intact && !guarded && len(b.kept) > 0 && c.mark() == before {
		return
	}
	b.lost = append(b.lost, b.kept...)
	b.kept = b.kept[:0]
	b.rollback()
}

// rollback ends the transaction. It drops a connection that cannot even roll back, or that a
// panic interrupted inside SQLite.
func (b *batch) rollback() {
	b.open = false
	c := b.db.writer
	c.other++ // also if SQLite itself has ended the transaction
	if c.inDriver {
		b.db.dropWriter()
		return
	}
	if !c.raw.GetAutocommit() && c.tx("ROLLBACK") != nil {
		b.db.dropWriter()
	}
}

func (b *batch) commit() {
	if !b.open {
		return
	}
	err := b.commitInPlace()
	b.open = false
	if err != nil {
		b.rollback()
	}
	for _, o := range b.kept {
		b.refuse(o, err)
	}
	b.kept = b.kept[:0]
}

// commitInPlace commits only if the files are still in their place.
func (b *batch) commitInPlace() error {
	if len(b.kept) > 0 {
		if err := b.db.InPlace(); err != nil {
			return err
		}
	}
	return b.db.writer.tx("COMMIT")
}

// repeat runs functions again that lost their transaction because of another function: together
// with savepoints, or each in its own transaction.
func (b *batch) repeat(together bool) {
	b.owed, b.lost = b.lost, nil
	b.careful = true
	for len(b.owed) > 0 {
		o := b.owed[0]
		b.owed = b.owed[1:]
		if err := b.db.mendWriter(); err != nil {
			b.refuse(o, err)
			continue
		}
		b.run(o)
		if !together {
			b.commit()
		}
	}
	b.commit()
}

// finish gives the next process its turn, answers all callers, and then does the work that nobody should wait for.
func (b *batch) finish() {
	if b.current != nil {
		b.refuse(b.current, errGoexit)
		for _, o := range slices.Concat(b.kept, b.lost, b.owed) {
			b.refuse(o, errGoexit)
		}
		b.rollback()
	}
	b.db.lock.release()
	for _, a := range b.answers {
		a.to.done <- a.err
	}
	b.db.checkpoint()
}

// mendWriter opens a new writer connection if the last one was dropped.
func (db *DB) mendWriter() (err error) {
	if db.writer == nil {
		if db.writer, err = db.connectWriter(); err == nil {
			err = db.remember() // the log is deleted with the last connection that closes
		}
	}
	return err
}

// dropWriter closes a connection in an unknown state. Its locks are released with its files, and
// nothing uncommitted is kept.
func (db *DB) dropWriter() {
	c := db.writer
	db.writer = nil
	db.wal = walGauge{}
	c.discard()
}
