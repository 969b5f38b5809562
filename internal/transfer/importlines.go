package transfer

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

func (r *record) checkAgent() error {
	r.Agent.LastActiveAt = loci.CutTime(r.Agent.LastActiveAt)
	return cmp.Or(keepable(r.Agent.ID, "", &r.Agent.CreatedAt, &r.Agent.UpdatedAt), r.Agent.Validate())
}

// fromOldFormat gives a session of an export before format 4 what it was: private, and for one vendor or none.
func (s *sessionLine) fromOldFormat() {
	s.Reach, s.Origin, s.AllowedVendors = loci.ReachPrivate, "api", []loci.Vendor{}
	if s.Vendor != "" {
		s.Origin, s.AllowedVendors = string(s.Vendor), []loci.Vendor{s.Vendor}
	}
	if s.UpdatedAt = s.ClosedAt; s.UpdatedAt.IsZero() {
		s.UpdatedAt = s.CreatedAt
	}
	s.LastActiveAt = s.UpdatedAt
}

func (r *record) checkSession() error {
	s := r.Session
	if s.Reach == "" {
		s.fromOldFormat()
	}
	if err := keepable(s.ID, s.Origin, &s.CreatedAt, &s.UpdatedAt, &s.LastActiveAt); err != nil {
		return err
	}
	s.ClosedAt, s.ReopenedAt, s.Revision = loci.CutTime(s.ClosedAt), loci.CutTime(s.ReopenedAt), 1
	if s.State != loci.SessionActive && s.State != loci.SessionClosed ||
		(s.State == loci.SessionClosed) == s.ClosedAt.IsZero() {
		return loci.FieldErrorf("state", "must be active, or closed with closed_at")
	}
	return s.Validate()
}

func (r *record) checkTask() error {
	t := r.Task
	if err := keepable(t.ID, t.Origin, &t.CreatedAt, &t.UpdatedAt); err != nil {
		return err
	}
	if t.DoneAt = loci.CutTime(t.DoneAt); (t.State == loci.TaskDone) == t.DoneAt.IsZero() {
		return loci.FieldErrorf("state", "must be todo or doing, or done with done_at")
	}
	if t.Version < 1 {
		return loci.FieldErrorf("version", "must be at least 1")
	}
	return t.Validate()
}

func (r *record) checkMemory() error {
	m := r.Memory
	if err := checkStored(m); err != nil {
		return err
	}
	for i, v := range r.Versions {
		if err := checkStored(&v.Memory); err != nil {
			return err
		}
		v.ReplacedAt = loci.CutTime(v.ReplacedAt)
		if v.ID != m.ID || v.Version >= m.Version || i > 0 && v.Version <= r.Versions[i-1].Version {
			return loci.FieldErrorf(fmt.Sprintf("versions[%d]", i), "is not an older version of the same memory, in order")
		}
	}
	for i := range r.Sources {
		s := &r.Sources[i]
		s.MemoryID = m.ID
		if err := cmp.Or(keepable(s.ID, s.Origin, &s.CreatedAt), s.Validate(fmt.Sprintf("sources[%d]", i))); err != nil {
			return err
		}
	}
	for i := range r.Assets {
		a := &r.Assets[i]
		a.MemoryID = m.ID
		if err := cmp.Or(keepable(a.ID, a.Origin, &a.CreatedAt), a.Validate()); err != nil {
			return err
		}
	}
	return nil
}

// maxImportItems is how many items all writers of a node together may have.
const maxImportItems = loci.MaxAllNodeItems

func (r *record) checkNode() error {
	n := r.Node
	n.SetDefaults()
	n.ExpiresAt, n.DeletedAt = loci.CutTime(n.ExpiresAt), loci.CutTime(n.DeletedAt)
	if err := cmp.Or(keepable(n.ID, n.Origin, &n.CreatedAt, &n.UpdatedAt), n.Validate()); err != nil {
		return err
	}
	if len(r.Items) > maxImportItems {
		return loci.FieldErrorf("items", "has %d entries; at most %d are allowed", len(r.Items), maxImportItems)
	}
	below := map[loci.NodeItemID]int{{}: 0}
	for i := range r.Items {
		item, field := &r.Items[i], fmt.Sprintf("items[%d]", i)
		if err := cmp.Or(keepable(item.ID, item.Origin, &item.CreatedAt), item.Validate(field)); err != nil {
			return err
		}
		place, ok := below[item.ParentID]
		if !ok {
			return loci.FieldErrorf(field+".parent_id", "must be an earlier item")
		}
		if _, twice := below[item.ID]; twice {
			return loci.FieldErrorf(field+".id", "appears twice")
		}
		item.NodeID, item.Position = n.ID, place
		below[item.ParentID], below[item.ID] = place+1, 0
	}
	return nil
}

func (r *record) checkSuggestion() error {
	s := r.Suggestion
	if err := keepable(s.ID, s.Origin, &s.CreatedAt); err != nil {
		return err
	}
	if s.Kind != loci.SuggestSupersede && s.Kind != loci.SuggestCorrect {
		return loci.FieldErrorf("kind", "must be supersede or correct")
	}
	s.SettledAt = loci.CutTime(s.SettledAt)
	switch {
	case s.State == loci.SuggestionPending && s.SettledAt.IsZero():
	case (s.State == loci.SuggestionAccepted || s.State == loci.SuggestionDeclined) && !s.SettledAt.IsZero():
	default:
		return loci.FieldErrorf("state", "must be pending, or accepted or declined with settled_at")
	}
	if s.MemoryID.IsZero() || s.ByID.IsZero() || s.MemoryID == s.ByID {
		return loci.FieldErrorf("memory_id", "and by_id must be two memories")
	}
	return nil
}

func (r *record) checkGolden() error {
	q := r.Golden
	for i := range q.Expected {
		q.Expected[i].Title = ""
	}
	return cmp.Or(keepable(q.ID, "", &q.CreatedAt, &q.UpdatedAt), q.Validate(),
		memory.CheckWords("question", q.Question))
}

func (r *record) checkGoldenRun() error {
	return cmp.Or(keepable(r.GoldenRun.ID, r.GoldenRun.Origin, &r.GoldenRun.At), r.GoldenRun.Validate())
}

func (r *record) checkProject() error {
	if r.Project.ID.IsZero() {
		return loci.FieldErrorf("id", "is missing")
	}
	return (&loci.Project{Name: r.Project.Name, Description: r.Project.Description}).Validate()
}

// checkRow leaves the limits of the row to the import of its graph.
func (r *record) checkRow() error {
	if r.In.IsZero() {
		return loci.FieldErrorf("in", "must be the project of the graph")
	}
	return nil
}

func (r *record) checkEvent() error {
	e := r.Event
	if err := keepable(e.ID, e.Origin, &e.Time, &e.RecordedAt); err != nil {
		return err
	}
	e.SetDefaults(e.RecordedAt)
	return e.Validate()
}

func (r *record) checkNote() error {
	n := r.Note
	return cmp.Or(keepable(n.ID, n.Origin, &n.CreatedAt), errors.Join(
		loci.CheckText("title", n.Title, 0, loci.MaxTitle), loci.CheckText("text", n.Text, 1, loci.MaxNotes)))
}

func (r *record) checkCandidate() error {
	for i, c := range r.candidates() {
		if err := keepable(c.ID, c.Origin, &c.CreatedAt, &c.UpdatedAt); err != nil {
			return err
		}
		c.SetDefaults()
		if err := errors.Join(c.Validate(), loci.CheckReviewState("review_state", c.State)); err != nil {
			return err
		}
		if c.ID != r.Candidate.ID || i > 0 && c.Version != r.candidates()[i-1].Version+1 {
			return loci.FieldErrorf(fmt.Sprintf("before[%d]", i), "is not an older version of the same candidate, in order")
		}
	}
	return nil
}

// keepable cuts times and rejects a row without an id or a time, or with an unknown origin. An
// empty origin is valid for kinds that have none.
func keepable[T interface{ IsZero() bool }](id T, origin string, times ...*time.Time) error {
	if id.IsZero() {
		return loci.FieldErrorf("id", "is missing")
	}
	if origin != "" && loci.Vendor(origin).Validate() != nil {
		return loci.FieldErrorf("origin", "is not a vendor or one of api, cli and dashboard")
	}
	for _, t := range times {
		if *t = loci.CutTime(*t); t.IsZero() {
			return loci.FieldErrorf("created_at", "is required, and so is updated_at if the row has one")
		}
	}
	return nil
}

// checkStored brings a memory into the form in which it is stored. It checks the usual limits and
// the fields that only the server sets.
func checkStored(m *loci.Memory) error {
	if m.ID.IsZero() {
		return loci.FieldErrorf("id", "is missing")
	}
	m.SetDefaults()
	for _, t := range []*time.Time{&m.ExpiresAt, &m.DeletedAt, &m.ValidFrom, &m.ValidTo, &m.CreatedAt, &m.UpdatedAt} {
		*t = loci.CutTime(*t)
	}
	if err := m.Validate(); err != nil {
		return err
	}
	if loci.Vendor(m.Origin).Validate() != nil {
		return loci.FieldErrorf("origin", "is not a vendor or one of api, cli and dashboard")
	}
	if loci.Vendor(m.Editor).Validate() != nil {
		return loci.FieldErrorf("editor", "is not a vendor or one of api, cli and dashboard")
	}
	if m.Disputed() {
		return loci.FieldErrorf("disputed_by", "and pending_supersede are never stored; leave both out")
	}
	if m.Version < 1 {
		return loci.FieldErrorf("version", "must be at least 1")
	}
	switch m.Change {
	case loci.Created, loci.Updated, loci.Trashed, loci.Restored:
	default:
		return loci.FieldErrorf("change", "must be created, updated, trashed or restored")
	}
	if m.CreatedAt.IsZero() || m.UpdatedAt.IsZero() {
		return loci.FieldErrorf("created_at", "and updated_at are required")
	}
	return nil
}
