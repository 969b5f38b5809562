package sqlstore

import (
	"time"

	"github.com/loci-memory/loci"
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
