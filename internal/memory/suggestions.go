package memory

import (
	"context"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// SuggestionsRequest asks for one page of suggestions, newest first.
type SuggestionsRequest struct {
	State  loci.SuggestionState // "": all
	Limit  int                  // 0: 50; at most 500
	Cursor string               // NextCursor of the previous page; "": the first page
}

// Suggestions returns the suggestions of which the principal sees both memories, with the beginnings
// of both, or rows of a graph, with these. The pending ones leave out those that nobody can accept, because one of the
// memories or no row is live. Invalid if the state is none or the cursor belongs to another query or principal.
func (s *Service) Suggestions(ctx context.Context, p loci.Principal, r SuggestionsRequest) (
	gate.Page[loci.Suggestion], error) {
	if err := s.Begin(ctx, p, SuggestionRead); err != nil {
		return gate.Page[loci.Suggestion]{}, err
	}
	switch r.State {
	case "", loci.SuggestionPending, loci.SuggestionAccepted, loci.SuggestionDeclined:
	default:
		return gate.Page[loci.Suggestion]{}, loci.FieldErrorf("state", "must be pending, accepted or declined")
	}
	return gate.ReadPage(p, "suggestions", r.State, r.Limit, r.Cursor,
		func(after store.Position, limit int) (list []loci.Suggestion, next store.Position, err error) {
			err = s.Store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
				if list, next, err = tx.Suggestions().List(ctx, p.Viewer(), r.State, after, limit); err != nil {
					return err
				}
				return excerpted(ctx, tx, p.Viewer(), s.Time(), list)
			})
			if err == nil {
				list, err = s.graphs.Suggested(ctx, p, list)
			}
			return s.withRows(ctx, p, list), next, err
		})
}

// excerpted adds the beginnings of both memories to suggestions that v sees, unless a memory is gone for v.
func excerpted(ctx context.Context, tx store.Tx, v loci.Viewer, now time.Time, list []loci.Suggestion) error {
	ids := make([]loci.MemoryID, 0, 2*len(list))
	for i := range list {
		ids = append(ids, list[i].MemoryID, list[i].ByID)
	}
	of := map[loci.MemoryID]*loci.Memory{}
	ids = slices.DeleteFunc(loci.Unique(ids), loci.MemoryID.IsZero)
	for part := range slices.Chunk(ids, loci.MaxIDs) {
		found, err := tx.Memories().GetMany(ctx, v, part, loci.AnyState)
		if err != nil {
			return err
		}
		for _, m := range found {
			if !goneFor(v, m, now) {
				of[m.ID] = m
			}
		}
	}
	for i := range list {
		old, by := of[list[i].MemoryID], of[list[i].ByID]
		if old != nil {
			list[i].Memory = excerptOf(old)
		}
		if by != nil {
			list[i].By = excerptOf(by)
		}
		if old != nil && by != nil && list[i].State == loci.SuggestionPending {
			list[i].NoLongerShared = old.NotSharedBy(&by.Access)
		}
		if list[i].Row != nil {
			if err := gate.RowOf(ctx, tx, v, &list[i], false); err != nil && loci.CodeOf(err) != loci.NotFound {
				return err
			}
		}
	}
	return nil
}

func excerptOf(m *loci.Memory) *loci.Excerpt {
	e := loci.NewExcerpt(Masked([]*loci.Memory{m})[0])
	e.Secrets = SecretsIn(m)
	return e
}

// goneFor reports whether a memory, which v sees in some state, is in the trash or has expired and v
// is not its owner. Only the owner, as a person, still reads it then.
func goneFor(v loci.Viewer, m *loci.Memory, now time.Time) bool {
	gone := !m.DeletedAt.IsZero() || !m.ExpiresAt.IsZero() && !m.ExpiresAt.After(now)
	return gone && (v.Vendor != "" || m.UserID != v.UserID)
}

// Suggestion returns a suggestion if the principal sees both its memories, whatever their state, or NotFound.
func (s *Service) Suggestion(ctx context.Context, p loci.Principal, id loci.SuggestionID) (
	sg loci.Suggestion, err error) {
	if err := s.Begin(ctx, p, SuggestionRead); err != nil {
		return sg, err
	}
	return s.suggestion(ctx, p, id)
}

func (s *Service) suggestion(ctx context.Context, p loci.Principal, id loci.SuggestionID) (loci.Suggestion, error) {
	sg, err := gate.View(ctx, s.Gate, p, func(tx store.Tx) (loci.Suggestion, error) {
		return tx.Suggestions().Get(ctx, p.Viewer(), id)
	})
	if err != nil || sg.Graph == nil {
		return sg, err
	}
	list, err := s.graphs.Suggested(ctx, p, []loci.Suggestion{sg})
	if err == nil && len(list) > 0 {
		return list[0], nil
	}
	if err == nil && p.Vendor != "" {
		err = loci.Errorf(loci.NotFound, "no such suggestion")
	}
	return sg, err
}

// AcceptSuggestion applies a suggestion as the person's own change and returns the accepted
// suggestion. With share, it also shares the new memory with those who read the old one; without,
// NoLongerShared tells who they are. NotFound if the person does not see both memories; Forbidden if
// the memory belongs to another person, or with share the new one, or as for Erase if it has a secret;
// Conflict if the suggestion has been decided already, one of the memories is gone, or its project is archived.
func (s *Service) AcceptSuggestion(ctx context.Context, p loci.Principal, id loci.SuggestionID, share bool) (
	loci.Suggestion, error) {
	if err := s.Begin(ctx, p, SuggestionSettle); err != nil {
		return loci.Suggestion{}, err
	}
	if share {
		if err := s.Also(ctx, p, Share); err != nil {
			return loci.Suggestion{}, err
		}
	}
	return s.settle(ctx, p, id, loci.SuggestionAccepted, share)
}

// DeclineSuggestion declines a suggestion without changing the memory, and returns it. The owner of the
// memory that would replace it may decline too, and so withdraws the suggestion. Its errors are those
// of AcceptSuggestion, but the state of the memories does not matter.
func (s *Service) DeclineSuggestion(ctx context.Context, p loci.Principal, id loci.SuggestionID) (
	loci.Suggestion, error) {
	if err := s.Begin(ctx, p, SuggestionSettle); err != nil {
		return loci.Suggestion{}, err
	}
	return s.settle(ctx, p, id, loci.SuggestionDeclined, false)
}

func (s *Service) settle(ctx context.Context, p loci.Principal, id loci.SuggestionID, state loci.SuggestionState,
	share bool) (loci.Suggestion, error) {
	sg, err := s.suggestion(ctx, p, id)
	if err == nil && sg.Graph != nil {
		return s.settleOfGraph(ctx, p, sg, state)
	}
	var gone removal
	if err == nil && sg.Kind == loci.SuggestSecret {
		if gone, err = s.settleEvents(ctx, p, &sg, state); err != nil {
			return loci.Suggestion{}, err
		}
	}
	err = s.openly(ctx, p, loci.ProjectID{}, func(open func(loci.ProjectID) error) error {
		return s.Write(ctx, p, SuggestionSettle, func(tx store.Tx, e *loci.AuditEntry) (err error) {
			e.Target = id.String()
			if sg, err = s.pendingOf(ctx, tx, p, id, state); err != nil {
				return err
			}
			sg.State, sg.SettledAt, sg.Hint = state, s.Time(), gone.hint
			err = tx.Suggestions().Settle(ctx, id, state, sg.SettledAt)
			switch {
			case err == nil && sg.Kind == loci.SuggestSecret:
				err = s.settleIn(ctx, tx, p, &sg, &gone)
			case err == nil && state == loci.SuggestionAccepted:
				err = s.accept(ctx, tx, p, &sg, share, open)
			}
			return err
		})
	})
	if err != nil {
		return loci.Suggestion{}, err
	}
	for _, id := range gone.memories {
		s.o.Index.Forget(ctx, p.OrgID, id)
	}
	return sg, nil
}

// settleOfGraph changes the graph before the suggestion, because they are in different files. If it stops between them,
// nothing of the suggestion is live, and the list of pending ones leaves it out.
func (s *Service) settleOfGraph(ctx context.Context, p loci.Principal, sg loci.Suggestion, state loci.SuggestionState) (
	loci.Suggestion, error) {
	err := alreadySettled(&sg, state)
	switch {
	case err != nil:
	case sg.Kind == loci.SuggestSecret && state == loci.SuggestionDeclined:
		err = s.graphs.SettleSecrets(ctx, p, &sg, true)
	case sg.Kind == loci.SuggestSecret:
		if err = s.May(p, Erase); err == nil {
			err = s.graphs.SettleSecrets(ctx, p, &sg, false)
		}
		sg.Hint = removedHint
	case state == loci.SuggestionAccepted:
		err = s.graphs.Apply(ctx, p, &sg)
	}
	if err != nil {
		return loci.Suggestion{}, err
	}
	sg.State, sg.SettledAt = state, s.Time()
	err = s.Write(ctx, p, SuggestionSettle, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = sg.ID.String()
		return tx.Suggestions().Settle(ctx, sg.ID, state, sg.SettledAt)
	})
	return sg, err
}

// alreadySettled returns Conflict unless a suggestion is pending, or a secret that was kept is to be removed.
func alreadySettled(sg *loci.Suggestion, state loci.SuggestionState) error {
	kept := sg.Kind == loci.SuggestSecret && sg.State == loci.SuggestionDeclined
	if sg.State == loci.SuggestionPending || kept && state == loci.SuggestionAccepted {
		return nil
	}
	return loci.Errorf(loci.Conflict, "the suggestion has been %s already", sg.State)
}

// pendingOf returns a suggestion that p may accept or decline, which state says.
func (s *Service) pendingOf(ctx context.Context, tx store.Tx, p loci.Principal, id loci.SuggestionID,
	state loci.SuggestionState) (loci.Suggestion, error) {
	sg, err := tx.Suggestions().Get(ctx, p.Viewer(), id)
	if err != nil {
		return sg, err
	}
	mine := sg.UserID == p.UserID
	if !mine && state == loci.SuggestionDeclined {
		by, err := tx.Memories().GetMany(ctx, p.Viewer(), []loci.MemoryID{sg.ByID}, loci.AnyState)
		if err != nil {
			return sg, err
		}
		mine = len(by) > 0 && by[0].UserID == p.UserID
	}
	switch {
	case !mine:
		err = loci.Errorf(loci.Forbidden, "another person owns the memory, and only they accept; they see the suggestion if "+
			"they can see the new memory, so share it with them, or decline to withdraw your own suggestion")
	default:
		err = alreadySettled(&sg, state)
	}
	return sg, err
}

func (s *Service) accept(ctx context.Context, tx store.Tx, p loci.Principal, sg *loci.Suggestion, share bool,
	open func(loci.ProjectID) error) error {
	both, err := tx.Memories().GetMany(ctx, p.Viewer(), []loci.MemoryID{sg.MemoryID, sg.ByID}, loci.LiveOnly)
	if err != nil {
		return err
	}
	if len(both) < 2 {
		return loci.Errorf(loci.Conflict,
			"one of the two memories was trashed, has expired or is superseded; decline the suggestion")
	}
	if err := open(both[0].ProjectID); err != nil {
		return err
	}
	old, by := both[0], both[1]
	if share {
		if by, err = s.shareAlike(ctx, tx, p, old, by, open); err != nil {
			return err
		}
	}
	sg.NoLongerShared = old.NotSharedBy(&by.Access)
	_, err = s.supersede(ctx, tx, p, old, by, sg.Kind, sg.SettledAt)
	return err
}

// shareAlike shares by with the people who read old, both memories of the person, and returns it.
func (s *Service) shareAlike(ctx context.Context, tx store.Tx, p loci.Principal, old, by *loci.Memory,
	open func(loci.ProjectID) error) (*loci.Memory, error) {
	inTeam, inProject := !old.TeamID.IsZero() && by.TeamID != old.TeamID, old.Scope == loci.ScopeProject
	switch {
	case old.NotSharedBy(&by.Access) == "":
		return by, nil
	case by.UserID != p.UserID:
		return nil, loci.Errorf(loci.Forbidden,
			"another person owns the new memory, and only they share it; accept without sharing, or ask them to share it first")
	case inTeam && p.OnlyProjects:
		return nil, errNoPool()
	case inProject && !by.ProjectID.IsZero() && by.ProjectID != old.ProjectID:
		return nil, loci.Errorf(loci.Conflict, "the new memory is about another project; accept without sharing")
	}
	how := edit{what: loci.Updated, fn: func(m *loci.Memory) error {
		if inTeam { // that of the person, because leaving it takes their memories back
			if err := shareWith(m, old.TeamID); err != nil {
				return err
			}
		}
		return s.updated(p, m, func(m *loci.Memory) {
			if inProject {
				m.Scope, m.ProjectID = loci.ScopeProject, old.ProjectID
			}
		})
	}}
	shared, err := s.put(ctx, tx, p, by, how)
	if err == nil {
		err = open(shared.ProjectID)
	}
	if err != nil {
		return nil, err
	}
	e := s.Entry(p, Share)
	e.Target = by.ID.String()
	return shared, tx.Audit().Add(ctx, e)
}
