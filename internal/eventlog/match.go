package eventlog

import (
	"slices"

	"github.com/loci-memory/loci"
)

// Matcher is the definition of a Filter, except Among: all logs find the events that it matches.
type Matcher struct{ f Filter }

// Matcher returns the matcher of f.
func (f Filter) Matcher() *Matcher {
	return &Matcher{f}
}

// Matches reports whether e passes the filter.
func (m *Matcher) Matches(e *loci.Event) bool { return m.MatchesHead(e) && m.MatchesBody(e) }

// MatchesHead compares everything except what MatchesBody reads.
func (m *Matcher) MatchesHead(e *loci.Event) bool {
	f := &m.f
	return (f.Since.IsZero() || !e.Time.Before(f.Since)) &&
		(f.Until.IsZero() || e.Time.Before(f.Until)) &&
		e.Importance >= f.MinImportance &&
		among(f.Classes, e.Class) &&
		among(f.Types, e.Type) &&
		m.MatchesWork(e) &&
		(f.IDs == nil || slices.Contains(f.IDs, e.ID))
}

// MatchesWork compares only the session, the agent, the project and the origin.
func (m *Matcher) MatchesWork(e *loci.Event) bool {
	f := &m.f
	return equal(f.SessionID, e.SessionID) && equal(f.AgentID, e.AgentID) && equal(f.ProjectID, e.ProjectID) &&
		equal(f.Origin, e.Origin)
}

// MatchesBody compares the actor, the parent and the tags.
func (m *Matcher) MatchesBody(e *loci.Event) bool {
	f := &m.f
	return equal(f.Actor, e.Actor) && equal(f.ParentID, e.ParentID) && m.matchesTags(e.Tags)
}

// NeedsBody reports whether MatchesBody reads anything.
func (m *Matcher) NeedsBody() bool {
	return m.f.Actor != "" || !m.f.ParentID.IsZero() || len(m.f.Tags) > 0
}

func (m *Matcher) matchesTags(tags []string) bool {
	has := func(tag string) bool { return slices.Contains(tags, tag) }
	if len(m.f.Tags) == 0 {
		return true
	}
	if m.f.AllTags {
		return !slices.ContainsFunc(m.f.Tags, func(tag string) bool { return !has(tag) })
	}
	return slices.ContainsFunc(m.f.Tags, has)
}

// equal reports whether got is what a filter wants. The zero value wants anything.
func equal[T comparable](want, got T) bool {
	var anything T
	return want == anything || want == got
}

// among is equal for a filter with several values.
func among[T comparable](want []T, got T) bool { return len(want) == 0 || slices.Contains(want, got) }
