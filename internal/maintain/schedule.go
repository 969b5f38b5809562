package maintain

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Options configure a Maintainer.
type Options struct {
	Store store.Store      // required
	Log   *slog.Logger     // default: discard
	Now   func() time.Time // default: time.Now
	Every time.Duration    // time between two turns; default: a day
	// Idle returns how long a session stays active without a request at the moment, and 0 if for ever; nil: for ever.
	Idle func(context.Context) time.Duration
}

// idleEvery is the time between two searches for idle sessions.
const idleEvery = time.Hour

// Maintainer runs the jobs of one process. Several processes may run one on the same store, because
// every job can be repeated.
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
	if o.Every <= 0 {
		o.Every = 24 * time.Hour
	}
	return &Maintainer{o}
}

// Run does every job at once and then at each turn, until ctx ends. It returns after the running job has stopped.
func (m *Maintainer) Run(ctx context.Context) {
	turn, idle := time.NewTicker(m.o.Every), time.NewTicker(idleEvery)
	defer turn.Stop()
	defer idle.Stop()
	m.expire(ctx)
	m.purge(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-turn.C:
			m.purge(ctx)
		case <-idle.C:
			m.expire(ctx)
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
		m.do(ctx, m.o.Every, job)
	}
}

// do does a job and writes down what became of it. every is the time between its turns.
func (m *Maintainer) do(ctx context.Context, every time.Duration, j job) {
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
