package sqlite

import (
	"encoding/hex"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// driver is the set of tokens whose postings a list walks, and which part of
// the filter they answer. The zero driver answers none.
type driver struct {
	tokens []string
	tags   []string // answered
	kind   string   // the beginning of the tokens, whose part of the filter is answered
	only   byte     // answered: the kind of the only pool whose ranges they are; 0: of all pools
	past   bool     // rows are looked at as they were, but the postings are of the present
}

// drivers returns the ways for v to walk a filtered list, the plainest first.
func drivers(v loci.Viewer, f *store.Filter) []driver {
	if !f.When.IsZero() {
		return []driver{{tokens: []string{tokenLive, tokenPast}, past: !f.When.KnownAt.IsZero()}}
	}
	switch f.Lifecycle {
	case loci.LiveOnly, loci.CurrentOnly:
	case loci.TrashOnly:
		return []driver{{tokens: []string{tokenTrash}}}
	default:
		return []driver{{tokens: []string{tokenLive, tokenPast}}}
	}
	list := append(tagDrivers(f), fieldDrivers(v, f)...)
	if len(list) == 0 {
		list = append(list, driver{tokens: []string{tokenLive}})
	}
	return list
}

func tagDrivers(f *store.Filter) (list []driver) {
	tags := unique(f.Tags)
	switch {
	case f.AllTags:
		for _, tag := range tags {
			list = append(list, driver{tokens: []string{tokenTag + tag}, tags: []string{tag}})
		}
	case len(tags) > 0:
		d := driver{tags: tags}
		for _, tag := range tags {
			d.tokens = append(d.tokens, tokenTag+tag)
		}
		list = append(list, d)
	}
	return list
}

// fieldDrivers are those of the parts of the filter of which a row has one value.
func fieldDrivers(v loci.Viewer, f *store.Filter) (list []driver) {
	add := func(kind, value string) {
		list = append(list, driver{tokens: []string{kind + value}, kind: kind})
	}
	if f.Origin != "" {
		add(tokenOrigin, f.Origin)
	}
	if f.Key != "" {
		add(tokenKey, f.Key)
	}
	if !f.SessionID.IsZero() {
		add(tokenSession, hex.EncodeToString(f.SessionID[:]))
	}
	if !f.ProjectID.IsZero() {
		add(tokenProject, hex.EncodeToString(f.ProjectID[:]))
	}
	if !f.AgentID.IsZero() {
		add(tokenAgent, hex.EncodeToString(f.AgentID[:]))
	}
	switch f.Scope {
	case loci.ScopeProject:
		add(tokenScope, string(f.Scope))
	case loci.ScopeAgent: // of no other agent may it see any
		list = append(list, driver{tokens: []string{tokenAgent + hex.EncodeToString(v.AgentID[:])}})
	case loci.ScopeGlobal:
	}
	if f.Pinned {
		add(tokenPinned, "")
	}
	return list
}

// narrow adds the parts of the filter that d does not answer, over the alias row.
func narrow(q *query, f *store.Filter, d driver, row string) {
	if f.Type != "" {
		q.add(" AND "+row+".type = ?", string(f.Type))
	}
	if f.Category != "" {
		q.add(" AND "+row+".category = ?", f.Category)
	}
	if f.Origin != "" && d.kind != tokenOrigin {
		q.add(" AND "+row+".origin = ?", f.Origin)
	}
	if f.Key != "" && d.kind != tokenKey {
		q.add(" AND "+row+".key = ?", f.Key)
	}
	if f.Pinned && d.kind != tokenPinned {
		q.add(" AND "+row+".pinned = ?", true)
	}
	narrowContext(q, f, d, row)
	narrowTags(q, f, d, row)
	if !answersTime(d) {
		if !f.From.IsZero() {
			q.add(" AND "+row+".created_at >= ?", ceilMicro(f.From))
		}
		if !f.To.IsZero() {
			q.add(" AND "+row+".created_at < ?", ceilMicro(f.To))
		}
	}
}

// narrowContext adds whom and what the rows are for.
func narrowContext(q *query, f *store.Filter, d driver, row string) {
	inProject := d.only == projectPool // where nothing else is
	if f.Scope != "" && d.kind != tokenScope && !inProject {
		q.add(" AND "+row+".scope = ?", string(f.Scope))
	}
	if !f.ProjectID.IsZero() && d.kind != tokenProject && !inProject {
		q.add(" AND "+row+".project_id = ?", [16]byte(f.ProjectID))
	}
	if !f.TeamID.IsZero() && d.only != teamPool {
		q.add(" AND "+row+".team_id = ?", [16]byte(f.TeamID))
	}
	if !f.AgentID.IsZero() && d.kind != tokenAgent {
		q.add(" AND "+row+".agent_id = ?", [16]byte(f.AgentID))
	}
	if !f.SessionID.IsZero() && d.kind != tokenSession {
		q.add(" AND "+row+".session_id = ?", [16]byte(f.SessionID))
	}
}

func narrowTags(q *query, f *store.Filter, d driver, row string) {
	tags := unique(f.Tags)
	if !f.AllTags {
		if len(tags) > 0 && len(d.tags) == 0 {
			q.add(" AND EXISTS (SELECT 1 FROM json_each(" + row + ".tags) WHERE value IN ")
			in(q, tags)
			q.add(")")
		}
		return
	}
	for _, tag := range tags {
		if len(d.tags) == 0 || d.tags[0] != tag {
			q.add(" AND EXISTS (SELECT 1 FROM json_each("+row+".tags) WHERE value = ?)", tag)
		}
	}
}

// answersTime says whether d's postings are ordered by the creation time.
func answersTime(d driver) bool { return len(d.tokens) > 0 && d.tokens[0] != tokenTrash && !d.past }
