package loci

import "time"

// When asks for a past state of what is known. The zero When is the present.
type When struct {
	AsOf       time.Time // what was true then
	KnownAt    time.Time // what was stored then
	Superseded bool      // superseded memories, too
}

// IsZero reports whether w is the present.
func (w When) IsZero() bool { return w == When{} }

// SeesAt is the visibility rule for a memory at another time. then is the
// memory as it was stored at w.KnownAt, current as it is now; without KnownAt they are
// the same. Parts 1 to 3 hold for both, as in SeesVersion, and what is in the trash
// now is only its owner's. Of part 4 holds what was so then: not trashed; not expired
// at KnownAt, else at AsOf, else now; and true at AsOf, where a memory without
// ValidFrom counts as true since it was written. Superseding one sets its
// ValidTo, so with AsOf being superseded does not hide it by itself.
func (v Viewer) SeesAt(then, current *Memory, w When, now time.Time) bool {
	if !v.Sees(&current.Access, AnyState, now) || !v.vendorMay(&then.Access) || !v.reaches(&then.Access) {
		return false
	}
	at := now
	if !w.AsOf.IsZero() {
		at = w.AsOf
	}
	if !w.KnownAt.IsZero() {
		at = w.KnownAt
	}
	if !then.DeletedAt.IsZero() || !then.ExpiresAt.IsZero() && !then.ExpiresAt.After(at) {
		return false
	}
	if w.AsOf.IsZero() {
		return w.Superseded || then.SupersededBy.IsZero()
	}
	return then.ValidAt(w.AsOf)
}

// ValidAt reports whether what m says held at that time.
func (m *Memory) ValidAt(t time.Time) bool {
	from := m.ValidFrom
	if from.IsZero() {
		from = m.CreatedAt
	}
	return !from.After(t) && (m.ValidTo.IsZero() || m.ValidTo.After(t))
}
