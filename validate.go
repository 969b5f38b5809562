package loci

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of a memory, in characters (Unicode code points) unless stated otherwise.
const (
	MaxTitle      = 500
	MaxContent    = 100_000
	MaxSummary    = 2_000
	MaxKey        = 200
	MaxCategory   = 100
	MaxSource     = 64
	MaxTags       = 50
	MaxTag        = 100
	MaxVendors    = 50
	MinImportance = 1
	MaxImportance = 10
	MaxQuery      = 10_000 // a question to /query
	MaxTerm       = 500    // a search term
	MaxIDs        = 500    // ids in one list filter
)

// The defaults for fields that the writer left out.
const (
	DefaultCategory   = "fact"
	DefaultImportance = 5
	DefaultSource     = "manual"
	AutoSource        = "auto" // only set when a candidate is promoted
)

// SetDefaults sets the fields that the writer left out.
func (m *Memory) SetDefaults() {
	m.Scope = cmp.Or(m.Scope, ScopeGlobal)
	m.Type = cmp.Or(m.Type, Semantic)
	m.Category = cmp.Or(m.Category, DefaultCategory)
	m.Importance = cmp.Or(m.Importance, DefaultImportance)
	m.Source = cmp.Or(m.Source, DefaultSource)
	if m.AllowedVendors == nil {
		m.AllowedVendors = []Vendor{AnyVendor}
	}
	m.Tags = OrEmpty(m.Tags)
}

// Validate checks every limit and returns an Invalid error for the first field that breaks one. It only changes Tags
// and AllowedVendors, from which it removes duplicates. It keeps the first of each.
func (m *Memory) Validate() error {
	m.Tags = Unique(m.Tags)
	m.AllowedVendors = Unique(m.AllowedVendors)
	checks := []func() error{
		func() error { return CheckText("title", m.Title, 1, MaxTitle) },
		func() error { return CheckText("content", m.Content, 1, MaxContent) },
		func() error { return CheckText("summary", m.Summary, 0, MaxSummary) },
		func() error { return CheckText("key", m.Key, 0, MaxKey) },
		func() error { return CheckText("category", m.Category, 1, MaxCategory) },
		func() error { return CheckText("source", m.Source, 1, MaxSource) },
		func() error { return CheckTags("tags", m.Tags, 0) },
		func() error { return CheckVendors(m.AllowedVendors) },
		func() error { return CheckType(m.Type) },
		m.checkScope,
		func() error { return checkImportance(m.Importance) },
		m.checkTimes,
	}
	return firstError(checks...)
}

// firstError makes checks one after the other, until one fails.
func firstError(checks ...func() error) error {
	for _, check := range checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// Error texts that several surfaces share. The API also checks requests against its schema, with the
// texts in internal/rest/validation.go.
const (
	EmptyText   = "must not be empty"
	TooLongText = "is longer than %d characters; shorten it"
	RangeText   = "must be from %d to %d"
)

// CheckText returns an Invalid error unless s is valid UTF-8 without NUL and has from minimum to
// maximum characters. It reads at most maximum characters, so a huge text costs no more.
func CheckText(field, s string, minimum, maximum int) error {
	if len(s) > maximum*utf8.UTFMax {
		return tooLong(field, maximum)
	}
	if !utf8.ValidString(s) {
		return FieldErrorf(field, "is not valid UTF-8")
	}
	if strings.IndexByte(s, 0) >= 0 {
		return FieldErrorf(field, "contains a NUL character, which cannot be stored")
	}
	n := utf8.RuneCountInString(s)
	if n > maximum {
		return tooLong(field, maximum)
	}
	if n < minimum || minimum > 0 && strings.TrimSpace(s) == "" {
		return FieldErrorf(field, EmptyText)
	}
	return nil
}

func tooLong(field string, maximum int) error {
	return FieldErrorf(field, TooLongText, maximum)
}

// CheckTags returns an Invalid error unless there are from minimum to MaxTags tags of 1 to MaxTag characters.
func CheckTags(field string, tags []string, minimum int) error {
	if len(tags) > MaxTags {
		return FieldErrorf(field, "has %d entries; at most %d are allowed", len(tags), MaxTags)
	}
	if len(tags) < minimum {
		return FieldErrorf(field, "must name at least %d tag", minimum)
	}
	for i, t := range tags {
		if err := CheckText(field, t, 1, MaxTag); err != nil {
			return AtField(err, fmt.Sprintf("%s[%d]", field, i))
		}
	}
	return nil
}

// CheckVendors returns an Invalid error unless there are 1 to MaxVendors entries, each "*" or a vendor name.
func CheckVendors(vendors []Vendor) error {
	const field = "allowed_vendors"
	if len(vendors) == 0 {
		return FieldErrorf(field, `must name at least one vendor, or "*" for all`)
	}
	if len(vendors) > MaxVendors {
		return FieldErrorf(field, "has %d entries; at most %d are allowed", len(vendors), MaxVendors)
	}
	for i, v := range vendors {
		if v == AnyVendor {
			continue
		}
		if err := v.Validate(); err != nil {
			return FieldErrorf(fmt.Sprintf("%s[%d]", field, i), `must be "*" or a vendor name: %s`, err)
		}
	}
	return nil
}

// CheckType returns an Invalid error unless t is one of the memory types.
func CheckType(t MemoryType) error {
	switch t {
	case Semantic, Episodic, Procedural:
		return nil
	}
	return FieldErrorf("memory_type", "must be semantic, episodic or procedural")
}

func (a *Access) checkScope() error {
	switch a.Scope {
	case ScopeGlobal:
		return nil
	case ScopeProject:
		if a.ProjectID.IsZero() {
			return FieldErrorf("project_id", `is required when scope is "project"`)
		}
		return nil
	case ScopeAgent:
		if a.AgentID.IsZero() {
			return FieldErrorf("agent_id", `is required when scope is "agent"`)
		}
		return nil
	}
	return FieldErrorf("scope", "must be global, project or agent")
}

func checkImportance(n int) error {
	if n < MinImportance || n > MaxImportance {
		return FieldErrorf("importance", RangeText, MinImportance, MaxImportance)
	}
	return nil
}

func (m *Memory) checkTimes() error {
	for _, t := range []struct {
		field string
		time  time.Time
	}{{"expires_at", m.ExpiresAt}, {"valid_from", m.ValidFrom}, {"valid_to", m.ValidTo}} {
		if y := t.time.Year(); !t.time.IsZero() && (y < 1 || y > 9999) {
			return FieldErrorf(t.field, "must be in a year from 1 to 9999")
		}
	}
	if !m.ValidFrom.IsZero() && !m.ValidTo.IsZero() && m.ValidTo.Before(m.ValidFrom) {
		return FieldErrorf("valid_to", "must not be before valid_from")
	}
	return nil
}

// OrEmpty returns a list that is [] in JSON, not null.
func OrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Mapped returns what of makes of each item of a list. It never returns nil.
func Mapped[T, U any](list []T, of func(T) U) []U {
	out := make([]U, len(list))
	for i, v := range list {
		out[i] = of(v)
	}
	return out
}

// Texts returns names of any type as strings.
func Texts[T ~string](list []T) []string {
	return Mapped(list, func(v T) string { return string(v) })
}

// Unique removes duplicates and keeps the first of each, in order. It uses a set for long inputs, because these
// may be a million entries that a limit rejects a moment later.
func Unique[T comparable](in []T) []T {
	if len(in) < 2 {
		return in
	}
	if len(in) <= 8 {
		out := make([]T, 0, len(in))
		for _, v := range in {
			if !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
		return out
	}
	seen := make(map[T]bool, len(in))
	out := make([]T, 0, len(in))
	for _, v := range in {
		if !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}

const notOneLine = "must be one line without control or invisible characters, and not begin or end with a space"

// IsPlaceholder reports whether a text is a word that programs write for a value that is not given.
func IsPlaceholder[T ~string](s T) bool {
	switch strings.ToLower(strings.TrimSpace(string(s))) {
	case "null", "none", "undefined", "nil":
		return true
	}
	return false
}

// CheckNewName returns an Invalid error if a name is a placeholder. It is for the names that a call sets: a row that
// has such a name already can be read, changed and imported.
func CheckNewName[T ~string](field string, name T) error {
	if IsPlaceholder(name) {
		return FieldErrorf(field, "cannot be %q, which programs send for a missing value; leave it out, or use another word",
			name)
	}
	return nil
}

// CheckNewNames works like CheckNewName for each name in a list that is not in before.
func CheckNewNames[T ~string](field string, names, before []T) error {
	for i, name := range names {
		if IsPlaceholder(name) && !slices.Contains(before, name) {
			return CheckNewName(fmt.Sprintf("%s[%d]", field, i), name)
		}
	}
	return nil
}

// CheckNewNames works like CheckNewName for the names that a memory did not have before.
func (m *Memory) CheckNewNames(before *Memory) error {
	for _, n := range []struct{ field, name, before string }{
		{"key", m.Key, before.Key}, {"title", m.Title, before.Title}, {"category", m.Category, before.Category},
	} {
		if err := CheckNewName(n.field, n.name); err != nil && n.name != n.before {
			return err
		}
	}
	if err := CheckNewNames("tags", m.Tags, before.Tags); err != nil {
		return err
	}
	return CheckNewNames("allowed_vendors", m.AllowedVendors, before.AllowedVendors)
}
