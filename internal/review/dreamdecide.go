package review

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
)

// decideAll decides about the candidates that are due, in turn one of each person, until the limits of the run.
func (d *dreaming) decideAll(ctx context.Context) error {
	if d.dry {
		if err := d.decideSome(ctx, d.proposed); err != nil {
			return err
		}
	}
	then := d.Time()
	for {
		var due []*loci.Candidate
		err := d.Store.View(ctx, d.org, func(tx store.Tx) (err error) {
			// Those that were seen and are due nevertheless must not hide others.
			due, err = tx.Candidates().Due(ctx, then, dreamDecisions+d.still)
			return err
		})
		if err != nil {
			return err
		}
		var list []*loci.Candidate
		for _, c := range due {
			if !d.seen[c.ID] && len(list) < dreamDecisions {
				list = append(list, c)
			}
		}
		if len(list) == 0 {
			return nil
		}
		if d.late() || len(d.seen) >= dreamCandidates {
			return d.save(ctx, func(_ store.Tx, next *loci.Dream) error { next.More = true; return nil })
		}
		if err := d.decideSome(ctx, list); err != nil {
			return err
		}
	}
}

// decideSome decides about candidates and then updates the receipt.
func (d *dreaming) decideSome(ctx context.Context, list []*loci.Candidate) error {
	outcomes := make([]outcome, 0, len(list))
	var stopped error
	for _, c := range list {
		if ctx.Err() != nil {
			stopped = ctx.Err()
			break
		}
		d.seen[c.ID] = true
		o, err := d.decideOne(ctx, c)
		if err != nil {
			stopped = err
			break
		}
		if outcomes = append(outcomes, o); d.dry || o.to == "" {
			d.still++
		}
	}
	err := d.save(context.WithoutCancel(ctx), func(_ store.Tx, next *loci.Dream) error {
		for i, o := range outcomes {
			o.count(next, list[i].ID, d.dry)
		}
		return nil
	})
	loci.ReportProgress(ctx, loci.Progress{Stage: "deciding about candidates of " + string(d.org),
		Done: int64(d.receipt.Scanned)})
	return errors.Join(stopped, err)
}

type outcome struct {
	to   string   // promoted, archived, left, failed, or "": somebody else has changed it meanwhile
	left []string // the reasons
}

func (o outcome) count(next *loci.Dream, id loci.CandidateID, dry bool) {
	promoted, archived := &next.Promoted, &next.Archived
	if dry {
		promoted, archived = &next.WouldPromote, &next.WouldArchive
	}
	next.Scanned++
	switch o.to {
	case "promoted":
		*promoted++
		loci.AddID(&next.PromotedIDs, id)
	case "archived":
		*archived++
		loci.AddID(&next.ArchivedIDs, id)
	case "left":
		next.Left++
		loci.AddID(&next.LeftIDs, id)
		for _, reason := range o.left {
			next.LeftBy[reason]++
		}
	case exceptionFailed:
		next.Failed++
		loci.AddID(&next.FailedIDs, id)
	}
}

// decideOne decides about a candidate in a transaction of its own. A failure that is about the candidate leaves it;
// others stop the run.
func (d *dreaming) decideOne(ctx context.Context, c *loci.Candidate) (outcome, error) {
	if c.State == loci.ReviewPromoted { // it is only not in the graph yet
		return outcome{}, d.finishGraph(ctx, c)
	}
	v, err := d.judge(ctx, c)
	var o outcome
	if err == nil {
		o, err = d.carryOut(ctx, c, &v)
	}
	switch code := loci.CodeOf(err); {
	case err == nil:
		return o, nil
	case ctx.Err() != nil, code == loci.Full, code == loci.Unavailable:
		return outcome{}, err
	case code == loci.Precondition, code == loci.Conflict && d.changed(ctx, c):
		return outcome{}, nil
	}
	d.Log.WarnContext(ctx, "the dream-cycle cannot decide about a candidate", slog.String("candidate", c.ID.String()),
		slog.Any("error", err))
	o = outcome{to: exceptionFailed}
	if d.dry {
		return o, nil
	}
	return o, d.leave(ctx, c, []string{exceptionFailed})
}

// changed reports whether somebody else has changed a candidate since it was read.
func (d *dreaming) changed(ctx context.Context, c *loci.Candidate) bool {
	now := 0
	err := d.Store.View(ctx, d.org, func(tx store.Tx) (err error) {
		now, err = tx.Candidates().VersionOf(ctx, c.ID)
		return err
	})
	return err == nil && now != c.Version
}

func (d *dreaming) carryOut(ctx context.Context, c *loci.Candidate, v *verdict) (o outcome, err error) {
	var do func() error
	switch {
	case v.duplicate && unsure(v.left):
		o, do = outcome{to: "archived"}, func() error { return d.archive(ctx, c, v) }
	case len(v.left) > 0:
		o, do = outcome{to: "left", left: v.left}, func() error { return d.leave(ctx, v.candidate, v.left) }
	default:
		o, do = outcome{to: "promoted"}, func() error { return d.accepts(ctx, c, v) }
	}
	if d.dry {
		return o, nil
	}
	return o, do()
}

// accepts promotes a candidate, as its writer for the person.
func (d *dreaming) accepts(ctx context.Context, c *loci.Candidate, v *verdict) error {
	next := *v.candidate
	next.Version = c.Version + 1
	err := d.memories.Promote(ctx, v.who, Dream, []memory.Promotion{draftOf(&next, nil)},
		func(tx store.Tx, e *loci.AuditEntry, saved []*loci.Saved) error {
			if _, err := decidable(ctx, tx, v.who, c.ID, Decision{IfVersion: c.Version}); err != nil {
				return err
			}
			e.Target = c.ID.String()
			d.accept(&next, v.who, "The dream-cycle promoted it: its confidence is high enough and nothing speaks against it.",
				saved[0])
			next.Review.Origin = loci.DreamOrigin
			return tx.Candidates().Replace(ctx, &next)
		})
	if err == nil {
		d.intoGraph(ctx, v.who, &next)
	}
	return err
}

// finishGraph writes a promoted candidate into the graph, which its promotion could not do.
func (d *dreaming) finishGraph(ctx context.Context, c *loci.Candidate) error {
	who, err := d.dreams.Actor(ctx, d.org, &c.EventAccess)
	if err == nil && !d.dry {
		d.intoGraph(ctx, who, c)
	}
	return ctx.Err()
}

// archive puts a candidate away, of which a memory says exactly the same. Undo takes it back.
func (d *dreaming) archive(ctx context.Context, c *loci.Candidate, v *verdict) error {
	return d.Write(ctx, v.who, Dream, func(tx store.Tx, e *loci.AuditEntry) error {
		if _, err := decidable(ctx, tx, v.who, c.ID, Decision{IfVersion: c.Version}); err != nil {
			return err
		}
		next := *v.candidate
		next.State, next.DeferredTo, next.NextAttempt = loci.ReviewArchived, time.Time{}, time.Time{}
		next.Exceptions, next.Version = nil, c.Version+1
		d.reviewed(&next, v.who, "archive", "A memory says exactly the same.")
		next.Review.Origin = loci.DreamOrigin
		e.Target = c.ID.String()
		return tx.Candidates().Replace(ctx, &next)
	})
}

// leave lets a candidate wait for a person, and comes back to it later and later. That decides nothing, so the last
// decision about it stays as it is.
func (d *dreaming) leave(ctx context.Context, c *loci.Candidate, why []string) error {
	next := *c
	next.State, next.DeferredTo = loci.ReviewPending, time.Time{}
	next.Exceptions = why
	next.Attempts++
	next.NextAttempt = d.Time().Add(backOff(next.Attempts))
	next.Version++
	err := d.Store.Update(ctx, d.org, func(tx store.Tx) error { return tx.Candidates().Replace(ctx, &next) })
	if code := loci.CodeOf(err); code == loci.NotFound || code == loci.Conflict { // it is gone, or has changed meanwhile
		return nil
	}
	return err
}

// backOff returns how long the dream-cycle waits after it has left a candidate so often: 1, 2, 4 … 30 days. It takes an
// hour off, so that a nightly run that is a little early does not miss a night.
func backOff(attempts int) time.Duration {
	const day = 24 * time.Hour
	days := 30
	if attempts <= 5 {
		days = 1 << (attempts - 1)
	}
	return time.Duration(days)*day - time.Hour
}

// More reasons for which the dream-cycle leaves a candidate to a person.
const (
	exceptionLow    = "low_confidence"
	exceptionKind   = "kind_for_a_person" // such as a session
	exceptionScope  = "high_impact_scope"
	exceptionSource = "missing_source"
	exceptionUndone = "undone"       // a person has taken back what was decided
	exceptionActor  = "no_principal" // nobody can act for its writer now
	exceptionFailed = "failed"
)

// verdict is what the dream-cycle decides about a candidate.
type verdict struct {
	candidate *loci.Candidate // as it is now, with what the checks found
	who       loci.Principal
	left      []string // the reasons to leave it to a person; none: decide
	duplicate bool     // a memory says exactly the same
}

// judge decides about a candidate as its writer would see it. It writes nothing.
func (d *dreaming) judge(ctx context.Context, c *loci.Candidate) (v verdict, err error) {
	now := *c
	v.candidate = &now
	v.who, err = d.dreams.Actor(ctx, d.org, &c.EventAccess)
	switch loci.CodeOf(err) {
	case loci.NotFound, loci.Forbidden, loci.Unauthenticated, loci.Conflict:
		v.left = []string{exceptionActor}
		return v, nil
	}
	if err != nil {
		return v, err
	}
	there, err := d.sourced(ctx, &v)
	if err != nil {
		return v, err
	}
	wide, err := d.wide(ctx, &now)
	if err != nil {
		return v, err
	}
	v.left = d.plainly(ctx, &now)
	if !there {
		v.left = append(v.left, exceptionSource)
	}
	if wide {
		v.left = append(v.left, exceptionScope)
	}
	if !unsure(v.left) {
		return v, nil // the checks cannot change that
	}
	return v, d.check(ctx, &v)
}

// unsure reports whether at most the confidence speaks against a candidate, or that only a model has found it.
func unsure(left []string) bool {
	return !slices.ContainsFunc(left, func(why string) bool { return why != exceptionLow && why != exceptionModel })
}

// plainly returns the reasons that the candidate itself shows.
func (d *dreaming) plainly(ctx context.Context, c *loci.Candidate) (left []string) {
	left = flagged(c)
	if c.Review != nil && c.Review.Action == "undo" {
		left = append(left, exceptionUndone)
	}
	least, ok := d.dreams.Thresholds(ctx)[c.Kind]
	switch {
	case !ok:
		left = append(left, exceptionKind)
	case c.Confidence < least:
		left = append(left, exceptionLow)
	}
	return left
}

// wide reports whether others than the person or the members of one project read what the candidate comes from.
func (d *dreaming) wide(ctx context.Context, c *loci.Candidate) (bool, error) {
	switch {
	case c.Reach == loci.ReachPrivate, c.Reach == loci.ReachOrg && !c.ProjectID.IsZero():
		return false, nil
	case c.Reach == loci.ReachTeam:
		return true, nil
	case d.alone != nil:
		return !*d.alone, nil
	}
	err := d.Store.View(ctx, d.org, func(tx store.Tx) error {
		list, err := tx.Users().List(ctx, loci.UserID{}, 2)
		d.alone = new(len(list) < 2)
		return err
	})
	return d.alone == nil || !*d.alone, err
}

// sourced reports whether that from which the candidate comes is still there. It narrows the candidate to those who
// may see its events now.
func (d *dreaming) sourced(ctx context.Context, v *verdict) (there bool, err error) {
	c := v.candidate
	if !c.SourceID.IsZero() {
		err := d.Store.View(ctx, d.org, func(tx store.Tx) error {
			_, err := tx.Reflections().Get(ctx, v.who.Viewer(), c.SourceID)
			return err
		})
		if loci.CodeOf(err) == loci.NotFound {
			return false, nil
		}
		return err == nil, err
	}
	var ids []loci.EventID
	for _, e := range c.Evidence {
		if id, err := loci.ParseID[struct{}](e.EventID); err == nil && e.EventID != "" {
			ids = append(ids, loci.EventID(id))
		}
	}
	if ids = loci.Unique(ids); len(ids) == 0 || d.log == nil {
		return false, nil
	}
	list, err := d.log.Read(ctx, d.org, ids)
	if err != nil || len(list) < len(ids) {
		return false, err
	}
	for _, e := range list {
		if !narrow(c, &e.EventAccess) {
			return false, nil
		}
	}
	return true, nil
}

// narrow limits the readers of c to those of an event. It returns false if the event is about another project now,
// whose members are others.
func narrow(c *loci.Candidate, to *loci.EventAccess) bool {
	if c.ProjectID != to.ProjectID || c.WorkspaceID != to.WorkspaceID {
		return false
	}
	c.Narrow(to)
	return true
}

// check compares the candidate with what its writer sees now. What a memory says exactly, needs no person.
func (d *dreaming) check(ctx context.Context, v *verdict) error {
	if err := d.recheck(ctx, v.who, v.candidate); err != nil {
		return err
	}
	rest := *v.candidate
	rest.Findings = slices.DeleteFunc(slices.Clone(rest.Findings), func(f loci.ReflectionFinding) bool {
		same := f.Kind == loci.FindingDuplicate && f.Confidence == 1
		v.duplicate = v.duplicate || same
		return same
	})
	v.left = loci.Unique(append(v.left, found(&rest)...))
	return nil
}
