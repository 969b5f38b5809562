package loci

import "time"

// When asks for a past state of what is known. The zero When is the present.
type When struct {
	AsOf       time.Time // what was true then
	KnownAt    time.Time // what was stored then
	Superseded bool      // superseded memories, too
}

// IsZero reports whether w is the present.
func (w When) IsZero() bool { return w.AsOf.IsZero() && w.KnownAt.IsZero() && !w.Superseded }

// SeesAt is the visibility rule for a memory at another time. then is the
// memory as it was stored at w.KnownAt, current as it is now; without KnownAt they are
// the same. Parts 1 to 3 hold for both, as in SeesVersion, and what is in the trash
// now is only its owner's. Nobody sees at KnownAt what was created later. Of part 4
// holds what was so then:
//
//   - not trashed;
//   - not expired at AsOf, else at KnownAt, else now. So what AsOf shows depends on the
//     time of asking only through KnownAt: both together answer what AsOf alone
//     answered at KnownAt;
//   - with AsOf true at that time, where a memory without ValidFrom counts as true since it
//     was created. Superseding one sets its ValidTo, so being superseded does not hide
//     it by itself, unless it has none: then nobody knows since when;
//   - without AsOf not superseded, unless w.Superseded says so.
//
// For the zero When it is Sees with LiveOnly.
func (v Viewer) SeesAt(then, current *Memory, w When, now time.Time) bool {
	if !v.SeesVersion(&then.Access, &current.Access, AnyState, now) {
		return false
	}
	if !w.KnownAt.IsZero() && current.CreatedAt.After(w.KnownAt) {
		return false
	}
	if !then.DeletedAt.IsZero() || !then.ExpiresAt.IsZero() && !then.ExpiresAt.After(w.clock(now)) {
		return false
	}
	hidden := !w.Superseded && !then.SupersededBy.IsZero()
	if w.AsOf.IsZero() {
		return !hidden
	}
	return then.ValidAt(w.AsOf) && !(hidden && then.ValidTo.IsZero())
}

// clock is the time at which a lifetime has to go on.
func (w When) clock(now time.Time) time.Time {
	switch {
	case !w.AsOf.IsZero():
		return w.AsOf
	case !w.KnownAt.IsZero():
		return w.KnownAt
	}
	return now
}

// current reports whether what m says is valid now. A memory that names no beginning or no end has none.
func (m *Memory) current(now time.Time) bool {
	return !m.ValidFrom.After(now) && (m.ValidTo.IsZero() || m.ValidTo.After(now))
}

// ValidAt reports whether what m says held at that time.
func (m *Memory) ValidAt(t time.Time) bool {
	from := m.ValidFrom
	if from.IsZero() {
		from = m.CreatedAt
	}
	return !from.After(t) && (m.ValidTo.IsZero() || m.ValidTo.After(t))
}
