package embedded

import (
	"bytes"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

// span is a range of ids, and so of time: from the first to before the second.
type span struct{ from, to loci.EventID }

// lastID is after the ids of all events.
var lastID = loci.EventID(bytes.Repeat([]byte{0xff}, len(loci.EventID{})))

func everything() span { return span{to: lastID} }

// spanOf returns the span of all events that may pass a filter.
func spanOf(f *eventlog.Filter) span {
	s := everything()
	if !f.Since.IsZero() {
		s.from = loci.FirstEventID(f.Since)
	}
	if !f.Until.IsZero() {
		s.to = loci.FirstEventID(f.Until.Add(time.Microsecond - 1))
	}
	return s
}

func less(a, b loci.EventID) bool { return bytes.Compare(a[:], b[:]) < 0 }

func (s span) empty() bool { return !less(s.from, s.to) }

func (s span) has(id loci.EventID) bool { return !less(id, s.from) && less(id, s.to) }

// and returns what both spans have.
func (s span) and(t span) span {
	if less(s.from, t.from) {
		s.from = t.from
	}
	if less(t.to, s.to) {
		s.to = t.to
	}
	return s
}

// start returns where a walk through the span begins. after is past an id, and rest what is left there.
// For the newest first, a place is before the ids that are less; otherwise it is before its own id.
func (s span) start(desc bool) loci.EventID {
	if desc {
		return s.to
	}
	return s.from
}

// before returns the last id before the span, or zero if there is none.
func (s span) before(desc bool) loci.EventID {
	id := s.start(desc)
	for i := len(id) - 1; i >= 0 && !desc && !id.IsZero(); i-- {
		if id[i]--; id[i] != 0xff {
			break
		}
	}
	return id
}

func (s span) end(desc bool) loci.EventID { return s.start(!desc) }

func past(id loci.EventID, desc bool) loci.EventID {
	for i := len(id) - 1; i >= 0 && !desc; i-- {
		if id[i]++; id[i] != 0 {
			break
		}
	}
	return id
}

func (s span) rest(place loci.EventID, desc bool) span {
	if desc {
		return s.and(span{to: place})
	}
	return s.and(span{place, lastID})
}

// month counts the months of the calendar, in UTC.
type month int

const monthLayout = "2006-01"

func monthOf(at time.Time) month {
	at = at.UTC()
	return month(at.Year()*12 + int(at.Month()) - 1)
}

func monthOfID(id loci.EventID) month {
	at, _ := loci.EventTime(id)
	return monthOf(at)
}

func (m month) begin() time.Time {
	return time.Date(int(m)/12, time.Month(int(m)%12+1), 1, 0, 0, 0, 0, time.UTC)
}

func (m month) span() span {
	return span{loci.FirstEventID(m.begin()), loci.FirstEventID((m + 1).begin())}
}

func (m month) file() string { return m.begin().Format(monthLayout) + ".db" }
