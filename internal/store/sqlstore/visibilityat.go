package sqlstore

import (
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// checkWhen rejects a query for a past state of rows that are not live.
func checkWhen(f *store.Filter) error {
	if !f.When.IsZero() && f.Lifecycle != loci.LiveOnly {
		return loci.Errorf(loci.Invalid, "cannot search the trash or all states at another time; search live memories")
	}
	return nil
}

// stages returns the aliases of the rows to read: m is a row of memories that had the same state at the requested
// time, and o is the old version that was in force then. No memory passes as both.
func stages(w loci.When) []string {
	if w.KnownAt.IsZero() {
		return []string{"m"}
	}
	return []string{"m", "o"}
}

// Passes adds the visibility rule and the filter over row, which is one of the stages.
func (tx *Tx) Passes(q *Query, v loci.Viewer, f *store.Filter, now time.Time, row string) {
	if f.When.IsZero() {
		tx.visible(q, v, f.Lifecycle, now)
	} else {
		tx.visibleAt(q, v, f.When, now, row)
	}
	Narrow(q, f, row)
}

// visibleAt adds the visibility rule of loci.Viewer.SeesAt over m, the row of memories, and row,
// the stage at that time. The property test of visible also compares it with the rule.
func (tx *Tx) visibleAt(q *Query, v loci.Viewer, w loci.When, now time.Time, row string) {
	tx.visible(q, v, loci.AnyState, now)
	onlyOwnersSeeTheGone(q, v, now)
	if !w.KnownAt.IsZero() {
		known := w.KnownAt.UnixMicro()
		q.Add(" AND m.created_at <= ?", known)
		if row == "m" {
			q.Add(" AND m.updated_at <= ?", known)
		} else {
			inForce(q, known)
			versionMay(q, v, row)
		}
	}
	admitsAt(q, w, now, row)
}

// onlyOwnersSeeTheGone adds that what is in the trash or has expired now is visible only to its owner, as a person.
func onlyOwnersSeeTheGone(q *Query, v loci.Viewer, now time.Time) {
	const live = "m.deleted_at IS NULL AND (m.expires_at IS NULL OR m.expires_at > ?)"
	if v.Vendor != "" {
		q.Add(" AND "+live, now.UnixMicro())
		return
	}
	q.Add(" AND (m.user_id = ? OR "+live+")", [16]byte(v.UserID), now.UnixMicro())
}

// inForce adds that o is the version that was stored at that time. One import may store several
// versions at the same time; the last of them counts.
func inForce(q *Query, known int64) {
	q.Add(` AND m.updated_at > ? AND o.version = (SELECT max(h.version) FROM memory_versions h
		WHERE {h} h.seq = m.seq AND h.updated_at <= ? AND h.replaced_at > ?)`, known, known, known)
}

// admitsAt adds part 4 of the rule at another time.
func admitsAt(q *Query, w loci.When, now time.Time, row string) {
	alive := now
	switch {
	case !w.AsOf.IsZero():
		alive = w.AsOf
	case !w.KnownAt.IsZero():
		alive = w.KnownAt
	}
	row += "."
	q.Add(" AND "+row+"deleted_at IS NULL AND ("+row+"expires_at IS NULL OR "+row+"expires_at > ?)", alive.UnixMicro())
	present := ""
	if !w.Superseded {
		present = " AND " + row + "superseded_by IS NULL"
	}
	if w.AsOf.IsZero() {
		q.Add(present)
		return
	}
	at := w.AsOf.UnixMicro()
	q.Add(" AND coalesce("+row+"valid_from, "+row+"created_at) <= ? AND ("+row+"valid_to > ? OR "+row+"valid_to IS NULL"+
		present+")", at, at)
}
