package app

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Draft is what a writer says of a memory. Zero fields take the defaults of
// Memory.SetDefaults; AllowedVendors nil is everybody, empty is an error.
// Who wrote it is not in here: that comes from the principal.
type Draft struct {
	Title, Content, Summary, Key string
	Category, Source             string
	Type                         loci.MemoryType
	Tags                         []string
	AllowedVendors               []loci.Vendor
	Importance                   int
	Pinned                       bool
	Scope                        loci.Scope
	ProjectID                    loci.ProjectID
	AgentID                      loci.AgentID
	SessionID                    loci.SessionID
	ExpiresAt                    time.Time
	ValidFrom, ValidTo           time.Time
	// Dedupe says what a save does whose key there is already. Supersedes and Corrects name
	// memories in whose place this one comes; Sources say where it comes from. They
	// count in a save only, not in Replace.
	Dedupe               Dedupe
	Supersedes, Corrects []loci.MemoryID
	Sources              []loci.Source
}

// Dedupe says what a save does whose key there is already.
type Dedupe string

// The ways to save.
const (
	DedupeUpdate Dedupe = "update" // change the memory of that key; the default
	DedupeCreate Dedupe = "create" // make a new one all the same
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

// Create stores a new memory and returns it as stored. Its origin is the
// principal's. Invalid if a limit is broken, Conflict if its project is archived;
// then nothing is stored.
func (a *App) Create(ctx context.Context, p loci.Principal, d Draft) (*loci.Saved, error) {
	if err := a.begin(ctx, p, MemoryCreate); err != nil {
		return nil, err
	}
	now := a.time()
	m := &loci.Memory{ID: loci.NewMemoryID(), CreatedAt: now, UpdatedAt: now, State: madeBy(p, 1, loci.Created)}
	m.OrgID, m.UserID, m.WorkspaceID, m.Origin = p.OrgID, p.UserID, p.WorkspaceID, p.Origin
	d.apply(m)
	if err := checkDraft(p, m); err != nil {
		return nil, err
	}
	if err := a.checkExpiry(m); err != nil {
		return nil, err
	}
	if err := a.openProject(ctx, p, m.ProjectID); err != nil {
		return nil, err
	}
	err := a.write(ctx, p, MemoryCreate, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = m.ID.String()
		return tx.Memories().Insert(ctx, m)
	})
	if err != nil {
		return nil, err
	}
	return &loci.Saved{Memory: *m}, nil
}

// apply sets every field that a writer decides, defaults included.
func (d *Draft) apply(m *loci.Memory) {
	m.Title, m.Content, m.Summary, m.Key = d.Title, d.Content, d.Summary, d.Key
	m.Category, m.Source, m.Type = d.Category, d.Source, d.Type
	m.Tags, m.AllowedVendors = slices.Clone(d.Tags), slices.Clone(d.AllowedVendors)
	m.Importance, m.Pinned = d.Importance, d.Pinned
	m.Scope, m.ProjectID, m.AgentID, m.SessionID = d.Scope, d.ProjectID, d.AgentID, d.SessionID
	m.ExpiresAt = loci.CutTime(d.ExpiresAt)
	m.ValidFrom, m.ValidTo = loci.CutTime(d.ValidFrom), loci.CutTime(d.ValidTo)
	m.SetDefaults()
}

// checkDraft holds what Memory.Validate cannot know: who is writing.
func checkDraft(p loci.Principal, m *loci.Memory) error {
	if err := m.Validate(); err != nil {
		return err
	}
	if m.Source == loci.AutoSource {
		return loci.FieldErrorf("source", "may be %q only for memories that were promoted from a candidate", loci.AutoSource)
	}
	if !m.ProjectID.IsZero() && !slices.Contains(p.ProjectIDs, m.ProjectID) {
		return errNotInProject()
	}
	if p.OnlyProjects && m.ProjectID.IsZero() {
		return loci.FieldErrorf("project_id", "is needed: this key is limited to projects, and would not see the memory otherwise")
	}
	if !m.AgentID.IsZero() && m.AgentID != p.AgentID {
		return loci.FieldErrorf("agent_id", "must be the agent of the session that writes")
	}
	if !m.SessionID.IsZero() && m.SessionID != p.SessionID {
		return loci.FieldErrorf("session_id", "must be the session that writes")
	}
	return nil
}

// openProject refuses what would change the memories of a project that is archived, which are only read. The zero project is none.
func (a *App) openProject(ctx context.Context, p loci.Principal, id loci.ProjectID) error {
	if id.IsZero() {
		return nil
	}
	in, err := a.store.Projects().Get(ctx, p.Viewer(), id)
	if loci.CodeOf(err) == loci.NotFound {
		return errNotInProject()
	}
	if err == nil && in.Status == loci.ProjectArchived {
		err = errArchived(in)
	}
	return err
}

func errArchived(p loci.Project) error {
	return loci.Errorf(loci.Conflict, "project %s is archived; restore it first", loci.OneLine(p.Name))
}

func errNotInProject() error {
	return loci.FieldErrorf("project_id", "names no project that you belong to")
}

// Get returns a memory. A person also gets one from the trash, which has its
// DeletedAt set. NotFound if it is not there or not visible.
func (a *App) Get(ctx context.Context, p loci.Principal, id loci.MemoryID) (*loci.Memory, error) {
	if err := a.begin(ctx, p, MemoryRead); err != nil {
		return nil, err
	}
	life := loci.LiveOnly
	if p.Vendor == "" {
		life = loci.LiveOrTrash
	}
	var m *loci.Memory
	err := a.store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
		m, err = tx.Memories().Get(ctx, p.Viewer(), id, life)
		return err
	})
	return m, err
}

// Replace puts a whole new text and its attributes in place of the old, which
// is kept as a version. Fields that the draft leaves out get their defaults.
// ifVersion, unless 0, is the version that the caller saw: Precondition if the
// memory has moved on. NotFound if it is not there, in the trash or not
// visible; Forbidden if it is another person's, or if the change shortens its
// life and the credential may not delete; Conflict if it is of an archived project.
// A change that changes nothing makes no version.
func (a *App) Replace(ctx context.Context, p loci.Principal, id loci.MemoryID, ifVersion int, d Draft) (*loci.Memory, error) {
	if err := a.begin(ctx, p, MemoryChange); err != nil {
		return nil, err
	}
	return a.update(ctx, p, id, ifVersion, d.apply)
}

// Patch changes some fields and keeps the version before. Its errors are those
// of Replace.
func (a *App) Patch(ctx context.Context, p loci.Principal, id loci.MemoryID, ifVersion int, c Patch) (*loci.Memory, error) {
	if err := a.begin(ctx, p, MemoryChange); err != nil {
		return nil, err
	}
	return a.update(ctx, p, id, ifVersion, c.apply)
}

// errAskProject undoes a change that needs to know whether a project is open.
var errAskProject = errors.New("is the project open")

// update carries Replace and Patch out. Of which project a memory is shows only in the
// transaction, in which nothing else may be waited for; so it is undone and repeated then.
func (a *App) update(ctx context.Context, p loci.Principal, id loci.MemoryID, ifVersion int, apply func(*loci.Memory)) (*loci.Memory, error) {
	for open, asked := (loci.ProjectID{}), (loci.ProjectID{}); ; open = asked {
		m, err := a.change(ctx, p, id, edit{act: MemoryChange, ifVersion: ifVersion, what: loci.Updated, fn: func(m *loci.Memory) error {
			if err := a.updated(p, m, apply); err != nil {
				return err
			}
			if asked = m.ProjectID; asked != open && !asked.IsZero() {
				return errAskProject
			}
			return nil
		}})
		if !errors.Is(err, errAskProject) {
			return m, err
		}
		if err := a.openProject(ctx, p, asked); err != nil {
			return nil, err
		}
	}
}

// updated applies a change and checks what it made of a memory.
func (a *App) updated(p loci.Principal, m *loci.Memory, apply func(*loci.Memory)) error {
	expires := m.ExpiresAt
	apply(m)
	if err := checkDraft(p, m); err != nil {
		return err
	}
	if m.ExpiresAt.Equal(expires) {
		return nil
	}
	if !m.ExpiresAt.IsZero() && (expires.IsZero() || m.ExpiresAt.Before(expires)) {
		if err := a.may(p, MemoryTrash); err != nil { // a shorter life is a deletion
			return err
		}
	}
	return a.checkExpiry(m)
}

// checkExpiry refuses a memory that nobody could ever read.
func (a *App) checkExpiry(m *loci.Memory) error {
	if !m.ExpiresAt.IsZero() && !m.ExpiresAt.After(a.time()) {
		return loci.FieldErrorf("expires_at", "is in the past; leave it out to keep the memory, or trash it")
	}
	return nil
}

func (c *Patch) apply(m *loci.Memory) {
	set(&m.Title, c.Title)
	set(&m.Content, c.Content)
	set(&m.Summary, c.Summary)
	set(&m.Key, c.Key)
	set(&m.Category, c.Category)
	set(&m.Source, c.Source)
	set(&m.Type, c.Type)
	set(&m.Tags, c.Tags)
	set(&m.AllowedVendors, c.AllowedVendors)
	set(&m.Importance, c.Importance)
	set(&m.Pinned, c.Pinned)
	set(&m.ExpiresAt, c.ExpiresAt)
	set(&m.ValidFrom, c.ValidFrom)
	set(&m.ValidTo, c.ValidTo)
	m.ExpiresAt = loci.CutTime(m.ExpiresAt)
	m.ValidFrom, m.ValidTo = loci.CutTime(m.ValidFrom), loci.CutTime(m.ValidTo)
}

func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// edit is one way to alter a stored memory.
type edit struct {
	act       Action
	ifVersion int // the version that the caller saw; 0: any
	life      loci.Lifecycle
	what      loci.Change
	fn        func(*loci.Memory) error
}

// change alters one stored memory in a transaction of its own.
func (a *App) change(ctx context.Context, p loci.Principal, id loci.MemoryID, how edit) (*loci.Memory, error) {
	var changed *loci.Memory
	err := a.write(ctx, p, how.act, func(tx store.Tx, e *loci.AuditEntry) error {
		old, err := owned(ctx, tx, p, id, how)
		if err != nil {
			return err
		}
		changed, err = a.put(ctx, tx, p, old, how)
		if err == nil && changed == old {
			e.Action = ""
		}
		e.Target = id.String()
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
	if p.Kind == loci.KindAgent && how.act != MemoryShare && m.Origin != string(p.Vendor) {
		return nil, loci.Errorf(loci.Forbidden, "an agent may trash only what its own vendor wrote; ask the person whose memory it is")
	}
	if how.ifVersion != 0 && how.ifVersion != m.Version {
		return nil, loci.Errorf(loci.Precondition, "the memory is at version %d, not %d; read it again and repeat the change", m.Version, how.ifVersion)
	}
	return m, nil
}

// put stores what the edit makes of a memory as its next version, and returns
// it; or old itself if that changes nothing.
func (a *App) put(ctx context.Context, tx store.Tx, p loci.Principal, old *loci.Memory, how edit) (*loci.Memory, error) {
	m := old.Clone()
	if err := how.fn(m); err != nil {
		return nil, err
	}
	if reflect.DeepEqual(old, m) {
		return old, nil
	}
	m.State = madeBy(p, old.Version+1, how.what)
	m.UpdatedAt = later(a.time(), old.UpdatedAt)
	return m, tx.Memories().Replace(ctx, m)
}

// madeBy says through what p makes a version.
func madeBy(p loci.Principal, version int, what loci.Change) loci.State {
	return loci.State{Version: version, Change: what, Editor: p.Origin,
		EditorID: p.UserID, EditorCredentialID: p.CredentialID, EditorSessionID: p.SessionID}
}

// later keeps the history in order when a clock was set back.
func later(now, before time.Time) time.Time {
	if now.After(before) {
		return now
	}
	return before.Add(time.Microsecond)
}

// Versions returns the old versions of a memory, newest first, and the current
// one, also of one that is in the trash or has expired. before, unless 0,
// continues after that version. NotFound as for Get.
func (a *App) Versions(ctx context.Context, p loci.Principal, id loci.MemoryID, before, limit int) ([]*loci.Version, *loci.Memory, error) {
	if err := a.begin(ctx, p, MemoryHistory); err != nil {
		return nil, nil, err
	}
	limit, err := pageSize("limit", limit, 100, 500)
	if err != nil {
		return nil, nil, err
	}
	var versions []*loci.Version
	var current *loci.Memory
	err = a.store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
		if current, err = tx.Memories().Get(ctx, p.Viewer(), id, loci.AnyState); err != nil {
			return err
		}
		versions, err = tx.Memories().Versions(ctx, p.Viewer(), id, loci.AnyState, before, limit)
		return err
	})
	return versions, current, err
}
