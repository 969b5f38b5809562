// Package task holds the operations on the tasks of projects.
//
// Everybody who belongs to a project shares its tasks, if the vendors that a task names let them see it.
package task

import (
	"cmp"
	"context"
	"reflect"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/reflection/sensitive"
	"github.com/loci-memory/loci/internal/store"
)

// Draft is loci.NewTask.
type Draft = loci.NewTask

// Patch is loci.TaskChange.
type Patch = loci.TaskChange

// ListRequest asks for one page of tasks, last created first. Zero fields do not filter.
type ListRequest struct {
	Project string         // by id or name
	State   loci.TaskState // also loci.TaskOpen
	Limit   int            // 0: 50; at most 500
	Cursor  string         // NextCursor of the previous page
}

// Create stores a task of a project. Its origin is the principal's. Invalid if a limit is broken, and for a project
// that the person does not belong to; Conflict if the project is archived, or has loci.MaxTasks tasks.
func (s *Service) Create(ctx context.Context, p loci.Principal, d Draft) (loci.Task, error) {
	if err := s.Begin(ctx, p, Create); err != nil {
		return loci.Task{}, err
	}
	made, err := s.draft(ctx, p, d)
	if err != nil {
		return loci.Task{}, err
	}
	err = s.Write(ctx, p, Create, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = made.ID.String()
		if err := hasRoom(ctx, tx, p, made.ProjectID); err != nil {
			return err
		}
		return cmp.Or(gate.Notice(ctx, tx, &made, nil), tx.Tasks().Insert(ctx, made))
	})
	return made, err
}

func (s *Service) draft(ctx context.Context, p loci.Principal, d Draft) (made loci.Task, err error) {
	now := s.Time()
	made = loci.Task{ID: loci.NewTaskID(), Title: d.Title, Notes: d.Notes, CreatedAt: now, UpdatedAt: now, Version: 1,
		EventAccess: loci.EventAccess{OrgID: p.OrgID, UserID: p.UserID, WorkspaceID: p.WorkspaceID, Origin: p.Origin,
			AllowedVendors: slices.Clone(d.AllowedVendors)}}
	made.SetDefaults()
	if d.State != "" {
		made.SetState(d.State, now)
	}
	if d.Project == "" {
		return made, made.Validate() // it is required
	}
	in, err := s.projects.Named(ctx, p, d.Project)
	if err != nil {
		return made, err
	}
	made.ProjectID = in.ID
	if err := cmp.Or(made.Validate(), loci.CheckNewName("title", made.Title)); err != nil {
		return made, err
	}
	return made, s.projects.MustBeOpen(ctx, p, in.ID)
}

// hasRoom returns Conflict if the project has as many tasks as it may. The tasks that p does not see do not count: the
// error would reveal them.
func hasRoom(ctx context.Context, tx store.Tx, p loci.Principal, id loci.ProjectID) error {
	n, err := tx.Tasks().Count(ctx, p.Viewer(), store.TaskQuery{ProjectID: id, Limit: loci.MaxTasks})
	if err == nil && n >= loci.MaxTasks {
		err = loci.Errorf(loci.Conflict, "the project has %s tasks, which is the most; delete some that are done",
			loci.Thousands(n))
	}
	return err
}

// List returns the visible tasks that pass the filter, last created first. Invalid if the cursor belongs to another
// query or principal, and for a project that the person does not belong to.
func (s *Service) List(ctx context.Context, p loci.Principal, r ListRequest) (gate.Page[loci.Task], error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return gate.Page[loci.Task]{}, err
	}
	bound := store.TaskQuery{State: r.State}
	switch {
	case r.State == loci.TaskOpen:
		bound.State, bound.Open = "", true
	case r.State != "" && loci.CheckTaskState("state", r.State) != nil:
		return gate.Page[loci.Task]{}, loci.FieldErrorf("state",
			"must be one of: open, todo, doing, done; leave it out for all")
	}
	if r.Project != "" {
		in, err := s.projects.Named(ctx, p, r.Project)
		if err != nil {
			return gate.Page[loci.Task]{}, err
		}
		bound.ProjectID = in.ID
	}
	return gate.ReadPage(p, "tasks", bound, r.Limit, r.Cursor,
		func(after store.Position, limit int) (list []loci.Task, next store.Position, err error) {
			q := bound
			q.After, q.Limit = after, limit
			err = s.Store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
				list, next, err = tx.Tasks().List(ctx, p.Viewer(), q)
				return err
			})
			for i := range list {
				gate.Cover(&list[i], sensitive.Masked)
			}
			return list, next, err
		})
}

// Get returns the task that text names, as store.FindTask reads it. NotFound if it does not exist or is not visible;
// Invalid if text names several.
func (s *Service) Get(ctx context.Context, p loci.Principal, text string) (loci.Task, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return loci.Task{}, err
	}
	return s.named(ctx, p, text)
}

func (s *Service) named(ctx context.Context, p loci.Principal, text string) (loci.Task, error) {
	return gate.View(ctx, s.Gate, p, func(tx store.Tx) (loci.Task, error) {
		return store.FindTask(ctx, tx, p.Viewer(), text)
	})
}

// Update changes some fields of a task. Everybody who sees a task may change its state. People may change its title
// and notes, too, and so may the agents of the vendor that created it, if they act for the person who did. Only these
// and that person may change the vendors, and no agent may add one. Otherwise Forbidden. ifVersion, unless 0, is the
// version that the caller saw: Precondition if the task is at another. Conflict if its project is archived; otherwise
// the errors of Get. A change without effect records nothing.
func (s *Service) Update(ctx context.Context, p loci.Principal, text string, ifVersion int, c Patch) (
	after loci.Task, err error) {
	if err := s.Begin(ctx, p, Change); err != nil {
		return loci.Task{}, err
	}
	seen, err := s.named(ctx, p, text)
	if err == nil {
		err = s.projects.MustNotBeArchived(ctx, p, seen.ProjectID)
	}
	if err != nil {
		return loci.Task{}, err
	}
	err = s.Write(ctx, p, Change, func(tx store.Tx, e *loci.AuditEntry) error {
		before, err := tx.Tasks().Get(ctx, p.Viewer(), seen.ID)
		if err != nil {
			return err
		}
		e.Target = before.ID.String()
		if after, err = s.changed(p, before, ifVersion, c); err != nil {
			return err
		}
		if reflect.DeepEqual(before, after) {
			e.Action = ""
			return nil
		}
		after.Version, after.UpdatedAt = before.Version+1, gate.Later(s.Time(), before.UpdatedAt)
		return cmp.Or(gate.Notice(ctx, tx, &after, &before), tx.Tasks().Update(ctx, after))
	})
	return after, err
}

// changed returns a task with the changes that p may make.
func (s *Service) changed(p loci.Principal, before loci.Task, ifVersion int, c Patch) (after loci.Task, err error) {
	if err := atVersion(&before, ifVersion); err != nil {
		return after, err
	}
	after = before
	gate.Set(&after.Title, c.Title)
	gate.Set(&after.Notes, c.Notes)
	if c.State != nil {
		after.SetState(*c.State, s.Time())
	}
	if c.AllowedVendors != nil {
		after.AllowedVendors = slices.Clone(c.AllowedVendors)
	}
	if err := after.Validate(); err != nil {
		return after, err
	}
	if err := loci.CheckNewName("title", after.Title); err != nil && after.Title != before.Title {
		return after, err
	}
	return after, mayChange(p, &before, &after)
}

func atVersion(t *loci.Task, ifVersion int) error {
	if ifVersion != 0 && ifVersion != t.Version {
		return loci.Errorf(loci.Precondition, "the task is at version %d, not %d; read it again and repeat the change",
			t.Version, ifVersion)
	}
	return nil
}

// mayChange returns an error unless p may make these changes of a task that it sees. The state belongs to the project;
// no agent overwrites a text of somebody else.
func mayChange(p loci.Principal, before, after *loci.Task) error {
	mine := p.Owns(before.UserID, before.Origin)
	vendors := !slices.Equal(before.AllowedVendors, after.AllowedVendors)
	texts := before.Title != after.Title || before.Notes != after.Notes
	switch {
	case vendors && !mine:
		return loci.Errorf(loci.Forbidden, "only the person who created the task, and their agents of the vendor that "+
			"created it, may change allowed_vendors; leave it out to keep it")
	case p.Vendor != "" && !loci.Covers(before.AllowedVendors, after.AllowedVendors):
		return loci.Errorf(loci.Forbidden, "only a person may let more vendors see a task; leave allowed_vendors out to "+
			"keep it")
	case texts && p.Vendor != "" && !mine:
		return loci.Errorf(loci.Forbidden, "an agent may change title and notes only of tasks that it created; it may "+
			"change the state, or create another task")
	}
	return nil
}

// Delete permanently deletes a task. Forbidden unless the caller is the person who created it or an admin of the org;
// otherwise its errors are those of Update, except that the project may be archived.
func (s *Service) Delete(ctx context.Context, p loci.Principal, text string, ifVersion int) error {
	return s.BeginWrite(ctx, p, Delete, func(tx store.Tx, e *loci.AuditEntry) error {
		t, err := store.FindTask(ctx, tx, p.Viewer(), text)
		if err == nil && t.UserID != p.UserID && !p.OrgRole.AtLeast(loci.MemberAdmin) {
			err = loci.Errorf(loci.Forbidden, "only the person who created the task and admins of the org may delete it; "+
				"to close it, change its state to done")
		}
		if err == nil {
			err = atVersion(&t, ifVersion)
		}
		if err != nil {
			return err
		}
		e.Target = t.ID.String()
		return tx.Tasks().Delete(ctx, t.ID)
	})
}

// Service provides the operations on tasks. It is safe for concurrent use.
type Service struct {
	*gate.Gate
	projects *project.Service
}

// New returns a Service.
func New(g *gate.Gate, projects *project.Service) *Service { return &Service{g, projects} }
