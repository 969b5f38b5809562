package sqlite

import (
	"slices"
	"testing"
)

func TestUnsettledProjectsAreNamed(t *testing.T) {
	t.Parallel()
	s, p := newProject(t, Options{Dir: t.TempDir()})
	for _, tt := range []struct {
		name string
		do   func() error
		want []string
	}{
		{"at rest", func() error { return nil }, []string{}},
		{"begun", func() error { return s.intend(bg, p.OrgID, p.ID, intentArchiving) },
			[]string{intentArchiving + " " + p.ID.String()}},
		{"finished", func() error { return s.settleProject(bg, p.OrgID, p.ID) }, []string{}},
	} {
		if err := tt.do(); err != nil {
			t.Fatal(explain(err))
		}
		if got, err := s.UnsettledProjects(bg); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
}
