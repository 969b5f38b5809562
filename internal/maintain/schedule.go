// Package maintain does automatic maintenance: scheduled jobs, and backups that are verified. It
// decides when to do what and in which order; the store does the work.
//
// The invariants: a failed job is retried at its next turn and never ends the process. A backup has
// its name only when it is complete. A restore never destroys what it replaces.
package maintain

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Options configure a Maintainer.
type Options struct {
	Store store.Store      // required
	Log   *slog.Logger     // default: discard
	Now   func() time.Time // default: time.Now
	// Idle returns how long a session stays active without a request at the moment, and 0 if for ever; nil: for ever.
	Idle func(context.Context) time.Duration
}

// The time between two turns of a job.
const (
	idleEvery  = time.Hour // a search for idle sessions
	purgeEvery = 24 * time.Hour
)

// Maintainer runs the jobs of a store. Several processes may each have one on the same store: each turn of a job runs
// in one of them.
type Maintainer struct{ o Options }

// New returns a Maintainer. It panics without a store.
func New(o Options) *Maintainer {
	if o.Store == nil {
		panic("maintain: no store")
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Maintainer{o}
}

// Run does every job that is due, now and every hour, until ctx ends. It returns after the running job has stopped.
func (m *Maintainer) Run(ctx context.Context) {
	tick := time.NewTicker(idleEvery)
	defer tick.Stop()
	for {
		m.expire(ctx)
		m.purge(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// job is something that is done from time to time. It returns the number of rows that it changed.
type job struct {
	name string // in the registry
	what string
	run  func(context.Context, store.Store, time.Time) (int, error)
}

func (m *Maintainer) expire(ctx context.Context) {
	if m.o.Idle == nil {
		return
	}
	idle := m.o.Idle(ctx)
	if idle <= 0 {
		return
	}
	m.do(ctx, idleEvery, job{"sessions.expire", "closing sessions in which nobody works any more",
		func(ctx context.Context, st store.Store, now time.Time) (int, error) {
			return ExpireSessions(ctx, st, now, idle)
		}})
}

func (m *Maintainer) purge(ctx context.Context) {
	for _, job := range []job{
		{"trash.purge", "emptying the trash of what was in it too long", Purge},
		{"files.sweep", "deleting files of attachments that are gone", SweepBlobs},
		{"audit.purge", "deleting old entries of the audit trail", PurgeAudit},
		{"changes.purge", "deleting old events of the feed", PurgeFeed},
		{"requests.purge", "forgetting requests that nobody repeats any more", PurgeRequests},
		{"packs.purge", "forgetting what sessions received long ago", PurgePacks},
		{"credentials.purge", "deleting sign-ins and tokens that are of no use any more", PurgeCredentials},
		{"connections.purge", "forgetting MCP connections that nobody uses any more", PurgeConnections},
	} {
		m.do(ctx, purgeEvery, job)
	}
}

// do does a job if it is due, and writes down what became of it. every is the time between its turns.
func (m *Maintainer) do(ctx context.Context, every time.Duration, j job) {
	now := m.o.Now()
	half := idleEvery / 2 // a tick may come early
	// A turn in the future was before the clock was set back.
	recent := func(last store.Job) bool { return !last.BegunAt.After(now) && now.Before(last.BegunAt.Add(every-half)) }
	err := once(ctx, m.o.Store, j.name, recent, func(ctx context.Context) { m.turn(ctx, every, j) })
	if err != nil && ctx.Err() == nil && loci.CodeOf(err) != loci.Conflict {
		m.o.Log.ErrorContext(ctx, j.what+" failed; the next turn tries again", "error", err)
	}
}

// once calls run if the last turn of the job is not recent. It fails with Conflict if another process does the job.
func once(ctx context.Context, st store.Store, name string, recent func(store.Job) bool,
	run func(context.Context)) error {
	done := func() (bool, error) {
		list, err := st.Jobs().List(ctx)
		return slices.ContainsFunc(list, func(last store.Job) bool { return last.Name == name && recent(last) }), err
	}
	if is, err := done(); is || err != nil {
		return err
	}
	ctx, unlock, err := st.TryLock(ctx, "job/"+name)
	if err != nil {
		return err
	}
	defer unlock()
	if is, err := done(); is || err != nil { // while another process had the lock
		return err
	}
	run(ctx)
	return nil
}

func (m *Maintainer) turn(ctx context.Context, every time.Duration, j job) {
	begun := m.o.Now()
	n, err := j.run(ctx, m.o.Store, begun)
	if n > 0 {
		m.o.Log.InfoContext(ctx, j.what, "rows", n)
	}
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		m.o.Log.ErrorContext(ctx, j.what+" failed; the next turn tries again", "error", err)
	}
	WriteDown(ctx, m.o.Store, m.o.Log, store.Job{Name: j.name, BegunAt: begun, EndedAt: m.o.Now(), Rows: n,
		Error: plainly(err), NextAt: begun.Add(every)})
}

// WriteDown stores what became of a turn of a job. A failure is only logged: the work is done.
func WriteDown(ctx context.Context, st store.Store, log *slog.Logger, j store.Job) {
	if err := st.Jobs().Put(ctx, j); err != nil && ctx.Err() == nil {
		log.WarnContext(ctx, "cannot write down what became of a job", "job", j.Name, "error", err)
	}
}

// plainly returns the reason of a failure as far as it may be shown. The log has all of it.
func plainly(err error) string {
	var known *loci.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &known):
		return known.Text
	}
	return "internal error; the log of the server has the reason"
}

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
