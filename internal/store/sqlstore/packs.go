package sqlstore

import (
	"context"
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

func (t packs) Add(_ context.Context, session loci.SessionID, subject string, list []store.Sent, now time.Time) error {
	for _, s := range list {
		err := t.c.Exec("INSERT INTO packs_sent ({org} session_id, subject, item, version, place, cut, sent_at) "+
			"VALUES ({?} ?, ?, ?, ?, ?, ?, ?) ON CONFLICT ({org} session_id, subject, item) DO UPDATE SET "+
			"version = excluded.version, place = excluded.place, cut = excluded.cut, sent_at = excluded.sent_at",
			[16]byte(session), subject, s.ID, s.Version, s.Place, s.Cut, now.UnixMicro())
		if err != nil {
			if t.d.dangling(err) {
				return loci.Errorf(loci.NotFound, "no such session")
			}
			return err
		}
	}
	return nil
}

func (t packs) Forget(_ context.Context, session loci.SessionID, subject string, all bool) error {
	var q Query
	q.Add("DELETE FROM packs_sent WHERE {packs_sent} session_id = ? AND subject = ?", [16]byte(session), subject)
	if !all {
		q.Add(" AND place <> 0")
	}
	return t.c.Exec(q.String(), q.Args...)
}
