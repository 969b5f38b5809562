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
		e.At.UnixMicro(), e.Action, e.Allowed, string(e.Kind), string(e.Method), orNull(e.UserID), string(e.Vendor),
		orNull(e.CredentialID), e.Target, e.Count)
}

func (t audit) List(_ context.Context, aq store.AuditQuery) (list []store.AuditRow, err error) {
	if aq.Limit < 1 {
		return nil, loci.Errorf(loci.Invalid, "limit must be at least 1")
	}
	var q Query
	auditQuery(&q, &aq)
	err = t.c.Query(q.String(), q.Args, func(r Row) error {
		list = append(list, store.AuditRow{Number: r.Int64(0),
			AuditEntry: loci.AuditEntry{At: timeAt(r, 1), Action: r.Text(2), Allowed: r.Bool(3),
				Kind: loci.Kind(r.Text(4)), Method: loci.Method(r.Text(5)), UserID: r.ID(6), Vendor: loci.Vendor(r.Text(7)),
				CredentialID: r.ID(8), Target: r.Text(9), Count: r.Int(10)}})
		return nil
	})
	return list, err
}

func auditQuery(q *Query, aq *store.AuditQuery) {
	before := aq.Before
	if before <= 0 {
		before = math.MaxInt64
	}
	q.Add("SELECT number, "+auditColumns+" FROM audit WHERE {audit} number < ?", before)
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
		q.Add(" AND at >= ?", ceilMicro(aq.From))
	}
	if !aq.To.IsZero() {
		q.Add(" AND at < ?", ceilMicro(aq.To))
	}
	q.Add(" ORDER BY number DESC LIMIT ?", aq.Limit)
}

// Purge stops at the first entry that is recent enough to keep. Entries are added in order of
// time, so Purge needs no index that would slow down every write. If the clock was set back, an
// old entry goes when the entries before it go.
func (t audit) Purge(_ context.Context, then time.Time, limit int) (int, error) {
	return t.purgeOldest("audit", "number", then, limit)
}

// purgeOldest deletes the first rows of a trail, up to the last of them that is from before then.
func (tx *Tx) purgeOldest(table, number string, then time.Time, limit int) (n int, err error) {
	last, end := int64(0), ceilMicro(then)
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
