package sqlstore

import (
	"reflect"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// TestPagesCompareEveryField changes one field after the other. A field that is not compared would show
// a page to a reader for whom it is not.
func TestPagesCompareEveryField(t *testing.T) {
	t.Parallel()
	var q, other store.ListQuery
	if !sameQuery(&q, &other) {
		t.Error("two zero queries differ")
	}
	eachField(t, reflect.ValueOf(&other).Elem(), "", func(field string) {
		if sameQuery(&q, &other) {
			t.Errorf("a query with another %s is the same", field)
		}
	})
	var v, reader loci.Viewer
	if !sameViewer(&v, &reader) {
		t.Error("two zero viewers differ")
	}
	eachField(t, reflect.ValueOf(&reader).Elem(), "", func(field string) {
		if sameViewer(&v, &reader) {
			t.Errorf("a viewer with another %s is the same", field)
		}
	})
}

// eachField calls check with each field of a zero struct, and of the structs in it, as the only one
// that is not zero.
func eachField(t *testing.T, v reflect.Value, path string, check func(field string)) {
	t.Helper()
	for i := range v.NumField() {
		f, name := v.Field(i), path+v.Type().Field(i).Name
		switch f.Interface().(type) {
		case time.Time:
			f.Set(reflect.ValueOf(time.Unix(1, 0)))
		default:
			switch f.Kind() {
			case reflect.Struct:
				eachField(t, f, name+".", check)
				continue
			case reflect.String:
				f.SetString("a")
			case reflect.Bool:
				f.SetBool(true)
			case reflect.Int:
				f.SetInt(1)
			case reflect.Slice:
				f.Set(reflect.MakeSlice(f.Type(), 1, 1))
			case reflect.Array:
				f.Index(0).SetUint(1)
			default:
				t.Fatalf("%s has a kind that this test cannot change", name)
			}
		}
		check(name)
		f.SetZero()
	}
}

func TestClonesShareNothing(t *testing.T) {
	t.Parallel()
	list := []*loci.Memory{{Title: "a", Tags: []string{"x", "y"}}, {Title: "b", Tags: []string{}}, {Title: "c"}}
	list[2].AllowedVendors = []loci.Vendor{"*"}
	want := []*loci.Memory{list[0].Clone(), list[1].Clone(), list[2].Clone()}
	copies := clones(list)
	if !reflect.DeepEqual(copies, want) {
		t.Fatalf("got %+v, want %+v", copies, want)
	}
	copies[0].Tags = append(copies[0].Tags, "z")
	copies[0].Tags[0], copies[2].AllowedVendors[0], copies[1].Title = "changed", "changed", "changed"
	if !reflect.DeepEqual(list, want) {
		t.Errorf("the memories changed with their copies: %+v", list)
	}
	if len(copies[1].Tags) != 0 || len(copies[2].Tags) != 0 {
		t.Errorf("the copies changed each other: %+v", copies)
	}
}
