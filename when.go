package loci

import "time"

// When selects a past state of the memories. The zero When means the present.
type When struct {
	AsOf       time.Time // what was true at that time
	KnownAt    time.Time // what was stored at that time
	Superseded bool      // include superseded memories
}

// IsZero reports whether w means the present.
func (w When) IsZero() bool { return w.IsPresent() && !w.Superseded }

// IsPresent reports whether w means the memories as they are now, perhaps also superseded ones.
func (w When) IsPresent() bool { return w.AsOf.IsZero() && w.KnownAt.IsZero() }

// SeesAt is the visibility rule for a memory at another time. then is the memory as stored at
// w.KnownAt, and current is the memory now. Without KnownAt, both are the same. Parts 1 to 3 apply
// to both, as in SeesVersion. Only its owner, with a person's credential, sees a memory that is in
// the trash or has expired now: no assistant reads again what its person trashed, or what was to be
// forgotten. Nobody sees at KnownAt what was created later. Of part 4, these conditions apply to then:
//
//   - It is not trashed.
//   - It is not expired at AsOf, or if that is not set, at KnownAt, or now. So the time of asking
//     affects the result of AsOf only through KnownAt: both together return what AsOf alone
//     returned at KnownAt.
//   - With AsOf, it was true at that time. A memory without ValidFrom counts as true since it was
//     created. Superseding a memory sets its ValidTo, so a superseded memory is hidden only if it
//     has no ValidTo: then nobody knows when it stopped being true.
//   - Without AsOf, it is not superseded, unless w.Superseded is true.
//
// For the zero When, SeesAt equals Sees with LiveOnly.
func (v Viewer) SeesAt(then, current *Memory, w When, now time.Time) bool {
	if !v.SeesVersion(&then.Access, &current.Access, AnyState, now) {
		return false
	}
	if current.gone(now) && !v.owns(&current.Access) {
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

// clock returns the time at which a memory must not be expired.
func (w When) clock(now time.Time) time.Time {
	switch {
	case !w.AsOf.IsZero():
		return w.AsOf
	case !w.KnownAt.IsZero():
		return w.KnownAt
	}
	return now
}

// current reports whether m is valid now. A memory without a beginning or end is unlimited on that side.
func (m *Memory) current(now time.Time) bool {
	return !m.ValidFrom.After(now) && (m.ValidTo.IsZero() || m.ValidTo.After(now))
}

// NotTrue returns since when a fact is no longer true, or until when it is not true yet. Both are zero if it is true
// now, or superseded, because that says enough.
func (m *Memory) NotTrue(now time.Time) (since, until time.Time) {
	switch {
	case !m.SupersededBy.IsZero():
	case !m.ValidTo.IsZero() && !m.ValidTo.After(now):
		since = m.ValidTo
	case m.ValidFrom.After(now):
		until = m.ValidFrom
	}
	return since, until
}

// ValidAt reports whether m was valid at time t.
func (m *Memory) ValidAt(t time.Time) bool {
	from := m.ValidFrom
	if from.IsZero() {
		from = m.CreatedAt
	}
	return !from.After(t) && (m.ValidTo.IsZero() || m.ValidTo.After(t))
}
