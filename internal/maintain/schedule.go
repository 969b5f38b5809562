package maintain

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/loci-memory/loci/internal/store"
)

// Options configure a Maintainer.
type Options struct {
	Store store.Store      // required
	Log   *slog.Logger     // default: discard
	Now   func() time.Time // default: time.Now
	Every time.Duration    // time between two turns; default: a day
}

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

// Run does every job at once and then at each turn, until ctx ends. It returns after the running
// job has stopped.
func (m *Maintainer) Run(ctx context.Context) {
	turn := time.NewTicker(m.o.Every)
	defer turn.Stop()
	for {
		m.purge(ctx)
		select {
		case <-ctx.Done():
			return
		case <-turn.C:
		}
	}
}

func (m *Maintainer) purge(ctx context.Context) {
	for _, job := range []struct {
		what string
		run  func(context.Context, store.Store, time.Time) (int, error)
	}{
		{"emptying the trash of what was in it too long", Purge},
		{"deleting files of attachments that are gone", SweepBlobs},
		{"deleting old entries of the audit trail", PurgeAudit},
		{"deleting old events of the feed", PurgeFeed},
		{"forgetting requests that nobody repeats any more", PurgeRequests},
		{"deleting sessions and tokens that are of no use any more", PurgeCredentials},
		{"forgetting MCP sessions that nobody uses any more", PurgeConnections},
	} {
		n, err := job.run(ctx, m.o.Store, m.o.Now())
		if n > 0 {
			m.o.Log.InfoContext(ctx, job.what, "rows", n)
		}
		if err != nil && ctx.Err() == nil {
			m.o.Log.ErrorContext(ctx, job.what+" failed; the next turn tries again", "error", err)
		}
	}
}
