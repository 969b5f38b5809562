package sqlitedb

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// maxCached is how many prepared statements one connection keeps.
const maxCached = 256

// ErrStop ends a Query early and without error when a row function returns it.
var ErrStop = errors.New("stop")

// Args are the values for a statement's parameters, in order. Allowed are nil,
// int, int64, float64, bool, string, []byte (nil means NULL) and [16]byte.
type Args []any

// Conn is a connection lent to a function. It belongs to that call alone and must not be kept. It prepares each
// statement once and looks it up by its text, so pass values as Args and keep the text constant.
type Conn struct {
	*state
	rewrite func(string) (string, error)
}

// state is shared by all views of one connection.
type state struct {
	plain    *Conn
	rewriter *Conn
	raw      *sqlite3.Conn
	cache    map[string]*stmt
	control  map[string]*stmt
	clock    uint64
	lent     bool     // inside a transaction of this package: the function must not end it
	inDriver bool     // still set after a panic if SQLite itself was interrupted
	other    int64    // number of statements that change more than rows, such as the schema, and of rollbacks
	common   []string // see Options
	rare     bool     // the transaction may have changed another table
	snapshot

	dated     bool  // elsewhere is that of the transaction
	elsewhere int64 // differs whenever another connection has committed
}

type stmt struct {
	st     *sqlite3.Stmt
	row    Row
	params int
	bound  []boundID // by parameter
	used   uint64
	inUse  bool
	cached bool
	heavy  bool // the bound values are large enough to free
	other  bool // changes something that Changes does not count
	rare   bool // may change a table that is not common
}

func newConn(raw *sqlite3.Conn) *Conn {
	c := &Conn{state: &state{raw: raw, cache: map[string]*stmt{}, control: map[string]*stmt{}}}
	c.plain = c
	return c
}

// Rewriting returns a view of the connection for texts that SQLite cannot read yet. It calls
// rewrite once for each text, before it prepares the statement, and looks up the statement by the
// original text. A connection has one such view: later calls return the first one.
func (c *Conn) Rewriting(rewrite func(string) (string, error)) *Conn {
	if c.rewriter == nil {
		c.rewriter = &Conn{state: c.state, rewrite: rewrite}
	}
	return c.rewriter
}

// Plain returns the connection itself, which takes texts as SQLite reads them.
func (c *Conn) Plain() *Conn { return c.plain }

// Raw returns the driver's connection, for what the helpers do not cover. The caller must not
// change the connection's transaction, interrupt or hooks.
func (c *Conn) Raw() *sqlite3.Conn { return c.raw }

// LastInsertID returns the rowid of the last row inserted.
func (c *Conn) LastInsertID() int64 { return c.raw.LastInsertRowID() }

// mark returns a number that increases with every change that a rollback would undo, and with every
// rollback. It does not count failed statements, because SQLite undoes those itself.
func (c *Conn) mark() int64 { return c.raw.TotalChanges() + c.other }

// changesRows reports whether SQLite counts everything that the statement does as changes. If it
// is wrongly false, that costs a little time. It is never wrongly true.
func changesRows(sql string) bool {
	word, _, _ := strings.Cut(strings.TrimLeft(sql, " \t\r\n"), " ")
	switch strings.ToUpper(strings.TrimRight(word, "\t\r\n")) {
	case "INSERT", "UPDATE", "DELETE", "REPLACE":
		return true
	}
	return false
}

// Changes returns how many rows the last INSERT, UPDATE or DELETE changed.
func (c *Conn) Changes() int64 { return c.raw.Changes() }

// Exec runs one statement to its end and drops its rows.
func (c *Conn) Exec(sql string, args ...any) error {
	s, err := c.get(sql)
	if err != nil {
		return err
	}
	if err = s.bind(args); err == nil {
		c.inDriver = true
		err = s.st.Exec()
		c.inDriver = false
		c.failed = c.failed || err != nil
	}
	c.put(s)
	return classify(err)
}

// Query runs one statement and calls row for each of its rows. The Row is valid during the call only.
func (c *Conn) Query(sql string, args Args, row func(*Row) error) error {
	s, err := c.get(sql)
	if err != nil {
		return err
	}
	defer c.put(s)
	if err := s.bind(args); err != nil {
		return classify(err)
	}
	for c.step(s) {
		err := row(&s.row)
		if err == nil {
			err = s.row.err
		}
		if errors.Is(err, ErrStop) {
			return nil
		}
		if err != nil {
			return classify(err)
		}
	}
	return classify(s.st.Err())
}

// One runs one statement and calls row for its first row, if there is one.
func (c *Conn) One(sql string, args Args, row func(*Row) error) (found bool, err error) {
	s, err := c.get(sql)
	if err != nil {
		return false, err
	}
	defer c.put(s)
	if err := s.bind(args); err != nil {
		return false, classify(err)
	}
	if !c.step(s) {
		return false, classify(s.st.Err())
	}
	if err := row(&s.row); err != nil {
		return true, classify(err)
	}
	return true, s.row.err
}

// Script runs several statements without parameters, such as a schema. They must leave the transaction alone.
func (c *Conn) Script(sql string) error {
	if c.lent && c.raw.GetAutocommit() {
		return errEndedTx
	}
	c.inDriver = true
	c.other++
	c.rare = true
	err := c.raw.Exec(sql)
	c.inDriver = false
	c.failed = c.failed || err != nil
	return classify(err)
}

func (c *Conn) step(s *stmt) bool {
	c.inDriver = true
	more := s.st.Step()
	c.inDriver = false
	return more
}

// get finds or prepares the statement. If a row function runs the same text again while the
// statement is in use, get prepares a second one.
func (c *Conn) get(sql string) (*stmt, error) {
	s, err := c.find(sql)
	if err == nil && s.other {
		c.other++
	}
	c.rare = c.rare || err == nil && s.rare
	return s, err
}

// written finds the table that a statement changes.
var written = regexp.MustCompile(`^\s*(?i:INSERT(?:\s+OR\s+\w+)?\s+INTO|UPDATE|DELETE\s+FROM)\s+(\w+)`)

// isCommon reports whether a statement changes only a common table. If it is wrongly false, that costs a little time.
func (c *Conn) isCommon(sql string) bool {
	table := written.FindStringSubmatch(sql)
	return table != nil && slices.Contains(c.common, table[1])
}

func (c *Conn) find(sql string) (*stmt, error) {
	if c.lent && c.raw.GetAutocommit() {
		return nil, errEndedTx // otherwise the statement would commit on its own
	}
	c.clock++
	if s := c.cache[sql]; s != nil && !s.inUse {
		s.inUse, s.used = true, c.clock
		return s, nil
	}
	endsTx := isTransactionControl(sql)
	if endsTx && c.lent {
		return nil, fmt.Errorf("sqlitedb: the function must not begin or end the transaction: %s", sql)
	}
	s, err := c.prepare(sql)
	if err != nil {
		return nil, err
	}
	if c.cache[sql] == nil && !endsTx {
		c.evict()
		s.cached = true
		c.cache[sql] = s
	}
	s.inUse, s.used = true, c.clock
	return s, nil
}

func (c *Conn) prepare(sql string) (*stmt, error) {
	if c.rewrite != nil {
		var err error
		if sql, err = c.rewrite(sql); err != nil {
			return nil, err
		}
	}
	st, tail, err := c.raw.PrepareFlags(sql, sqlite3.PREPARE_PERSISTENT)
	if err != nil {
		return nil, classify(err)
	}
	if st == nil {
		return nil, errors.New("sqlitedb: no statement in the text")
	}
	if strings.Trim(tail, " \t\r\n;") != "" {
		return nil, errors.Join(errors.New("sqlitedb: more than one statement in the text: use Script"), st.Close())
	}
	s := &stmt{st: st, params: st.BindCount()}
	if !st.ReadOnly() {
		s.other, s.rare = !changesRows(sql), !c.isCommon(sql)
	}
	s.bound = make([]boundID, s.params)
	s.row.st = st
	return s, nil
}

func (c *Conn) put(s *stmt) {
	if s.st.Reset() != nil { // returns the error that the step reported
		c.failed = true
	}
	s.row.err = nil
	if !s.cached {
		_ = s.st.Close()
		return
	}
	if s.heavy {
		_ = s.st.ClearBindings()
		clear(s.bound)
		s.heavy = false
	}
	s.inUse = false
}

// evict makes room by dropping the least recently used statement.
func (c *Conn) evict() {
	if len(c.cache) < maxCached {
		return
	}
	var oldest string
	var victim *stmt
	for sql, s := range c.cache {
		if !s.inUse && (victim == nil || s.used < victim.used) {
			oldest, victim = sql, s
		}
	}
	if victim != nil {
		delete(c.cache, oldest)
		_ = victim.st.Close()
	}
}

// Try runs fn and undoes its writes if it fails.
func (c *Conn) Try(fn func() error) error {
	if err := c.tx("SAVEPOINT try"); err != nil {
		return err
	}
	err := fn()
	if err != nil {
		err = errors.Join(err, c.tx("ROLLBACK TO try"))
	}
	return errors.Join(err, c.tx("RELEASE try"))
}

// tx runs a transaction statement for this package.
func (c *Conn) tx(sql string) error {
	switch {
	case strings.HasPrefix(sql, "BEGIN"):
		c.dated = false
	case strings.HasPrefix(sql, "ROLLBACK"):
		c.other++
	}
	s := c.control[sql]
	if s == nil {
		var err error
		if s, err = c.prepare(sql); err != nil {
			return err
		}
		c.control[sql] = s
	}
	c.inDriver = true
	err := s.st.Exec()
	c.inDriver = false
	return classify(err)
}

func (c *Conn) close() error {
	for _, statements := range []map[string]*stmt{c.cache, c.control} {
		for _, s := range statements {
			_ = s.st.Close()
		}
		clear(statements)
	}
	return classify(c.raw.Close())
}

func isTransactionControl(sql string) bool {
	word := strings.ToUpper(strings.TrimLeft(sql, " \t\r\n"))
	for _, verb := range []string{"BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE"} {
		if strings.HasPrefix(word, verb) {
			return true
		}
	}
	return false
}
