package event

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

// MaxParts is the largest number of parts of a Density.
const MaxParts = 100

// partLengths are the lengths of parts, in seconds: those that a person can name.
var partLengths = []int64{1, 5, 15, 60, 5 * 60, 15 * 60, 3600, 3 * 3600, 6 * 3600, 86400, 7 * 86400, 30 * 86400}

// Density is how many events there are at which times.
type Density struct {
	eventlog.Stats
	Start   time.Time // of the first part; zero: there are no events
	Seconds int64     // the length of each part
	Counts  []int     // of the parts, the earliest first
}

// Density returns what Stats does, and how the events spread over at most so many parts of the time from the first
// one to the last (1 to MaxParts). Each part is counted on its own, so events that come meanwhile can be in one of them
// and not in the total. Its errors are those of Search, and Invalid for parts.
func (s *Service) Density(ctx context.Context, p loci.Principal, f Filter, parts int) (d Density, err error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return d, err
	}
	if parts < 1 || parts > MaxParts {
		return d, loci.FieldErrorf("parts", "must be 1 to %d", MaxParts)
	}
	log, by, err := s.asked(ctx, p, f)
	if err != nil {
		return d, err
	}
	short, cancel := context.WithTimeoutCause(ctx, s.patience, loci.ErrSpent)
	defer cancel()
	if d.Stats, err = log.Stats(short, p.Viewer(), by); err != nil || d.Total == 0 {
		return d, err
	}
	d.divide(parts)
	for i := range d.Counts {
		within := by
		within.Since, within.Until = d.part(i)
		if within.Since.Before(by.Since) {
			within.Since = by.Since
		}
		if !by.Until.IsZero() && within.Until.After(by.Until) {
			within.Until = by.Until
		}
		part, err := log.Stats(short, p.Viewer(), within)
		if err != nil {
			return d, err
		}
		d.Counts[i], d.Partial = part.Total, d.Partial || part.Partial
	}
	return d, nil
}

// divide chooses the shortest length with which there are at most so many parts. Parts of a length that a person can
// name begin at multiples of it.
func (d *Density) divide(parts int) {
	first, last := d.First.Unix(), d.Last.Unix()
	for _, length := range partLengths {
		start := first - (first%length+length)%length
		if n := (last-start)/length + 1; n <= int64(parts) {
			d.Start, d.Seconds, d.Counts = time.Unix(start, 0).UTC(), length, make([]int, n)
			return
		}
	}
	d.Seconds = (last-first)/int64(parts) + 1
	d.Start, d.Counts = time.Unix(first, 0).UTC(), make([]int, (last-first)/d.Seconds+1)
}

func (d *Density) part(i int) (since, until time.Time) {
	since = time.Unix(d.Start.Unix()+int64(i)*d.Seconds, 0).UTC()
	return since, time.Unix(since.Unix()+d.Seconds, 0).UTC()
}
