package arc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

const (
	// readSize is how many entries a sender holds in memory at once.
	readSize = 500
	// maxFlights is how many events may be on their way. More wait in the queue.
	maxFlights = 300_000
	// maxRefusals is how often Arc must refuse an event alone until it becomes a dead letter.
	maxRefusals = 3
	// maxTries is how often an event is sent that Arc accepts, but never shows.
	maxTries = 10
	// maxVain is how often in a row Arc may refuse all events of a batch until the next one is tried.
	maxVain = 5
)

// sender delivers the events of one org. Only the holder of turns uses it, except for wake and trouble.
//
// An entry of the queue goes through these states, in the order of numbers: it is sent and becomes a
// flight; a query shows it; it settles; it is forgotten. What is in memory here may be lost at any time:
// then a new sender takes all entries that were offered for flights.
type sender struct {
	l      *Log
	org    loci.OrgID
	signal chan struct{}
	queued atomic.Int64 // since the last turn
	turns  sync.Mutex   // held by the one that takes turns

	c           *client
	claimed     time.Time // until then
	offered     int64     // entries up to here may have been sent, by whomever
	before      int64     // those up to here were offered before this sender began
	sent        int64     // the last entry that became a flight
	flights     []*flight // by number
	settling    []settling
	firstSeen   time.Time // when the first entry was seen that is not sent yet; zero: none
	nextConfirm time.Time
	failures    int
	retryAt     time.Time
	vain        int       // batches of which Arc refused all events, in a row
	acceptedAt  time.Time // when Arc last took an event

	mu      sync.Mutex
	problem error // why nothing is delivered; nil: nothing is known
}

// flight is an event that was sent, or may have been.
type flight struct {
	seq      int64
	id       loci.EventID
	at       time.Time // when it was sent
	tries    int
	refusals int // Arc refused it this often in a row
	refused  time.Time
	shown    bool
}

// settling are the entries up to a number that Arc has shown.
type settling struct {
	upTo int64
	at   time.Time
}

func (s *sender) wake(n int) {
	if now := s.queued.Add(int64(n)); now == int64(n) || now >= int64(s.l.o.BatchSize) {
		select {
		case s.signal <- struct{}{}:
		default:
		}
	}
}

func (s *sender) run(ctx context.Context) {
	s.turns.Lock()
	defer s.turns.Unlock()
	for {
		wait, err := s.turn(ctx)
		if ctx.Err() != nil {
			return
		}
		s.note(ctx, err)
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-s.signal:
		}
		timer.Stop()
	}
}

// note remembers why nothing is delivered, and logs it when it changes.
func (s *sender) note(ctx context.Context, err error) {
	if err == nil && s.failures > 0 {
		return // it was not tried again
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && (s.problem == nil || s.problem.Error() != err.Error()) {
		s.l.o.Log.WarnContext(ctx, "cannot deliver events to Arc; they wait in the local log", "org", string(s.org),
			"error", err)
	}
	if err == nil && s.problem != nil {
		s.l.o.Log.InfoContext(ctx, "delivering events to Arc again", "org", string(s.org))
	}
	s.problem = err
}

// trouble returns why nothing is delivered, or nil.
func (s *sender) trouble() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.problem
}

// turn does what is due, and returns the time until there is more to do.
func (s *sender) turn(ctx context.Context) (time.Duration, error) {
	if wait := time.Until(s.retryAt); wait > 0 {
		return wait, s.trouble()
	}
	wait, err := s.work(ctx)
	if err == nil {
		return wait, nil
	}
	wait = min(backoffFrom<<min(s.failures, 10), backoffTo)
	wait = wait*3/4 + rand.N(wait/2) // so that many senders don't come back at once
	s.failures++
	s.retryAt = time.Now().Add(wait)
	return wait, err
}

func (s *sender) work(ctx context.Context) (time.Duration, error) {
	c, err := s.l.client(ctx, s.org)
	if err != nil {
		return 0, err
	}
	ours, err := s.claim(ctx)
	if err != nil || !ours {
		return lookEvery, err
	}
	if s.c == nil || !s.c.samePlace(c) {
		if err := s.begin(ctx, s.c != nil); err != nil {
			return 0, err
		}
	}
	s.c = c
	wait, err := s.send(ctx)
	if err != nil {
		return 0, err
	}
	if now := time.Now(); !now.Before(s.nextConfirm) && len(s.flights) > 0 {
		if err := s.confirm(ctx); err != nil {
			return 0, err
		}
		s.nextConfirm = time.Now().Add(s.l.o.Confirm)
	}
	if err := s.settle(ctx); err != nil {
		return 0, err
	}
	if len(s.flights) > 0 {
		wait = min(wait, max(time.Until(s.nextConfirm), 0))
	}
	if len(s.settling) > 0 {
		wait = min(wait, max(time.Until(s.settling[0].at.Add(s.l.o.Settle)), 0))
	}
	return wait, nil
}

// claim makes this the only sender of the org. It returns false if another process has one.
func (s *sender) claim(ctx context.Context) (bool, error) {
	now := time.Now()
	if s.claimed.Sub(now) > claimFor/2 {
		return true, nil
	}
	ours, err := s.l.local.Claim(ctx, s.org, s.l.name, now.Add(claimFor))
	if err != nil {
		return false, err
	}
	if s.claimed = now.Add(claimFor); !ours {
		s.claimed, s.c = time.Time{}, nil // when the claim is ours, begin anew
	}
	return ours, nil
}

// begin takes over the queue. If the events go to another place now, none of them were sent there.
func (s *sender) begin(ctx context.Context, moved bool) error {
	if moved {
		if err := s.l.local.Offer(ctx, s.org, 0); err != nil {
			return err
		}
	}
	state, err := s.l.local.State(ctx, s.org)
	if err != nil {
		return err
	}
	s.offered, s.before, s.sent = state.Offered, state.Offered, 0
	s.flights, s.settling, s.firstSeen, s.nextConfirm, s.vain = nil, nil, time.Time{}, time.Time{}, 0
	return nil
}

// send sends a part of what waits. It returns the time until there is more to send.
func (s *sender) send(ctx context.Context) (time.Duration, error) {
	room := maxFlights - len(s.flights)
	if room < readSize {
		return lookEvery, nil // Arc has not shown what was sent
	}
	s.queued.Store(0)
	entries, err := s.l.local.Queued(ctx, s.org, s.sent, readSize)
	if err != nil || len(entries) == 0 {
		s.firstSeen = time.Time{}
		return lookEvery, err
	}
	known, _ := slices.BinarySearchFunc(entries, s.before+1, func(q eventlog.Queued, n int64) int {
		return cmp.Compare(q.Number, n)
	})
	now := time.Now()
	for _, q := range entries[:known] { // perhaps sent already, so first look whether Arc has them
		s.fly(q, now)
	}
	if entries = entries[known:]; len(entries) == 0 {
		return 0, nil
	}
	if len(entries) < s.l.o.BatchSize {
		if s.firstSeen.IsZero() {
			s.firstSeen = now
		}
		if wait := s.l.o.FlushInterval - now.Sub(s.firstSeen); wait > 0 {
			return wait, nil
		}
	}
	if last := entries[len(entries)-1].Number; last > s.offered {
		if err := s.l.local.Offer(ctx, s.org, last); err != nil {
			return 0, err
		}
		s.offered = last
	}
	for batch := range slices.Chunk(entries, s.l.o.BatchSize) {
		if err := s.sendBatch(ctx, batch); err != nil {
			return 0, err
		}
	}
	s.firstSeen = time.Time{}
	return 0, nil
}

// reached notes that Arc did what it was asked.
func (s *sender) reached() { s.failures = 0 }

// fly notes that an entry was sent.
func (s *sender) fly(q eventlog.Queued, at time.Time) *flight {
	f := &flight{seq: q.Number, id: q.Event.ID, at: at}
	s.flights = append(s.flights, f)
	s.sent = q.Number
	return f
}

// sendBatch sends entries for the first time. If Arc refuses some of them, they become flights that are
// sent again alone. If Arc refuses all, it fails: then the reason is most likely not in the events.
func (s *sender) sendBatch(ctx context.Context, batch []eventlog.Queued) error {
	refusals, now := map[int64]error{}, time.Now()
	if err := s.deliver(ctx, batch, refusals); err != nil {
		return err
	}
	if len(refusals) == countLive(batch) && len(refusals) > 0 {
		if s.vain++; s.vain < maxVain {
			return troubleOf(refusals)
		}
	}
	s.vain = 0
	for _, q := range batch {
		f := s.fly(q, now)
		f.tries = 1
		if refusals[q.Number] != nil {
			f.refusals, f.refused = 1, now
		}
	}
	return nil
}

// deliver sends entries. If Arc refuses them, it sends the halves, down to the single event. It notes
// refusals, and fails for any other reason.
func (s *sender) deliver(ctx context.Context, entries []eventlog.Queued, refusals map[int64]error) error {
	rows := make([]*row, 0, len(entries))
	for _, q := range entries {
		if !q.Erased {
			rows = append(rows, newRow(q))
		}
	}
	if len(rows) == 0 {
		return nil
	}
	err := s.write(ctx, rows)
	if err == nil {
		s.acceptedAt = time.Now()
		s.reached()
		return nil
	}
	if kindOf(err) != refused {
		return err
	}
	if len(rows) == 1 {
		refusals[rows[0].seq] = err
		return nil
	}
	half := len(entries) / 2
	if err := s.deliver(ctx, entries[:half], refusals); err != nil {
		return err
	}
	return s.deliver(ctx, entries[half:], refusals)
}

func (s *sender) write(ctx context.Context, rows []*row) error {
	for _, r := range rows {
		if at := r.event.Time; at.Before(firstTime) || at.After(lastTime) {
			return &fault{kind: refused, text: fmt.Sprintf("Arc has no times like %s", at)}
		}
	}
	body, err := encode(s.c.binding.Measurement, rows)
	if err != nil {
		return err
	}
	return s.c.write(ctx, body)
}

func countLive(entries []eventlog.Queued) (n int) {
	for _, q := range entries {
		if !q.Erased {
			n++
		}
	}
	return n
}

// troubleOf returns one of the refusals, as a trouble of Arc and not of the events.
func troubleOf(refusals map[int64]error) error {
	for _, err := range refusals {
		if f, ok := errors.AsType[*fault](err); ok {
			return &fault{kind: unanswered, status: f.status, text: f.text}
		}
	}
	return nil
}

// resend sends flights again, each of them alone if Arc has refused it before. It marks those that were
// purged meanwhile as shown, because Arc has not shown them for long.
func (s *sender) resend(ctx context.Context, again map[int64]*flight, from, to int64) error {
	for after := from - 1; after < to; {
		entries, err := s.l.local.Queued(ctx, s.org, after, readSize)
		if err != nil || len(entries) == 0 {
			return err
		}
		after = entries[len(entries)-1].Number
		var batch []eventlog.Queued
		for _, q := range entries {
			f := again[q.Number]
			switch {
			case f == nil:
			case q.Erased:
				f.shown = true
			case f.refusals > 0:
				if err := s.sendAgain(ctx, []eventlog.Queued{q}, again); err != nil {
					return err
				}
			default:
				if batch = append(batch, q); len(batch) == s.l.o.BatchSize {
					if err := s.sendAgain(ctx, batch, again); err != nil {
						return err
					}
					batch = nil
				}
			}
		}
		if err := s.sendAgain(ctx, batch, again); err != nil {
			return err
		}
	}
	return nil
}

func (s *sender) sendAgain(ctx context.Context, batch []eventlog.Queued, again map[int64]*flight) error {
	refusals, now := map[int64]error{}, time.Now()
	if err := s.deliver(ctx, batch, refusals); err != nil {
		return err
	}
	for _, q := range batch {
		f, reason := again[q.Number], refusals[q.Number]
		if reason != nil {
			f.refusals, f.refused = f.refusals+1, now
		} else {
			f.refusals, f.at, f.tries = 0, now, f.tries+1
		}
		if f.tries > maxTries {
			reason = errors.New("it was accepted, but has not been shown since")
		} else if f.refusals < maxRefusals || !s.isolated(f) {
			continue
		}
		if err := s.bury(ctx, f, reason); err != nil {
			return err
		}
	}
	return nil
}

// isolated reports whether Arc has taken other events since it was sent a flight that it refused. Until
// then, the reason may be Arc.
func (s *sender) isolated(f *flight) bool { return !s.acceptedAt.Before(f.at) }

// bury makes an event a dead letter.
func (s *sender) bury(ctx context.Context, f *flight, reason error) error {
	s.l.o.Log.ErrorContext(ctx, "Arc refuses an event; it is a dead letter now", "org", string(s.org),
		"event", f.id.String(), "error", reason)
	if err := s.l.local.Bury(ctx, s.org, f.seq, reason.Error()); err != nil {
		return err
	}
	f.shown = true // there is nothing to wait for
	return nil
}
