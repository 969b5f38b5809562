//go:build postgres

package postgres

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

var (
	errUnique    = errors.New("a row with this key exists")
	errReference = errors.New("a row that this one refers to is missing, or this one is referred to")
	errNested    = errors.New("a row function ran a statement; PostgreSQL reads the rows of one statement at a time")
)

// dialect is PostgreSQL's. The first parameter of a statement with tenants is the org.
var dialect = &sqlstore.Dialect{
	Tenant:   org,
	Project:  project,
	Join:     "JOIN",
	Is:       "IS NOT DISTINCT FROM",
	IsNot:    "IS DISTINCT FROM",
	Greatest: "greatest",
	Least:    "least",
	Seq:      "seq",
	Lock:     "FOR UPDATE",
	Each:     "jsonb_array_elements_text(%s::jsonb) AS each (value)",
	Numbered: "unnest(?::bigint[]) AS j (value)",
	IDs:      "unnest(?::uuid[]) AS j (value)",
	FeedEnd:  "SELECT feed_end FROM org WHERE org_id = " + org,
	Numbers:  func(list []int64) any { return list },
	ListIDs:  func(list [][16]byte) any { return list },

	Unique:    errUnique,
	Reference: errReference,
}

// The first parameters of a statement with tenants.
const (
	org     = "$1"
	project = "$2"
)

// expanded is a statement as PostgreSQL reads it.
type expanded struct {
	text  string
	first int // how many of its parameters are the org, and the project of a graph
}

var known sync.Map // from the shared text

func expand(text string) (expanded, error) {
	if e, ok := known.Load(text); ok {
		return e.(expanded), nil
	}
	sql, err := dialect.Expand(text)
	if err != nil {
		return expanded{}, err
	}
	e := expanded{}
	switch {
	case strings.Contains(sql, project):
		e.first = 2
	case strings.Contains(sql, org):
		e.first = 1
	}
	n := e.first
	e.text = parameter.ReplaceAllStringFunc(sql, func(p string) string {
		if p[0] != '?' {
			return p
		}
		n++
		if len(p) > 1 {
			number, _ := strconv.Atoi(p[1:])
			return "$" + strconv.Itoa(e.first+number)
		}
		return "$" + strconv.Itoa(n)
	})
	known.Store(text, e)
	return e, nil
}

// parameter matches one, or a text in quotes.
var parameter = regexp.MustCompile(`'[^']*'|\?\d*`)

// conn runs shared statements in one transaction.
type conn struct {
	ctx     context.Context // of the transaction
	tx      querier
	org     string // "" for the registry
	project loci.ProjectID
	changes int64
	marks   int64 // grows with each change, and with each error, after which the transaction can't go on
	reading bool
}

// querier is a transaction of pgx, or its connection.
type querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func (c *conn) prepare(text string, args []any) (string, []any, error) {
	if c.reading {
		return "", nil, errNested
	}
	e, err := expand(text)
	return e.text, append([]any{c.org, [16]byte(c.project)}[:e.first:e.first], args...), err
}

func (c *conn) Exec(text string, args ...any) error {
	sql, args, err := c.prepare(text, args)
	if err != nil {
		return err
	}
	tag, err := c.tx.Exec(c.ctx, sql, args...)
	c.changes = tag.RowsAffected()
	if c.changes > 0 || err != nil {
		c.marks++
	}
	return translate(err, sql)
}

func (c *conn) Insert(text string, args ...any) (seq int64, err error) {
	_, err = c.One(text+" RETURNING seq", args, func(r sqlstore.Row) error { seq = r.Int64(0); return nil })
	return seq, err
}

func (c *conn) Query(text string, args sqlstore.Args, read func(sqlstore.Row) error) error {
	sql, args, err := c.prepare(text, args)
	if err != nil {
		return err
	}
	rows, err := c.tx.Query(c.ctx, sql, append([]any{pgx.QueryResultFormats{pgx.BinaryFormatCode}}, args...)...)
	if err != nil {
		c.marks++
		return translate(err, sql)
	}
	c.reading = true
	defer func() { c.reading = false }()
	defer rows.Close()
	for rows.Next() {
		if err := read(row(rows.RawValues())); errors.Is(err, sqlstore.ErrStop) {
			return nil
		} else if err != nil {
			return err
		}
	}
	rows.Close()
	if rows.Err() != nil {
		c.marks++
	}
	return translate(rows.Err(), sql)
}

func (c *conn) One(text string, args sqlstore.Args, read func(sqlstore.Row) error) (found bool, err error) {
	err = c.Query(text, args, func(r sqlstore.Row) error {
		found = true
		if err := read(r); err != nil {
			return err
		}
		return sqlstore.ErrStop
	})
	return found, err
}

func (c *conn) Changes() int64 { return c.changes }

func (c *conn) Try(fn func() error) error {
	if _, err := c.tx.Exec(c.ctx, "SAVEPOINT try"); err != nil {
		return err
	}
	err := fn()
	if err != nil {
		_, undo := c.tx.Exec(c.ctx, "ROLLBACK TO SAVEPOINT try")
		return errors.Join(err, undo)
	}
	_, err = c.tx.Exec(c.ctx, "RELEASE SAVEPOINT try")
	return err
}

// translate gives the errors that the shared statements look for.
func translate(err error, sql string) error {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return err
	}
	switch pg.Code {
	case "23505":
		return fmt.Errorf("%w: %w", errUnique, err)
	case "23503":
		return fmt.Errorf("%w: %w", errReference, err)
	}
	return fmt.Errorf("%w in: %s", err, sql)
}

// row is a row in the binary format.
type row [][]byte

func (r row) Null(col int) bool   { return r[col] == nil }
func (r row) Int(col int) int     { return int(r.Int64(col)) }
func (r row) Text(col int) string { return string(r[col]) }
func (r row) Raw(col int) []byte  { return r[col] }
func (r row) Bool(col int) bool   { return r.Int64(col) != 0 }

func (r row) Int64(col int) int64 {
	switch b := r[col]; len(b) {
	case 1: // a boolean
		return int64(b[0])
	case 4:
		return int64(int32(binary.BigEndian.Uint32(b)))
	case 8:
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

func (r row) Float(col int) float64 { return math.Float64frombits(uint64(r.Int64(col))) }

func (r row) ID(col int) (id [16]byte) {
	copy(id[:], r[col])
	return id
}

// under returns the connection below what a test may have put around it.
func under(c sqlstore.Conn) *conn {
	if r, ok := c.(*recorder); ok {
		c = r.Conn
	}
	return c.(*conn)
}
