package main

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
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

// TestShowPrintsEveryField demands that each field of a memory changes what loci show prints, or
// that notShown says that it does not.
func TestShowPrintsEveryField(t *testing.T) {
	notShown := []string{"source", "session_id", "user_id", "workspace_id", "project_id", "agent_id", "team_id",
		"editor_id", "editor_credential_id", "editor_session_id"}
	show := func(m loci.Memory) string {
		var out bytes.Buffer
		(&program{out: &out}).printMemory(&m)
		return out.String()
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[loci.Memory]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "-" {
			continue
		}
		var m loci.Memory
		before, field := show(m), reflect.ValueOf(&m).Elem().FieldByIndex(f.Index)
		setSomething(t, field)
		if shown := show(m) != before; shown == slices.Contains(notShown, name) {
			t.Errorf("%s: loci show prints it: %v; print it in printMemory, or correct notShown", name, shown)
		}
	}
}

func setSomething(t *testing.T, v reflect.Value) {
	t.Helper()
	if at, ok := v.Addr().Interface().(*time.Time); ok {
		*at = time.Unix(1, 0)
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("something")
	case reflect.Int:
		v.SetInt(7)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Array: // an id
		v.Index(0).SetUint(7)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		setSomething(t, v.Index(0))
	default:
		t.Fatalf("setSomething knows no %s", v.Type())
	}
}
