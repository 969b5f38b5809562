package event

import (
	"context"
	"fmt"
	"time"
	_ "time/tzdata" // for machines without a list of time zones

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/indexing"
	"github.com/loci-memory/loci/internal/store"
)

// Filter says which events a request is about. An event must match every field that is set.
type Filter struct {
	// Since and Until limit the time of events: a span before now (30m, 12h, 7d), a time in RFC 3339, a date, or what
	// else loci.ParseTimeNear reads.
	Since, Until string
	// Zone is the time zone of dates and times without one, such as Europe/Berlin or +01:00; "": UTC.
	Zone          string
	Session       string // as store.FindSession reads it; a whole id may be that of a deleted session
	Agent         string // as store.FindAgent reads it; a whole id may be that of a deleted agent
	ProjectID     loci.ProjectID
	Classes       []loci.EventClass // any of them
	Types         []string          // any of them
	Tags          []string          // exact; any of them
	AllTags       bool              // every one of Tags instead
	Origin        string
	Actor         string
	ParentID      loci.EventID
	MinImportance int
	// Text limits the events to those whose content has all of these words.
	Text string
}

// Names of fields in errors.
const (
	sinceField = "since"
	untilField = "until"
	textField  = "q"
)

func (s *Service) filter(ctx context.Context, p loci.Principal, f Filter) (eventlog.Filter, error) {
	out := eventlog.Filter{ProjectID: f.ProjectID, Classes: f.Classes, Types: f.Types, Tags: f.Tags, AllTags: f.AllTags,
		Origin: f.Origin, Actor: f.Actor, ParentID: f.ParentID, MinImportance: f.MinImportance}
	if err := f.check(); err != nil {
		return out, err
	}
	if err := f.setTimes(&out, s.Time()); err != nil {
		return out, err
	}
	if f.Session == "" && f.Agent == "" {
		return out, nil
	}
	err := s.Store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
		if out.SessionID, err = named(f.Session, "session", func() (loci.SessionID, error) {
			found, err := store.FindSession(ctx, tx, p.Viewer(), f.Session)
			return found.ID, err
		}); err != nil {
			return err
		}
		out.AgentID, err = named(f.Agent, "agent", func() (loci.AgentID, error) {
			found, err := store.FindAgent(ctx, tx, p.Viewer(), f.Agent)
			return found.ID, err
		})
		return err
	})
	return out, err
}

// named returns the id that text is or names.
func named[ID ~[16]byte](text, noun string, find func() (ID, error)) (id ID, err error) {
	if whole, err := loci.ParseID[struct{}](text); text == "" || err == nil {
		return ID(whole), nil
	}
	id, err = find()
	return id, store.NameError(err, noun+"_id", "names no "+noun+" that you can see")
}

// check checks what doesn't depend on the org.
func (f *Filter) check() error {
	for i, c := range f.Classes {
		if err := loci.CheckEventClass(fmt.Sprintf("memory_type[%d]", i), c); err != nil {
			return err
		}
	}
	for i, t := range f.Types {
		if err := loci.CheckEventType(fmt.Sprintf("event_type[%d]", i), t); err != nil {
			return err
		}
	}
	if err := loci.CheckTags("tags", f.Tags, 0); err != nil {
		return err
	}
	if f.MinImportance < 0 || f.MinImportance > loci.MaxImportance {
		return loci.FieldErrorf("min_importance", "must be from 1 to %d", loci.MaxImportance)
	}
	if err := loci.CheckText(textField, f.Text, 0, loci.MaxTerm); err != nil {
		return err
	}
	if _, more := indexing.Words(f.Text); more {
		return loci.FieldErrorf(textField, "has more than %d words", loci.MaxTerms)
	}
	return nil
}

func (f *Filter) setTimes(out *eventlog.Filter, now time.Time) error {
	zone, err := zoneOf(f.Zone)
	if err != nil {
		return err
	}
	read := func(field, text string, to *time.Time) error {
		if text == "" {
			return nil
		}
		at, err := loci.ParseTimeNear(text, now.In(zone), false)
		if err != nil {
			return loci.WrapFieldError(field, err, "%s", loci.SafeText(err))
		}
		*to = loci.CutTime(at)
		return nil
	}
	if err := read(sinceField, f.Since, &out.Since); err != nil {
		return err
	}
	if err := read(untilField, f.Until, &out.Until); err != nil {
		return err
	}
	if !out.Since.IsZero() && !out.Until.IsZero() && !out.Since.Before(out.Until) {
		return loci.FieldErrorf(sinceField, "must be before until")
	}
	return nil
}

// zoneOf reads a time zone by its name or its distance from UTC.
func zoneOf(text string) (*time.Location, error) {
	if text == "" {
		return time.UTC, nil
	}
	if at, err := time.Parse("-07:00", text); err == nil {
		return at.Location(), nil
	}
	zone, err := time.LoadLocation(text)
	if err != nil || text == "Local" {
		return nil, loci.FieldErrorf("time_zone", "must be a time zone such as Europe/Berlin or +01:00")
	}
	return zone, nil
}
