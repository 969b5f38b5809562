// Package arc keeps the events of an org in Arc, a time-series database that the org runs itself.
//
// Arc answers a write before the rows are on its disk, so it is never the only one that has an event:
// a Log commits each event to a local log first, answers, and delivers the event later. The event
// leaves the local log only when a query has shown it in Arc. Reads join what Arc and the local log
// have. An event that Arc refuses becomes a dead letter, and stays readable.
//
// Its invariant: every statement that reaches Arc names the org, because only this package's
// statements can be sent, and none can be made without an org (see statement).
//
// It leaves out who may ask, where bindings and keys are stored, and deduplication, which the local log does.
package arc

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

// Options configure a Log.
type Options struct {
	Local eventlog.Local // required: where events are until Arc has them
	// Binding returns where the events of an org are; required. It is asked on every call, so that a
	// change takes effect at once. It fails with Unavailable if the org has no binding.
	Binding func(ctx context.Context, org loci.OrgID) (loci.ArcBinding, error)
	// Orgs returns the orgs whose events Run delivers; required by Run.
	Orgs func(ctx context.Context) ([]loci.OrgID, error)
	HTTP *http.Client // default: NewHTTP(true)
	Log  *slog.Logger // default: discard

	BatchSize     int           // events in one write; default 100
	FlushInterval time.Duration // the longest time until an event is sent; default 1 s
	QueryTimeout  time.Duration // default 30 s
	Confirm       time.Duration // between two looks at what has arrived; default 5 s
	// Settle is how long an event stays in the local log after Arc has shown it. Arc remembers for up to
	// 90 s that it has no files of an hour, so another query may not find the event yet. Default 2 min.
	Settle time.Duration
	// Resend is the time after which an event that Arc has not shown is sent again. It must be longer than
	// Arc keeps rows in memory. Default 2 min.
	Resend time.Duration
	// Now is the clock of reads; default time.Now.
	Now func() time.Time
}

// Log is the event log of orgs that run Arc.
type Log struct {
	o        Options
	local    eventlog.Local
	accesses accesses
	zstd     *zstd.Encoder
	name     string // of this process as a sender

	mu      sync.Mutex
	clients map[loci.OrgID]*client
	senders map[loci.OrgID]*sender
	closed  bool
}

var _ eventlog.Engine = (*Log)(nil)

// New returns a log. It panics without a required option.
func New(o Options) *Log {
	if o.Local == nil || o.Binding == nil {
		panic("arc: Options.Local and Options.Binding are required")
	}
	if o.HTTP == nil {
		o.HTTP = NewHTTP(true)
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.BatchSize = cmp.Or(o.BatchSize, 100)
	o.FlushInterval = cmp.Or(o.FlushInterval, time.Second)
	o.QueryTimeout = cmp.Or(o.QueryTimeout, 30*time.Second)
	o.Confirm = cmp.Or(o.Confirm, 5*time.Second)
	o.Settle = cmp.Or(o.Settle, 2*time.Minute)
	o.Resend = cmp.Or(o.Resend, 2*time.Minute)
	if o.Now == nil {
		o.Now = time.Now
	}
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // the options are constant
	}
	return &Log{o: o, local: o.Local, zstd: encoder, name: loci.NewID[any]().String(),
		accesses: accesses{local: o.Local, known: map[loci.OrgID]*accessTable{}},
		clients:  map[loci.OrgID]*client{}, senders: map[loci.OrgID]*sender{}}
}

// client returns the client of an org. A client is kept while the binding is the same.
func (l *Log) client(ctx context.Context, org loci.OrgID) (*client, error) {
	if err := org.Validate(); err != nil {
		return nil, err
	}
	b, err := l.o.Binding(ctx, org)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, loci.Errorf(loci.Unavailable, "the event log is closed")
	}
	if c := l.clients[org]; c != nil && c.binding == b {
		return c, nil
	}
	c := &client{binding: b, table: table{org, b.Measurement}, http: l.o.HTTP, timeout: l.o.QueryTimeout, zstd: l.zstd,
		places: make(chan struct{}, maxCalls)}
	l.clients[org] = c
	return c, nil
}

// Append stores events in the local log, from where they are delivered. So it needs a binding, but not
// an Arc that answers. See eventlog.Log.
func (l *Log) Append(ctx context.Context, v loci.Viewer, events []*loci.Event, d eventlog.Dedup) (
	[]eventlog.Outcome, error) {
	if _, err := l.client(ctx, v.OrgID); err != nil {
		return nil, err
	}
	outcomes, err := l.local.Queue(ctx, v, events, d)
	if err == nil && len(outcomes) > 0 {
		l.sender(v.OrgID).wake(len(outcomes))
	}
	return outcomes, err
}

// SetSession tells the local log, which knows the accesses of all events. See eventlog.Keeper.
func (l *Log) SetSession(ctx context.Context, org loci.OrgID, s eventlog.Session) error {
	return l.local.SetSession(ctx, org, s)
}

// Ready returns nil if the org's Arc answers and takes the key, and the local log can be written. See
// eventlog.Keeper.
func (l *Log) Ready(ctx context.Context, org loci.OrgID) error {
	c, err := l.client(ctx, org)
	if err != nil {
		return err
	}
	if err := l.local.Ready(ctx, org); err != nil {
		return err
	}
	if err := c.ready(ctx); err != nil {
		return unavailable(err)
	}
	if _, err = c.selects(ctx, "1", []column{"1"}, window{lastTime, lastTime}, never, "LIMIT 1"); err != nil {
		return unavailable(err)
	}
	if err := l.sender(org).trouble(); kindOf(err) == denied {
		return unavailable(err) // the key may read, but not write
	}
	return nil
}

// Close makes later calls fail. Run must have ended. The local log stays open.
func (l *Log) Close() error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.o.HTTP.CloseIdleConnections()
	return l.zstd.Close()
}

// Waiting returns whether events of an org are still in the local log.
func (l *Log) Waiting(ctx context.Context, org loci.OrgID) (bool, error) {
	s, err := l.local.State(ctx, org)
	return s.First != 0, err
}

const (
	// lookEvery is how often Run looks for orgs, and a sender for events that other processes stored.
	lookEvery = 5 * time.Second
	claimFor  = time.Minute
	// backoffFrom and backoffTo limit the time until a failed call is repeated.
	backoffFrom, backoffTo = time.Second, time.Minute
)

// Run delivers the events of all orgs, each on its own, until ctx ends.
func (l *Log) Run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	stops := map[loci.OrgID]context.CancelFunc{}
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		if orgs, err := l.o.Orgs(ctx); err == nil {
			l.follow(ctx, orgs, stops, &running)
		} else if ctx.Err() == nil {
			l.o.Log.WarnContext(ctx, "cannot look for orgs whose events go to Arc", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}

// follow starts a sender for each org that has none, and stops those of other orgs.
func (l *Log) follow(ctx context.Context, orgs []loci.OrgID, stops map[loci.OrgID]context.CancelFunc,
	running *sync.WaitGroup) {
	wanted := map[loci.OrgID]bool{}
	for _, org := range orgs {
		if wanted[org] = true; stops[org] != nil {
			continue
		}
		own, stop := context.WithCancel(ctx)
		stops[org] = stop
		running.Go(func() { l.sender(org).run(own) })
	}
	for org, stop := range stops {
		if !wanted[org] {
			stop()
			delete(stops, org)
		}
	}
}

// sender returns the sender of an org, which Run and Upkeep share.
func (l *Log) sender(org loci.OrgID) *sender {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.senders[org]
	if s == nil {
		s = &sender{l: l, org: org, signal: make(chan struct{}, 1)}
		l.senders[org] = s
	}
	return s
}

// Upkeep does what the local log has to do, and what is due of the delivery, unless Run or another call
// is doing that. See eventlog.Keeper.
func (l *Log) Upkeep(ctx context.Context, org loci.OrgID) (more bool, err error) {
	more, err = l.local.Upkeep(ctx, org)
	if err != nil {
		return more, err
	}
	s := l.sender(org)
	if !s.turns.TryLock() {
		return more, nil
	}
	defer s.turns.Unlock()
	wait, err := s.turn(ctx)
	return more || err == nil && wait == 0, unavailable(err)
}
