package app

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// maxSuggestions is how many a page of them has at most.
const maxSuggestions = 500

// SuggestionsRequest asks for one page of suggestions, newest first.
type SuggestionsRequest struct {
	State  loci.SuggestionState // "": all
	Limit  int                  // 0: 50; at most 500
	Cursor string               // NextCursor of the page before; "": the first page
}

// SuggestionPage is one page of suggestions.
type SuggestionPage struct {
	Suggestions []loci.Suggestion
	NextCursor  string // "": this was the last page
}

// Suggestions returns the suggestions of which the principal sees both memories, in whatever state these are. Invalid if the
// state is none or the cursor belongs to another query or principal.
func (a *App) Suggestions(ctx context.Context, p loci.Principal, r SuggestionsRequest) (*SuggestionPage, error) {
	if err := a.begin(ctx, p, SuggestionRead); err != nil {
		return nil, err
	}
	const kind = "suggestions"
	switch r.State {
	case "", loci.SuggestionPending, loci.SuggestionAccepted, loci.SuggestionDeclined:
	default:
		return nil, loci.FieldErrorf("state", "must be pending, accepted or declined")
	}
	limit, err := pageSize("limit", r.Limit, DefaultPage, maxSuggestions)
	if err != nil {
		return nil, err
	}
	var after string
	if r.Cursor != "" {
		if after, err = openCursor(p, r.State, kind, r.Cursor); err != nil {
			return nil, err
		}
	}
	page := &SuggestionPage{}
	var next store.Position
	err = a.store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
		page.Suggestions, next, err = tx.Suggestions().List(ctx, p.Viewer(), r.State, store.Position(after), limit)
		return err
	})
	if err != nil {
		return nil, err
	}
	if next != "" {
		page.NextCursor = sealCursor(p, r.State, kind, string(next))
	}
	return page, nil
}

// Suggestion returns a suggestion of which the principal sees both memories, in whatever state these are, or NotFound.
func (a *App) Suggestion(ctx context.Context, p loci.Principal, id loci.SuggestionID) (s loci.Suggestion, err error) {
	if err := a.begin(ctx, p, SuggestionRead); err != nil {
		return s, err
	}
	err = a.store.View(ctx, p.OrgID, func(tx store.Tx) error {
		s, err = tx.Suggestions().Get(ctx, p.Viewer(), id)
		return err
	})
	return s, err
}

// AcceptSuggestion does to the memory what is suggested, as the person's own change, and returns the suggestion as it is then.
// NotFound if the person does not see both memories; Forbidden if the memory is another person's; Conflict if it
// was decided about already, one of the memories is not there any more, or its project is archived.
func (a *App) AcceptSuggestion(ctx context.Context, p loci.Principal, id loci.SuggestionID) (loci.Suggestion, error) {
	if err := a.begin(ctx, p, SuggestionSettle); err != nil {
		return loci.Suggestion{}, err
	}
	return a.settle(ctx, p, id, loci.SuggestionAccepted)
}

// DeclineSuggestion leaves the memory as it is, and returns the suggestion as it is then. Its errors are those of
// AcceptSuggestion; what became of the memories does not matter.
func (a *App) DeclineSuggestion(ctx context.Context, p loci.Principal, id loci.SuggestionID) (loci.Suggestion, error) {
	if err := a.begin(ctx, p, SuggestionSettle); err != nil {
		return loci.Suggestion{}, err
	}
	return a.settle(ctx, p, id, loci.SuggestionDeclined)
}

func (a *App) settle(ctx context.Context, p loci.Principal, id loci.SuggestionID, state loci.SuggestionState) (loci.Suggestion, error) {
	var s loci.Suggestion
	err := a.openly(ctx, p, loci.ProjectID{}, func(open func(loci.ProjectID) error) error {
		return a.write(ctx, p, SuggestionSettle, func(tx store.Tx, e *loci.AuditEntry) (err error) {
			e.Target = id.String()
			if s, err = a.pendingOf(ctx, tx, p, id); err != nil {
				return err
			}
			s.State, s.SettledAt = state, a.time()
			if state == loci.SuggestionAccepted {
				if err := a.accept(ctx, tx, p, &s, open); err != nil {
					return err
				}
			}
			return tx.Suggestions().Settle(ctx, id, state, s.SettledAt)
		})
	})
	if err != nil {
		return loci.Suggestion{}, err
	}
	return s, nil
}

// pendingOf returns a suggestion that p may decide about.
func (a *App) pendingOf(ctx context.Context, tx store.Tx, p loci.Principal, id loci.SuggestionID) (loci.Suggestion, error) {
	s, err := tx.Suggestions().Get(ctx, p.Viewer(), id)
	switch {
	case err != nil:
	case s.UserID != p.UserID:
		err = loci.Errorf(loci.Forbidden, "this suggestion is about a memory that is shared with you; only its owner decides")
	case s.State != loci.SuggestionPending:
		err = loci.Errorf(loci.Conflict, "the suggestion was %s already", s.State)
	}
	return s, err
}

func (a *App) accept(ctx context.Context, tx store.Tx, p loci.Principal, s *loci.Suggestion, open func(loci.ProjectID) error) error {
	both, err := tx.Memories().GetMany(ctx, p.Viewer(), []loci.MemoryID{s.MemoryID, s.ByID}, loci.LiveOnly)
	if err != nil {
		return err
	}
	if len(both) < 2 {
		return loci.Errorf(loci.Conflict, "one of the two memories was trashed, has expired or is superseded; decline the suggestion")
	}
	if err := open(both[0].ProjectID); err != nil {
		return err
	}
	return a.supersede(ctx, tx, p, both[0], both[1], s.Kind, s.SettledAt)
}
