package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFitNeverCutsIDs(t *testing.T) {
	id := strings.Repeat("i", 36)
	for _, tt := range []struct {
		name  string
		width int
		want  []string
	}{
		{"wide enough", 200, []string{id, strings.Repeat("t", 50), strings.Repeat("g", 20)}},
		{"the widest is cut", 90, []string{id, strings.Repeat("t", 29) + "…", strings.Repeat("g", 20)}},
		{"then the next", 64, []string{id, strings.Repeat("t", 11) + "…", strings.Repeat("g", 11) + "…"}},
		{"no narrower", 20, []string{id, strings.Repeat("t", 11) + "…", strings.Repeat("g", 11) + "…"}},
		{"unknown width", 0, []string{id, strings.Repeat("t", 50), strings.Repeat("g", 20)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			row := []string{id, strings.Repeat("t", 50), strings.Repeat("g", 20)}
			fit([]string{"ID", "TITLE", "TAGS"}, [][]string{row}, tt.width)
			if diff := cmp.Diff(tt.want, row); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
