package embedded

import (
	"context"
	"math"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// source is a table of events in one snapshot: of log.db or of the file of a month. The rows of both begin alike.
type source struct {
	c         *sqlitedb.Conn
	asc, desc string // statements for the ids of a span
	// Only rows whose number is greater than after, and at most upTo, exist for the reader. The number is
	// the seq in log.db, and the batch in the file of a month: later batches are still in the log.
	after, upTo int64
	body        func(*sqlitedb.Row) ([]byte, error)
}

// The columns of a source.
const (
	colID = iota
	colStream
	colClass
	colType
	colImportance
	colRecorded
	colNumber
	colBody
	colPlace // of the body in its block
)

const (
	logRows   = "SELECT id, stream, class, type, importance, recorded, seq, body FROM events"
	monthRows = "SELECT id, stream, class, type, importance, recorded, batch, block, place FROM events"
	inSpan    = " WHERE id >= ? AND id < ? ORDER BY id"
	logSince  = logRows + " WHERE seq > ? ORDER BY seq"
)

// logSource returns the events of log.db whose seq is greater than after, and at most upTo.
func logSource(c *sqlitedb.Conn, after, upTo int64) *source {
	return &source{c: c, asc: logRows + inSpan, desc: logRows + inSpan + " DESC", after: after, upTo: upTo,
		body: func(r *sqlitedb.Row) ([]byte, error) { return r.Raw(colBody), nil }}
}

const allSeqs = math.MaxInt64

// visit gets a row. It returns false to end the scan.
type visit func(*source, *sqlitedb.Row) (more bool, err error)

func (src *source) scan(ctx context.Context, s span, desc bool, fn visit) error {
	text := src.asc
	if desc {
		text = src.desc
	}
	if s.empty() {
		return nil
	}
	return src.query(ctx, text, sqlitedb.Args{[16]byte(s.from), [16]byte(s.to)}, fn)
}

// checkRows is after how many rows a scan asks whether its context has ended.
const checkRows = 64

func (src *source) query(ctx context.Context, text string, args sqlitedb.Args, fn visit) error {
	n := 0
	return src.c.Query(text, args, func(r *sqlitedb.Row) error {
		if n++; n%checkRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if number := r.Int64(colNumber); number <= src.after || number > src.upTo {
			return nil
		}
		more, err := fn(src, r)
		if err == nil && !more {
			err = sqlitedb.ErrStop
		}
		return err
	})
}

func idOf(r *sqlitedb.Row) loci.EventID { return r.ID(colID) }
