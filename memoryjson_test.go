package loci_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/loci-memory/loci"
)

// plainMemory has the fields of a memory and no encoder of its own.
type plainMemory loci.Memory

// TestMemoryJSON requires the bytes that the tags of the fields describe, for each field alone and
// for all of them.
func TestMemoryJSON(t *testing.T) {
	var all loci.Memory
	check := func(name string, m *loci.Memory) {
		t.Helper()
		want, err := loci.EncodeJSON((*plainMemory)(m))
		if err != nil {
			t.Fatal(err)
		}
		for form, v := range map[string]any{"pointer": m, "value": *m, "list": []*loci.Memory{m}} {
			got, err := loci.EncodeJSON(v)
			if form == "list" && len(got) > 2 {
				got = got[1 : len(got)-1]
			}
			if err != nil || string(got) != string(want) {
				t.Errorf("%s, %s: got %s, %v\nwant %s", name, form, got, err, want)
			}
		}
	}
	check("zero", &all)
	fields := 0
	eachField(reflect.ValueOf(&all).Elem(), "", func(name string, f reflect.Value) {
		fields++
		one := loci.Memory{}
		fill(t, name, f)
		reflect.ValueOf(&one).Elem().FieldByName(name).Set(f)
		check(name, &one)
	})
	check("all", &all)
	if fields < 35 {
		t.Errorf("only %d fields", fields)
	}
	for _, text := range []string{"<&>", "\u2028\u2029", "\x00\x1f\"\\/", "日本 🙂", "\xff half \xe2\x80"} {
		check(text, &loci.Memory{Title: text, Tags: []string{text}, Access: loci.Access{Origin: text}})
	}
	for c := range 256 { // the encoder looks at eight bytes at a time
		text := bytes.Repeat([]byte("a"), 12)
		text[c%8] = byte(c)
		check(string(text), &loci.Memory{Title: string(text), Content: string(byte(c)) + "a"})
	}
	for _, year := range []int{-1, 0, 999, 9999, 10_000} {
		at := time.Date(year, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
		check(at.String(), &loci.Memory{CreatedAt: at, UpdatedAt: at})
	}
	if got, err := loci.EncodeJSON(struct{ M *loci.Memory }{}); err != nil || string(got) != `{"M":null}` {
		t.Errorf("got %s, %v for no memory", got, err)
	}
}

// eachField calls fn for every field of a struct, and of those that it embeds.
func eachField(v reflect.Value, name string, fn func(string, reflect.Value)) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous {
			eachField(v.Field(i), name, fn)
			continue
		}
		fn(f.Name, v.Field(i))
	}
}

// fill sets a field to a value that is not zero.
func fill(t *testing.T, name string, f reflect.Value) {
	t.Helper()
	switch v := f.Addr().Interface().(type) {
	case *time.Time:
		*v = time.Date(2026, 2, 3, 4, 5, 6, 7000, time.FixedZone("east", 3600))
	case *[]loci.Dispute:
		*v = []loci.Dispute{{ID: loci.NewMemoryID(), Origin: "claude"}, {ID: loci.NewMemoryID(), Origin: "codex"}}
	case *[]string:
		*v = []string{"ops", "a b"}
	case *[]loci.Vendor:
		*v = []loci.Vendor{"claude", "codex"}
	default:
		switch f.Kind() {
		case reflect.String:
			f.SetString("the " + name)
		case reflect.Int:
			f.SetInt(7)
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Array:
			reflect.Copy(f, reflect.ValueOf([16]byte(loci.NewMemoryID())))
		default:
			t.Fatalf("the test cannot fill %s, a %s", name, f.Type())
		}
	}
}

func BenchmarkEncodeMemories(b *testing.B) {
	list := make([]*loci.Memory, 20)
	for i := range list {
		list[i] = &loci.Memory{ID: loci.NewMemoryID(), Title: "Deploys", Content: "We deploy on Tuesdays.",
			Tags: []string{"ops", "deploy"}, Access: loci.Access{UserID: loci.NewUserID(), AllowedVendors: []loci.Vendor{"*"}},
			CreatedAt: time.Now(), UpdatedAt: time.Now()}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := loci.EncodeJSON(list); err != nil {
			b.Fatal(err)
		}
	}
}

// TestMemoriesInJSON requires each memory in its place, whatever is around it.
func TestMemoriesInJSON(t *testing.T) {
	a, b := loci.Memory{Title: "a", Content: "null"}, loci.Memory{Title: "b"}
	got, err := loci.EncodeJSON(map[string]any{"list": []*loci.Memory{&a, nil, &b}, "map": map[string]loci.Memory{"x": a,
		"y": b}, "none": nil, "text": "null", "twice": []any{a, &a}})
	p, q := plainMemory(a), plainMemory(b)
	want, _ := loci.EncodeJSON(map[string]any{"list": []*plainMemory{&p, nil, &q}, "map": map[string]plainMemory{"x": p,
		"y": q}, "none": nil, "text": "null", "twice": []any{p, &p}})
	if err != nil || string(got) != string(want) {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}

// TestSavedJSON compares a Saved with the encoder's own text, which a Saved in a list has.
func TestSavedJSON(t *testing.T) {
	m := loci.Memory{Title: "a", CreatedAt: time.Now(), Access: loci.Access{AllowedVendors: []loci.Vendor{"*"}}}
	for _, notes := range []loci.SaveNotes{
		{},
		{Unchanged: true},
		{NoValueUntil: time.Now(), Hint: "a < b & c", Superseded: []loci.MemoryID{loci.NewMemoryID()},
			Similar: []loci.Similar{{Title: "b", Score: 0.5}}},
	} {
		saved := &loci.Saved{Memory: m, SaveNotes: notes}
		got, err := loci.EncodeJSON(saved)
		want, wantErr := loci.EncodeJSON([]*loci.Saved{saved})
		if err := errors.Join(err, wantErr); err != nil || "["+string(got)+"]" != string(want) {
			t.Errorf("got  %s, %v\nwant %s", got, err, want)
		}
	}
}
