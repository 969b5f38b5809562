package review

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

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
