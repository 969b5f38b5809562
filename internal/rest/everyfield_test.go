package rest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

// everyField is a server where a test sends each field of a memory by itself.
type everyField struct {
	*server
	session string
	values  map[string]any // for fields whose values depend on others
}

func newEveryField(t *testing.T) *everyField {
	t.Helper()
	e := &everyField{server: newServer(t)}
	var project loci.Project
	var agent loci.Agent
	var session loci.Session
	decode(t, e.expect(t, 201, owner, `POST /projects {"name":"garden"}`), &project)
	decode(t, e.expect(t, 201, owner, `POST /agents {"name":"reviewer","vendor":"claude"}`), &agent)
	decode(t, e.expect(t, 201, owner, `POST /sessions {"agent_id":"`+agent.ID.String()+`"}`), &session)
	e.session = session.ID.String()
	e.values = map[string]any{"allowed_vendors": []any{"claude"}, "tags": []any{"ops"}, "scope": "project",
		"project_id": project.ID.String(), "agent_id": agent.ID.String(), "session_id": e.session}
	return e
}

// body returns base with the field set to a value that no memory has by default.
func (e *everyField) body(t *testing.T, base map[string]any, f reflect.StructField) (map[string]any, any) {
	t.Helper()
	name, body := jsonName(f), maps.Clone(base)
	value, known := e.values[name]
	kind := f.Type
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	} else if m, ok := kind.MethodByName("Value"); ok { // a client.Change
		kind = m.Type.Out(0)
	}
	options := strings.Split(f.Tag.Get("enum"), ",")
	switch {
	case known:
	case kind == reflect.TypeFor[time.Time]():
		value = "2027-01-02T03:04:05.000000Z" // as answers give it
	case len(options) > 1:
		value = options[len(options)-1]
	case kind.Kind() == reflect.String:
		value = "other"
	case kind.Kind() == reflect.Int:
		value = float64(7)
	case kind.Kind() == reflect.Bool:
		value = true
	default:
		t.Fatalf("%s: give everyField.values a value of this field", name)
	}
	switch body[name] = value; name {
	case "scope":
		body["project_id"] = e.values["project_id"]
	case "project_id":
		body["scope"] = "project"
	case "agent_id":
		body["scope"] = "agent"
	}
	return body, value
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// jsonFields returns the fields of a struct that JSON shows, those of embedded structs too.
func jsonFields(of reflect.Type) []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(of), func(f reflect.StructField) bool { return jsonName(f) == "" })
}

// TestEveryFieldIsStored sends each field in each way to write a memory, and reads it again: a
// field that one of the copies on the way forgets would be accepted and dropped.
func TestEveryFieldIsStored(t *testing.T) {
	t.Parallel()
	e := newEveryField(t)
	made := 0
	base := map[string]any{"title": "t", "tags": []string{}, "allowed_vendors": []string{"*"}}
	whole, edit := reflect.TypeFor[client.Replacement](), reflect.TypeFor[client.Edit]()
	for _, way := range []struct {
		name, method string
		of           reflect.Type
		except       []string // fields that cannot change this way
	}{
		{"a new memory", "POST", whole, nil},
		{"a save by key", "POST", whole, []string{"key", "scope", "project_id", "agent_id", "session_id"}},
		{"a replacement", "PUT", whole, nil},
		{"an edit", "PATCH", edit, nil},
	} {
		for _, f := range jsonFields(way.of) {
			if slices.Contains(way.except, jsonName(f)) {
				continue
			}
			path, start := "/memories", maps.Clone(base)
			made++
			start["content"] = fmt.Sprint("content ", made) // no other memory says it
			switch {
			case way.name == "a save by key":
				start["key"] = "the " + jsonName(f)
				e.send201(t, start)
			case way.method != "POST":
				path += "/" + e.send201(t, start)
			}
			if way.of == edit {
				start = map[string]any{}
			}
			body, want := e.body(t, start, f)
			var saved, stored map[string]any
			w := e.do(way.method, path, owner, jsonText(t, body), "Loci-Session: "+e.session)
			if w.Code > 201 {
				t.Errorf("%s with %s: got %d %s", way.name, jsonName(f), w.Code, w.Body)
				continue
			}
			decode(t, w, &saved)
			decode(t, e.do("GET", "/memories/"+saved["id"].(string), owner, "", "Loci-Session: "+e.session), &stored)
			if diff := cmp.Diff(want, stored[jsonName(f)]); diff != "" {
				t.Errorf("%s drops %s (-sent +stored):\n%s", way.name, jsonName(f), diff)
			}
		}
	}
}

// send201 stores a memory and returns its id.
func (e *everyField) send201(t *testing.T, body map[string]any) string {
	t.Helper()
	var m loci.Memory
	decode(t, e.expect(t, 201, owner, "POST /memories "+jsonText(t, body)), &m)
	return m.ID.String()
}

func jsonText(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
