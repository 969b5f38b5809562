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

func TestFit(t *testing.T) {
	headers := []string{"TITLE", "ID", "CREATED", "ORIGIN", "TAGS"}
	title, tags := strings.Repeat("t", 60), strings.Repeat("g", 30)
	for _, tt := range []struct {
		name, title string
		width       int
		want        []string
	}{
		{"wide enough", title, 200, []string{title, "11111111", "2026-01-31 14:00", "cli", tags}},
		{"unknown width", title, 0, []string{title, "11111111", "2026-01-31 14:00", "cli", tags}},
		{"others are cut before the title", title, 122, []string{title, "11111111", "2026-01-31 14:00", "cli",
			strings.Repeat("g", 23) + "…"}},
		{"then the title", title, 110,
			[]string{strings.Repeat("t", 55) + "…", "11111111", "2026-01-31 14:00", "cli", strings.Repeat("g", 15) + "…"}},
		{"80 columns", title, 80, []string{strings.Repeat("t", 25) + "…", "11111111", "2026-01-31 14:00", "cli",
			strings.Repeat("g", 15) + "…"}},
		{"then both", title, 70, []string{strings.Repeat("t", 19) + "…", "11111111", "2026-01-31 14:00", "cli",
			strings.Repeat("g", 11) + "…"}},
		{"a short title leaves room", "short", 80, []string{"short", "11111111", "2026-01-31 14:00", "cli", tags}},
		{"then columns go", title, 60, []string{strings.Repeat("t", 23) + "…", "11111111", "2026-01-31 14:00", "cli"}},
		{"40 columns", title, 40, []string{strings.Repeat("t", 11) + "…", "11111111", "2026-01-31 14:00"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			row := []string{tt.title, "11111111", "2026-01-31 14:00", "cli", tags}
			got, hidden := fit(columns{headers, [][]string{row}}, tt.width)
			if diff := cmp.Diff(tt.want, got.rows[0]); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(headers, append(got.headers[:len(tt.want):len(tt.want)], hidden...)); diff != "" {
				t.Errorf("shown and hidden (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTableInTerminal(t *testing.T) {
	rows := func() [][]string {
		return [][]string{
			{"One", "6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e", "-"},
			{"Two", "6f1d2c1e-8b52-4c0e-9d7b-2f3a4b5c6d7e", ""},
		}
	}
	headers := []string{"NAME", "ID", "EXPIRES"}
	for _, tt := range []struct {
		name   string
		screen screen
		want   string
	}{
		{"terminal", screen{terminal: true, width: 80},
			"NAME  ID\nOne   6f1d2c1e-8a\nTwo   6f1d2c1e-8b\n"},
		{"styled", screen{terminal: true, styled: true, width: 80},
			"\x1b[1mNAME\x1b[m  \x1b[1mID\x1b[m\nOne   6f1d2c1e-8a\nTwo   6f1d2c1e-8b\n"},
		{"pipe", screen{}, "NAME  ID                                    EXPIRES\n" +
			"One   6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e  -\nTwo   6f1d2c1e-8b52-4c0e-9d7b-2f3a4b5c6d7e\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := renderTable(tt.screen, headers, rows())
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNearTime(t *testing.T) {
	for ago, want := range map[time.Duration]string{
		30 * time.Second: "now", 5 * time.Minute: "5 min ago", 3*time.Hour + time.Minute: "3 h ago", 24 * time.Hour: "",
		-3*time.Hour - time.Minute: "in 3 h", -48 * time.Hour: "",
	} {
		if got := nearTime(ago); got != want {
			t.Errorf("%s: %q, want %q", ago, got, want)
		}
	}
}

// TestShowPrintsEveryField demands that each field of a memory changes what loci show prints, or
// that notShown says that it does not.
func TestShowPrintsEveryField(t *testing.T) {
	notShown := []string{"source", "session_id", "workspace_id",
		"editor_id", "editor_credential_id", "editor_session_id"}
	show := func(m loci.Memory) string {
		var out bytes.Buffer
		(&program{out: &out}).printMemory(&m, around{owner: showID(m.UserID), project: showID(m.ProjectID),
			agent: showID(m.AgentID), sharedWith: m.SharedWith("it")})
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
	case reflect.Struct:
		for i := range v.NumField() {
			setSomething(t, v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		setSomething(t, v.Index(0))
	default:
		t.Fatalf("setSomething knows no %s", v.Type())
	}
}
