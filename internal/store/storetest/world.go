package storetest

import (
	"context"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// world is a small set of people and things, so that random rows and random
// viewers meet often. Its ids are new for each one, so that worlds in one store
// do not see each other.
type world struct {
	*env
	t          *rapid.T
	users      []loci.UserID
	teams      []loci.TeamID
	projects   []loci.ProjectID
	workspaces []loci.WorkspaceID
	agents     []loci.AgentID
	sessions   []loci.SessionID
	keys       []loci.CredentialID
	rows       []*loci.Memory // as they are now, in the order in which they were stored
	old        map[loci.MemoryID][]*loci.Version
}

func (e *env) newWorld(t *rapid.T) *world {
	w := &world{env: e, t: t, old: map[loci.MemoryID][]*loci.Version{}}
	for range 2 {
		w.users = append(w.users, e.addUser().ID)
		w.teams = append(w.teams, newID[loci.TeamID]())
		w.projects = append(w.projects, newID[loci.ProjectID]())
		w.workspaces = append(w.workspaces, newID[loci.WorkspaceID]())
		w.agents = append(w.agents, newID[loci.AgentID]())
		w.sessions = append(w.sessions, newID[loci.SessionID]())
		w.keys = append(w.keys, loci.NewCredentialID())
	}
	return w
}

// oneOf draws one of list, or the zero value.
func oneOf[T any](t *rapid.T, label string, list []T) T {
	if n := rapid.IntRange(0, len(list)).Draw(t, label); n > 0 {
		return list[n-1]
	}
	var zero T
	return zero
}

func draw[T any](t *rapid.T, label string, list ...T) T {
	return rapid.SampledFrom(list).Draw(t, label)
}

func (w *world) drawTime(label string) time.Time {
	if minutes := draw(w.t, label, -1000, -1, 0, 1, 60); minutes != -1000 {
		return w.clock.now().Add(time.Duration(minutes) * time.Minute)
	}
	return time.Time{}
}

var (
	vendorLists = [][]loci.Vendor{{"*"}, {"*"}, {"a"}, {"b"}, {"a", "b"}, {"b", "*"}, {},
		{"c", "d", "e", "f", "g", "h", "a"}}
	tagLists = [][]string{{}, {"x"}, {"y"}, {"x", "y"}, {"z", "x"}}
	contents = []string{"red", "green", "red red green", "blue house", "house blue greens", "running"}
)

// change draws every field that any rule looks at.
func (w *world) change(m *loci.Memory) {
	t := w.t
	m.Editor, m.EditorID = draw(t, "editor", "a", "b", "api"), oneOf(t, "editor's person", w.users)
	m.EditorCredentialID, m.EditorSessionID = oneOf(t, "editor's key", w.keys), oneOf(t, "editor's session", w.sessions)
	m.UserID = draw(t, "user", w.users...)
	m.Scope = draw(t, "scope", loci.ScopeGlobal, loci.ScopeProject, loci.ScopeAgent)
	m.TeamID, m.ProjectID = oneOf(t, "team", w.teams), oneOf(t, "project", w.projects)
	m.AgentID, m.WorkspaceID = oneOf(t, "agent", w.agents), oneOf(t, "workspace", w.workspaces)
	m.AllowedVendors = draw(t, "vendors", vendorLists...)
	m.ExpiresAt, m.DeletedAt = w.drawTime("expires"), time.Time{}
	if draw(t, "trashed", false, false, true) {
		m.DeletedAt = w.clock.now().Add(-time.Duration(draw(t, "deleted", 0, 1, 2)) * time.Minute)
	}
	m.SupersededBy = loci.MemoryID{}
	if draw(t, "superseded", false, false, false, true) {
		m.SupersededBy = loci.NewMemoryID()
	}
	m.ValidFrom, m.ValidTo = w.drawTime("valid from"), w.drawTime("valid to")
	m.Origin, m.Type = draw(t, "origin", "a", "b", "api"), draw(t, "type", loci.Semantic, loci.Episodic)
	m.Category, m.Tags = draw(t, "category", "fact", "rule"), draw(t, "tags", tagLists...)
	m.Key, m.Pinned, m.SessionID = draw(t, "key", "", "", "k", "red K"), draw(t, "pinned", false, false, true),
		oneOf(t, "session", w.sessions)
	m.Title, m.Content = draw(t, "title", "one", "red house"), draw(t, "content", contents...)
	m.CreatedAt = w.clock.now().Add(-time.Duration(draw(t, "created", 0, 0, 1, 2)) * time.Minute)
}

// fill stores rows, changes some and purges some, all in one transaction.
func (w *world) fill(rows, changes int) {
	type step struct{ m *loci.Memory }
	var steps []step
	for range rows {
		m := w.memory(w.change)
		w.rows = append(w.rows, m)
		steps = append(steps, step{m})
	}
	for range changes {
		i := rapid.IntRange(0, len(w.rows)-1).Draw(w.t, "changed")
		m := w.rows[i]
		next := edited(m, w.clock.now(), w.change)
		w.old[m.ID] = append([]*loci.Version{{Memory: *m, ReplacedAt: next.UpdatedAt}}, w.old[m.ID]...)
		w.rows[i] = next
		steps = append(steps, step{next})
	}
	w.update(func(ctx context.Context, tx store.Tx) error {
		for _, s := range steps {
			do := tx.Memories().Insert
			if s.m.Version > 1 {
				do = tx.Memories().Replace
			}
			if err := do(ctx, s.m); err != nil {
				return err
			}
		}
		return nil
	})
}

func (w *world) viewer() loci.Viewer {
	t := w.t
	v := loci.Viewer{OrgID: w.org, UserID: draw(t, "as user", w.users...), TeamID: oneOf(t, "of team", w.teams),
		WorkspaceID: oneOf(t, "in workspace", w.workspaces), AgentID: oneOf(t, "as agent", w.agents),
		Vendor: draw[loci.Vendor](t, "of vendor", "", "a", "b", "d", "zz")}
	for _, p := range w.projects {
		if draw(t, "in project", false, true) {
			v.ProjectIDs = append(v.ProjectIDs, p)
		}
	}
	v.OnlyProjects = draw(t, "only projects", false, false, true)
	if rapid.IntRange(0, 19).Draw(t, "nobody") == 0 {
		v = draw(t, "which nobody", loci.Viewer{}, loci.Viewer{OrgID: "other", UserID: v.UserID},
			loci.Viewer{OrgID: w.org, TeamID: w.teams[0]},
			loci.Viewer{OrgID: w.org, ProjectIDs: w.projects, OnlyProjects: true})
	}
	return v
}

func (w *world) filter() store.Filter {
	t := w.t
	f := store.Filter{Lifecycle: rapid.SampledFrom(memoryLifecycles).Draw(t, "lifecycle")}
	if draw(t, "plain", true, false) {
		return f
	}
	f.Tags = oneOf(t, "with tags", [][]string{{"x"}, {"x", "y"}, {"z", "y", "z"}})
	f.AllTags = draw(t, "all tags", false, true)
	f.Origin = draw(t, "with origin", "", "", "a", "api")
	f.Type = draw(t, "with type", "", "", loci.Semantic)
	f.Category = draw(t, "with category", "", "", "rule")
	f.ProjectID = oneOf(t, "with project", append([]loci.ProjectID{{}, {}}, w.projects...))
	f.OrGlobal = draw(t, "or global", false, false, true)
	f.TeamID = oneOf(t, "with team", append([]loci.TeamID{{}, {}}, w.teams...))
	f.Scope = draw(t, "with scope", "", "", loci.ScopeGlobal, loci.ScopeProject, loci.ScopeAgent)
	f.AgentID = oneOf(t, "with agent", append([]loci.AgentID{{}, {}}, w.agents...))
	f.SessionID = oneOf(t, "with session", append([]loci.SessionID{{}, {}, {}}, w.sessions...))
	f.Key, f.Pinned = draw(t, "with key", "", "", "", "k", "red K"), draw(t, "only pinned", false, false, true)
	f.HiddenFrom = draw(t, "hidden from", "", "", loci.Vendor("a"), "nobody")
	if draw(t, "from", false, false, true) {
		f.From = w.clock.now().Add(-time.Minute)
	}
	if draw(t, "to", false, false, true) {
		f.To = w.clock.now()
	}
	return f
}

// memoryLifecycles has the most common lifecycles twice.
var memoryLifecycles = append(loci.Lifecycles(), loci.LiveOnly, loci.CurrentOnly)

// lifecycles lacks the one that is of memories only.
var lifecycles = slices.DeleteFunc(append(loci.Lifecycles(), loci.LiveOnly),
	func(l loci.Lifecycle) bool { return l == loci.CurrentOnly })
