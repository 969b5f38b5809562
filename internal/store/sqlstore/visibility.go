package sqlstore

import (
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// visible adds the visibility rule of loci.Viewer.Sees over the alias m, a row of memories. Every statement that
// returns text or existence uses it. A property test compares it with the rule itself.
func (tx *Tx) visible(q *Query, v loci.Viewer, l loci.Lifecycle, now time.Time) {
	if v.OrgID != tx.Org || v.OrgID == "" || v.UserID.IsZero() {
		q.Add("FALSE")
		return
	}
	reaches(q, v, "m")
	if !v.WorkspaceID.IsZero() {
		q.Add(" AND m.workspace_id = ?", [16]byte(v.WorkspaceID))
	}
	vendorMay(q, v, "m")
	admits(q, l, now)
	if l == loci.ExpiredOnly || l == loci.LiveOrTrash { // what has expired is its owner's, and no agent's
		q.Add(" AND (m.deleted_at IS NOT NULL OR m.expires_at IS NULL OR m.expires_at > ?", now.UnixMicro())
		if v.Vendor == "" {
			q.Add(" OR m.user_id = ?", [16]byte(v.UserID))
		}
		q.Add(")")
	}
	if l != loci.LiveOnly && l != loci.CurrentOnly {
		q.Add(" AND (m.deleted_at IS NULL OR m.user_id = ?)", [16]byte(v.UserID))
	}
}

// reaches adds part 2 of the rule, over a row of memories or of its versions. NULL never equals
// anything, so a viewer without a team or agent binds NULL.
func reaches(q *Query, v loci.Viewer, alias string) {
	if v.OnlyProjects {
		inProjects(q, v, "", alias)
		return
	}
	q.put("(", alias, ".user_id = ? OR ", alias, ".team_id = ?")
	q.bind([16]byte(v.UserID), OrNull(v.TeamID))
	inProjects(q, v, " OR ", alias)
	q.put(") AND (", alias, ".scope <> 'agent' OR ", alias, ".agent_id = ?")
	q.bind(OrNull(v.AgentID))
	if v.Vendor == "" {
		q.put(" OR ", alias, ".user_id = ?")
		q.bind([16]byte(v.UserID))
	}
	q.Add(")")
}

// seesWork adds the rule of loci.Viewer.SeesEvent over an alias: a row of sessions or tasks.
func (tx *Tx) seesWork(q *Query, v loci.Viewer, alias string) {
	if v.OrgID != tx.Org || v.OrgID == "" || v.UserID.IsZero() {
		q.Add("FALSE")
		return
	}
	reachesWork(q, v, alias)
	if !v.WorkspaceID.IsZero() {
		q.Add(" AND "+alias+".workspace_id = ?", [16]byte(v.WorkspaceID))
	}
	vendorMay(q, v, alias)
}

// reachesWork adds part 2 of the rule for sessions and tasks. NULL never equals anything, as in reaches.
func reachesWork(q *Query, v loci.Viewer, alias string) {
	ids := ProjectIDs(v)
	inProject := func() {
		if len(ids) == 0 {
			q.Add("FALSE")
			return
		}
		q.put(alias, ".project_id IN ")
		in(q, ids)
	}
	if v.OnlyProjects {
		inProject()
		q.put(" AND ")
	}
	q.put("(", alias, ".user_id = ? OR (", alias, ".reach = 'org' OR ", alias, ".reach = 'team' AND ", alias,
		".team_id = ?) AND (", alias, ".project_id IS NULL OR ")
	q.bind([16]byte(v.UserID), OrNull(v.TeamID))
	inProject()
	q.put("))")
}

// versionMay adds the condition of loci.Viewer.SeesVersion on an old version of a visible memory.
func versionMay(q *Query, v loci.Viewer, alias string) {
	vendorMay(q, v, alias)
	q.Add(" AND ")
	reaches(q, v, alias)
	if !v.WorkspaceID.IsZero() {
		q.Add(" AND ("+alias+".workspace_id IS NULL OR "+alias+".workspace_id = ?)", [16]byte(v.WorkspaceID))
	}
}

// inProjects adds that the row belongs to one of the viewer's projects.
func inProjects(q *Query, v loci.Viewer, operator, alias string) {
	ids := ProjectIDs(v)
	if len(ids) == 0 {
		if operator == "" {
			q.Add("FALSE")
		}
		return
	}
	q.put(operator, alias, ".scope = 'project' AND ", alias, ".project_id IN ")
	in(q, ids)
}

// ProjectIDs returns the ids of the viewer's projects, without zero ones.
func ProjectIDs(v loci.Viewer) [][16]byte {
	var ids [][16]byte
	for _, id := range v.ProjectIDs {
		if !id.IsZero() {
			ids = append(ids, id)
		}
	}
	return ids
}

// vendorMay adds part 3 of the rule, over a row of memories or of its versions.
func vendorMay(q *Query, v loci.Viewer, alias string) {
	if v.Vendor == "" {
		return
	}
	q.put(" AND (", alias, `.allowed_vendors = '["*"]' OR EXISTS (SELECT 1 FROM {each `, alias,
		".allowed_vendors} WHERE value = '*' OR value = ?))")
	q.bind(string(v.Vendor))
}

// admits adds part 4 of the rule.
func admits(q *Query, l loci.Lifecycle, now time.Time) {
	const live = "m.deleted_at IS NULL AND m.superseded_by IS NULL AND (m.expires_at IS NULL OR m.expires_at > ?)"
	switch l {
	case loci.LiveOnly:
		q.Add(" AND "+live, now.UnixMicro())
	case loci.CurrentOnly: // only memories have a period of validity
		at := now.UnixMicro()
		q.Add(" AND "+live+" AND (m.valid_from IS NULL OR m.valid_from <= ?) AND (m.valid_to IS NULL OR m.valid_to > ?)",
			at, at, at)
	case loci.TrashOnly:
		q.Add(" AND m.deleted_at IS NOT NULL")
	case loci.LiveOrTrash:
		q.Add(" AND (m.deleted_at IS NOT NULL OR m.superseded_by IS NULL)")
	case loci.ExpiredOnly:
		q.Add(" AND m.deleted_at IS NULL AND m.superseded_by IS NULL AND m.expires_at <= ?", now.UnixMicro())
	case loci.AnyState:
	default:
		q.Add(" AND FALSE")
	}
}

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
