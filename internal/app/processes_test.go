package app_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

// deed is what one process of TestTwoProcesses does. It pauses where it has checked and is about to write.
type deed struct {
	What      string
	Pause     string // a place in pausing; "": nowhere
	Dir       string
	Now       time.Time
	By        loci.Principal
	User      loci.UserID
	Project   loci.ProjectID
	Workspace loci.WorkspaceID
}

var deedsOfProcesses = map[string]func(context.Context, *app.App, *deed) error{
	"use workspaces": func(ctx context.Context, a *app.App, d *deed) error {
		return second(a.Org.Set(ctx, d.By, org.Settings{Workspaces: new(true)}))
	},
	"delete workspace": func(ctx context.Context, a *app.App, d *deed) error {
		return a.Org.DeleteWorkspace(ctx, d.By, d.Workspace)
	},
	"leave workspace": func(ctx context.Context, a *app.App, d *deed) error {
		return a.Org.LeaveWorkspace(ctx, d.By, d.Workspace, d.User)
	},
	"create project": func(ctx context.Context, a *app.App, d *deed) error {
		d.By.WorkspaceID = d.Workspace
		return second(a.Project.Create(ctx, d.By, project.Draft{Name: "new"}))
	},
	"change project": func(ctx context.Context, a *app.App, d *deed) error {
		return second(a.Project.Change(ctx, d.By, d.Project, project.Patch{Description: new("changed")}))
	},
	"demote": func(ctx context.Context, a *app.App, d *deed) error {
		return a.Project.PutMember(ctx, d.By, d.Project, loci.ProjectMember{UserID: d.User, Role: loci.Member})
	},
	"remove": func(ctx context.Context, a *app.App, d *deed) error {
		return a.Project.RemoveMember(ctx, d.By, d.Project, d.User)
	},
	"switch": func(ctx context.Context, a *app.App, d *deed) error {
		return second(a.Project.Switch(ctx, d.By, connectionOfProcesses, d.Project.String()))
	},
	"current": func(ctx context.Context, a *app.App, d *deed) error {
		return second(a.Project.Current(ctx, d.By, connectionOfProcesses))
	},
}

var connectionOfProcesses = project.ConnectionKey{1}

// pausing is a store that tells the parent process where it is, and waits there for it.
type pausing struct {
	store.Store
	at string
}

func (s *pausing) pause(at string) {
	if s.at == at {
		s.at = ""
		fmt.Println("pauses")
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	}
}

func (s *pausing) Lock(ctx context.Context, name string) (context.Context, func(), error) {
	held, unlock, err := s.Store.TryLock(ctx, name)
	if loci.CodeOf(err) == loci.Conflict {
		fmt.Println("waits")
		return s.Store.Lock(ctx, name)
	}
	return held, unlock, err
}

func (s *pausing) Update(ctx context.Context, org loci.OrgID, fn func(store.Tx) error) error {
	s.pause("update")
	return s.Store.Update(ctx, org, fn)
}

type pausingMembers struct {
	store.ProjectMembers
	s *pausing
}

func (s *pausing) ProjectMembers() store.ProjectMembers {
	return pausingMembers{s.Store.ProjectMembers(), s}
}

func (m pausingMembers) Adopt(ctx context.Context, org loci.OrgID, into loci.WorkspaceID) (int, error) {
	m.s.pause("adopt")
	return m.ProjectMembers.Adopt(ctx, org, into)
}

type pausingConnections struct {
	store.Connections
	s *pausing
}

func (s *pausing) Connections() store.Connections {
	return pausingConnections{s.Store.Connections(), s}
}

func (c pausingConnections) Use(ctx context.Context, at store.Connection, used time.Time) error {
	c.s.pause("connection")
	return c.Connections.Use(ctx, at, used)
}

func (c pausingConnections) Leave(ctx context.Context, at store.Connection) error {
	c.s.pause("connection")
	return c.Connections.Leave(ctx, at)
}

const deedOfProcess = "APP_TEST_DEED"

func doDeed(t *testing.T, text string) {
	var d deed
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	clock := func() time.Time { return d.Now }
	st, err := sqlite.Open(t.Context(), sqlite.Options{Dir: d.Dir, Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	a := app.New(app.Options{Store: &pausing{Store: st, at: d.Pause}, Now: clock, Deletion: loci.DeleteWithKey})
	fmt.Println("done:", deedsOfProcesses[d.What](t.Context(), a, &d))
}

// aProcess does a deed.
type aProcess struct {
	t   *testing.T
	out *bufio.Scanner
	in  io.WriteCloser
}

func startDeed(t *testing.T, d deed) *aProcess {
	t.Helper()
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestTwoProcesses$")
	c.Env, c.Stderr = append(os.Environ(), deedOfProcess+"="+string(text)), os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Wait() })
	return &aProcess{t, bufio.NewScanner(out), in}
}

// next returns the next thing that the process tells.
func (c *aProcess) next() string {
	c.t.Helper()
	for c.out.Scan() {
		if line := c.out.Text(); line == "pauses" || line == "waits" || strings.HasPrefix(line, "done: ") {
			return line
		}
	}
	c.t.Fatal("the process ended without an answer")
	return ""
}

// processWorld has an org without workspaces that has one, a project of two owners and an admin, and another one.
type processWorld struct {
	*stage
	boss, olga, carl, adam loci.User
	first, second          loci.Project
	workspace              loci.Workspace
}

func newProcessWorld(t *testing.T) *processWorld {
	s := newStage(t, loci.DeleteWithKey)
	operator, boss := s.org("acme", "boss@acme.example")
	w := &processWorld{stage: s, boss: boss}
	for name, u := range map[string]*loci.User{"olga": &w.olga, "carl": &w.carl, "adam": &w.adam} {
		*u = s.user(operator, name+"@acme.example", loci.Member)
	}
	w.first, w.second = w.project(w.session(w.olga), "first", false), w.project(w.session(w.olga), "second", false)
	for u, role := range map[loci.UserID]loci.MemberRole{w.carl.ID: loci.MemberOwner, w.adam.ID: loci.MemberAdmin} {
		w.must(w.Project.PutMember(t.Context(), w.session(w.olga), w.first.ID, loci.ProjectMember{UserID: u, Role: role}))
	}
	w.must(w.Project.PutMember(t.Context(), w.session(w.olga), w.second.ID,
		loci.ProjectMember{UserID: w.adam.ID, Role: loci.Member}))
	var err error
	w.workspace, err = w.Org.CreateWorkspace(t.Context(), w.session(w.boss), "Office")
	w.must(err)
	return w
}

// deed fills in what a deed needs.
func (w *processWorld) deed(what, pause string, by loci.Principal, user loci.User, in loci.Project) deed {
	return deed{What: what, Pause: pause, Dir: w.dir, Now: w.clock(), By: by, User: user.ID, Project: in.ID,
		Workspace: w.workspace.ID}
}

// state describes what the deeds change, and names what must not be.
func (w *processWorld) state() (text string, broken []string) {
	ctx := w.t.Context()
	acme, err := w.st.Orgs().Get(ctx, "acme")
	w.must(err)
	var spaces []loci.Workspace
	w.must(w.st.View(ctx, "acme", func(tx store.Tx) (err error) {
		if spaces, err = tx.Workspaces().List(ctx); err != nil {
			return err
		}
		users, err := tx.Users().List(ctx, loci.UserID{}, 100)
		for _, u := range users {
			in, err := tx.Workspaces().Of(ctx, u.ID)
			if err != nil {
				return err
			}
			if text += fmt.Sprintln(u.Email, "is in", in); acme.Workspaces && len(in) == 0 {
				broken = append(broken, u.Email+" is in no workspace")
			}
		}
		return err
	}))
	ids, err := w.st.ProjectMembers().All(ctx, "acme", loci.WorkspaceID{})
	w.must(err)
	for _, id := range ids {
		p, err := w.st.Projects().Get(ctx, loci.Viewer{OrgID: "acme", UserID: w.olga.ID, ProjectIDs: ids}, id)
		w.must(err)
		members, err := w.st.ProjectMembers().List(ctx, "acme", id)
		w.must(err)
		text += fmt.Sprintln(p.Name, p.Description, p.WorkspaceID, members)
		if !slices.ContainsFunc(members, func(m loci.ProjectMember) bool { return m.Role == loci.MemberOwner }) {
			broken = append(broken, p.Name+" has no owner")
		}
		if !p.WorkspaceID.IsZero() &&
			!slices.ContainsFunc(spaces, func(s loci.Workspace) bool { return s.ID == p.WorkspaceID }) {
			broken = append(broken, p.Name+" is in a workspace that is gone")
		}
	}
	at, err := w.st.Connections().Get(ctx, connectionOfProcesses)
	return text + fmt.Sprintln(at.ProjectID, loci.CodeOf(err)), broken
}

// TestTwoProcesses lets one process pause between a check and its write. Another process then does what the check must
// prevent: it waits, or its answer is still true when both are done.
func TestTwoProcesses(t *testing.T) {
	if text := os.Getenv(deedOfProcess); text != "" {
		doDeed(t, text)
		return
	}
	t.Parallel()
	type deeds = func(w *processWorld) (paused, other deed)
	for name, of := range map[string]deeds{
		"adopting projects": func(w *processWorld) (deed, deed) {
			boss := w.session(w.boss)
			return w.deed("use workspaces", "adopt", boss, w.boss, w.first),
				w.deed("delete workspace", "", boss, w.boss, w.first)
		},
		"leaving a workspace": func(w *processWorld) (deed, deed) {
			boss := w.session(w.boss)
			return w.deed("leave workspace", "update", boss, w.boss, w.first),
				w.deed("use workspaces", "", boss, w.boss, w.first)
		},
		"deleting the last workspace": func(w *processWorld) (deed, deed) {
			boss := w.session(w.boss)
			return w.deed("delete workspace", "update", boss, w.boss, w.first),
				w.deed("use workspaces", "", boss, w.boss, w.first)
		},
		"deleting a workspace": func(w *processWorld) (deed, deed) {
			boss := w.session(w.boss)
			return w.deed("delete workspace", "update", boss, w.boss, w.first),
				w.deed("create project", "", boss, w.boss, w.first)
		},
		"creating a project": func(w *processWorld) (deed, deed) {
			boss := w.session(w.boss)
			return w.deed("create project", "update", boss, w.boss, w.first),
				w.deed("delete workspace", "", boss, w.boss, w.first)
		},
		"changing a project": func(w *processWorld) (deed, deed) {
			return w.deed("change project", "update", w.session(w.adam), w.adam, w.first),
				w.deed("demote", "", w.session(w.olga), w.adam, w.first)
		},
		"demoting an owner": func(w *processWorld) (deed, deed) {
			return w.deed("demote", "update", w.session(w.olga), w.olga, w.first),
				w.deed("demote", "", w.session(w.carl), w.carl, w.first)
		},
		"removing an owner": func(w *processWorld) (deed, deed) {
			return w.deed("remove", "update", w.session(w.olga), w.olga, w.first),
				w.deed("remove", "", w.session(w.carl), w.carl, w.first)
		},
		"ending an active project": func(w *processWorld) (deed, deed) {
			adam := w.session(w.adam)
			w.must(second(w.Project.Switch(t.Context(), adam, connectionOfProcesses, "first")))
			w.must(w.Project.RemoveMember(t.Context(), w.session(w.olga), w.first.ID, w.adam.ID))
			adam = w.session(w.adam) // without the first project
			return w.deed("current", "connection", adam, w.adam, w.first),
				w.deed("switch", "", adam, w.adam, w.second)
		},
		"using an active project": func(w *processWorld) (deed, deed) {
			adam := w.session(w.adam)
			w.must(second(w.Project.Switch(t.Context(), adam, connectionOfProcesses, "first")))
			w.now = w.now.Add(2 * time.Hour)
			return w.deed("current", "connection", adam, w.adam, w.first),
				w.deed("switch", "", adam, w.adam, w.second)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newProcessWorld(t)
			paused, other := of(w)
			w.race(paused, other)
		})
	}
}

func (w *processWorld) race(paused, other deed) {
	t := w.t.(*testing.T) //nolint:forcetypeassert // newProcessWorld made it of one
	a := startDeed(t, paused)
	if got := a.next(); got != "pauses" {
		t.Fatalf("%s is %s, want that it pauses before it writes", paused.What, got)
	}
	b := startDeed(t, other)
	answer := b.next()
	var seen string
	if answer != "waits" {
		seen, _ = w.state()
	}
	if _, err := a.in.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	first := a.next()
	if answer == "waits" {
		answer = b.next()
		seen, _ = w.state()
	}
	now, broken := w.state()
	if now != seen || len(broken) > 0 {
		t.Errorf("%s is %s, %s is %s: %q; when the latter was done:\n%s\nat the end:\n%s", paused.What, first, other.What,
			answer, broken, seen, now)
	}
}
