package memory

import (
	"context"
	"reflect"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// maxIdentical is how many memories with one text are compared with a save. There are several only
// if their other fields differ, or if dedupe was "create".
const maxIdentical = 16

// identical returns a memory that says what the save says, or nil. Its writer gets it instead of a
// second one. It stands in the same place, the same origin wrote it, and the writer sees it. A
// credential that may not read does not learn of it.
func (s *saving) identical(ctx context.Context, tx store.Tx) (*loci.Memory, error) {
	if s.m.Key != "" || s.d.Dedupe == DedupeCreate || !s.p.Has(loci.RightRead) {
		return nil, nil
	}
	list, err := tx.Memories().ByText(ctx, s.p.Viewer(),
		store.TextQuery{Place: placeOf(s.m), Title: s.m.Title, Content: s.m.Content, Limit: maxIdentical})
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		if s.addsNothingTo(m) {
			s.saved.Unchanged, s.saved.Identical, s.shares = true, true, false
			return m, nil
		}
	}
	return nil, nil
}

// addsNothingTo reports whether m has every field of the draft. What the draft leaves out may be
// anything, as in a save by key, except for the times: a save without them is not done by a memory
// that expires. The order of tags and vendors does not matter.
func (s *saving) addsNothingTo(m *loci.Memory) bool {
	n := s.m
	if !n.ExpiresAt.Equal(m.ExpiresAt) || !n.ValidFrom.Equal(m.ValidFrom) || !n.ValidTo.Equal(m.ValidTo) {
		return false
	}
	if s.inSession && m.SessionID != n.SessionID || s.d.Share && m.TeamID != n.TeamID {
		return false
	}
	if s.names(m.ID) {
		return false // the save replaces it
	}
	with := m.Clone()
	s.d.onto(with)
	with.Tags, with.AllowedVendors = reorder(with.Tags, m.Tags), reorder(with.AllowedVendors, m.AllowedVendors)
	return reflect.DeepEqual(m, with)
}

// reorder returns list without repetitions, in the order of other if both have the same entries.
func reorder[T ~string](list, other []T) []T {
	list = loci.Unique(list)
	if len(list) != len(other) || slices.ContainsFunc(list, func(v T) bool { return !slices.Contains(other, v) }) {
		return list
	}
	return other
}
