package sqlite

import (
	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// driver is the set of tokens whose postings a list walks, and which part of
// the filter they answer. The zero driver answers none.
type driver struct {
	tokens []string
	tags   []string // answered
	origin bool     // answered
	team   bool     // answered: the ranges are those of the team's pool
	past   bool     // rows are looked at as they were, but the postings are of the present
}

// drivers returns the ways to walk a filtered list, the plainest first.
func drivers(f *store.Filter) []driver {
	if !f.When.IsZero() {
		return []driver{{tokens: []string{tokenLive, tokenPast}, past: !f.When.KnownAt.IsZero()}}
	}
	switch f.Lifecycle {
	case loci.LiveOnly:
	case loci.TrashOnly:
		return []driver{{tokens: []string{tokenTrash}}}
	default:
		return []driver{{tokens: []string{tokenLive, tokenPast}}}
	}
	var list []driver
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
	if f.Origin != "" {
		list = append(list, driver{tokens: []string{tokenOrigin + f.Origin}, origin: true})
	}
	if len(list) == 0 {
		list = append(list, driver{tokens: []string{tokenLive}})
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
	if !f.ProjectID.IsZero() {
		q.add(" AND "+row+".project_id = ?", [16]byte(f.ProjectID))
	}
	if !f.TeamID.IsZero() && !d.team {
		q.add(" AND "+row+".team_id = ?", [16]byte(f.TeamID))
	}
	if f.Origin != "" && !d.origin {
		q.add(" AND "+row+".origin = ?", f.Origin)
	}
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
