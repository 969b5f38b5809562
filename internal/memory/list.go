package memory

import (
	"cmp"
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// Filter narrows a list or a search. See store.Filter.
type Filter = store.Filter

// ListRequest asks for one page of memories, newest first.
type ListRequest struct {
	Filter
	Limit  int    // 0: 50; at most 500
	Cursor string // NextCursor of the previous page; "": the first page
	Offset int    // rows to skip, instead of a cursor; at most MaxOffset
	Total  bool   // also count
}

// ListPage is one page of memories.
type ListPage = gate.Page[*loci.Memory]

// List returns the visible memories that pass the filter, newest first. With Filter.Lifecycle TrashOnly it lists the
// trash, which only people may. Invalid if the cursor belongs to another query or principal.
func (s *Service) List(ctx context.Context, p loci.Principal, r ListRequest) (ListPage, error) {
	if err := s.Begin(ctx, p, reading(&r.Filter)); err != nil {
		return ListPage{}, err
	}
	return s.list(ctx, p, r, "list")
}

// list is behind List and TeamMemories; kind keeps their cursors apart.
func (s *Service) list(ctx context.Context, p loci.Principal, r ListRequest, kind string) (ListPage, error) {
	if err := s.checkFilter(&r.Filter); err != nil {
		return ListPage{}, err
	}
	if r.Offset < 0 || r.Offset > gate.MaxOffset {
		return ListPage{}, loci.FieldErrorf("offset", "must be from 0 to %d; use the cursor to go further", gate.MaxOffset)
	}
	var found store.Page
	page, err := gate.ReadPage(p, kind, r.Filter, r.Limit, r.Cursor,
		func(after store.Position, limit int) ([]*loci.Memory, store.Position, error) {
			q := store.ListQuery{Filter: r.Filter, Limit: limit, After: after, Offset: r.Offset, Total: r.Total}
			err := s.Store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
				if found, err = tx.Lists().List(ctx, p.Viewer(), q); err != nil {
					return err
				}
				if err = showable(ctx, tx, p.Viewer(), found.Memories...); err != nil || !present(&r.Filter) {
					return err
				}
				return s.disagreeing(ctx, tx, p.Viewer(), found.Memories...)
			})
			return found.Memories, found.Next, err
		})
	page.Items = Masked(page.Items)
	page.Total, page.TotalIsLowerBound = found.Total, r.Total && !found.Exact
	return page, err
}

// reading is the action of a list or a search.
func reading(f *Filter) gate.Action {
	if f.Lifecycle != loci.LiveOnly {
		return ReadTrash
	}
	return Read
}

// present reports whether a list or a search is of what holds now.
func present(f *Filter) bool {
	return f.Lifecycle != loci.TrashOnly && f.Lifecycle != loci.ExpiredOnly && f.When.IsPresent()
}

// ByIDs returns the visible ones among ids as they were at that time, newest first. Ids that do not
// exist and ids that may not be seen are left out alike.
func (s *Service) ByIDs(ctx context.Context, p loci.Principal, ids []loci.MemoryID, w loci.When) (
	[]*loci.Memory, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return nil, err
	}
	if len(ids) == 0 || len(ids) > loci.MaxIDs {
		return nil, loci.FieldErrorf("ids", "must have 1 to %d entries", loci.MaxIDs)
	}
	if err := s.checkWhen(&w); err != nil {
		return nil, err
	}
	found, err := gate.View(ctx, s.Gate, p, func(tx store.Tx) ([]*loci.Memory, error) {
		found, err := readAt(ctx, tx, p.Viewer(), ids, &Filter{When: w})
		if err == nil && w.IsPresent() {
			err = s.disagreeing(ctx, tx, p.Viewer(), found...)
		}
		return found, err
	})
	slices.SortStableFunc(found,
		func(x, y *loci.Memory) int { return cmp.Compare(y.CreatedAt.UnixMicro(), x.CreatedAt.UnixMicro()) })
	return found, err
}

// Latest returns the newest visible memory that passes the filter, or NotFound.
func (s *Service) Latest(ctx context.Context, p loci.Principal, f Filter) (*loci.Memory, error) {
	if err := s.Begin(ctx, p, reading(&f)); err != nil {
		return nil, err
	}
	page, err := s.list(ctx, p, ListRequest{Filter: f, Limit: 1}, "list")
	if err != nil {
		return nil, err
	}
	if len(page.Items) == 0 {
		return nil, loci.NoSuchMemory()
	}
	return page.Items[0], nil
}

func (s *Service) checkFilter(f *Filter) error {
	if err := loci.CheckTags("tags", f.Tags, 0); err != nil {
		return err
	}
	for _, c := range []struct {
		field, text string
		limit       int
	}{{"origin", f.Origin, loci.MaxVendorLength}, {"category", f.Category, loci.MaxCategory},
		{"key", f.Key, loci.MaxKey}, {"hidden_from", string(f.HiddenFrom), loci.MaxVendorLength}} {
		if err := loci.CheckText(c.field, c.text, 0, c.limit); err != nil {
			return err
		}
	}
	if f.Type != "" {
		if err := loci.CheckType(f.Type); err != nil {
			return err
		}
	}
	switch f.Scope {
	case "", loci.ScopeGlobal, loci.ScopeProject, loci.ScopeAgent:
	default:
		return loci.FieldErrorf("scope", "must be one of: global, project, agent")
	}
	if !f.From.IsZero() && !f.To.IsZero() && f.To.Before(f.From) {
		return loci.FieldErrorf("to", "must not be before from")
	}
	if f.Lifecycle != loci.LiveOnly && !f.When.IsZero() {
		return loci.FieldErrorf(whenField(f.When), "cannot be used with the trash")
	}
	return s.checkWhen(&f.When)
}

// whenField returns the field to name in an error about another time.
func whenField(w loci.When) string {
	switch {
	case !w.AsOf.IsZero():
		return "as_of"
	case !w.KnownAt.IsZero():
		return "known_at"
	}
	return "include_superseded"
}
