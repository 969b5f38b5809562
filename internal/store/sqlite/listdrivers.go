package sqlite

import (
	"encoding/hex"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// driver is the set of tokens whose postings a list walks, and the part of the filter that they
// answer. The zero driver answers no part.
type driver struct {
	tokens []string
	tags   []string // tags that the postings answer
	kind   string   // prefix of the tokens, whose part of the filter the postings answer
	only   byte     // kind of the only pool with these ranges; 0: all pools
	past   bool     // rows are read in a past state, but the postings are for the present
}

// drivers returns the ways to walk a filtered list for v, the simplest first.
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

// fieldDrivers returns drivers for the parts of the filter that have one value in each row.
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
	if !f.ProjectID.IsZero() && !f.OrGlobal {
		add(tokenProject, hex.EncodeToString(f.ProjectID[:]))
	}
	if !f.AgentID.IsZero() {
		add(tokenAgent, hex.EncodeToString(f.AgentID[:]))
	}
	switch {
	case f.Scope == loci.ScopeAgent && v.Vendor != "": // of no other agent may it see any
		list = append(list, driver{tokens: []string{tokenAgent + hex.EncodeToString(v.AgentID[:])}})
	case f.Scope == loci.ScopeAgent, f.Scope == loci.ScopeProject:
		add(tokenScope, string(f.Scope))
	}
	if f.Pinned {
		add(tokenPinned, "")
	}
	return list
}

// answersTime reports whether d's postings are ordered by creation time.
func answersTime(d driver) bool { return len(d.tokens) > 0 && d.tokens[0] != tokenTrash && !d.past }

// unanswered returns the part of the filter that d's postings do not answer.
func (d driver) unanswered(f *store.Filter) *store.Filter {
	rest := *f
	switch d.kind {
	case tokenOrigin:
		rest.Origin = ""
	case tokenKey:
		rest.Key = ""
	case tokenPinned:
		rest.Pinned = false
	case tokenScope:
		rest.Scope = ""
	case tokenProject:
		rest.ProjectID = loci.ProjectID{}
	case tokenAgent:
		rest.AgentID = loci.AgentID{}
	case tokenSession:
		rest.SessionID = loci.SessionID{}
	}
	switch d.only {
	case projectPool: // contains only rows of projects
		rest.Scope, rest.ProjectID = "", loci.ProjectID{}
	case teamPool:
		rest.TeamID = loci.TeamID{}
	}
	if len(d.tags) > 0 && !f.AllTags {
		rest.Tags = nil
	} else if len(d.tags) > 0 {
		rest.Tags = slices.DeleteFunc(slices.Clone(f.Tags), func(tag string) bool { return tag == d.tags[0] })
	}
	if answersTime(d) {
		rest.From, rest.To = time.Time{}, time.Time{}
	}
	return &rest
}
