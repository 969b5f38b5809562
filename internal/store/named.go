package store

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
)

// The functions in this file are the one way in which text names an agent, a session, a task, a candidate, a
// memory node or a project, on every surface. What v may not see is never found.

// FindAgent returns the agent with that name, with that id, or whose id begins with text. NotFound if
// there is none; Invalid if several ids begin like that.
func FindAgent(ctx context.Context, tx Tx, v loci.Viewer, text string) (loci.Agent, error) {
	label := func(a loci.Agent) string { return a.ID.String() + " (" + a.Name + ")" }
	list := func(q AgentQuery) ([]loci.Agent, error) {
		q.Limit = maxNamed + 1
		return tx.Agents().List(ctx, v, q)
	}
	return Find(v, text, "agent", label,
		func() ([]loci.Agent, error) { return list(AgentQuery{Name: text}) },
		func(first, last [16]byte) ([]loci.Agent, error) { return list(AgentQuery{First: first, Last: last}) })
}

// NameError returns an error of a function of this file as one about the field that has the name: that it is missing,
// as these words say, or not clear. Other errors stay.
func NameError(err error, field, missing string) error {
	switch loci.CodeOf(err) {
	case loci.NotFound:
		return loci.FieldErrorf(field, "%s", missing)
	case loci.Invalid:
		return loci.FieldErrorf(field, "is not clear: %s", loci.SafeText(err))
	}
	return err
}

// FindSession returns the active session with that title, or else the closed one; the session with that id, or the
// one whose id begins with text. NotFound if there is none; Invalid if several have the title or begin like that.
func FindSession(ctx context.Context, tx Tx, v loci.Viewer, text string) (loci.Session, error) {
	label := func(s loci.Session) string {
		return strings.TrimSuffix(s.ID.String()+" ("+loci.OneLine(s.Title)+")", " ()")
	}
	list := func(q SessionQuery) ([]loci.Session, error) {
		q.Limit = maxNamed + 1
		list, _, err := tx.Sessions().List(ctx, v, q)
		return list, err
	}
	titled := func() ([]loci.Session, error) {
		active, err := list(SessionQuery{Title: text, State: loci.SessionActive})
		if err != nil || len(active) > 0 {
			return active, err
		}
		return list(SessionQuery{Title: text, State: loci.SessionClosed})
	}
	return Find(v, text, "session", label, titled,
		func(first, last [16]byte) ([]loci.Session, error) {
			return list(SessionQuery{First: first, Last: last})
		})
}

// FindTask returns the task with that title that is not done, or else the done one; the task with that id, or the one
// whose id begins with text. NotFound if there is none; Invalid if several have the title or begin like that.
func FindTask(ctx context.Context, tx Tx, v loci.Viewer, text string) (loci.Task, error) {
	label := func(t loci.Task) string { return t.ID.String() + " (" + loci.OneLine(t.Title) + ")" }
	list := func(q TaskQuery) ([]loci.Task, error) {
		q.Limit = maxNamed + 1
		list, _, err := tx.Tasks().List(ctx, v, q)
		return list, err
	}
	titled := func() ([]loci.Task, error) {
		open, err := list(TaskQuery{Title: text, Open: true})
		if err != nil || len(open) > 0 {
			return open, err
		}
		return list(TaskQuery{Title: text, State: loci.TaskDone})
	}
	return Find(v, text, "task", label, titled,
		func(first, last [16]byte) ([]loci.Task, error) { return list(TaskQuery{First: first, Last: last}) })
}

// FindCandidate returns the candidate with that id, or whose id begins with text. NotFound if there is
// none; Invalid if several ids begin like that.
func FindCandidate(ctx context.Context, tx Tx, v loci.Viewer, text string) (*loci.Candidate, error) {
	label := func(c *loci.Candidate) string { return c.ID.String() + " (" + string(c.Kind) + ")" }
	return Find(v, text, "candidate", label, nil, func(first, last [16]byte) ([]*loci.Candidate, error) {
		list, _, err := tx.Candidates().List(ctx, v, CandidateQuery{First: first, Last: last, Limit: maxNamed + 1})
		return list, err
	})
}

// FindNode returns the memory node with that name, in any capitals, or whose id is or begins with text. A person also
// finds nodes in the trash. NotFound if there is none; Invalid if there are several.
func FindNode(ctx context.Context, tx Tx, v loci.Viewer, text string) (*loci.MemoryNode, error) {
	q := NodeQuery{Limit: 500}
	if v.Vendor == "" {
		q.Lifecycle = loci.AnyState
	}
	var all []*loci.MemoryNode
	for more := true; more; more = q.After != "" {
		list, next, err := tx.MemoryNodes().List(ctx, v, q)
		if err != nil {
			return nil, err
		}
		all, q.After = append(all, list...), next
	}
	return among(v, text, "memory node", all, func(n *loci.MemoryNode) (string, [16]byte) { return n.Name, n.ID })
}

// FindProject is FindNode for the projects of a list.
func FindProject(v loci.Viewer, all []loci.Project, text string) (loci.Project, error) {
	return among(v, text, "project", all, func(p loci.Project) (string, [16]byte) { return p.Name, p.ID })
}

// among is Find in a list of all things. of returns the name and the id of one.
func among[T any](v loci.Viewer, text, noun string, all []T, of func(T) (string, [16]byte)) (T, error) {
	label := func(x T) string {
		name, id := of(x)
		return loci.MemoryID(id).String() + " (" + loci.OneLine(name) + ")"
	}
	which := func(fits func(name string, id [16]byte) bool) []T {
		return slices.DeleteFunc(slices.Clone(all), func(x T) bool { return !fits(of(x)) })
	}
	return Find(v, text, noun, label, func() ([]T, error) {
		found := which(func(name string, _ [16]byte) bool { return name == text })
		if len(found) == 0 {
			found = which(func(name string, _ [16]byte) bool { return strings.EqualFold(loci.Label(name), loci.Label(text)) })
		}
		return found, nil
	}, func(first, last [16]byte) ([]T, error) {
		return which(func(_ string, id [16]byte) bool {
			return bytes.Compare(id[:], first[:]) >= 0 && bytes.Compare(id[:], last[:]) <= 0
		}), nil
	})
}

// TaskInProgress returns the task of a project that is doing, if v sees exactly one; otherwise nil.
func TaskInProgress(ctx context.Context, tx Tx, v loci.Viewer, project loci.ProjectID) (*loci.Task, error) {
	q := TaskQuery{ProjectID: project, State: loci.TaskDoing, Limit: 2}
	list, _, err := tx.Tasks().List(ctx, v, q)
	if err != nil || len(list) != 1 {
		return nil, err
	}
	return &list[0], nil
}

const (
	// minPersonID is the shortest beginning of an id that a person may type. An agent must send what it
	// was shown (loci.ShortID).
	minPersonID = 4
	maxNamed    = 5 // how many things an error lists that text may mean
)

// Find returns the only thing that text names: by a whole id, by its name, or else by the beginning of its id. If named
// is nil, the things have no names. NotFound if there is none; Invalid if there are several.
func Find[T any](v loci.Viewer, text, noun string, label func(T) string, named func() ([]T, error),
	between func(first, last [16]byte) ([]T, error)) (one T, err error) {
	if loci.CheckText("", text, 1, loci.MaxTitle) != nil {
		return one, loci.Errorf(loci.NotFound, "no such %s", noun)
	}
	var found []T
	_, notID := loci.ParseID[struct{}](text)
	if notID != nil && named != nil {
		found, err = named()
	}
	minimum := minPersonID
	if v.Vendor != "" {
		minimum = loci.ShortID
	}
	first, last, notBegun := loci.ParseIDPrefix[struct{}](text, minimum)
	if len(found) == 0 && notBegun == nil && !last.IsZero() && err == nil {
		found, err = between(first, last)
	}
	switch {
	case err != nil:
		return one, err
	case len(found) == 0:
		return one, loci.Errorf(loci.NotFound, "no such %s", noun)
	case len(found) == 1:
		return found[0], nil
	}
	labels := loci.Mapped(found[:min(len(found), maxNamed)], label)
	others := ""
	if len(found) > maxNamed {
		others = " and others"
	}
	return one, loci.Errorf(loci.Invalid, "more than one %s fits; send the id of one: %s%s", noun,
		strings.Join(labels, ", "), others)
}
