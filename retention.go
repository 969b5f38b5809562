package loci

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Limits of retention rules.
const (
	MaxRetentionDays  = 36_500
	MaxRetentionTypes = 50
)

// EventRetention tells how long an org keeps its events, by their time. The zero value keeps all of them.
type EventRetention struct {
	Days  int             `json:"days,omitzero" minimum:"0" maximum:"36500" doc:"How many days events are kept whose type has no rule. 0: forever" example:"365"`
	Types []TypeRetention `json:"types,omitempty" nullable:"false" maxItems:"50" doc:"Rules for single types of events"`
}

// TypeRetention tells how long events of a type are kept.
type TypeRetention struct {
	Type string `json:"event_type" minLength:"1" maxLength:"64" example:"tool_call"`
	Days int    `json:"days" minimum:"0" maximum:"36500" doc:"0: forever" example:"30"`
}

// Validate returns an Invalid error for the first rule that breaks a limit. It sorts the rules by type. field is the
// name of the whole.
func (r *EventRetention) Validate(field string) error {
	if r.Days < 0 || r.Days > MaxRetentionDays {
		return FieldErrorf(field+".days", RangeText, 0, MaxRetentionDays)
	}
	if len(r.Types) > MaxRetentionTypes {
		return FieldErrorf(field+".types", "must have at most %d rules", MaxRetentionTypes)
	}
	for i, t := range r.Types {
		at := fmt.Sprintf("%s.types[%d]", field, i)
		if err := CheckEventType(at+".event_type", t.Type); err != nil {
			return err
		}
		if t.Days < 0 || t.Days > MaxRetentionDays {
			return FieldErrorf(at+".days", RangeText, 0, MaxRetentionDays)
		}
		if slices.ContainsFunc(r.Types[:i], func(x TypeRetention) bool { return x.Type == t.Type }) {
			return FieldErrorf(at+".event_type", "must not have two rules: %s", t.Type)
		}
	}
	r.Types = slices.SortedFunc(slices.Values(r.Types), func(a, b TypeRetention) int {
		return strings.Compare(a.Type, b.Type)
	})
	return nil
}

// RetentionGrace is how long Loci waits before it deletes events after somebody has shortened how long they are kept.
const RetentionGrace = time.Hour

// Shortens returns the types of events that r keeps for a shorter time than before does. "" is the type of all others.
func (r *EventRetention) Shortens(before *EventRetention) (list []TypeRetention) {
	sooner := func(days, was int) bool { return days > 0 && (was == 0 || days < was) }
	if sooner(r.Days, before.Days) {
		list = append(list, TypeRetention{Days: r.Days})
	}
	types := Mapped(slices.Concat(r.Types, before.Types), func(t TypeRetention) string { return t.Type })
	for _, t := range Unique(types) {
		if days := r.daysOf(t); sooner(days, before.daysOf(t)) {
			list = append(list, TypeRetention{t, days})
		}
	}
	return list
}

func (r *EventRetention) daysOf(kind string) int {
	if i := slices.IndexFunc(r.Types, func(t TypeRetention) bool { return t.Type == kind }); i >= 0 {
		return r.Types[i].Days
	}
	return r.Days
}

// Keeps reports whether the org keeps all events forever.
func (r *EventRetention) Keeps() bool {
	return r.Days == 0 && !slices.ContainsFunc(r.Types, func(t TypeRetention) bool { return t.Days > 0 })
}

// Oldest returns the time before which events are too old that are kept for some days, or the zero time.
func Oldest(now time.Time, days int) time.Time {
	if days == 0 {
		return time.Time{}
	}
	return now.Add(-time.Duration(days) * 24 * time.Hour)
}

// HoldError is the Conflict of deleting something of an org under legal hold.
func HoldError(org OrgID, what string) error {
	return Errorf(Conflict, "cannot delete %s: the org is under legal hold, so its events must stay; an owner of the org "+
		"or an operator of the server ends it: loci org hold %s off", what, org)
}
