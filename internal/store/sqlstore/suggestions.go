package sqlstore

import (
	"context"
	"encoding/json"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

type suggestions struct{ *Tx }

// fromSuggestions joins both memories, if it is about memories.
const fromSuggestions = "SELECT s.seq, s.id, s.kind, a.id, b.id, coalesce(a.user_id, s.user_id), s.origin, s.state, " +
	"s.created_at, s.settled_at, s.project_id, s.workspace_id, s.graph_rows, s.allowed_vendors, s.row_kind, s.row_id " +
	"FROM suggestions s " +
	"LEFT JOIN memories a ON {a} a.seq = s.memory_seq LEFT JOIN memories b ON {b} b.seq = s.by_seq WHERE {s} "

// graphRows is what a suggestion about a graph names.
type graphRows struct {
	loci.GraphIDs
	Into loci.EntityID `json:"into,omitzero"`
}

func rowsText(g *loci.SuggestedGraph) string {
	text, _ := json.Marshal(graphRows{g.GraphIDs, g.Into}) // ids always marshal
	return string(text)
}

func scanSuggestion(r Row) (int64, loci.Suggestion, error) {
	s := loci.Suggestion{ID: r.ID(1), Kind: loci.SuggestionKind(r.Text(2)), MemoryID: r.ID(3), ByID: r.ID(4),
		UserID: r.ID(5), Origin: r.Text(6), State: loci.SuggestionState(r.Text(7)), CreatedAt: TimeAt(r, 8),
		SettledAt: TimeAt(r, 9)}
	if !r.Null(15) {
		s.Row = &loci.SecretRow{Kind: r.Text(14), ID: r.ID(15)}
	}
	if r.Null(10) {
		return r.Int64(0), s, nil
	}
	var rows graphRows
	if err := json.Unmarshal(r.Raw(12), &rows); err != nil {
		return 0, s, err
	}
	vendors, err := fromJSON[loci.Vendor](r.Raw(13))
	s.Graph = &loci.SuggestedGraph{ProjectID: r.ID(10), WorkspaceID: r.ID(11), GraphIDs: rows.GraphIDs, Into: rows.Into,
		AllowedVendors: vendors}
	return r.Int64(0), s, err
}

// seen adds the visibility rule: for both memories, or for the project of a graph and the vendors that see its rows. A
// secret is also in a memory that is not live. The owner of the memory or of another row alone decides about it.
func (t suggestions) seen(q *Query, v loci.Viewer, l loci.Lifecycle) {
	q.Add("(")
	t.sees(q, v, "s.memory_seq", l)
	q.Add(" AND ")
	t.sees(q, v, "s.by_seq", l)
	if ids := ProjectIDs(v); len(ids) > 0 && v.OrgID == t.Org {
		q.put(" OR s.kind <> 'secret' AND s.project_id IN ")
		in(q, ids)
		if !v.WorkspaceID.IsZero() {
			q.Add(" AND s.workspace_id = ?", [16]byte(v.WorkspaceID))
		}
		vendorMay(q, v, "s")
	}
	if v.Vendor == "" {
		q.Add(" OR s.kind = 'secret' AND a.user_id = ? AND ", [16]byte(v.UserID))
		t.sees(q, v, "s.memory_seq", loci.AnyState)
	}
	if v.Vendor == "" && v.OrgID == t.Org {
		q.Add(" OR s.kind = 'secret' AND s.memory_seq IS NULL AND s.user_id = ?", [16]byte(v.UserID))
	}
	q.Add(")")
}

func (t suggestions) sees(q *Query, v loci.Viewer, seq string, l loci.Lifecycle) {
	q.Add("EXISTS (SELECT 1 FROM memories m WHERE {m} m.seq = " + seq + " AND ")
	t.visible(q, v, l, t.Now())
	q.Add(")")
}

func (t suggestions) Insert(ctx context.Context, s loci.Suggestion) error {
	if s.Graph != nil {
		return t.insertOfGraph(ctx, &s)
	}
	if s.Row != nil {
		return t.inserted(ctx, &s, t.c.Exec("INSERT INTO suggestions ({org} id, kind, origin, state, created_at, user_id, "+
			"row_kind, row_id) VALUES ({?} ?, ?, ?, 'pending', ?, ?, ?, ?)", [16]byte(s.ID), string(s.Kind), s.Origin,
			s.CreatedAt.UnixMicro(), [16]byte(s.UserID), s.Row.Kind, [16]byte(s.Row.ID)))
	}
	if s.MemoryID == s.ByID {
		return loci.Errorf(loci.Invalid, "a memory cannot replace itself")
	}
	var seqs []any
	for _, id := range []loci.MemoryID{s.MemoryID, s.ByID} {
		if s.Kind == loci.SuggestSecret && id.IsZero() {
			seqs = append(seqs, nil)
			continue
		}
		seq, err := t.memorySeq(id)
		if err != nil {
			return err
		}
		seqs = append(seqs, seq)
	}
	t.calm = nil
	err := t.c.Exec("INSERT INTO suggestions ({org} id, kind, memory_seq, by_seq, origin, state, created_at) VALUES "+
		"({?} ?, ?, ?, ?, ?, 'pending', ?)",
		[16]byte(s.ID), string(s.Kind), seqs[0], seqs[1], s.Origin, s.CreatedAt.UnixMicro())
	return t.inserted(ctx, &s, err)
}

func (t suggestions) inserted(ctx context.Context, s *loci.Suggestion, err error) error {
	if err = t.d.orTaken(err, "the same suggestion is already waiting for a decision"); err != nil {
		return err
	}
	return t.suggestionChanged(ctx, s, loci.Created)
}

func (t suggestions) insertOfGraph(ctx context.Context, s *loci.Suggestion) error {
	g := s.Graph
	return t.inserted(ctx, s, t.c.Exec("INSERT INTO suggestions ({org} id, kind, origin, state, created_at, project_id, "+
		"workspace_id, user_id, graph_rows, allowed_vendors) VALUES ({?} ?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?)",
		[16]byte(s.ID), string(s.Kind), s.Origin, s.CreatedAt.UnixMicro(), [16]byte(g.ProjectID), OrNull(g.WorkspaceID),
		[16]byte(s.UserID), rowsText(g), ToJSON(g.AllowedVendors)))
}

func noSuggestion() error { return loci.Errorf(loci.NotFound, "no such suggestion") }

func (t suggestions) Get(_ context.Context, v loci.Viewer, id loci.SuggestionID) (loci.Suggestion, error) {
	var q Query
	q.Add(fromSuggestions+"s.id = ? AND ", [16]byte(id))
	t.seen(&q, v, loci.AnyState)
	return t.one(&q)
}

func (t suggestions) Pending(_ context.Context, s *loci.Suggestion) (loci.Suggestion, error) {
	var q Query
	q.Add(fromSuggestions+"s.kind = ? AND s.state = 'pending' AND ", string(s.Kind))
	if g := s.Graph; g != nil {
		q.Add("s.project_id = ? AND s.graph_rows = ? AND s.user_id = ? AND s.origin = ?", [16]byte(g.ProjectID),
			rowsText(g), [16]byte(s.UserID), s.Origin)
	} else if s.Row != nil {
		q.Add("s.row_id = ?", [16]byte(s.Row.ID))
	} else if q.Add("a.id = ?", [16]byte(s.MemoryID)); s.Kind != loci.SuggestSecret {
		q.Add(" AND b.id = ?", [16]byte(s.ByID))
	}
	return t.one(&q)
}

func (t suggestions) one(q *Query) (s loci.Suggestion, err error) {
	found, err := t.c.One(q.String(), q.Args, func(r Row) (err error) { _, s, err = scanSuggestion(r); return err })
	return s, orMissing(found, err, noSuggestion)
}

func (t suggestions) List(_ context.Context, v loci.Viewer, state loci.SuggestionState, after store.Position,
	limit int) ([]loci.Suggestion, store.Position, error) {
	return newestPage(t.Tx, paging{suggestionPosition, after, limit}, scanSuggestion,
		func(q *Query, before int64, limit int) {
			q.Add(fromSuggestions)
			switch state {
			case loci.SuggestionPending:
				q.Add("s.state = 'pending' AND ") // in the text, so that its index serves
				t.seen(q, v, loci.LiveOnly)
			case "":
				t.seen(q, v, loci.AnyState)
			default:
				q.Add("s.state = ? AND ", string(state))
				t.seen(q, v, loci.AnyState)
			}
			q.Add(" AND s.seq < ? ORDER BY s.seq DESC LIMIT ?", before, limit)
		})
}

func (t suggestions) Settle(ctx context.Context, id loci.SuggestionID, state loci.SuggestionState, at time.Time) error {
	if state != loci.SuggestionAccepted && state != loci.SuggestionDeclined {
		return loci.Errorf(loci.Invalid, "the new state of a suggestion must be accepted or declined")
	}
	if state == loci.SuggestionAccepted && t.d.Scrub != "" {
		if err := t.c.Exec(t.d.Scrub); err != nil {
			return err
		}
	}
	err := t.c.Exec("UPDATE suggestions SET state = ?, settled_at = ? WHERE {suggestions} id = ? AND (state = 'pending' "+
		"OR kind = 'secret' AND state = 'declined' AND ? = 'accepted')", string(state), at.UnixMicro(), [16]byte(id),
		string(state))
	if err != nil {
		return err
	}
	settled := t.c.Changes() > 0
	s, err := t.stored(id)
	switch {
	case err != nil:
		return err
	case !settled:
		return loci.Errorf(loci.Conflict, "the suggestion has been accepted or declined already")
	}
	s.Origin = "" // of whoever suggested it, not of this change
	return t.suggestionChanged(ctx, &s, loci.Updated)
}

// stored returns a suggestion, whoever may see it.
func (t suggestions) stored(id loci.SuggestionID) (loci.Suggestion, error) {
	var q Query
	q.Add(fromSuggestions+"s.id = ?", [16]byte(id))
	return t.one(&q)
}
