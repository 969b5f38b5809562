package sqlite

import (
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/loci-memory/loci"
)

// A process that knows that a graph is empty notices what another process stores in it, also after the
// other one has moved the file away and back.
func TestWithGraphsOfOtherProcesses(t *testing.T) {
	t.Parallel()
	s, user := newStore(t, Options{})
	other := openStore(t, Options{Dir: s.Dir()})
	var ids []loci.ProjectID
	fresh := func(name string) loci.Project {
		p, err := s.Projects().Create(bg, loci.Project{OrgID: loci.DefaultOrg, Name: name, Everyone: true}, user)
		if err != nil {
			t.Fatal(explain(err))
		}
		ids = append(ids, p.ID)
		return p
	}
	want := func(what string, list ...loci.ProjectID) {
		t.Helper()
		for range 2 {
			got, err := s.Projects().WithGraphs(bg, loci.DefaultOrg, ids)
			if err != nil || !slices.Equal(got, list) {
				t.Errorf("%s: got %v, %v, want %v", what, got, err, list)
			}
		}
	}
	p, q := fresh("p"), fresh("q")
	want("new")
	note(t, other, p, "other's")
	want("stored by another process", p.ID)
	err := errors.Join(other.Projects().Archive(bg, q.OrgID, q.ID), other.Projects().Restore(bg, q.OrgID, q.ID))
	if err != nil {
		t.Fatal(explain(err))
	}
	note(t, other, q, "other's")
	want("moved and stored by another process", p.ID, q.ID)
}

// A graph whose file is lost is not taken for an empty one: the read that follows tells what is wrong.
func TestWithGraphsOfLostFile(t *testing.T) {
	t.Parallel()
	s, p := newProject(t, Options{})
	if err := errors.Join(s.projectFiles.Drop(projectKey(p.OrgID, p.ID)),
		os.Remove(s.projectPath(projectsDir, p.ID))); err != nil {
		t.Fatal(err)
	}
	got, err := s.Projects().WithGraphs(bg, p.OrgID, []loci.ProjectID{p.ID})
	if err != nil || !slices.Equal(got, []loci.ProjectID{p.ID}) {
		t.Errorf("got %v, %v", got, err)
	}
}

// BenchmarkWithGraphs asks which of 8 projects have graphs. None has.
func BenchmarkWithGraphs(b *testing.B) {
	s, user := newStore(b, Options{})
	var ids []loci.ProjectID
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		p, err := s.Projects().Create(bg, loci.Project{OrgID: loci.DefaultOrg, Name: name}, user)
		if err != nil {
			b.Fatal(explain(err))
		}
		ids = append(ids, p.ID)
	}
	median(b, func(int) {
		if list, err := s.Projects().WithGraphs(bg, loci.DefaultOrg, ids); len(list) > 0 || err != nil {
			b.Fatal(list, err)
		}
	})
}
