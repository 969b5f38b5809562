package maintain

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// NightlyOptions configure Nightly. All fields are required.
type NightlyOptions struct {
	Name  string // of the job in the registry
	Store store.Store
	Log   *slog.Logger
	Now   func() time.Time
	// At returns the time of the day, since midnight, in the time zone of Now, and whether the work is to be done at all.
	// It is asked at each tick.
	At func(context.Context) (at time.Duration, on bool)
	// Run does the work of an org, unless somebody has done it since a time. It returns a Conflict if another process
	// does it at the moment.
	Run func(ctx context.Context, org loci.OrgID, since time.Time) error
}

// Nightly does something for each org once a day, until ctx ends. It looks at the clock at each tick. At the first one
// it makes up for a time at which no server ran, for the orgs that were there then. Of several processes, one does the
// work.
func Nightly(ctx context.Context, ticks <-chan time.Time, o NightlyOptions) {
	var done time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
		}
		at, on := o.At(ctx)
		if since := lastTime(o.Now(), at); on && since.After(done) {
			recent := func(last store.Job) bool { return !last.BegunAt.Before(since) }
			err := once(ctx, o.Store, o.Name, recent, func(ctx context.Context) { night(ctx, &o, since, at) })
			if loci.CodeOf(err) == loci.Conflict {
				continue // another process does the work; if it ends before it is done, this one does it at a later tick
			}
			if done = since; err != nil && ctx.Err() == nil {
				o.Log.ErrorContext(ctx, "cannot begin the nightly work; the next night tries again", "error", err)
			}
		}
	}
}

// night does the work and records its outcome.
func night(ctx context.Context, o *NightlyOptions, since time.Time, at time.Duration) {
	begun := o.Now()
	rows, err := nightly(ctx, o, since)
	if ctx.Err() == nil {
		WriteDown(ctx, o.Store, o.Log, store.Job{Name: o.Name, BegunAt: begun, EndedAt: o.Now(), Rows: rows,
			Error: plainly(err), NextAt: nextTime(begun, at)})
	}
}

// nightly does it for each org, and returns for how many it did. A failure of one org does not concern the others.
func nightly(ctx context.Context, o *NightlyOptions, since time.Time) (done int, failed error) {
	orgs, err := o.Store.Orgs().List(ctx)
	if err != nil {
		o.Log.ErrorContext(ctx, "cannot begin the nightly work; the next night tries again", "error", err)
		return 0, err
	}
	for _, org := range orgs {
		if org.State == loci.OrgSuspended || org.CreatedAt.After(since) {
			continue
		}
		err := o.Run(ctx, org.ID, since)
		switch {
		case ctx.Err() != nil:
			return done, failed
		case loci.CodeOf(err) == loci.Conflict:
			o.Log.InfoContext(ctx, "another process does the nightly work", "org", string(org.ID))
		case err != nil:
			o.Log.ErrorContext(ctx, "the nightly work failed; the next night tries again", "org", string(org.ID), "error", err)
			failed = errors.Join(failed, err)
		default:
			done++
		}
	}
	return done, failed
}

// lastTime returns the last time of day at that is not after now.
func lastTime(now time.Time, at time.Duration) time.Time {
	hour, minute := int(at/time.Hour), int(at%time.Hour/time.Minute)
	year, month, day := now.Date()
	last := time.Date(year, month, day, hour, minute, 0, 0, now.Location())
	if last.After(now) {
		last = time.Date(year, month, day-1, hour, minute, 0, 0, now.Location())
	}
	return last
}

// nextTime returns the first time of day at that is after now.
func nextTime(now time.Time, at time.Duration) time.Time { return lastTime(now.AddDate(0, 0, 1), at) }
