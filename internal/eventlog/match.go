package eventlog

import (
	"slices"

	"github.com/loci-memory/loci"
)

// Matches reports whether e passes everything of the filter except Among: so all logs find the same events.
func (f *Filter) Matches(e *loci.Event) bool { return f.MatchesHead(e) && f.MatchesBody(e) }

// MatchesHead compares everything except what MatchesBody reads.
func (f *Filter) MatchesHead(e *loci.Event) bool {
	return (f.Since.IsZero() || !e.Time.Before(f.Since)) &&
		(f.Until.IsZero() || e.Time.Before(f.Until)) &&
		e.Importance >= f.MinImportance &&
		among(f.Classes, e.Class) &&
		among(f.Types, e.Type) &&
		f.MatchesWork(e) &&
		(f.IDs == nil || slices.Contains(f.IDs, e.ID))
}

// MatchesWork compares only the session, the agent, the project and the origin.
func (f *Filter) MatchesWork(e *loci.Event) bool {
	return equal(f.SessionID, e.SessionID) && equal(f.AgentID, e.AgentID) && equal(f.ProjectID, e.ProjectID) &&
		equal(f.Origin, e.Origin)
}

// MatchesBody compares the actor, the parent and the tags.
func (f *Filter) MatchesBody(e *loci.Event) bool {
	return equal(f.Actor, e.Actor) && equal(f.ParentID, e.ParentID) && f.matchesTags(e.Tags)
}

// NeedsBody reports whether MatchesBody reads anything.
func (f *Filter) NeedsBody() bool {
	return f.Actor != "" || !f.ParentID.IsZero() || len(f.Tags) > 0
}

func (f *Filter) matchesTags(tags []string) bool {
	has := func(tag string) bool { return slices.Contains(tags, tag) }
	if len(f.Tags) == 0 {
		return true
	}
	if f.AllTags {
		return !slices.ContainsFunc(f.Tags, func(tag string) bool { return !has(tag) })
	}
	return slices.ContainsFunc(f.Tags, has)
}

// equal reports whether got is what a filter wants. The zero value wants anything.
func equal[T comparable](want, got T) bool {
	var anything T
	return want == anything || want == got
}

// among is equal for a filter with several values.
func among[T comparable](want []T, got T) bool { return len(want) == 0 || slices.Contains(want, got) }
