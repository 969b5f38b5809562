package loci

import (
	"fmt"
	"slices"
	"strings"
)

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
		{"title", m.Title, before.Title}, {"key", m.Key, before.Key}, {"category", m.Category, before.Category},
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
