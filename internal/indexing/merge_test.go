package indexing

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

func TestErasedWordsLeaveTheFiles(t *testing.T) {
	t.Parallel()
	for what, before := range map[string]func(*world){
		"live":       func(*world) {},
		"changed":    func(w *world) { w.replace(9, func(m *loci.Memory) { m.Title, m.Content = "other", "other" }) },
		"trashed":    func(w *world) { w.replace(9, func(m *loci.Memory) { m.DeletedAt, m.Change = w.now, loci.Trashed }) },
		"superseded": func(w *world) { w.replace(9, func(m *loci.Memory) { m.SupersededBy = loci.NewMemoryID() }) },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			erasedWordsLeave(t, before)
		})
	}
}

// erasedWordsLeave erases a memory to which something has happened before.
func erasedWordsLeave(t *testing.T, before func(*world)) {
	w := newWorld(t, t.TempDir())
	defer w.close()
	w.insert(9, "ordinary", loci.SessionID{})
	w.insert(1, "unutterable", loci.SessionID{})
	id := w.live[9].ID
	x := w.process()
	w.snapshot(x)
	x.Flush(t.Context())
	before(w)
	w.insert(9, "ordinary", loci.SessionID{}) // so that the manifest says what happened
	w.snapshot(x)
	x.Flush(t.Context())
	if !inFiles(t, w.dir, "unutterable") {
		t.Fatal("the word is in no file, so the test shows nothing")
	}
	w.erase(id)
	x = w.process()
	w.snapshot(x)
	x.upkeep(t.Context(), x.of(w.org), true, 0)
	if inFiles(t, w.dir, "unutterable") {
		t.Error("a word of an erased memory is still in a file")
	}
	w.check("after that", x)
	x.Drop(t.Context(), w.org)
	if _, err := os.Stat(filepath.Join(w.dir, string(w.org))); !os.IsNotExist(err) {
		t.Errorf("the files of a dropped index: %v", err)
	}
	w.check("after it was dropped", x)
}

// TestForgottenWordsLeaveTheFiles changes a memory in each place that an index may have it in.
func TestForgottenWordsLeaveTheFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir())
	defer w.close()
	w.insert(9, "ordinary", loci.SessionID{})
	w.insert(1, "unutterable", loci.SessionID{})
	id := w.live[9].ID
	x := w.process()
	w.snapshot(x)
	x.Flush(t.Context())
	if !inFiles(t, w.dir, "unutterable") {
		t.Fatal("the word is in no file, so the test shows nothing")
	}
	w.replace(9, func(m *loci.Memory) { m.Title, m.Content = "other", "other" })
	x = w.process()
	x.Forget(t.Context(), w.org, id)
	if inFiles(t, w.dir, "unutterable") {
		t.Error("a word of an old version is still in a file")
	}
	w.check("after that", x)
}

func inFiles(t *testing.T, dir, word string) (found bool) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		found = found || strings.Contains(string(data), word)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestMergeBesideSearches merges files after a search has taken rows out of them that are in no file yet. If
// they were erased, the next merge must drop their words.
func TestMergeBesideSearches(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir())
	defer w.close()
	x, session := w.process(), loci.NewSessionID()
	x.limits.flushRows, x.limits.fileRows = 1, 20
	o := x.of(w.org)
	release, ok, err := o.files.lock()
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	defer release()
	w.insert(1, "unutterable", loci.SessionID{})
	for range 2 {
		w.insert(12, "words", loci.SessionID{})
		w.insert(6, "words", session)
		w.snapshot(x)
		if err := o.flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	w.erase(w.live[15].ID)
	w.erase(w.live[0].ID)
	w.snapshot(x)
	merge := func(want bool) {
		t.Helper()
		if merged, err := o.merge(t.Context(), true); err != nil || merged != want {
			t.Fatalf("merged %v: %v", merged, err)
		}
		w.check("the same process", x)
		w.check("a new process", w.process())
	}
	merge(true)
	merge(false)
	if err := o.flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	merge(true)
	if inFiles(t, w.dir, "unutterable") {
		t.Error("a word of an erased memory is still in a file")
	}
}

// TestMergeAfterBuild requires the files that a build leaves to be merged, as far as one file may have the
// rows. Later files wait until there are more of them.
func TestMergeAfterBuild(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir())
	defer w.close()
	x := w.process()
	o := x.of(w.org)
	for _, step := range []struct {
		rows int
		tidy bool
		want []int // rows of each file
	}{
		{40, false, []int{40}}, // built
		{12, false, []int{40, 12}},
		{12, false, []int{40, 12, 12}},
		{0, true, []int{40, 24}},
		{4, true, []int{40, 24}},
		{8, true, []int{40, 24, 12}},
	} {
		w.insert(step.rows, "words", loci.SessionID{})
		w.snapshot(x)
		write := func() error { return x.tidy(t.Context(), o, false) }
		if !step.tidy {
			write = func() error {
				release, _, err := o.files.lock()
				if err != nil {
					return err
				}
				defer release()
				return o.flush(t.Context())
			}
		}
		if err := write(); err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, p := range o.parts[:o.inFiles()] {
			got = append(got, p.view.Live())
		}
		if !slices.Equal(got, step.want) {
			t.Errorf("the files have %v rows, want %v", got, step.want)
		}
		w.check("a new process", w.process())
	}
}

// TestSessionsComeTogether requires a build to index the memories of a session beside each other, even if
// others were stored between them.
func TestSessionsComeTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir())
	defer w.close()
	session := loci.NewSessionID()
	w.insert(3, "words", session)
	w.insert(buildBatch, "words", loci.SessionID{})
	w.insert(3, "words", session)
	check := func(what string, x *Index) {
		x.limits.block = blockRows
		if n := len(group(w.snapshot(x), w.live[0].ID)); n != 6 {
			t.Errorf("%s: %d memories are beside each other, want 6", what, n)
		}
		w.check(what, x)
	}
	x := w.process()
	check("in memory", x)
	x.Flush(t.Context())
	check("in a file", w.process())
	if err := x.Rebuild(t.Context(), w.org); err != nil {
		t.Fatal(err)
	}
	check("rebuilt", w.process())
}

// TestSlowBuildsGetOn requires a build to read a batch in each stint, however slow the machine is.
func TestSlowBuildsGetOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir())
	defer w.close()
	w.insert(3*buildBatch, "words", loci.SessionID{})
	x := w.process()
	x.limits.stint = time.Nanosecond
	o := newOrg(x, w.org)
	err := w.st.View(t.Context(), w.org, func(tx store.Tx) error { return o.begin(t.Context(), memories{tx, w.org}) })
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		if _, _, err := x.goOn(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	if !o.built {
		t.Errorf("after four stints, the rows before %s are not there", o.building.rest)
	}
}
