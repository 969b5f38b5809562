package memory

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/reflection/sensitive"
	"github.com/loci-memory/loci/internal/store"
)

// Patch is loci.Edit.
type Patch = loci.Edit

// checkDraft checks what Memory.Validate cannot know: who is writing, and the previous state,
// which is zero for a new memory.
func checkDraft(p loci.Principal, m, before *loci.Memory) error {
	if err := cmp.Or(m.Validate(), m.CheckNewNames(before)); err != nil {
		return err
	}
	if m.Source == loci.AutoSource && before.Source != loci.AutoSource {
		return loci.FieldErrorf("source", "may be %q only for memories that were promoted from a candidate", loci.AutoSource)
	}
	stays := m.ProjectID == before.ProjectID && (m.Scope == before.Scope || m.Scope != loci.ScopeProject)
	if !m.ProjectID.IsZero() && !stays && !slices.Contains(p.ProjectIDs, m.ProjectID) {
		return project.ErrNotIn()
	}
	if p.OnlyProjects && m.ProjectID.IsZero() {
		return loci.FieldErrorf("project_id",
			"is required: this key is limited to projects and could not see the memory otherwise")
	}
	if !m.AgentID.IsZero() && m.AgentID != p.AgentID && m.AgentID != before.AgentID {
		return loci.FieldErrorf("agent_id", "must be the agent of your session")
	}
	if !m.SessionID.IsZero() && m.SessionID != p.SessionID && m.SessionID != before.SessionID {
		return loci.FieldErrorf("session_id", "must be your session")
	}
	return nil
}

// Get returns a memory. A person can also get one from the trash; its DeletedAt is set. NotFound
// if it does not exist or is not visible, with a ReplacedError if another memory replaced it.
func (s *Service) Get(ctx context.Context, p loci.Principal, id loci.MemoryID) (*loci.Memory, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return nil, err
	}
	return s.getAt(ctx, p, id, loci.When{})
}

// Patch changes some fields and keeps the old version. ifVersion, unless 0, is the version that the caller saw:
// Precondition if the memory has changed since. NotFound if it does not exist, is in the trash or not visible;
// Conflict with a ReplacedError if another memory replaced it; Forbidden if it belongs to another person or, for an
// agent, if another origin wrote it, if an agent would let more vendors read it, or if the change shortens its life
// and the credential may not delete; Conflict if the project to which it then belongs is archived, or if it comes to
// another scope, project or agent where a memory has its key. A change without effect makes no version.
func (s *Service) Patch(ctx context.Context, p loci.Principal, id loci.MemoryID, ifVersion int, c Patch) (
	*loci.Memory, error) {
	if err := s.Begin(ctx, p, Change); err != nil {
		return nil, err
	}
	return s.update(ctx, p, id, ifVersion, edited(&c))
}

// Replace changes the fields that a draft has, and works like Patch.
func (s *Service) Replace(ctx context.Context, p loci.Principal, id loci.MemoryID, ifVersion int, d Draft) (
	*loci.Memory, error) {
	if err := s.Begin(ctx, p, Change); err != nil {
		return nil, err
	}
	return s.update(ctx, p, id, ifVersion, d.apply)
}

// errAskProject rolls back a change that needs to know whether a project is active.
var errAskProject = errors.New("is the project open")

// openly runs try, which calls open for the project of each memory that it is about to change.
// Only the transaction finds out which projects these are, and it must not wait for other files.
// So openly rolls it back, checks the projects and tries again. known has been checked already.
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
		if err := s.projects.MustNotBeArchived(ctx, p, asked); err != nil {
			return err
		}
		opened = append(opened, asked)
	}
}

func (s *Service) update(ctx context.Context, p loci.Principal, id loci.MemoryID, ifVersion int,
	apply func(*loci.Memory)) (m *loci.Memory, err error) {
	err = s.openly(ctx, p, loci.ProjectID{}, func(open func(loci.ProjectID) error) error {
		m, err = s.change(ctx, p, id,
			edit{act: Change, ifVersion: ifVersion, what: loci.Updated, fn: s.updating(p, apply, open)})
		return err
	})
	return m, err
}

// updating returns the fn of an edit that applies a change. The project to which the memory belongs then must be open:
// a memory can leave an archived one.
func (s *Service) updating(p loci.Principal, apply func(*loci.Memory), open func(loci.ProjectID) error,
) func(*loci.Memory) error {
	return func(m *loci.Memory) error {
		if err := s.updated(p, m, apply); err != nil {
			return err
		}
		return open(m.ProjectID)
	}
}

// updated applies a change and checks the result.
func (s *Service) updated(p loci.Principal, m *loci.Memory, apply func(*loci.Memory)) error {
	before := *m
	apply(m)
	if m.Scope == loci.ScopeAgent && before.Scope != loci.ScopeAgent && m.AgentID.IsZero() {
		m.AgentID = p.AgentID
	}
	if err := checkDraft(p, m, &before); err != nil {
		return err
	}
	if err := mayAdmit(p, before.AllowedVendors, m.AllowedVendors); err != nil {
		return err
	}
	if m.Scope == loci.ScopeAgent && !m.TeamID.IsZero() {
		return loci.Errorf(loci.Conflict,
			"cannot give this memory the scope agent: it is shared with a team; unshare it first")
	}
	if !m.ValidFrom.Equal(before.ValidFrom) || !m.ValidTo.Equal(before.ValidTo) {
		if err := checkValidity(m); err != nil {
			return err
		}
	}
	if m.ExpiresAt.Equal(before.ExpiresAt) {
		return nil
	}
	if err := s.mayExpire(p, before.ExpiresAt, m.ExpiresAt); err != nil {
		return err
	}
	return s.checkExpiry(m)
}

// checkExpiry rejects a memory that nobody could ever read.
func (s *Service) checkExpiry(m *loci.Memory) error {
	if !m.ExpiresAt.IsZero() && !m.ExpiresAt.After(s.Time()) {
		return loci.FieldErrorf("expires_at", "is in the past; leave it out to keep the memory, or trash it")
	}
	return nil
}

// checkValidity rejects a fact that was true at no time, which no search would ever find. Without ValidFrom, a fact
// is true from the creation of its memory on.
func checkValidity(m *loci.Memory) error {
	switch {
	case m.ValidTo.IsZero():
	case m.ValidFrom.IsZero() && !m.ValidTo.After(m.CreatedAt):
		return loci.FieldErrorf("valid_to", "is before the memory was saved, so no search would find it; "+
			"specify valid_from, too")
	case !m.ValidFrom.IsZero() && !m.ValidTo.After(m.ValidFrom):
		return loci.FieldErrorf("valid_to", "must be after valid_from; otherwise no search would find the memory")
	}
	return nil
}

// edited returns what applies a patch. Another scope also clears the project and the agent, unless the patch sets them.
func edited(c *Patch) func(*loci.Memory) {
	return func(m *loci.Memory) {
		c.Title.Apply(&m.Title, "")
		c.Content.Apply(&m.Content, "")
		c.Summary.Apply(&m.Summary, "")
		c.Key.Apply(&m.Key, "")
		c.Category.Apply(&m.Category, loci.DefaultCategory)
		c.Source.Apply(&m.Source, loci.DefaultSource)
		c.Type.Apply(&m.Type, loci.Semantic)
		c.Tags.Apply(&m.Tags, []string{})
		c.AllowedVendors.Apply(&m.AllowedVendors, nil)
		c.Importance.Apply(&m.Importance, loci.DefaultImportance)
		c.Pinned.Apply(&m.Pinned, false)
		c.ExpiresAt.Apply(&m.ExpiresAt, time.Time{})
		c.ValidFrom.Apply(&m.ValidFrom, time.Time{})
		c.ValidTo.Apply(&m.ValidTo, time.Time{})
		scope := m.Scope
		c.Scope.Apply(&scope, loci.ScopeGlobal)
		moveTo(m, scope)
		c.ProjectID.Apply(&m.ProjectID, loci.ProjectID{})
		c.AgentID.Apply(&m.AgentID, loci.AgentID{})
		cutTimes(m)
	}
}

func moveTo(m *loci.Memory, scope loci.Scope) {
	if scope != m.Scope {
		m.Scope, m.ProjectID, m.AgentID = scope, loci.ProjectID{}, loci.AgentID{}
	}
}

// edit is one way to alter a stored memory.
type edit struct {
	act       gate.Action
	ifVersion int // the version that the caller saw; 0: any
	life      loci.Lifecycle
	what      loci.Change
	fn        func(*loci.Memory) error
	then      func(store.Tx) error // after the change, in its transaction; may be nil
}

// change updates one stored memory in its own transaction.
func (s *Service) change(ctx context.Context, p loci.Principal, id loci.MemoryID, how edit) (*loci.Memory, error) {
	var changed *loci.Memory
	err := s.Write(ctx, p, how.act, func(tx store.Tx, e *loci.AuditEntry) error {
		old, err := owned(ctx, tx, p, id, how)
		if err != nil {
			return err
		}
		changed, err = s.put(ctx, tx, p, old, how)
		err = orReplaced(ctx, tx, p, id, loci.Conflict, err) // as Restore finds superseded memories
		if err == nil && changed == old {
			e.Action = ""
		}
		e.Target = id.String()
		changed, err = showableOne(ctx, tx, p.Viewer(), changed, err)
		if err == nil && how.then != nil {
			err = how.then(tx)
		}
		return err
	})
	return changed, err
}

// owned returns a memory that p may update. If p may not see it, the error is always NotFound.
func owned(ctx context.Context, tx store.Tx, p loci.Principal, id loci.MemoryID, how edit) (*loci.Memory, error) {
	m, err := found(ctx, tx, p, id, how)
	if err != nil {
		return nil, err
	}
	if err := mayChange(p, m); err != nil {
		return nil, err
	}
	if how.ifVersion != 0 && how.ifVersion != m.Version {
		return nil, loci.Errorf(loci.Precondition, "the memory is at version %d, not %d; read it again and repeat the change",
			m.Version, how.ifVersion)
	}
	return m, nil
}

// found returns the memory that a change is about. A superseded one can be trashed, or nobody could
// get rid of its text.
func found(ctx context.Context, tx store.Tx, p loci.Principal, id loci.MemoryID, how edit) (m *loci.Memory, err error) {
	if how.act != Trash {
		m, err = tx.Memories().Get(ctx, p.Viewer(), id, how.life)
		return m, orReplaced(ctx, tx, p, id, loci.Conflict, err)
	}
	m, err = readable(ctx, tx, p, id)
	if loci.CodeOf(err) == loci.NotFound {
		err = trashedAlready(ctx, tx, p, id)
	}
	return m, err
}

// put stores the edited memory as its next version and returns it. If nothing changed, it returns old.
func (s *Service) put(ctx context.Context, tx store.Tx, p loci.Principal, old *loci.Memory, how edit) (
	*loci.Memory, error) {
	if how.act == Trash {
		if err := s.mayForget(ctx, tx, p, old); err != nil {
			return nil, err
		}
	}
	m := old.Clone()
	if err := how.fn(m); err != nil {
		return nil, err
	}
	if reflect.DeepEqual(old, m) {
		return old, nil
	}
	if how.act == Change {
		if err := s.mayMove(ctx, tx, p, old, m); err != nil {
			return nil, err
		}
	}
	m.State = madeBy(p, old.Version+1, how.what)
	m.UpdatedAt = gate.Later(s.Time(), old.UpdatedAt)
	added := sensitive.Adds(textsOf(old), textsOf(m))
	m.SecretsKept = m.SecretsKept && !added
	err := tx.Memories().Replace(ctx, m)
	if err == nil && !old.TeamID.IsZero() && m.TeamID.IsZero() && m.Scope != loci.ScopeProject {
		err = s.holdForOthers(ctx, tx, p, old)
	}
	if err != nil || !added {
		return m, err
	}
	return m, Notice(ctx, tx, m)
}

// mayMove returns Conflict if m, once old, comes to a place where another live memory of its writer has its key at the
// same time: a save by the key would change only one of them. p does not learn of a memory that it cannot see.
func (s *Service) mayMove(ctx context.Context, tx store.Tx, p loci.Principal, old, m *loci.Memory) error {
	to := placeOf(m)
	if m.Key == "" || placeOf(old) == to {
		return nil
	}
	q := store.KeyQuery{Place: to, Key: m.Key, From: s.Time(), Until: m.ValidTo}
	if m.ValidFrom.After(q.From) {
		q.From = m.ValidFrom
	}
	found, err := tx.Memories().OfKey(ctx, p.Viewer(), q, 2)
	for _, other := range found {
		if other.ID != m.ID {
			return loci.Errorf(loci.Conflict, "cannot move memory %s: memory %s has the key %q there; change the key of one of "+
				"them, or trash one, then repeat", m.ID, other.ID, m.Key)
		}
	}
	return err
}

// placeOf returns where a memory stands and who wrote it.
func placeOf(m *loci.Memory) store.Place {
	return store.Place{UserID: m.UserID, Origin: m.Origin, Scope: m.Scope, ProjectID: m.ProjectID, AgentID: m.AgentID,
		WorkspaceID: m.WorkspaceID}
}

// madeBy sets the credential and origin through which p makes a version.
func madeBy(p loci.Principal, version int, what loci.Change) loci.State {
	return loci.State{Version: version, Change: what, Editor: p.Origin,
		EditorID: p.UserID, EditorCredentialID: p.CredentialID, EditorSessionID: p.SessionID}
}

// Versions returns the old versions of a memory, newest first, and the current one. For a person it also works for a
// memory in the trash or an expired one. before, unless 0, continues after that version. NotFound as for Get.
func (s *Service) Versions(ctx context.Context, p loci.Principal, id loci.MemoryID, before, limit int) (
	[]*loci.Version, *loci.Memory, error) {
	if err := s.Begin(ctx, p, History, gate.SetSize("limit", &limit, 100, 500)); err != nil {
		return nil, nil, err
	}
	var versions []*loci.Version
	var current *loci.Memory
	err := s.Store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
		if current, err = tx.Memories().Get(ctx, p.Viewer(), id, withHistory(p)); err != nil {
			return err
		}
		if versions, err = tx.Memories().Versions(ctx, p.Viewer(), id, withHistory(p), before, limit); err != nil {
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
