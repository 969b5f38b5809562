package transfer

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
)

// TestExportFormat compares the fields of an export with those that testdata/format.txt lists,
// because an older Loci rejects a line with a field that it does not know.
func TestExportFormat(t *testing.T) {
	want, err := os.ReadFile("testdata/format.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]string{}
	listFields(lines, reflect.TypeFor[exportHeader]())
	listFields(lines, reflect.TypeFor[record]())
	got := fmt.Sprintf("format %d\n", exportFormat)
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		got += name + ":" + lines[name] + "\n"
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("the fields of an export changed: raise exportFormat once for each release of Loci that "+
			"changes them, then write them to testdata/format.txt (-format.txt +structs):\n%s", diff)
	}
}

// listFields adds a line with the JSON names of a struct's fields, and one for each struct in it.
func listFields(lines map[string]string, of reflect.Type) {
	line := ""
	for i := range of.NumField() {
		f := of.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || f.Type == reflect.TypeFor[loci.Disagreement]() { // never in an export
			continue
		}
		if f.Anonymous {
			name = f.Name
		}
		line += " " + name
		inner := f.Type
		for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct && inner.PkgPath() != "time" {
			listFields(lines, inner)
		}
	}
	lines[of.Name()] = line
}
