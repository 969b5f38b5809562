package sqlstore

import (
	"context"
	"math"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

type audit struct{ *Tx }

const auditColumns = "at, action, allowed, kind, method, user_id, vendor, credential_id, target, count"

func (t audit) Add(_ context.Context, e loci.AuditEntry) error {
	return t.c.Exec("INSERT INTO audit ({org} "+auditColumns+") VALUES ({?} ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		e.At.UnixMicro(), e.Action, e.Allowed, string(e.Kind), string(e.Method), OrNull(e.UserID), string(e.Vendor),
		OrNull(e.CredentialID), e.Target, e.Count)
}

func (t audit) List(_ context.Context, aq store.AuditQuery) (list []store.AuditRow, err error) {
	if aq.Limit < 1 {
		return nil, loci.Errorf(loci.Invalid, "limit must be at least 1")
	}
	var q Query
	auditQuery(&q, &aq)
	err = t.c.Query(q.String(), q.Args, func(r Row) error {
		list = append(list, store.AuditRow{Number: r.Int64(0), AuditEntry: scanAudit(r)})
		return nil
	})
	return list, err
}

// scanAudit reads auditColumns after the number.
func scanAudit(r Row) loci.AuditEntry {
	return loci.AuditEntry{At: TimeAt(r, 1), Action: r.Text(2), Allowed: r.Bool(3), Kind: loci.Kind(r.Text(4)),
		Method: loci.Method(r.Text(5)), UserID: r.ID(6), Vendor: loci.Vendor(r.Text(7)), CredentialID: r.ID(8),
		Target: r.Text(9), Count: r.Int(10)}
}

// The kinds of positions in the trail: where a page ends, and which entry it is.
const (
	auditPosition byte = 0x26
	auditEntry    byte = 0x27
)

// Page sorts by time, because entries of graphs are added later than they happened.
func (t audit) Page(_ context.Context, reach store.AuditReach, aq store.AuditQuery, after store.Position) (
	list []store.AuditSeen, next store.Position, err error) {
	if aq.Limit < 1 {
		return nil, "", loci.Errorf(loci.Invalid, "limit must be at least 1")
	}
	last := Place{math.MaxInt64, math.MaxInt64}
	if after != "" {
		if last, err = t.Positions.decode(after, auditPosition); err != nil {
			return nil, "", err
		}
	}
	var q Query
	q.Add("SELECT number, "+auditColumns+" FROM audit WHERE {audit} (at < ? OR at = ? AND number < ?)", last.At, last.At,
		last.Seq)
	q.Add(" AND (user_id = ?", [16]byte(reach.UserID))
	if len(reach.Actions) > 0 {
		q.Add(" OR action IN ")
		in(&q, reach.Actions)
	}
	q.Add(")")
	auditFilter(&q, &aq)
	q.Add(" ORDER BY at DESC, number DESC LIMIT ?", aq.Limit+1) // one more tells whether another page follows
	err = t.c.Query(q.String(), q.Args, func(r Row) error {
		if len(list) == aq.Limit {
			next = t.Positions.encode(last, auditPosition)
			return ErrStop
		}
		e := scanAudit(r)
		last = Place{e.At.UnixMicro(), r.Int64(0)}
		list = append(list, store.AuditSeen{ID: t.Positions.encode(last, auditEntry), AuditEntry: e})
		return nil
	})
	return list, next, err
}

func auditQuery(q *Query, aq *store.AuditQuery) {
	before := aq.Before
	if before <= 0 {
		before = math.MaxInt64
	}
	q.Add("SELECT number, "+auditColumns+" FROM audit WHERE {audit} number < ?", before)
	auditFilter(q, aq)
	q.Add(" ORDER BY number DESC LIMIT ?", aq.Limit)
}

func auditFilter(q *Query, aq *store.AuditQuery) {
	if !aq.UserID.IsZero() {
		q.Add(" AND user_id = ?", [16]byte(aq.UserID))
	}
	if aq.Action != "" {
		q.Add(" AND action = ?", aq.Action)
	}
	if aq.Denied {
		q.Add(" AND NOT allowed")
	}
	if !aq.From.IsZero() {
		q.Add(" AND at >= ?", CeilMicro(aq.From))
	}
	if !aq.To.IsZero() {
		q.Add(" AND at < ?", CeilMicro(aq.To))
	}
}

// Purge stops at the first entry that is recent enough to keep. Entries are added in order of time, so Purge needs no
// index that would slow down every write. If the clock was set back, an old entry goes when the entries before it go.
func (t audit) Purge(_ context.Context, then time.Time, limit int) (int, error) {
	return t.purgeOldest("audit", "number", then, limit)
}

// purgeOldest deletes the first rows of a trail, up to the last of them that is from before then.
func (tx *Tx) purgeOldest(table, number string, then time.Time, limit int) (n int, err error) {
	last, end := int64(0), CeilMicro(then)
	err = tx.c.Query("SELECT "+number+", at FROM "+table+" WHERE {"+table+"} TRUE ORDER BY "+number+" LIMIT ?",
		Args{limit}, func(r Row) error {
			if r.Int64(1) >= end {
				return ErrStop
			}
			last = r.Int64(0)
			n++
			return nil
		})
	if err != nil || n == 0 {
		return 0, err
	}
	return n, tx.c.Exec("DELETE FROM "+table+" WHERE {"+table+"} "+number+" <= ?", last)
}
