package app_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/store"
)

const (
	noActive  = "No active project. Use switch_project to select one."
	noProject = "No active project, and there is none yet. Create one with create_project."
	noSession = "No active project: this client has no session. Pass project with each call; list_projects names them."
)

func wantNone(t *testing.T, a *app.App, p loci.Principal, s project.ConnectionKey, text string) {
	t.Helper()
	got, err := a.Project.Current(t.Context(), p, s)
	if loci.CodeOf(err) != loci.NotFound || err.Error() != text {
		t.Errorf("got %+v, %v; want %s", got, err, text)
	}
}

func wantActive(t *testing.T, a *app.App, p loci.Principal, s project.ConnectionKey, want loci.ProjectID) {
	t.Helper()
	if got, err := a.Project.Current(t.Context(), p, s); err != nil || got.ID != want {
		t.Errorf("got %+v, %v; want %s", got, err, want)
	}
}

func (w *projectWorld) enter(p loci.Principal, s project.ConnectionKey, name string) {
	w.t.Helper()
	_, err := w.Project.Switch(w.t.Context(), p, s, name)
	w.must(err)
}

func TestSwitchingProjects(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	ctx, p := t.Context(), w.who["agent"]()
	s := project.ConnectionKey{1}
	wantNone(t, w.App, p, s, noActive)
	got, err := w.Project.Switch(ctx, p, s, "website")
	if err != nil || got != w.open {
		t.Errorf("got %+v, %v", got, err)
	}
	wantActive(t, w.App, p, s, w.open.ID)
	wantActive(t, w.another(), p, s, w.open.ID)
	_, err = w.Project.Switch(ctx, p, s, "websit")
	if loci.CodeOf(err) != loci.NotFound || err.Error() != `there is no project "websit"; did you mean "website"?` {
		t.Errorf("got %v", err)
	}
	w.must(second(w.Project.Archive(ctx, p, w.closed.ID)))
	_, err = w.Project.Switch(ctx, p, s, "merger")
	if loci.CodeOf(err) != loci.Conflict || err.Error() != "project merger is archived; restore it first" {
		t.Errorf("got %v", err)
	}
	wantActive(t, w.App, p, s, w.open.ID) // what failed changed nothing
	w.must(w.Project.EndConnection(ctx, s))
	w.must(w.Project.EndConnection(ctx, s))
	wantNone(t, w.App, p, s, noActive)
}

func TestClientsWithoutASession(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	p, none := w.who["agent"](), project.ConnectionKey{}
	_, err := w.Project.Switch(t.Context(), p, none, "website")
	wantCode(t, err, loci.Invalid)
	wantNone(t, w.App, p, none, noSession)
	w.must(w.Project.EndConnection(t.Context(), none))
}

// Who makes a project can switch to it with the principal of that same request.
func TestSwitchingToWhatWasJustMade(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	p := w.who["agent"]()
	made := w.project(p, "fresh", false)
	w.enter(p, project.ConnectionKey{1}, "fresh")
	wantActive(t, w.App, p, project.ConnectionKey{1}, made.ID)
	operator, later := w.operator("acme"), w.project(w.session(w.olga), "later", false)
	w.enter(operator, project.ConnectionKey{3}, "later")
	wantActive(t, w.App, operator, project.ConnectionKey{3}, later.ID)
	// A key that is limited does not get further that way.
	limited := w.who["limited key"]()
	_, err := w.Project.Switch(t.Context(), limited, project.ConnectionKey{2}, "fresh")
	wantCode(t, err, loci.NotFound)
	wantNone(t, w.App, limited, project.ConnectionKey{1}, noActive)
}

// What ends the work on a project ends it for all sessions, whoever of several processes does it.
func TestProjectsGoFromUnderTheirSessions(t *testing.T) {
	t.Parallel()
	for what, end := range map[string]func(context.Context, *app.App, *projectWorld) error{
		"archived": func(ctx context.Context, a *app.App, w *projectWorld) error {
			return second(a.Project.Archive(ctx, w.who["admin"](), w.open.ID))
		},
		"deleted": func(ctx context.Context, a *app.App, w *projectWorld) error {
			return a.Project.Delete(ctx, w.who["owner"](), w.open.ID)
		},
	} {
		for _, elsewhere := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, by another process: %v", what, elsewhere), func(t *testing.T) {
				w := newProjectWorld(t, loci.DeleteWithKey)
				ctx, other := t.Context(), w.another()
				mine, theirs := w.who["agent"](), w.who["member's"]()
				w.enter(mine, project.ConnectionKey{1}, "website")
				w.enter(theirs, project.ConnectionKey{2}, "website")
				w.enter(theirs, project.ConnectionKey{3}, "merger")
				by := w.App
				if elsewhere {
					by = other
				}
				w.must(end(ctx, by, w))
				for _, a := range []*app.App{w.App, other} {
					wantNone(t, a, mine, project.ConnectionKey{1}, noActive)
					wantNone(t, a, theirs, project.ConnectionKey{2}, noActive)
					wantActive(t, a, theirs, project.ConnectionKey{3}, w.closed.ID)
				}
				if what == "archived" { // and it does not come back by itself
					w.must(second(w.Project.Restore(ctx, w.operator("acme"), w.open.ID)))
					wantNone(t, other, mine, project.ConnectionKey{1}, noActive)
				}
			})
		}
	}
}

// A session in a project that its person lost is in none, and is forgotten.
func TestLosingAProjectEndsItsSession(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	ctx, s := t.Context(), project.ConnectionKey{1}
	w.enter(w.who["member's"](), s, "merger")
	mia := w.who["member"]().UserID
	w.must(w.Project.RemoveMember(ctx, w.session(w.olga), w.closed.ID, mia))
	wantNone(t, w.App, w.who["member's"](), s, noActive)
	_, err := w.st.Connections().Get(ctx, s)
	wantCode(t, err, loci.NotFound)
	w.must(w.Project.PutMember(ctx, w.session(w.olga), w.closed.ID, loci.ProjectMember{UserID: mia, Role: loci.Member}))
	wantNone(t, w.App, w.who["member's"](), s, noActive)
}

// Who is removed from the org leaves no session.
func TestRemovedPeopleLeaveNoSession(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	ctx, s := t.Context(), project.ConnectionKey{1}
	p := w.who["member's"]()
	w.enter(p, s, "website")
	w.must(w.Identity.DeleteUser(ctx, w.operator("acme"), p.UserID))
	_, err := w.st.Connections().Get(ctx, s)
	wantCode(t, err, loci.NotFound)
	_, err = w.Project.Switch(ctx, p, s, "website") // by a request that was under way
	wantCode(t, err, loci.NotFound)
}

// A session is its person's: of another person, and of another org, it is none, and they do not end it.
func TestSessionsOfOthers(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	s := project.ConnectionKey{1}
	mine := w.who["agent"]()
	w.enter(mine, s, "website")
	for _, name := range []string{"member's", "other org", "outside owner"} {
		want := noActive
		if name == "other org" {
			want = noProject
		}
		wantNone(t, w.App, w.who[name](), s, want)
	}
	wantActive(t, w.App, mine, s, w.open.ID)
	wantActive(t, w.App, w.session(w.olga), s, w.open.ID) // another credential of the same person
	// Somebody who switches it takes it over.
	w.enter(w.who["member's"](), s, "merger")
	wantNone(t, w.App, mine, s, noActive)
	wantActive(t, w.App, w.who["member's"](), s, w.closed.ID)
}

// Sessions in different projects never mix, in whichever process they are asked for.
func TestSessionsNeverMix(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	apps := []*app.App{w.App, w.another()}
	p := w.who["agent"]()
	ids := map[string]loci.ProjectID{"website": w.open.ID, "merger": w.closed.ID}
	var wg sync.WaitGroup
	for n, name := range []string{"website", "merger", "website", "merger"} {
		wg.Go(func() {
			s := project.ConnectionKey{byte(n + 1)}
			for round := range 25 {
				if round%5 == 0 {
					if _, err := apps[round%2].Project.Switch(t.Context(), p, s, name); err != nil {
						t.Error(err)
						return
					}
				}
				if got, err := apps[(round+n)%2].Project.Current(t.Context(), p, s); err != nil || got.ID != ids[name] {
					t.Errorf("session %d in %s got %s, %v", n, name, got.Name, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// The last use is kept at most once an hour, so that reading hardly ever writes; and never over
// a switch that came between.
func TestWhenASessionWasUsed(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	ctx, p, s := t.Context(), w.who["agent"](), project.ConnectionKey{1}
	used := func() time.Time {
		got, err := w.st.Connections().Get(ctx, s)
		w.must(err)
		return got.UsedAt
	}
	w.enter(p, s, "website")
	at := used()
	w.now = w.now.Add(59 * time.Minute)
	wantActive(t, w.App, p, s, w.open.ID)
	if !used().Equal(at) {
		t.Errorf("stored anew after less than an hour: %v, was %v", used(), at)
	}
	w.now = w.now.Add(2 * time.Minute)
	wantActive(t, w.App, p, s, w.open.ID)
	if again := used(); again.Sub(at) < time.Hour {
		t.Errorf("still %v after %v", again, w.now)
	}
}

// slowSessions lets something happen between a look at a session and what follows.
type slowSessions struct {
	store.Store
	between func()
}

type slowSession struct {
	store.Connections
	s *slowSessions
}

func (s *slowSessions) Connections() store.Connections { return slowSession{s.Store.Connections(), s} }

func (s slowSession) Get(ctx context.Context, key [32]byte) (store.Connection, error) {
	got, err := s.Connections.Get(ctx, key)
	if between := s.s.between; between != nil {
		s.s.between = nil
		between()
	}
	return got, err
}

func TestASwitchIsNotLostToTidyingUp(t *testing.T) {
	t.Parallel()
	for _, lost := range []bool{false, true} { // the project, or an hour
		w := newProjectWorld(t, loci.DeleteWithKey)
		ctx, s := t.Context(), project.ConnectionKey{1}
		p := w.who["member's"]()
		w.enter(p, s, "merger")
		if lost {
			w.must(w.Project.RemoveMember(ctx, w.session(w.olga), w.closed.ID, p.UserID))
			p = w.who["member's"]()
		} else {
			w.now = w.now.Add(2 * time.Hour)
		}
		slow := &slowSessions{Store: w.st}
		a := app.New(app.Options{Store: slow, Now: w.clock})
		slow.between = func() { w.enter(p, s, "website") }
		_, err := a.Project.Current(ctx, p, s)
		if lost {
			wantCode(t, err, loci.NotFound)
		}
		wantActive(t, w.App, p, s, w.open.ID)
	}
}

// Reading goes on where nothing can be written: the last use is not worth an error.
func TestUseThatCannotBeKept(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	p, s := w.who["agent"](), project.ConnectionKey{1}
	w.enter(p, s, "website")
	w.now = w.now.Add(2 * time.Hour)
	a := app.New(app.Options{Store: fullDisk{w.st}, Now: w.clock})
	wantActive(t, a, p, s, w.open.ID)
}

type fullDisk struct{ store.Store }

type fullSessions struct{ store.Connections }

func (f fullDisk) Connections() store.Connections { return fullSessions{f.Store.Connections()} }

func (fullSessions) Use(context.Context, store.Connection, time.Time) error {
	return errors.New("the disk is full")
}

// A project of another workspace than the credential's is not there, so it is not active either.
func TestWorkspacesAndSessions(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	ctx, s := t.Context(), project.ConnectionKey{1}
	w.enter(w.who["agent"](), s, "website")
	w.must(second(w.Org.Set(ctx, w.operator("acme"), org.Settings{Workspaces: new(true)})))
	wantActive(t, w.App, w.who["agent"](), s, w.open.ID)
	other, err := w.Org.CreateWorkspace(ctx, w.operator("acme"), "Other")
	w.must(err)
	w.must(w.Org.JoinWorkspace(ctx, w.operator("acme"), other.ID, w.olga.ID))
	there := w.stage.key(w.session(w.olga), auth.KeyRequest{Vendor: "claude", WorkspaceID: other.ID})
	wantNone(t, w.App, there, s, noProject)
}
