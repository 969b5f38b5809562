package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// place names a memory that a save replaces.
type place struct {
	id    loci.MemoryID
	kind  loci.SuggestionKind
	field string
}

// placesOf lists the memories that a draft supersedes and corrects.
func placesOf(d *Draft) ([]place, error) {
	if n := len(d.Supersedes) + len(d.Corrects); n > MaxSuperseded {
		return nil, loci.FieldErrorf("supersedes", "and corrects have %d entries together; at most %d are allowed", n,
			MaxSuperseded)
	}
	var list []place
	add := func(name string, kind loci.SuggestionKind, ids []loci.MemoryID) error {
		for i, id := range ids {
			field := fmt.Sprintf("%s[%d]", name, i)
			if slices.ContainsFunc(list, func(other place) bool { return other.id == id }) {
				return loci.FieldErrorf(field, "names a memory that is in the list already; name each once")
			}
			list = append(list, place{id, kind, field})
		}
		return nil
	}
	if err := add("supersedes", loci.SuggestSupersede, d.Supersedes); err != nil {
		return nil, err
	}
	return list, add("corrects", loci.SuggestCorrect, d.Corrects)
}

// replaced returns the ids of the memories that the save supersedes or corrects.
func (s *saving) replaced() []loci.MemoryID {
	return loci.Mapped(s.places, func(at place) loci.MemoryID { return at.id })
}

// names reports whether the save supersedes or corrects that memory, or suggests it.
func (s *saving) names(id loci.MemoryID) bool {
	return slices.ContainsFunc(s.places, func(p place) bool { return p.id == id })
}

// mayRead rejects a save by a write-only credential if the result reveals whether memories exist.
func (s *saving) mayRead(ctx context.Context) (err error) {
	switch {
	case s.p.Has(loci.RightRead):
		return nil
	case s.dedupes():
		err = loci.Errorf(loci.Forbidden,
			"a save by key looks for the memory of that key, which needs %q; send dedupe %q to make a new one", loci.RightRead,
			DedupeCreate)
	case len(s.places) > 0:
		err = loci.Errorf(loci.Forbidden, "supersedes and corrects read memories, which requires %q; leave them out",
			loci.RightRead)
	default:
		return nil
	}
	s.app.Refused(ctx, s.p, Create)
	return err
}

// supersede hides the memories that by replaces, or suggests that to their owners.
func (s *saving) supersede(ctx context.Context, tx store.Tx, by *loci.Memory, open func(loci.ProjectID) error) error {
	if len(s.places) == 0 {
		return nil
	}
	found, err := tx.Memories().GetMany(ctx, s.p.Viewer(), s.replaced(), loci.LiveOnly)
	if err != nil {
		return err
	}
	for _, at := range s.places {
		i := slices.IndexFunc(found, func(m *loci.Memory) bool { return m.ID == at.id })
		switch {
		case i < 0:
			return notLive(ctx, tx, s.p, at)
		case at.id == by.ID:
			return loci.FieldErrorf(at.field, "is the memory that this save updates by its key; leave it out")
		}
		if err := s.supersedeOne(ctx, tx, found[i], by, at.kind, open); err != nil {
			return err
		}
	}
	return nil
}

// notLive returns why a save cannot replace a memory.
func notLive(ctx context.Context, tx store.Tx, p loci.Principal, at place) error {
	err := orReplaced(ctx, tx, p, at.id, loci.Conflict, loci.NoSuchMemory())
	switch why, replaced := errors.AsType[*ReplacedError](err); {
	case replaced:
		return loci.WrapFieldError(at.field, why, "names memory %s, which %s", at.id, why)
	case loci.CodeOf(err) == loci.NotFound:
		return loci.FieldErrorf(at.field, "must be a memory that this credential may see")
	}
	return err
}

func (s *saving) supersedeOne(ctx context.Context, tx store.Tx, old, by *loci.Memory, kind loci.SuggestionKind,
	open func(loci.ProjectID) error) error {
	if !s.p.Owns(old.UserID, old.Origin) {
		s.stillOpen(old, by)
		made, err := gate.Suggest(ctx, tx,
			loci.Suggestion{ID: loci.NewSuggestionID(), Kind: kind, MemoryID: old.ID, ByID: by.ID,
				UserID: old.UserID, Origin: s.p.Origin, State: loci.SuggestionPending, CreatedAt: s.now})
		s.saved.Suggestions = append(s.saved.Suggestions, made)
		return err
	}
	if err := open(old.ProjectID); err != nil {
		return err
	}
	s.saved.Superseded = append(s.saved.Superseded, old.ID)
	if kind == loci.SuggestSupersede {
		s.leavesGap(old, by)
	}
	now, err := s.app.supersede(ctx, tx, s.p, old, by, kind, s.now)
	if err != nil {
		return err
	}
	if !slices.Equal(now.AllowedVendors, old.AllowedVendors) {
		s.saved.Narrowed = append(s.saved.Narrowed, old.ID)
	}
	s.stillOpen(now, by)
	e := s.app.Entry(s.p, Change)
	e.Target = old.ID.String()
	return tx.Audit().Add(ctx, e)
}

// stillOpen adds to the answer that vendors that may not read by can still read old, and that people who read old
// cannot read by.
func (s *saving) stillOpen(old, by *loci.Memory) {
	if people := old.NotSharedBy(&by.Access); people != "" {
		s.saved.NoLongerShared = append(s.saved.NoLongerShared, loci.NoLongerShared{ID: old.ID, SharedWith: people})
	}
	if !loci.Covers(by.AllowedVendors, old.AllowedVendors) {
		s.saved.NotNarrowed = append(s.saved.NotNarrowed,
			loci.StillOpen{ID: old.ID, Origin: old.Origin, AllowedVendors: old.AllowedVendors})
	}
}

// supersede hides old from recall, because by replaces it, and returns it. If by admits fewer vendors, so does old
// from now on: otherwise include_superseded would show the others what they must no longer read.
func (s *Service) supersede(ctx context.Context, tx store.Tx, p loci.Principal, old, by *loci.Memory,
	kind loci.SuggestionKind, now time.Time) (*loci.Memory, error) {
	return s.put(ctx, tx, p, old, edit{what: loci.Updated, fn: func(m *loci.Memory) error {
		m.SupersededBy, m.ValidTo = by.ID, validTo(m, by, kind, now)
		m.AllowedVendors = slices.Clone(narrowed(m, by))
		return nil
	}})
}

// validTo returns the end of the validity of a memory that by supersedes or corrects. A corrected
// memory was never valid.
func validTo(m, by *loci.Memory, kind loci.SuggestionKind, now time.Time) time.Time {
	from := m.ValidFrom
	if kind == loci.SuggestCorrect && from.IsZero() {
		return m.CreatedAt
	}
	if kind == loci.SuggestCorrect {
		return from
	}
	end := by.ValidFrom
	if end.IsZero() {
		end = now
	}
	if !m.ValidTo.IsZero() && m.ValidTo.Before(end) {
		return m.ValidTo
	}
	if end.Before(from) { // its validity would begin after that
		return from
	}
	return end
}
