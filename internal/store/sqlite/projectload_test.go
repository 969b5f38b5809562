package sqlite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/test/random"
)

// writers write to a project, each until stop is closed or the project is gone, and note what
// was acknowledged. Every other answer than "it is archived" or "it is not there" is a failure.
type writers struct {
	sync.WaitGroup
	mu    sync.Mutex
	acked []string
}

func (w *writers) run(t *testing.T, s *Store, p loci.Project, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		name := loci.NewEntityID().String()
		switch err := tryNote(s, p, name); loci.CodeOf(err) {
		case loci.Conflict:
		case loci.NotFound:
			return
		default:
			if err != nil {
				t.Error(explain(err))
				return
			}
			w.mu.Lock()
			w.acked = append(w.acked, name)
			w.mu.Unlock()
		}
	}
}

// note writes one name that must be acknowledged.
func (w *writers) note(t *testing.T, s *Store, p loci.Project, name string) {
	t.Helper()
	note(t, s, p, name)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.acked = append(w.acked, name)
}

func (w *writers) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.acked)
}

// One process archives, restores and at last deletes while eight writers are at
// work in another and a third writes only between the moves: what was acknowledged is there
// after each restore, and nothing is left of what was deleted.
func TestProjectMovesUnderLoad(t *testing.T) {
	t.Parallel()
	other, p := newProject(t, Options{})
	mover := openStore(t, Options{Dir: other.Dir()})   // has no file open whose closing would empty the log
	sleeper := openStore(t, Options{Dir: other.Dir()}) // sees the project in no other place than its own
	w := &writers{acked: []string{"first"}}
	stop := make(chan struct{})
	for range 8 {
		w.Go(func() { w.run(t, other, p, stop) })
	}
	for round := range 8 {
		for before := w.count(); w.count() < before+8 && !t.Failed(); { // a real load, whatever the machine
			w.note(t, sleeper, p, fmt.Sprint("sleeper's ", round, " ", w.count()))
		}
		if round%2 == 0 {
			wantNoMove(t, mover, sleeper, p)
		}
		moveAway(t, mover, p)
	}
	close(stop)
	w.Wait()
	w.note(t, sleeper, p, "in the log alone") // of which nobody notices the move, and empties it
	moveAway(t, mover, p)
	want := slices.Sorted(slices.Values(w.acked))
	for _, s := range []*Store{mover, other, sleeper} {
		got := notes(t, s, p)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	wantSound(t, mover)
	deleteUnderLoad(t, mover, other, p)
}

func moveAway(t *testing.T, mover *Store, p loci.Project) {
	t.Helper()
	if err := errors.Join(mover.Projects().Archive(bg, p.OrgID, p.ID),
		mover.Projects().Restore(bg, p.OrgID, p.ID)); err != nil {
		t.Error(explain(err))
	}
}

// wantNoMove demands that the file stays while a transaction runs on it.
func wantNoMove(t *testing.T, mover, writer *Store, p loci.Project) {
	t.Helper()
	err := writer.ViewProject(bg, p.OrgID, p.ID, func(store.GraphTx) error {
		ctx, cancel := context.WithTimeout(bg, 20*time.Millisecond) // ends by itself if all is well
		defer cancel()
		if err := mover.Projects().Archive(ctx, p.OrgID, p.ID); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("an archive during a transaction: %v", err)
		}
		_, err := os.Stat(writer.projectPath(projectsDir, p.ID))
		return err
	})
	if err != nil {
		t.Error(explain(err))
	}
}

func deleteUnderLoad(t *testing.T, mover, other *Store, p loci.Project) {
	t.Helper()
	w := &writers{}
	for range 8 {
		w.Go(func() { w.run(t, other, p, nil) })
	}
	for w.count() < 8 && !t.Failed() {
		note(t, mover, p, "mover's")
	}
	if err := mover.Projects().Delete(bg, p.OrgID, p.ID); err != nil {
		t.Error(explain(err))
	}
	w.Wait() // each has met that the project is gone
	if got := projectFilesIn(t, mover.Dir()); len(got) != 0 {
		t.Errorf("files are left: %q", got)
	}
	wantSound(t, mover)
}

func wantSound(t *testing.T, s *Store) {
	t.Helper()
	if list, err := s.registry.UnsettledProjects(bg); err != nil || len(list) != 0 {
		t.Errorf("unsettled: %+v, %v", list, err)
	}
	if problems, err := s.Check(bg); err != nil || len(problems) != 0 {
		t.Errorf("Check: %q, %v", problems, err)
	}
}

// projectJobs are what the test binary does when a test runs it as another process.
var projectJobs = map[string]func(s *Store, p loci.Project) error{
	"hold": holdForever,
	// write prints each name after it was acknowledged, and ends with the project.
	"write": func(s *Store, p loci.Project) error {
		for {
			name := loci.NewEntityID().String()
			switch err := tryNote(s, p, name); loci.CodeOf(err) {
			case loci.Conflict:
			case loci.NotFound:
				return nil
			default:
				if err != nil {
					return err
				}
				fmt.Println(name)
			}
		}
	},
	// move prints something after each move.
	"move": func(s *Store, p loci.Project) error {
		for {
			for _, change := range []func() error{
				func() error { return s.Projects().Archive(bg, p.OrgID, p.ID) },
				func() error { return s.Projects().Restore(bg, p.OrgID, p.ID) },
			} {
				if err := change(); err != nil && loci.CodeOf(err) != loci.Conflict {
					return err
				}
				fmt.Println("moved")
			}
		}
	},
}

func TestMain(m *testing.M) {
	job := projectJobs[os.Getenv("SQLITE_TEST_JOB")]
	if job == nil {
		random.FewerUnderRace()
		os.Exit(m.Run())
	}
	s, err := Open(bg, Options{Dir: os.Args[1]})
	if err == nil {
		id, _ := loci.ParseMemoryID(os.Args[2])
		err = job(s, loci.Project{ID: loci.ProjectID(id), OrgID: loci.DefaultOrg})
	}
	if err != nil {
		os.Stderr.WriteString(explain(err) + "\n")
		os.Exit(1)
	}
	os.Exit(0)
}

type process struct {
	cmd *exec.Cmd
	out io.ReadCloser
	err strings.Builder
}

func startJob(t *testing.T, job string, s *Store, p loci.Project) *process {
	t.Helper()
	c := &process{cmd: exec.Command(os.Args[0], s.Dir(), p.ID.String())}
	c.cmd.Env = append(os.Environ(), "SQLITE_TEST_JOB="+job)
	c.cmd.Stderr = &c.err
	var err error
	if c.out, err = c.cmd.StdoutPipe(); err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// lines returns what the process printed, until it ends; it is killed after the n-th line
// if n is not 0.
func (c *process) lines(n int) (all []string) {
	for in := bufio.NewScanner(c.out); in.Scan(); {
		if all = append(all, in.Text()); len(all) == n {
			_ = c.cmd.Process.Kill()
		}
	}
	return all
}

// Processes that archive and restore are killed again and again while others write, and
// some of those are killed, too: no acknowledged write is lost.
func TestProjectMoversAreKilled(t *testing.T) {
	t.Parallel()
	s, p := newProject(t, Options{})
	var mu sync.Mutex
	var acked []string
	var lives, killed sync.WaitGroup
	for i := range 3 {
		c := startJob(t, "write", s, p)
		wg := &killed
		if i == 0 { // lives until the project is gone
			wg = &lives
		}
		wg.Go(func() {
			list := c.lines(60 * i)
			if err := c.cmd.Wait(); i == 0 && err != nil {
				t.Errorf("writer: %v: %s", err, c.err.String())
			}
			mu.Lock()
			acked = append(acked, list...)
			mu.Unlock()
		})
	}
	for round := range 8 {
		c := startJob(t, "move", s, p)
		if n := len(c.lines(2 + round)); n < 2+round {
			t.Errorf("a mover ended after %d moves: %s", n, c.err.String())
		}
		_ = c.cmd.Wait() // killed
	}
	if err := s.Projects().Restore(bg, p.OrgID, p.ID); err != nil && loci.CodeOf(err) != loci.Conflict { // it is active
		t.Fatal(explain(err))
	}
	killed.Wait()
	wantSound(t, s)
	got := map[string]bool{}
	if err := s.Projects().Archive(bg, p.OrgID, p.ID); err != nil { // nobody writes while we read
		t.Fatal(explain(err))
	}
	reader := openStore(t, Options{Dir: s.Dir()})
	err := reader.withGraph(bg, p, func(db *sqlitedb.DB, p loci.Project) error { return namesIn(db, got) })
	if err != nil {
		t.Fatal(explain(err))
	}
	if err := s.Projects().Delete(bg, p.OrgID, p.ID); err != nil {
		t.Fatal(explain(err))
	}
	lives.Wait()
	for _, name := range acked {
		if !got[name] {
			t.Errorf("%s was acknowledged and is lost", name)
		}
	}
	if len(acked) < 180 {
		t.Errorf("only %d writes were acknowledged", len(acked))
	}
	if files := projectFilesIn(t, s.Dir()); len(files) != 0 {
		t.Errorf("files are left: %q", files)
	}
	wantSound(t, s)
}

func namesIn(db *sqlitedb.DB, into map[string]bool) error {
	return db.View(bg, func(c *sqlitedb.Conn) error {
		return c.Query("SELECT name FROM entities", nil, func(r *sqlitedb.Row) error { into[r.Text(0)] = true; return nil })
	})
}
