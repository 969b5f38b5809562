package sqlstore

import (
	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Narrow adds the filter to q, except for its time and lifecycle. row is the alias of the row.
func Narrow(q *Query, f *store.Filter, row string) {
	if f.Type != "" {
		q.Add(" AND "+row+".type = ?", string(f.Type))
	}
	if f.Category != "" {
		q.Add(" AND "+row+".category = ?", f.Category)
	}
	if f.Origin != "" {
		q.Add(" AND "+row+".origin = ?", f.Origin)
	}
	if f.Key != "" {
		q.Add(" AND "+row+".key = ?", f.Key)
	}
	if f.Pinned {
		q.Add(" AND "+row+".pinned = ?", true)
	}
	narrowContext(q, f, row)
	narrowTags(q, f, row)
	if !f.From.IsZero() {
		q.Add(" AND "+row+".created_at >= ?", CeilMicro(f.From))
	}
	if !f.To.IsZero() {
		q.Add(" AND "+row+".created_at < ?", CeilMicro(f.To))
	}
}

// narrowContext adds the filter's conditions on the person and the purpose of the rows.
func narrowContext(q *Query, f *store.Filter, row string) {
	if f.Scope != "" {
		q.Add(" AND "+row+".scope = ?", string(f.Scope))
	}
	switch {
	case f.ProjectID.IsZero():
	case f.OrGlobal:
		q.Add(" AND ("+row+".project_id = ? OR "+row+".project_id IS NULL)", [16]byte(f.ProjectID))
	default:
		q.Add(" AND "+row+".project_id = ?", [16]byte(f.ProjectID))
	}
	if !f.TeamID.IsZero() {
		q.Add(" AND "+row+".team_id = ?", [16]byte(f.TeamID))
	}
	if !f.AgentID.IsZero() {
		q.Add(" AND "+row+".agent_id = ?", [16]byte(f.AgentID))
	}
	if !f.SessionID.IsZero() {
		q.Add(" AND "+row+".session_id = ?", [16]byte(f.SessionID))
	}
	if f.HiddenFrom != "" { // what agents keep to themselves is hidden from everybody outside of their sessions
		q.Add(" AND ("+row+".scope = 'agent' OR NOT EXISTS (SELECT 1 FROM {each "+row+
			".allowed_vendors} WHERE value = '*' OR value = ?))", string(f.HiddenFrom))
	}
}

func narrowTags(q *Query, f *store.Filter, row string) {
	tags := loci.Unique(f.Tags)
	if !f.AllTags {
		if len(tags) > 0 {
			q.Add(" AND EXISTS (SELECT 1 FROM {each " + row + ".tags} WHERE value IN ")
			in(q, tags)
			q.Add(")")
		}
		return
	}
	for _, tag := range tags {
		q.Add(" AND EXISTS (SELECT 1 FROM {each "+row+".tags} WHERE value = ?)", tag)
	}
}
