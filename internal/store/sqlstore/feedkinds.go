package sqlstore

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// workChanged adds a change of a session, a candidate or a task to the feed. before is nil for a new row, after for
// an erased one.
func (tx *Tx) workChanged(kind loci.FeedKind, id [16]byte, version int, before, after *loci.EventAccess) error {
	e := feedEntry{kind: kind, id: id, change: loci.Updated, version: version}
	if before != nil {
		e.before = []loci.Access{before.Access()}
	} else {
		e.change, e.origin = loci.Created, after.Origin
	}
	if after != nil {
		e.after = []loci.Access{after.Access()}
	} else {
		e.change = loci.Erased
	}
	return tx.enter(e)
}

// eraseWork permanently deletes the candidates or tasks that a condition on s selects, and returns their number.
func (tx *Tx) eraseWork(kind loci.FeedKind, table, condition string, args ...any) (int, error) {
	type row struct {
		seq    int64
		id     [16]byte
		access loci.EventAccess
	}
	var list []row
	err := tx.c.Query("SELECT "+workColumns+", s.id FROM "+table+" s WHERE {s} "+condition, args, func(r Row) error {
		a, err := tx.scanAccess(r)
		list = append(list, row{r.Int64(0), r.ID(8), a})
		return err
	})
	for i := 0; i < len(list) && err == nil; i++ {
		if err = tx.c.Exec("DELETE FROM "+table+" WHERE {"+table+"} seq = ?", list[i].seq); err == nil {
			err = tx.workChanged(kind, list[i].id, 0, &list[i].access, nil)
		}
	}
	return len(list), err
}

// accessOfWork returns who sees a row of a table with workColumns. found is false if it does not exist.
func (tx *Tx) accessOfWork(table string, id [16]byte) (a loci.EventAccess, found bool, err error) {
	found, err = tx.c.One("SELECT "+workColumns+" FROM "+table+" s WHERE {s} s.id = ?", Args{id},
		func(r Row) (err error) { a, err = tx.scanAccess(r); return err })
	return a, found, err
}

// suggestionChanged adds a change of a suggestion to the feed, for readers who see both memories, or the graph. One
// about a secret is for its owner.
func (tx *Tx) suggestionChanged(ctx context.Context, s *loci.Suggestion, change loci.Change) error {
	e := feedEntry{kind: loci.FeedSuggestion, id: s.ID, change: change, origin: s.Origin}
	if g := s.Graph; g != nil && s.Kind != loci.SuggestSecret {
		e.after = []loci.Access{{WorkspaceID: g.WorkspaceID, ProjectID: g.ProjectID, Scope: loci.ScopeProject,
			AllowedVendors: g.AllowedVendors}}
		return tx.enter(e)
	}
	if s.Kind == loci.SuggestSecret {
		e.after = []loci.Access{own(s.UserID)}
		return tx.enter(e)
	}
	both, err := rows{tx}.Read(ctx, []loci.MemoryID{s.MemoryID, s.ByID})
	if err != nil {
		return err
	}
	for _, m := range both {
		e.after = append(e.after, m.Access)
	}
	return tx.enter(e)
}

// orgChanged adds a change of a row that belongs to the org. Those see it who may list all of the kind, and those
// with one of these accesses, each of which becomes an event.
func (tx *Tx) orgChanged(kind loci.FeedKind, id [16]byte, change loci.Change, seen ...loci.Access) error {
	if len(seen) == 0 {
		return tx.enter(feedEntry{kind: kind, id: id, change: change})
	}
	for _, a := range seen {
		e := feedEntry{kind: kind, id: id, change: change, after: []loci.Access{a}}
		if change == loci.Erased {
			e.before, e.after = e.after, nil
		}
		if err := tx.enter(e); err != nil {
			return err
		}
	}
	return nil
}

// own is the access of what only a person sees, and none of their assistants.
func own(user loci.UserID) loci.Access { return loci.Access{UserID: user, Reach: loci.ReachPrivate} }

// ofTeam is the access of what the people of a team see, and nobody without a team.
func ofTeam(team loci.TeamID, user loci.UserID) loci.Access {
	if team.IsZero() {
		return own(user)
	}
	return loci.Access{UserID: user, Reach: loci.ReachTeam, TeamID: team}
}

// memberChanged adds a change of a person to the feed, for themselves and their team. old is nil for somebody new,
// u for somebody who leaves.
func (tx *Tx) memberChanged(old, u *loci.User) error {
	e := feedEntry{kind: loci.FeedMember, change: loci.Updated}
	if old != nil {
		e.id, e.before = old.ID, []loci.Access{ofTeam(old.TeamID, old.ID)}
	} else {
		e.change = loci.Created
	}
	if u != nil {
		e.id, e.after = u.ID, []loci.Access{ofTeam(u.TeamID, u.ID)}
	} else {
		e.change = loci.Erased
	}
	return tx.enter(e)
}

// Hint adds the change to the feed.
func (tx *Tx) Hint(h *store.FeedHint) error {
	return tx.enter(feedEntry{kind: h.Kind, id: h.ID, change: h.Change, after: h.Access, at: h.At})
}

// GraphHint is the hint that the graph of a project has changed. Only people get it, each of whom sees all of the
// graph.
func GraphHint(p *loci.Project) store.FeedHint {
	h := ProjectHint(p, loci.Updated)
	h.Kind, h.Access[0].AllowedVendors = loci.FeedGraph, nil
	return h
}

// ProjectHint is the hint that a project has changed, or its members.
func ProjectHint(p *loci.Project, change loci.Change) store.FeedHint {
	return store.FeedHint{Org: p.OrgID, Kind: loci.FeedProject, ID: p.ID, Change: change, Access: []loci.Access{{
		WorkspaceID: p.WorkspaceID, ProjectID: p.ID, Scope: loci.ScopeProject,
		AllowedVendors: []loci.Vendor{loci.AnyVendor}}}}
}
