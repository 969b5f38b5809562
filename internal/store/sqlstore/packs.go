package sqlstore

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

type packs struct{ *Tx }

func (t packs) Sent(_ context.Context, session loci.SessionID, subject string) (list []store.Sent, err error) {
	var q Query
	q.Add("SELECT k.item, k.version, k.place, k.cut FROM packs_sent k WHERE {k} k.session_id = ? AND k.subject = ? "+
		"ORDER BY k.place, k.item", [16]byte(session), subject)
	err = t.c.Query(q.String(), q.Args, func(r Row) error {
		list = append(list, store.Sent{ID: r.ID(0), Version: r.Int(1), Place: r.Int(2), Cut: r.Int(3)})
		return nil
	})
	return list, err
}

func (t packs) Revision(_ context.Context, session loci.SessionID, subject string) (n int, err error) {
	_, err = t.c.One("SELECT k.version FROM packs_sent k WHERE {k} k.session_id = ? AND k.subject = ? AND k.item = ?",
		Args{[16]byte(session), subject, [16]byte{}}, func(r Row) error { n = r.Int(0); return nil })
	return n, err
}

func (t packs) Add(_ context.Context, session loci.SessionID, subject string, revision int, list []store.Sent,
	now time.Time) error {
	for some := range slices.Chunk(append([]store.Sent{{Version: revision, Place: -1}}, list...), maxRows) {
		var q Query
		q.Add("INSERT INTO packs_sent ({org} session_id, subject, item, version, place, cut, sent_at) VALUES ")
		for i, s := range some {
			q.row(i, "({?} ?, ?, ?, ?, ?, ?, ?)", [16]byte(session), subject, s.ID, s.Version, s.Place, s.Cut, now.UnixMicro())
		}
		q.Add(" ON CONFLICT ({org} session_id, subject, item) DO UPDATE SET version = excluded.version, " +
			"place = excluded.place, cut = excluded.cut, sent_at = excluded.sent_at")
		err := t.c.Exec(q.String(), q.Args...)
		if t.d.dangling(err) {
			return loci.Errorf(loci.NotFound, "no such session")
		}
		if err != nil {
			return err
		}
	}
	return t.c.Exec("DELETE FROM packs_sent WHERE {packs_sent} session_id = ?1 AND subject = ?2 AND item IN ("+
		"SELECT k.item FROM packs_sent k WHERE {k} k.session_id = ?1 AND k.subject = ?2 "+
		"ORDER BY CASE k.place WHEN 0 THEN 1 ELSE 0 END, k.sent_at DESC, k.item LIMIT ?3 OFFSET ?4)",
		[16]byte(session), subject, math.MaxInt32, store.MaxSent)
}

func (t packs) TakeBack(_ context.Context, session loci.SessionID, subject string, ids [][16]byte) error {
	return t.c.Exec("DELETE FROM packs_sent WHERE {packs_sent} session_id = ? AND subject = ? AND item IN (SELECT "+
		"j.value FROM {ids})", [16]byte(session), subject, t.d.ListIDs(ids))
}

func (t packs) Leave(_ context.Context, user loci.UserID, holder [16]byte) error {
	var q Query
	all := loci.SubjectsOf(t.Org, user)
	q.Add("DELETE FROM packs_sent WHERE {packs_sent} session_id IN (SELECT s.id FROM sessions s WHERE {s} s.seq > 0) "+
		"AND subject >= ? AND subject < ?", all, all+"~") // greater than every character of a subject
	if holder != [16]byte{} {
		q.Add(" AND subject LIKE ?", "%/"+loci.CredentialID(holder).String())
	}
	return t.c.Exec(q.String(), q.Args...)
}

func (t packs) Purge(_ context.Context, before time.Time, limit int) (int, error) {
	err := t.c.Exec("DELETE FROM packs_sent WHERE {packs_sent} (session_id, subject) IN (SELECT k.session_id, k.subject "+
		"FROM packs_sent k WHERE {k} TRUE GROUP BY 1, 2 HAVING max(k.sent_at) < ? LIMIT ?)", CeilMicro(before), limit)
	return int(t.c.Changes()), err
}

func (t packs) Forget(_ context.Context, session loci.SessionID, subject string, all bool) error {
	var q Query
	q.Add("DELETE FROM packs_sent WHERE {packs_sent} session_id = ? AND subject = ?", [16]byte(session), subject)
	if !all {
		q.Add(" AND place <> 0")
	}
	return t.c.Exec(q.String(), q.Args...)
}
