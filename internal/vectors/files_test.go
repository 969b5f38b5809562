package vectors_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/embed/embedtest"
	"github.com/loci-memory/loci/internal/vectors"
)

// in makes another org, and lets the world save there.
func (w *world) in(org loci.OrgID) {
	w.Helper()
	w.org = org
	_, _, err := w.st.Orgs().Ensure(w.Context(), loci.Org{ID: org, Name: string(org), OwnerID: w.user, CreatedAt: w.now},
		loci.User{})
	w.must(err)
}

func (w *world) files() []string {
	list, err := filepath.Glob(filepath.Join(w.dir, "vectors", "*", "*.vectors"))
	w.must(err)
	return list
}

func numbered(n int) (texts []string) {
	for i := range n {
		texts = append(texts, fmt.Sprintf("text %d", i))
	}
	return texts
}

// TestFilesThatAreDamagedInside overwrites the middle of a file. The next search, look or CatchUp makes it again.
func TestFilesThatAreDamagedInside(t *testing.T) {
	w := newWorld(t)
	model := &embedtest.Model{}
	x := w.process(model)
	w.add(numbered(2000)...)
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	w.must(x.Close())
	damage := func() {
		t.Helper()
		f, err := os.OpenFile(w.files()[0], os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		info, err := f.Stat()
		w.must(err)
		_, err = f.WriteAt(bytes.Repeat([]byte{0x5a}, 256<<10), info.Size()/2)
		w.must(err)
		w.must(f.Close())
	}
	damage()
	searched := w.process(model)
	check(t, searched, 0, vectors.Building)
	searched.Upkeep(t.Context())
	check(t, searched, 2000, vectors.Ready)
	w.must(searched.Close())

	damage()
	caught := w.process(model)
	check(t, caught, 0, vectors.Building)
	w.must(caught.CatchUp(t.Context(), loci.DefaultOrg))
	check(t, caught, 2000, vectors.Ready)
	w.must(caught.Close())

	damage()
	rebuilt := w.process(model)
	if problems, err := rebuilt.Verify(t.Context(), loci.DefaultOrg); err != nil || len(problems) == 0 {
		t.Errorf("verify finds %q (%v)", problems, err)
	}
	w.must(rebuilt.Rebuild(t.Context(), loci.DefaultOrg))
	check(t, rebuilt, 2000, vectors.Ready)
}

// TestQuietOrgsHaveNoOpenFiles has many orgs, of which somebody searches one.
func TestQuietOrgsHaveNoOpenFiles(t *testing.T) {
	w := newWorld(t)
	source := &models{current: &embedtest.Model{}}
	x := w.process(source)
	w.add("tea")
	for i := range 12 {
		w.in(loci.OrgID(fmt.Sprint("org", i)))
		w.add("tea")
	}
	for range 4 {
		x.Look(t.Context())
	}
	if n := len(w.files()); n != 13 {
		t.Errorf("there are %d files, want one for each of 13 orgs", n)
	}
	open := func(want int) {
		t.Helper()
		if got := x.Sets.(*vectors.Files).OpenFiles(); got != want {
			t.Errorf("%d files are open, want %d", got, want)
		}
	}
	open(0)
	check(t, x, 1, vectors.Ready)
	w.now = w.now.Add(2 * time.Minute)
	x.Look(t.Context())
	open(1)
	w.now = w.now.Add(3 * time.Minute)
	for range 4 {
		x.Look(t.Context())
	}
	open(0)
	check(t, x, 1, vectors.Ready)
	source.current = nil
	x.Look(t.Context())
	open(0)
}

// TestQuestionsMakeNoFiles has a model that changes its dimensions under one name, and one that has others each time.
func TestQuestionsMakeNoFiles(t *testing.T) {
	w := newWorld(t)
	model := &embedtest.Model{Dims: 32}
	x := w.process(model)
	w.add("tea", "coffee")
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	check(t, x, 2, vectors.Ready)
	model.Dims = 40
	w.add("milk")
	_ = x.CatchUp(t.Context(), loci.DefaultOrg) // notices it
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	check(t, x, 3, vectors.Ready) // by a question that has been asked before
	w.now = w.now.Add(time.Hour)
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	if n := len(w.files()); n != 1 {
		t.Errorf("there are %d files, want 1", n)
	}

	model.Fail = func([]string) error { model.Dims++; return nil }
	for i := range 60 {
		if _, state := x.Meaning(t.Context(), loci.DefaultOrg, fmt.Sprint("question ", i)); state != vectors.Building {
			t.Errorf("got %s, want building", state)
		}
	}
	if n := len(w.files()); n != 1 {
		t.Errorf("after 60 questions there are %d files, want 1", n)
	}
	for i := range 20 {
		w.add(fmt.Sprint("more ", i))
		w.now = w.now.Add(time.Hour)
		x.Upkeep(t.Context())
	}
	if n := len(w.files()); n > 2 {
		t.Errorf("after 20 looks there are %d files, want at most 2", n)
	}
}

// TestOrgsTakeTurns has an org with a long queue, whose model is slow, and another one with a change.
func TestOrgsTakeTurns(t *testing.T) {
	w := newWorld(t)
	made := 0
	model := &embedtest.Model{Fail: func(texts []string) error {
		if strings.HasPrefix(texts[0], "text ") {
			made += len(texts)
			w.now = w.now.Add(6 * time.Second)
		}
		return nil
	}}
	x := w.process(model)
	list := w.add("tea", "coffee")
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	check(t, x, 2, vectors.Ready)
	w.in("large")
	w.add(numbered(640)...)
	w.org = loci.DefaultOrg
	w.change(list[0], "milk")
	x.Touch("large")
	down := true
	model.Groups = nil
	before := model.Fail
	model.Fail = func(texts []string) error {
		if down && texts[0] == "milk" {
			return &embed.Fault{Text: "down"}
		}
		return before(texts)
	}
	x.Look(t.Context())
	check(t, x, 1, vectors.Ready) // the vector of the old text is gone
	down = false
	w.now = w.now.Add(time.Minute)
	for range 2 {
		x.Look(t.Context())
	}
	check(t, x, 2, vectors.Ready)
	if made > 3*64 {
		t.Errorf("the model made %d vectors of the other org first", made)
	}
	for range 12 {
		x.Look(t.Context())
	}
	if made != 640 {
		t.Errorf("the model made %d vectors, want 640", made)
	}
}
