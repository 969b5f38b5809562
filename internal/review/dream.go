package review

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// DreamOptions are what the dream-cycle needs.
type DreamOptions struct {
	// Events returns the log of events of an org; nil, or an error that is Unavailable: there are none.
	Events func(context.Context, loci.OrgID) (eventlog.Follower, error)
	// Actor returns the principal that acts for the writer of a row.
	Actor func(context.Context, loci.OrgID, *loci.EventAccess) (loci.Principal, error)
	// Thresholds returns the least confidences with which the dream-cycle promotes at the moment; nil: always
	// DefaultThresholds. It never promotes candidates of other kinds.
	Thresholds func(context.Context) map[loci.CandidateKind]float64
}

// DefaultThresholds returns the least confidence of each kind that the dream-cycle promotes. A person decides about
// sessions.
func DefaultThresholds() map[loci.CandidateKind]float64 {
	return map[loci.CandidateKind]float64{loci.CandidateDecision: 0.8, loci.CandidateClaim: 0.8, loci.CandidatePlan: 0.75,
		loci.CandidateProcedure: 0.75, loci.CandidateArtifact: 0.8, loci.CandidateIdea: 0.85}
}

// The limits of one run. What is left waits for the next one.
const (
	dreamEvents     = 20_000
	dreamCandidates = 2_000
	dreamBatch      = 100 // events in a transaction
	slowBatch       = 5   // the same, if the extractor is slow
	dreamDecisions  = 25  // candidates between two updates of the receipt
	perEvent        = 5   // candidates

	// NightlyTime is how long a scheduled run takes at most, and DreamTime one that somebody waits for.
	NightlyTime = 30 * time.Minute
	DreamTime   = 20 * time.Second

	// dreamLease is how long a run that was killed keeps others from running.
	dreamLease = 2 * time.Minute
)

// DreamRequest asks for a run of the dream-cycle.
type DreamRequest struct {
	DryRun bool
	// Time limits the run; 0: DreamTime.
	Time time.Duration
}

// Dream runs the dream-cycle of the org of p and returns its receipt. It makes candidates of new events and notes, and
// decides about those that are due. A dry run writes nothing. Conflict if another run is at work.
func (s *Service) Dream(ctx context.Context, p loci.Principal, r DreamRequest) (*loci.Dream, error) {
	if err := s.Begin(ctx, p, Dream); err != nil {
		return nil, err
	}
	by := p.UserID.String()
	if p.Kind == loci.KindLocal {
		by = "operator"
	}
	if r.Time <= 0 {
		r.Time = DreamTime
	}
	d := s.dreaming(p.OrgID, by, r.Time)
	if r.DryRun {
		return d.rehearse(ctx)
	}
	return d.run(ctx, func() error {
		return s.Write(ctx, p, Dream, func(tx store.Tx, e *loci.AuditEntry) error {
			if err := d.take(ctx, tx); err != nil {
				return err
			}
			e.Target = d.receipt.ID.String()
			return nil
		})
	})
}

// DreamNightly is the scheduled run of an org. It does nothing, and returns nil, if a run has begun since a time.
// Conflict if another run is at work.
func (s *Service) DreamNightly(ctx context.Context, org loci.OrgID, since time.Time) (*loci.Dream, error) {
	d := s.dreaming(org, loci.DreamScheduled, NightlyTime)
	receipt, err := d.run(ctx, func() error {
		return s.Store.Update(ctx, org, func(tx store.Tx) error {
			last, _, err := tx.Dreams().List(ctx, 1, "")
			if err != nil {
				return err
			}
			if len(last) > 0 && !last[0].StartedAt.Before(since) && last[0].Ended() {
				return errDreamt
			}
			return d.take(ctx, tx)
		})
	})
	if errors.Is(err, errDreamt) {
		return nil, nil
	}
	return receipt, err
}

// errDreamt ends the transaction of a run that is not needed.
var errDreamt = errors.New("the dream-cycle has run")

// Dreams returns the receipts of the org's runs, last begun first.
func (s *Service) Dreams(ctx context.Context, p loci.Principal, limit int, cursor string) (gate.Page[*loci.Dream],
	error) {
	if err := s.Begin(ctx, p, DreamRead); err != nil {
		return gate.Page[*loci.Dream]{}, err
	}
	return gate.ReadPage(p, "dreams", "", limit, cursor,
		func(after store.Position, limit int) (list []*loci.Dream, next store.Position, err error) {
			err = s.Store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
				list, next, err = tx.Dreams().List(ctx, limit, after)
				return err
			})
			return list, next, err
		})
}

// DreamRun returns the receipt of a run, or NotFound.
func (s *Service) DreamRun(ctx context.Context, p loci.Principal, id loci.DreamID) (*loci.Dream, error) {
	return gate.BeginView(ctx, s.Gate, p, DreamRead, func(tx store.Tx) (*loci.Dream, error) {
		return tx.Dreams().Get(ctx, id)
	})
}

type dreaming struct {
	*Service
	org     loci.OrgID
	holder  string // names this run for the lease
	until   time.Time
	begun   *loci.Dream // the receipt of this run, unless it continues another one
	receipt *loci.Dream
	dry     bool
	// progress is how far the run has come; only a dry run does not store it.
	progress store.DreamProgress
	proposed []*loci.Candidate // by a dry run
	seen     map[loci.CandidateID]bool
	still    int   // those seen that may be due nevertheless
	alone    *bool // the org has one person
	log      eventlog.Follower
}

func (s *Service) dreaming(org loci.OrgID, by string, most time.Duration) *dreaming {
	now := s.Time()
	d := &dreaming{Service: s, org: org, holder: rand.Text(), until: now.Add(most), seen: map[loci.CandidateID]bool{},
		begun: &loci.Dream{ID: loci.NewDreamID(), State: loci.DreamRunning, RequestedBy: by, StartedAt: now}}
	d.begun.SetDefaults()
	d.receipt = d.begun
	return d
}

// take makes this run the only one of the org. It continues the receipt of a run that was killed.
func (d *dreaming) take(ctx context.Context, tx store.Tx) error {
	progress, err := tx.Dreams().Progress(ctx)
	if err != nil {
		return err
	}
	if progress.Holder != "" && d.Time().Before(progress.Until) {
		return loci.Errorf(loci.Conflict, "another run of the dream-cycle is at work; wait until it ends, or at most 2 "+
			"minutes if its server was killed")
	}
	receipt := d.begun
	if progress.Holder != "" {
		old, err := tx.Dreams().Get(ctx, progress.Run)
		if err == nil && old.State == loci.DreamRunning {
			old.Resumed++
			receipt = old
		} else if err != nil && loci.CodeOf(err) != loci.NotFound {
			return err
		}
	}
	progress.Holder, progress.Run, progress.Until = d.holder, receipt.ID, d.Time().Add(dreamLease)
	d.receipt, d.progress = receipt, progress
	if err := tx.Dreams().SetProgress(ctx, progress); err != nil {
		return err
	}
	return tx.Dreams().Put(ctx, receipt)
}

// run does everything after begin, which calls take, and ends the receipt.
func (d *dreaming) run(ctx context.Context, begin func() error) (*loci.Dream, error) {
	if err := begin(); err != nil {
		return nil, err
	}
	ctx = gate.Apart(ctx) // the request is finished with begin
	err := d.work(ctx)
	if loci.CodeOf(err) == codeTakenOver {
		return d.receipt, err
	}
	ended := d.end(context.WithoutCancel(ctx), err, ctx.Err() != nil)
	if ctx.Err() != nil {
		err = nil // the receipt says that it was interrupted
	}
	return d.receipt, errors.Join(err, ended)
}

// codeTakenOver is the code of the error of a run whose lease another one has taken.
const codeTakenOver = loci.Precondition

// end completes the receipt and gives the lease back.
func (d *dreaming) end(ctx context.Context, failure error, interrupted bool) error {
	return d.save(ctx, func(_ store.Tx, next *loci.Dream) error {
		next.State, next.FinishedAt = loci.DreamDone, d.Time()
		next.LatencyMS = next.FinishedAt.Sub(next.StartedAt).Milliseconds()
		switch {
		case interrupted:
			next.State, next.More = loci.DreamInterrupted, true
		case failure != nil:
			next.State, next.Error, next.More = loci.DreamFailed, loci.SafeText(failure), true
		}
		d.progress.Holder = ""
		return nil
	})
}

// save runs fn in one transaction if this run still has the lease, and stores the progress and the receipt that fn
// changes. A dry run stores nothing, and calls fn without a transaction.
func (d *dreaming) save(ctx context.Context, fn func(tx store.Tx, next *loci.Dream) error) error {
	next := d.receipt.Clone()
	if d.dry {
		err := fn(nil, next)
		d.receipt = next
		return err
	}
	holder := d.holder
	err := d.Store.Update(ctx, d.org, func(tx store.Tx) error {
		stored, err := tx.Dreams().Progress(ctx)
		if err != nil {
			return err
		}
		if stored.Holder != holder {
			return loci.Errorf(codeTakenOver, "this run was too slow, and another one has taken over")
		}
		next = d.receipt.Clone()
		if err := fn(tx, next); err != nil {
			return err
		}
		d.progress.Until = d.Time().Add(dreamLease)
		if err := tx.Dreams().SetProgress(ctx, d.progress); err != nil {
			return err
		}
		return tx.Dreams().Put(ctx, next)
	})
	if err == nil {
		d.receipt = next
	}
	return err
}

// work does both phases. The second one does not need the first.
func (d *dreaming) work(ctx context.Context) error {
	gathered := d.gather(ctx)
	if ctx.Err() != nil || loci.CodeOf(gathered) == codeTakenOver {
		return errors.Join(gathered, ctx.Err())
	}
	if gathered != nil {
		d.Log.WarnContext(ctx, "the dream-cycle cannot read all new events", slog.String("org", string(d.org)),
			slog.Any("error", gathered))
	}
	return errors.Join(d.decideAll(ctx), gathered)
}

func (d *dreaming) late() bool { return !d.Time().Before(d.until) }

// rehearse does what a run would do, and stores nothing.
func (d *dreaming) rehearse(ctx context.Context) (*loci.Dream, error) {
	d.dry, d.receipt.DryRun = true, true
	err := d.Store.View(ctx, d.org, func(tx store.Tx) (err error) {
		d.progress, err = tx.Dreams().Progress(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(d.work(ctx), ctx.Err()); err != nil {
		return nil, err
	}
	return d.receipt, d.end(ctx, nil, false)
}
