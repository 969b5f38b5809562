package loci

import "time"

// The changes that only a FeedEvent has, in addition to those that create a version.
const (
	Erased Change = "erased" // permanently deleted
	Hidden Change = "hidden" // the reader can no longer see it
)

// Notices applies the visibility rule to the change of a row. It returns the change as v learns of
// it, or "" if v learns nothing. before and after are the rule's inputs on either side of the
// change, and v must see all of one side. An empty side means that the row didn't exist yet, or no
// longer exists.
//
//   - If v sees the row after the change, v learns of the change in any state of the row. Only its
//     owner sees a row in the trash.
//   - If v saw the row before and no longer does, v learns that it is hidden.
//   - If v saw the row before it was erased, v learns that it was erased.
//
// The rule uses v's rights of now. A new member of a team or project doesn't learn what happened
// there before; their feed starts again at that point.
func (v Viewer) Notices(change Change, before, after []Access) Change {
	switch {
	case v.seesAll(after):
		return change
	case !v.seesAll(before):
		return ""
	case len(after) == 0:
		return Erased
	}
	return Hidden
}

// seesAll reports whether list is not empty and v sees all of it, in any state.
func (v Viewer) seesAll(list []Access) bool {
	for i := range list {
		if !v.Sees(&list[i], AnyState, time.Time{}) {
			return false
		}
	}
	return len(list) > 0
}
