package sqlstore

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

type candidates struct{ *Tx }

const candidatePosition byte = 0x24

// workColumns are the columns of s that scanAccess reads, and before them its number.
const workColumns = "s.seq, s.user_id, s.workspace_id, s.project_id, s.reach, s.team_id, s.origin, s.allowed_vendors"

const candidateColumns = workColumns + ", s.id, s.state, s.version, s.body"

func (tx *Tx) scanAccess(r Row) (a loci.EventAccess, err error) {
	a = loci.EventAccess{OrgID: tx.Org, UserID: r.ID(1), WorkspaceID: r.ID(2), ProjectID: r.ID(3),
		Reach: loci.Reach(r.Text(4)), TeamID: r.ID(5), Origin: r.Text(6)}
	a.AllowedVendors, err = fromJSON[loci.Vendor](r.Raw(7))
	return a, err
}

// bindAccess returns the values of workColumns without the number.
func bindAccess(a *loci.EventAccess) []any {
	return []any{[16]byte(a.UserID), OrNull(a.WorkspaceID), OrNull(a.ProjectID), string(a.Reach), OrNull(a.TeamID),
		a.Origin,
		ToJSON(a.AllowedVendors)}
}

// scanCandidate reads candidateColumns. The columns count, whatever the body says.
func (tx *Tx) scanCandidate(r Row) (seq int64, c *loci.Candidate, err error) {
	c = &loci.Candidate{}
	if err := json.Unmarshal(r.Raw(11), c); err != nil {
		return 0, nil, err
	}
	if c.EventAccess, err = tx.scanAccess(r); err != nil {
		return 0, nil, err
	}
	c.ID, c.State, c.Version = r.ID(8), loci.ReviewState(r.Text(9)), r.Int(10)
	c.SetDefaults()
	return r.Int64(0), c, nil
}

// due returns when the dream-cycle looks at c, or NULL.
func due(c *loci.Candidate) any {
	switch c.State {
	case loci.ReviewPending:
		return max(c.CreatedAt.UnixMicro(), unixMicro(c.NextAttempt))
	case loci.ReviewDeferred:
		return c.DeferredTo.UnixMicro()
	case loci.ReviewPromoted:
		if c.GraphPending {
			return max(c.UpdatedAt.UnixMicro(), unixMicro(c.NextAttempt))
		}
	case loci.ReviewRejected, loci.ReviewArchived:
	}
	return nil
}

func unixMicro(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func (t candidates) Insert(_ context.Context, c *loci.Candidate) error {
	_, err := t.insert(c, "")
	return t.d.orTaken(err, "candidate %s exists already", c.ID)
}

func (t candidates) InsertNew(_ context.Context, c *loci.Candidate) (added bool, err error) {
	return t.insert(c, " ON CONFLICT ({org} id) DO NOTHING")
}

// insert stores a candidate and reports whether it did. taken says what to do if its id is taken.
func (t candidates) insert(c *loci.Candidate, taken string) (added bool, err error) {
	if err := t.writable(c.OrgID, c.UserID); err != nil {
		return false, err
	}
	body, err := json.Marshal(c)
	if err != nil {
		return false, err
	}
	err = t.c.Exec("INSERT INTO candidates ({org} user_id, workspace_id, project_id, reach, team_id, origin, "+
		"allowed_vendors, id, kind, state, source_id, memory_id, due, version, created_at, updated_at, body) "+
		"VALUES ({?} ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"+taken,
		append(bindAccess(&c.EventAccess), [16]byte(c.ID), string(c.Kind), string(c.State), OrNull(c.SourceID),
			OrNull(c.MemoryID), due(c), c.Version, c.CreatedAt.UnixMicro(), c.UpdatedAt.UnixMicro(), string(body))...)
	if err != nil || t.c.Changes() == 0 {
		return false, err
	}
	if err := t.follow(c); err != nil {
		return true, err
	}
	return true, t.workChanged(loci.FeedCandidate, c.ID, c.Version, nil, &c.EventAccess)
}

// follow records the sessions of a candidate that are not recorded yet.
func (t candidates) follow(c *loci.Candidate) error {
	ids := slices.DeleteFunc(append([]loci.SessionID{c.SessionID}, c.OtherSessions...), loci.SessionID.IsZero)
	if len(ids) == 0 {
		return nil
	}
	return t.c.Exec("INSERT INTO candidate_sessions ({org} session_id, candidate_seq) SELECT {?} j.value, s.seq FROM "+
		"{ids} {join} candidates s ON {s} s.id = ? WHERE TRUE ON CONFLICT DO NOTHING", listOf(t.d, ids), [16]byte(c.ID))
}

func noCandidate() error { return loci.Errorf(loci.NotFound, "no such candidate") }

func (t candidates) Get(_ context.Context, v loci.Viewer, id loci.CandidateID) (*loci.Candidate, error) {
	_, c, err := t.get(v, id)
	return c, err
}

func (t candidates) get(v loci.Viewer, id loci.CandidateID) (seq int64, c *loci.Candidate, err error) {
	var q Query
	q.Add("SELECT "+candidateColumns+" FROM candidates s WHERE {s} s.id = ? AND ", [16]byte(id))
	t.seesWork(&q, v, "s")
	found, err := t.c.One(q.String(), q.Args, func(r Row) (err error) { seq, c, err = t.scanCandidate(r); return err })
	return seq, c, orMissing(found, err, noCandidate)
}

func (t candidates) List(_ context.Context, v loci.Viewer, cq store.CandidateQuery) (
	[]*loci.Candidate, store.Position, error) {
	return newestPage(t.Tx, paging{candidatePosition, cq.After, cq.Limit}, t.scanCandidate,
		func(q *Query, before int64, limit int) {
			q.Add("SELECT " + candidateColumns + " FROM candidates s WHERE {s} ")
			t.filter(q, v, &cq)
			q.Add(" AND s.seq < ? ORDER BY s.seq DESC LIMIT ?", before, limit)
		})
}

func (t candidates) filter(q *Query, v loci.Viewer, cq *store.CandidateQuery) {
	t.seesWork(q, v, "s")
	switch due := CeilMicro(cq.Now); {
	case cq.State == loci.ReviewPending && !cq.Now.IsZero():
		q.Add(" AND (s.state = 'pending' OR s.state = 'deferred' AND s.due <= ?)", due)
	case cq.State == loci.ReviewDeferred && !cq.Now.IsZero():
		q.Add(" AND s.state = 'deferred' AND s.due > ?", due)
	case cq.State != "":
		q.Add(" AND s.state = ?", string(cq.State))
	}
	if cq.Kind != "" {
		q.Add(" AND s.kind = ?", string(cq.Kind))
	}
	if !cq.ProjectID.IsZero() {
		q.Add(" AND s.project_id = ?", [16]byte(cq.ProjectID))
	}
	if !cq.SourceID.IsZero() {
		q.Add(" AND s.source_id = ?", [16]byte(cq.SourceID))
	}
	if !cq.MemoryID.IsZero() {
		q.Add(" AND s.memory_id = ?", [16]byte(cq.MemoryID))
	}
	if !cq.Last.IsZero() {
		q.Add(" AND s.id BETWEEN ? AND ?", [16]byte(cq.First), [16]byte(cq.Last))
	}
}

func (t candidates) Count(_ context.Context, v loci.Viewer, cq store.CandidateQuery) (map[loci.ReviewState]int, error) {
	var q Query
	due := int64(0)
	if !cq.Now.IsZero() {
		due = CeilMicro(cq.Now)
	}
	q.Add("SELECT CASE WHEN s.state = 'deferred' AND s.due <= ? THEN 'pending' ELSE s.state END, count(*) "+
		"FROM candidates s WHERE {s} ", due)
	t.filter(&q, v, &cq)
	q.Add(" GROUP BY 1")
	counts := map[loci.ReviewState]int{}
	err := t.c.Query(q.String(), q.Args, func(r Row) error {
		counts[loci.ReviewState(r.Text(0))] = r.Int(1)
		return nil
	})
	return counts, err
}

func (t candidates) Replace(_ context.Context, c *loci.Candidate) error {
	if err := t.mine(c.OrgID); err != nil {
		return err
	}
	var seq int64
	var version int
	var body string
	var before loci.EventAccess
	found, err := t.c.One("SELECT "+candidateColumns+" FROM candidates s WHERE {s} s.id = ? {lock}",
		Args{[16]byte(c.ID)}, func(r Row) (err error) {
			seq, version, body = r.Int64(0), r.Int(10), r.Text(11)
			before, err = t.scanAccess(r)
			return err
		})
	switch {
	case err != nil || !found:
		return orMissing(found, err, noCandidate)
	case version != c.Version-1:
		return loci.Errorf(loci.Conflict, "somebody else has changed the candidate meanwhile; read it again")
	}
	err = t.c.Exec("INSERT INTO candidate_versions ({org} candidate_seq, version, body) VALUES ({?} ?, ?, ?)", seq,
		version,
		body)
	if err != nil {
		return err
	}
	now, err := json.Marshal(c)
	if err != nil {
		return err
	}
	err = t.c.Exec("UPDATE candidates SET kind = ?, state = ?, memory_id = ?, due = ?, version = ?, updated_at = ?, "+
		"reach = ?, team_id = ?, allowed_vendors = ?, body = ? WHERE {candidates} seq = ?", string(c.Kind), string(c.State),
		OrNull(c.MemoryID), due(c), c.Version, c.UpdatedAt.UnixMicro(), string(c.Reach), OrNull(c.TeamID),
		ToJSON(c.AllowedVendors), string(now), seq)
	if err == nil {
		err = t.follow(c)
	}
	if err != nil {
		return err
	}
	after := before
	after.Reach, after.TeamID, after.AllowedVendors = c.Reach, c.TeamID, c.AllowedVendors
	return t.workChanged(loci.FeedCandidate, c.ID, c.Version, &before, &after)
}

func (t candidates) Versions(_ context.Context, v loci.Viewer, id loci.CandidateID) (list []*loci.Candidate,
	err error) {
	seq, now, err := t.get(v, id)
	if err != nil {
		return nil, err
	}
	err = t.c.Query("SELECT v.body FROM candidate_versions v WHERE {v} v.candidate_seq = ? ORDER BY v.version DESC",
		Args{seq}, func(r Row) error {
			old := &loci.Candidate{}
			if err := json.Unmarshal(r.Raw(0), old); err != nil {
				return err
			}
			then := old.EventAccess
			old.EventAccess = now.EventAccess // an old version shows nobody more than the present one
			old.Reach, old.TeamID, old.AllowedVendors = then.Reach, then.TeamID, then.AllowedVendors
			old.SetDefaults()
			list = append(list, old)
			return nil
		})
	return list, err
}

func (t candidates) VersionOf(_ context.Context, id loci.CandidateID) (version int, err error) {
	found, err := t.c.One("SELECT s.version FROM candidates s WHERE {s} s.id = ?", Args{[16]byte(id)},
		func(r Row) error { version = r.Int(0); return nil })
	return version, orMissing(found, err, noCandidate)
}

func (t candidates) Due(_ context.Context, then time.Time, limit int) (list []*loci.Candidate, err error) {
	err = t.c.Query("SELECT "+candidateColumns+" FROM candidates s JOIN (SELECT c.seq AS number, "+
		"row_number() OVER (PARTITION BY c.user_id ORDER BY c.due, c.seq) AS turn FROM candidates c WHERE {c} c.due <= ?) "+
		"AS waiting ON waiting.number = s.seq WHERE {s} s.due <= ? ORDER BY waiting.turn, s.due, s.seq LIMIT ?",
		Args{then.UnixMicro(), then.UnixMicro(), limit}, func(r Row) error {
			_, c, err := t.scanCandidate(r)
			list = append(list, c)
			return err
		})
	return list, err
}

func (t candidates) Graphed(_ context.Context, now *loci.Candidate) error {
	var q Query
	q.Add("SELECT "+candidateColumns+" FROM candidates s WHERE {s} s.id = ? {lock}", [16]byte(now.ID))
	var seq int64
	var c *loci.Candidate
	found, err := t.c.One(q.String(), q.Args, func(r Row) (err error) { seq, c, err = t.scanCandidate(r); return err })
	if err = orMissing(found, err, noCandidate); err != nil {
		return err
	}
	if c.State != loci.ReviewPromoted || c.MemoryID != now.MemoryID {
		return loci.Errorf(loci.Conflict, "the candidate is not promoted any more")
	}
	c.GraphPending, c.EntityID, c.Attempts, c.NextAttempt = now.GraphPending, now.EntityID, now.Attempts, now.NextAttempt
	body, err := json.Marshal(c)
	if err != nil {
		return err
	}
	err = t.c.Exec("UPDATE candidates SET due = ?, body = ? WHERE {candidates} seq = ?", due(c), string(body), seq)
	if err != nil {
		return err
	}
	return t.workChanged(loci.FeedCandidate, c.ID, c.Version, &c.EventAccess, &c.EventAccess)
}

func (t candidates) Release(ctx context.Context, user loci.UserID, team loci.TeamID) error {
	err := t.changeAll(ctx, func(c *loci.Candidate) { c.Reach, c.TeamID = loci.ReachPrivate, loci.TeamID{} },
		"s.user_id = ? AND s.team_id = ?", [16]byte(user), [16]byte(team))
	if err != nil {
		return err
	}
	return t.c.Exec("UPDATE reflections SET reach = 'private', team_id = NULL WHERE {reflections} user_id = ? AND "+
		"team_id = ?", [16]byte(user), [16]byte(team))
}

// ReleaseCandidates leaves the candidates of a project that is deleted to their owners, at most limit, and returns the
// number. With the last ones, it leaves them its notes.
func (tx *Tx) ReleaseCandidates(ctx context.Context, id loci.ProjectID, limit int) (n int, err error) {
	t := candidates{tx}
	list, err := t.all("s.project_id = ? ORDER BY s.seq LIMIT ?", [16]byte(id), limit)
	for _, c := range list {
		if err == nil {
			c.LeaveProject()
			c.Version++
			err = t.Replace(ctx, c)
		}
		if err == nil {
			err = tx.c.Exec("UPDATE candidates SET project_id = NULL WHERE {candidates} id = ?", [16]byte(c.ID))
		}
	}
	if err == nil && len(list) < limit {
		err = tx.c.Exec("UPDATE reflections SET project_id = NULL, reach = 'private', team_id = NULL "+
			"WHERE {reflections} project_id = ?", [16]byte(id))
	}
	return len(list), err
}

// all returns the candidates for which a condition holds.
func (t candidates) all(condition string, args ...any) ([]*loci.Candidate, error) {
	return all(t.c, "SELECT "+candidateColumns+" FROM candidates s WHERE {s} "+condition, args,
		func(r Row) (*loci.Candidate, error) { _, c, err := t.scanCandidate(r); return c, err })
}

// narrowOf limits the readers of the candidates and of the notes of a session.
func (t candidates) narrowOf(ctx context.Context, id loci.SessionID, to *loci.EventAccess) error {
	err := t.changeAll(ctx, func(c *loci.Candidate) { c.Narrow(to) }, "s.seq IN (SELECT f.candidate_seq FROM "+
		"candidate_sessions f WHERE {f} f.session_id = ?)", [16]byte(id))
	if err != nil {
		return err
	}
	return reflections(t).narrow(to, "s.seq IN (SELECT f.reflection_seq FROM reflection_sessions f WHERE {f} "+
		"f.session_id = ?)", [16]byte(id))
}

// changeAll changes who reads the candidates for which a condition holds. Each becomes a new version, so that nobody
// who is at work on one brings its readers back.
func (t candidates) changeAll(ctx context.Context, change func(*loci.Candidate), condition string, args ...any) error {
	list, err := t.all(condition, args...)
	for _, c := range list {
		before := c.EventAccess
		if change(c); err != nil || c.SameAccess(&before) {
			continue
		}
		c.Version++
		err = t.Replace(ctx, c)
	}
	return err
}
