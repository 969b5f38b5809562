package gate

import (
	"time"

	"github.com/loci-memory/loci"
)

// Time returns the current time in the precision of stored rows.
func (g *Gate) Time() time.Time { return loci.CutTime(g.now()) }

// Later keeps the history in order when a clock was set back.
func Later(now, before time.Time) time.Time {
	if now.After(before) {
		return now
	}
	return before.Add(time.Microsecond)
}
