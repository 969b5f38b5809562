package loci

import "time"

// What else a FeedEvent may say, besides the changes that make a version.
const (
	Erased Change = "erased" // deleted for good
	Hidden Change = "hidden" // the reader may not see it any more
)

// Notices is the visibility rule for a change of a row: it returns as what v
// learns of it, and "" where v learns nothing. before and after are what the rule
// looks at on either side of the change, of which v has to see all; none
// at all is a row that was not there yet, or is not there any more.
//
//   - Who sees the row after the change learns of it as it is, in whatever state
//     the row is; what is in the trash only its owner sees.
//   - Who saw it before, and does not see it any more, learns that it is hidden.
//   - Who saw it before it was erased learns that.
//
// It asks what v is now. Whoever becomes a member of a team or a project is not told
// what happened there before, as a reader of the feed begins anew then.
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

// seesAll reports whether there was something that v saw, in whatever state.
func (v Viewer) seesAll(list []Access) bool {
	for i := range list {
		if !v.Sees(&list[i], AnyState, time.Time{}) {
			return false
		}
	}
	return len(list) > 0
}
