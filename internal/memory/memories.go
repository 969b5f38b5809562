package memory

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/store"
)

// Patch changes the fields that are not nil. A zero time clears its field.
type Patch struct {
	Title, Content, Summary, Key *string
	Category, Source             *string
	Type                         *loci.MemoryType
	Tags                         *[]string
	AllowedVendors               *[]loci.Vendor
	Importance                   *int
	Pinned                       *bool
	ExpiresAt                    *time.Time
	ValidFrom, ValidTo           *time.Time
}

// checkDraft holds what Memory.Validate cannot know: who is writing, and what there was before, which
// is zero of a new memory.
func checkDraft(p loci.Principal, m, before *loci.Memory) error {
	if err := m.Validate(); err != nil {
		return err
	}
	if m.Source == loci.AutoSource && before.Source != loci.AutoSource {
		return loci.FieldErrorf("source", "may be %q only for memories that were promoted from a candidate", loci.AutoSource)
	}
	if !m.ProjectID.IsZero() && !slices.Contains(p.ProjectIDs, m.ProjectID) {
		return project.ErrNotIn()
	}
	if p.OnlyProjects && m.ProjectID.IsZero() {
		return loci.FieldErrorf("project_id",
			"is needed: this key is limited to projects, and would not see the memory otherwise")
	}
	if !m.AgentID.IsZero() && m.AgentID != p.AgentID && m.AgentID != before.AgentID {
		return loci.FieldErrorf("agent_id", "must be the agent of the session that writes")
	}
	if !m.SessionID.IsZero() && m.SessionID != p.SessionID && m.SessionID != before.SessionID {
		return loci.FieldErrorf("session_id", "must be the session that writes")
	}
	return nil
}

// Get returns a memory. A person also gets one from the trash, which has its
// DeletedAt set. NotFound if it is not there or not visible.
func (s *Service) Get(ctx context.Context, p loci.Principal, id loci.MemoryID) (*loci.Memory, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return nil, err
	}
	return s.getAt(ctx, p, id, loci.When{})
}

// Replace puts a whole new text and its attributes in place of the old, which
// is kept as a version. Fields that the draft leaves out get their defaults.
// ifVersion, unless 0, is the version that the caller saw: Precondition if the
// memory has moved on. NotFound if it is not there, in the trash or not
// visible; Forbidden if it is another person's, or if the change shortens its
// life and the credential may not delete; Conflict if it is of an archived project.
// A change that changes nothing makes no version.
func (s *Service) Replace(ctx context.Context, p loci.Principal, id loci.MemoryID, ifVersion int, d Draft) (
	*loci.Memory, error) {
	if err := s.Begin(ctx, p, Change); err != nil {
		return nil, err
	}
	return s.update(ctx, p, id, ifVersion, d.apply)
}

// Patch changes some fields and keeps the version before. Its errors are those
// of Replace.
func (s *Service) Patch(ctx context.Context, p loci.Principal, id loci.MemoryID, ifVersion int, c Patch) (
	*loci.Memory, error) {
	if err := s.Begin(ctx, p, Change); err != nil {
		return nil, err
	}
	return s.update(ctx, p, id, ifVersion, c.apply)
}

// errAskProject undoes a change that needs to know whether a project is open.
var errAskProject = errors.New("is the project open")

// openly runs try, which asks open about the project of each memory that it is about to change. Of which projects they
// are shows only in its transaction, in which nothing else may be waited for; so it is undone and repeated
// then. known is open already.
func (s *Service) openly(ctx context.Context, p loci.Principal, known loci.ProjectID,
	try func(open func(loci.ProjectID) error) error) error {
	for opened := []loci.ProjectID{{}, known}; ; {
		var asked loci.ProjectID
		err := try(func(id loci.ProjectID) error {
			if slices.Contains(opened, id) {
				return nil
			}
			asked = id
			return errAskProject
		})
		if !errors.Is(err, errAskProject) {
			return err
		}
		if err := s.projects.MustBeOpen(ctx, p, asked); err != nil {
			return err
		}
		opened = append(opened, asked)
	}
}

// update carries Replace and Patch out.
func (s *Service) update(ctx context.Context, p loci.Principal, id loci.MemoryID, ifVersion int,
	apply func(*loci.Memory)) (m *loci.Memory, err error) {
	err = s.openly(ctx, p, loci.ProjectID{}, func(open func(loci.ProjectID) error) error {
		m, err = s.change(ctx, p, id,
			edit{act: Change, ifVersion: ifVersion, what: loci.Updated, fn: func(m *loci.Memory) error {
				if err := s.updated(p, m, apply); err != nil {
					return err
				}
				return open(m.ProjectID)
			}})
		return err
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// updated applies a change and checks what it made of a memory.
func (s *Service) updated(p loci.Principal, m *loci.Memory, apply func(*loci.Memory)) error {
	before := *m
	expires := before.ExpiresAt
	apply(m)
	if err := checkDraft(p, m, &before); err != nil {
		return err
	}
	if m.ExpiresAt.Equal(expires) {
		return nil
	}
	if !m.ExpiresAt.IsZero() && (expires.IsZero() || m.ExpiresAt.Before(expires)) {
		if err := s.May(p, Trash); err != nil { // a shorter life is a deletion
			return err
		}
	}
	return s.checkExpiry(m)
}

// checkExpiry refuses a memory that nobody could ever read.
func (s *Service) checkExpiry(m *loci.Memory) error {
	if !m.ExpiresAt.IsZero() && !m.ExpiresAt.After(s.Time()) {
		return loci.FieldErrorf("expires_at", "is in the past; leave it out to keep the memory, or trash it")
	}
	return nil
}

func (c *Patch) apply(m *loci.Memory) {
	gate.Set(&m.Title, c.Title)
	gate.Set(&m.Content, c.Content)
	gate.Set(&m.Summary, c.Summary)
	gate.Set(&m.Key, c.Key)
	gate.Set(&m.Category, c.Category)
	gate.Set(&m.Source, c.Source)
	gate.Set(&m.Type, c.Type)
	gate.Set(&m.Tags, c.Tags)
	gate.Set(&m.AllowedVendors, c.AllowedVendors)
	gate.Set(&m.Importance, c.Importance)
	gate.Set(&m.Pinned, c.Pinned)
	gate.Set(&m.ExpiresAt, c.ExpiresAt)
	gate.Set(&m.ValidFrom, c.ValidFrom)
	gate.Set(&m.ValidTo, c.ValidTo)
	m.ExpiresAt = loci.CutTime(m.ExpiresAt)
	m.ValidFrom, m.ValidTo = loci.CutTime(m.ValidFrom), loci.CutTime(m.ValidTo)
}

// edit is one way to alter a stored memory.
type edit struct {
	act       gate.Action
	ifVersion int // the version that the caller saw; 0: any
	life      loci.Lifecycle
	what      loci.Change
	fn        func(*loci.Memory) error
}

// change alters one stored memory in a transaction of its own.
func (s *Service) change(ctx context.Context, p loci.Principal, id loci.MemoryID, how edit) (*loci.Memory, error) {
	var changed *loci.Memory
	err := s.Write(ctx, p, how.act, func(tx store.Tx, e *loci.AuditEntry) error {
		old, err := owned(ctx, tx, p, id, how)
		if err != nil {
			return err
		}
		changed, err = s.put(ctx, tx, p, old, how)
		if err == nil && changed == old {
			e.Action = ""
		}
		e.Target = id.String()
		changed, err = showableOne(ctx, tx, p.Viewer(), changed, err)
		return err
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// owned returns a memory that p may alter. What p may not see is NotFound
// before anything else is said of it.
func owned(ctx context.Context, tx store.Tx, p loci.Principal, id loci.MemoryID, how edit) (*loci.Memory, error) {
	m, err := tx.Memories().Get(ctx, p.Viewer(), id, how.life)
	if err != nil {
		return nil, err
	}
	if m.UserID != p.UserID {
		return nil, loci.Errorf(loci.Forbidden, "this memory is shared with you; only its owner can change it")
	}
	if p.Kind == loci.KindAgent && m.Origin != string(p.Vendor) {
		return nil, loci.Errorf(loci.Forbidden,
			"an agent may share and trash only what its own vendor wrote; ask the person whose memory it is")
	}
	if how.ifVersion != 0 && how.ifVersion != m.Version {
		return nil, loci.Errorf(loci.Precondition, "the memory is at version %d, not %d; read it again and repeat the change",
			m.Version, how.ifVersion)
	}
	return m, nil
}

// put stores what the edit makes of a memory as its next version, and returns
// it; or old itself if that changes nothing.
func (s *Service) put(ctx context.Context, tx store.Tx, p loci.Principal, old *loci.Memory, how edit) (
	*loci.Memory, error) {
	m := old.Clone()
	if err := how.fn(m); err != nil {
		return nil, err
	}
	if reflect.DeepEqual(old, m) {
		return old, nil
	}
	m.State = madeBy(p, old.Version+1, how.what)
	m.UpdatedAt = gate.Later(s.Time(), old.UpdatedAt)
	return m, tx.Memories().Replace(ctx, m)
}

// madeBy says through what p makes a version.
func madeBy(p loci.Principal, version int, what loci.Change) loci.State {
	return loci.State{Version: version, Change: what, Editor: p.Origin,
		EditorID: p.UserID, EditorCredentialID: p.CredentialID, EditorSessionID: p.SessionID}
}

// Versions returns the old versions of a memory, newest first, and the current
// one, also of one that is in the trash or has expired. before, unless 0,
// continues after that version. NotFound as for Get.
func (s *Service) Versions(ctx context.Context, p loci.Principal, id loci.MemoryID, before, limit int) (
	[]*loci.Version, *loci.Memory, error) {
	if err := s.Begin(ctx, p, History); err != nil {
		return nil, nil, err
	}
	limit, err := gate.PageSize("limit", limit, 100, 500)
	if err != nil {
		return nil, nil, err
	}
	var versions []*loci.Version
	var current *loci.Memory
	err = s.Store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
		if current, err = tx.Memories().Get(ctx, p.Viewer(), id, loci.AnyState); err != nil {
			return err
		}
		if versions, err = tx.Memories().Versions(ctx, p.Viewer(), id, loci.AnyState, before, limit); err != nil {
			return err
		}
		all := []*loci.Memory{current}
		for _, v := range versions {
			all = append(all, &v.Memory)
		}
		return showable(ctx, tx, p.Viewer(), all...)
	})
	return versions, current, err
}
