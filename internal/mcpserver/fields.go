package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/loci-memory/loci"
)

// field is one argument of a tool, or one member of an item in an argument. It
// states the argument's name, schema, limits and destination once.
type field struct {
	name     string
	alias    string // another name that clients may send
	kind     string // what the value must be, for errors
	required bool
	wanted   bool // required in the schema only: app knows when it is optional
	hidden   bool // left out of the schema, which every model has to read
	zero     bool // 0 counts as not given
	schema   *jsonschema.Schema
	read     func(path string, raw json.RawMessage) error // checks the value and stores it
}

// must makes f required.
func (f field) must() field { f.required = true; return f }

// optional takes must back.
func (f field) optional() field { f.required = false; return f }

// want makes f required in the schema only.
func (f field) want() field { f.wanted = true; return f }

// or gives f an alias.
func (f field) or(alias string) field { f.alias = alias; return f }

// hide leaves f out of the schema.
func (f field) hide() field { f.hidden = true; return f }

// unlimited leaves the limits of a list out of the schema: no model comes near them.
func (f field) unlimited() field {
	f.schema.MinItems, f.schema.MaxItems, f.schema.Items.MaxLength = nil, nil, nil
	return f
}

// about describes f in the schema.
func (f field) about(text string) field { f.schema.Description = text; return f }

// otherwise sets the default in the schema.
func (f field) otherwise(value string) field { f.schema.Default = json.RawMessage(value); return f }

// then calls do after f has stored its value.
func (f field) then(do func()) field {
	read := f.read
	f.read = func(path string, raw json.RawMessage) error {
		err := read(path, raw)
		do()
		return err
	}
	return f
}

// value returns a field whose JSON value has the form of T. take checks and stores it.
func value[T any](name, kind string, schema *jsonschema.Schema, take func(path string, v T) error) field {
	return field{name: name, kind: kind, schema: schema, read: func(path string, raw json.RawMessage) error {
		var v *T
		if json.Unmarshal(raw, &v) != nil && json.Unmarshal(spelled(raw), &v) != nil || v == nil {
			return loci.FieldErrorf(path, "must be %s", kind)
		}
		return take(path, *v)
	}}
}

// loosely makes f accept another spelling of its value, which change rewrites.
func (f field) loosely(change func(json.RawMessage) json.RawMessage) field {
	read := f.read
	f.read = func(path string, raw json.RawMessage) error { return read(path, change(raw)) }
	return f
}

// spelled returns raw with its numbers as strings: models send 4711 for a text.
func spelled(raw json.RawMessage) json.RawMessage {
	switch raw = bytes.TrimSpace(raw); {
	case len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9'):
		return slices.Concat(json.RawMessage(`"`), raw, json.RawMessage(`"`))
	case isList(raw):
		var list []json.RawMessage
		_ = json.Unmarshal(raw, &list) // isList has done it
		for i := range list {
			list[i] = spelled(list[i])
		}
		raw, _ = json.Marshal(list) // its parts are valid
	}
	return raw
}

// unquoted returns the JSON value that a string holds: some clients send "5" for 5 and a list as
// text. It returns raw if the string holds none.
func unquoted(raw json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return raw
	}
	inner := json.RawMessage(strings.TrimSpace(text))
	if len(inner) == 0 || loci.CheckJSON(inner) != nil || string(inner) == "null" {
		return raw
	}
	return inner
}

// listed returns a list with one entry for a string that is not a list itself.
func listed(raw json.RawMessage) json.RawMessage {
	if raw = bytes.TrimSpace(raw); !isList(raw) {
		raw = spelled(raw)
	}
	if len(raw) == 0 || raw[0] != '"' {
		return raw
	}
	if inner := unquoted(raw); isList(inner) {
		return inner
	}
	return slices.Concat(json.RawMessage("["), raw, json.RawMessage("]"))
}

func isList(raw json.RawMessage) bool {
	var list []json.RawMessage
	return json.Unmarshal(raw, &list) == nil && list != nil
}

// atCommas is listed for words without commas: "a, b" has two entries.
func atCommas(raw json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(raw, &text) != nil || isList(unquoted(raw)) {
		return listed(raw)
	}
	words := strings.Split(text, ",")
	for i, w := range words {
		words[i] = strings.TrimSpace(w)
	}
	split, _ := json.Marshal(words) // strings are always valid
	return split
}

func plain() *jsonschema.Schema { return &jsonschema.Schema{Type: "string"} }

// word is a string that app checks.
func word[T ~string](name string, into *T) field {
	return value(name, "a string", plain(), func(_ string, v string) error { *into = T(v); return nil })
}

// text is a string of minimum to maximum characters.
func text(name string, into *string, minimum, maximum int) field {
	schema := &jsonschema.Schema{Type: "string", MaxLength: &maximum}
	return value(name, "a string", schema, func(path, v string) error {
		*into = v
		return loci.CheckText(path, v, minimum, maximum)
	})
}

// oneOf is one of the words.
func oneOf[T ~string](name string, into *T, words ...T) field {
	schema, last := plain(), len(words)-1
	all := make([]string, len(words))
	for i, w := range words {
		schema.Enum, all[i] = append(schema.Enum, w), string(w)
	}
	kind := all[last]
	if last > 0 {
		kind = strings.Join(all[:last], ", ") + " or " + kind
	}
	return value(name, kind, schema, func(path, v string) error {
		if *into = T(v); !slices.Contains(words, *into) {
			return loci.FieldErrorf(path, "must be %s", kind)
		}
		return nil
	})
}

func flag(name string, into *bool) field {
	boolean := &jsonschema.Schema{Type: "boolean"}
	return value(name, "true or false", boolean, func(_ string, v bool) error { *into = v; return nil }).
		loosely(unquoted)
}

// whole is a whole number in any spelling: 10, 10.0 and 1e1 are the same. The
// schema states fallback as the default, unless it is 0.
func whole(name string, into *int, minimum, maximum, fallback int) field {
	*into = fallback
	schema := &jsonschema.Schema{Type: "integer", Minimum: new(float64(minimum)), Maximum: new(float64(maximum))}
	const kind = "a whole number"
	f := value(name, kind, schema, func(path string, v float64) error {
		switch {
		case v != math.Trunc(v):
			return loci.FieldErrorf(path, "must be "+kind)
		case v < float64(minimum) || v > float64(maximum):
			return loci.FieldErrorf(path, loci.RangeText, minimum, maximum)
		}
		*into = int(v)
		return nil
	}).loosely(unquoted)
	f.zero = minimum > 0
	if fallback == 0 {
		return f
	}
	return f.otherwise(strconv.Itoa(fallback))
}

// seconds is a duration of at least one second.
func seconds(name string, into *time.Duration, maximum time.Duration) field {
	var n int
	f := whole(name, &n, 1, int(maximum/time.Second), 0).about("seconds")
	f.schema.Minimum, f.schema.Maximum = nil, nil // no model comes near the maximum
	return f.then(func() { *into = time.Duration(n) * time.Second })
}

// moment is a time, as timeOf reads it.
func moment(name string, into *time.Time) field {
	return value(name, "a string", plain(), func(path, v string) (err error) {
		*into, err = timeOf(path, v)
		return err
	})
}

// id is a required id.
func id[Kind any](name string, into *loci.ID[Kind]) field {
	return value(name, "a string", plain(), func(path, v string) error { return readID(path, v, into) }).must()
}

// optionalID is an id.
func optionalID[Kind any](name string, into *loci.ID[Kind]) field {
	return value(name, "a string", plain(), func(path, v string) error { return readID(path, v, into) })
}

func readID[Kind any](path, v string, into *loci.ID[Kind]) (err error) {
	if *into, err = loci.ParseID[Kind](v); err != nil {
		return loci.FieldErrorf(path, "is not an id: %s", err)
	}
	return nil
}

const stringList = "an array of strings"

// ids is a list of ids.
func ids[Kind any](name string, into *[]loci.ID[Kind], maximum int) field {
	return idList(name, into, maximum, readID[Kind])
}

func idList[ID any](name string, into *[]ID, maximum int, read func(path, v string, into *ID) error) field {
	schema := &jsonschema.Schema{Type: "array", Items: plain()}
	return value(name, stringList, schema, func(path string, list []string) error {
		if len(list) > maximum {
			return tooMany(path, len(list), maximum)
		}
		*into = make([]ID, len(list))
		for i, v := range list {
			if err := read(fmt.Sprintf("%s[%d]", path, i), v, &(*into)[i]); err != nil {
				return err
			}
		}
		return nil
	}).loosely(atCommas)
}

// list is a list of strings of at most length characters. The schema states the limits, and check enforces them.
func list[T ~string](
	name string, into *[]T, minimum, maximum, length int, check func(path string, list []T) error,
) field {
	one := plain()
	one.MaxLength = &length
	schema := &jsonschema.Schema{Type: "array", MaxItems: &maximum, Items: one}
	if minimum > 0 {
		schema.MinItems = &minimum
	}
	return value(name, stringList, schema, func(path string, v []T) error {
		*into = v
		return check(path, v)
	}).loosely(listed)
}

// vendors is a list of vendors. Models write their names in capitals.
func vendors(name string, into *[]loci.Vendor) field {
	return list(name, into, 1, loci.MaxVendors, loci.MaxVendorLength, func(path string, v []loci.Vendor) error {
		for i := range v {
			v[i] = loci.Vendor(strings.ToLower(strings.TrimSpace(string(v[i]))))
			if strings.Trim(string(v[i]), "0123456789") == "" { // no assistant could read the memory
				return loci.FieldErrorf(fmt.Sprintf("%s[%d]", path, i), "must be the name of a vendor, not a number")
			}
		}
		return loci.CheckVendors(v)
	}).loosely(atCommas).unlimited()
}

// origin filters by the vendor that wrote a memory.
func origin(into *string) field {
	return value("origin", "a string", plain(), func(_ string, v string) error {
		*into = strings.ToLower(strings.TrimSpace(v))
		return nil
	})
}

// tagMode is whether a memory or an event must have any of the tags or all of them.
func tagMode(all *bool) field {
	var mode string
	return oneOf("tag_mode", &mode, "any", "all").then(func() { *all = mode == "all" })
}

func tags(into *[]string, minimum int) field {
	check := func(path string, v []string) error { return loci.CheckTags(path, v, minimum) }
	f := list("tags", into, minimum, loci.MaxTags, loci.MaxTag, check).loosely(atCommas).unlimited()
	f.required = minimum > 0
	return f
}

// texts is a list of strings for a graph, none of them empty. The schema leaves
// out how many there may be: no model comes near the maximum.
func texts(name string, into *[]string, length int) field {
	f := list(name, into, 0, loci.MaxGraphItems, length, func(path string, v []string) error {
		if len(v) > loci.MaxGraphItems {
			return tooMany(path, len(v), loci.MaxGraphItems)
		}
		for i, one := range v {
			if err := loci.CheckText(fmt.Sprintf("%s[%d]", path, i), one, 1, length); err != nil {
				return err
			}
		}
		return nil
	})
	f.schema.MaxItems = nil
	return f
}

// items is a list of objects with the same fields.
func items[T any](name string, into *[]T, maximum int, of func(*T) []field) field {
	schema := &jsonschema.Schema{Type: "array", Items: object(of(new(T)))}
	if maximum < loci.MaxGraphItems { // see texts
		schema.MinItems, schema.MaxItems = new(1), &maximum
	}
	return value(name, "an array of objects", schema, func(path string, list []json.RawMessage) error {
		if len(list) > maximum {
			return tooMany(path, len(list), maximum)
		}
		*into = make([]T, len(list))
		var bad loci.ItemsError
		for i, raw := range list {
			err := decodeObject(fmt.Sprintf("%s[%d]", path, i), raw, of(&(*into)[i]))
			if err != nil && len(bad.Items) < maxReasons {
				bad.Items = append(bad.Items, loci.ItemError{Index: i, Code: loci.Invalid, Text: loci.SafeText(err)})
			}
		}
		if bad.Items != nil {
			return &bad
		}
		return nil
	}).loosely(unquoted).must()
}

// maxReasons limits the items that an error gives reasons for.
const maxReasons = 20

func tooMany(path string, n, maximum int) error {
	return loci.FieldErrorf(path, "has %d entries; at most %d are allowed", n, maximum)
}

// object returns the schema of an object with these fields. It does not mention
// that other members are rejected: in an item that costs as much as two of them.
func object(fields []field) *jsonschema.Schema {
	out := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	for _, f := range fields {
		if f.hidden {
			continue
		}
		out.Properties[f.name] = f.schema
		out.PropertyOrder = append(out.PropertyOrder, f.name)
		if f.required || f.wanted {
			out.Required = append(out.Required, f.name)
		}
	}
	return out
}

// decodeArgs stores a tool's arguments through their fields. It rejects what the schema rejects, with errors that a
// model can act on. The SDK's own validation would repeat rejected values.
func decodeArgs(raw json.RawMessage, fields []field) error {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}") // clients send either if there are no arguments
	}
	return decodeObject("", raw, fields)
}

// notGiven reports whether clients send this for an optional member that has no value: null, an empty string, a word
// for null, a list of only one of these or, for a size, 0.
func (f *field) notGiven(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	var text string
	var list []json.RawMessage
	switch {
	case string(raw) == "null":
		return true
	case json.Unmarshal(raw, &text) == nil:
		return strings.TrimSpace(text) == "" || loci.IsPlaceholder(text) || f.zero && isZero(text) ||
			isList(unquoted(raw)) && f.notGiven(unquoted(raw))
	case json.Unmarshal(raw, &list) == nil:
		return len(list) == 1 && f.notGiven(list[0])
	}
	return f.zero && isZero(string(raw))
}

func isZero(text string) bool {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return err == nil && n == 0
}

// decodeObject stores the members of the object at path in the arguments. "" is the arguments themselves. An optional
// member that is not given counts as left out: clients in strict mode send every member.
func decodeObject(path string, raw json.RawMessage, fields []field) error {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members == nil {
		if path == "" {
			return loci.Errorf(loci.Invalid, "arguments must be a JSON object")
		}
		return loci.FieldErrorf(path, "must be an object")
	}
	maps.DeleteFunc(members, func(_ string, sent json.RawMessage) bool { return string(sent) == "null" })
	if err := unknownMember(path, members, fields); err != nil {
		return err
	}
	for _, f := range fields {
		maps.DeleteFunc(members, func(name string, sent json.RawMessage) bool {
			return !f.required && (name == f.name || name == f.alias) && f.notGiven(sent)
		})
		name, sent := f.name, members[f.name]
		if other := members[f.alias]; f.alias != "" && other != nil {
			if sent != nil {
				return loci.FieldErrorf(within(path, f.alias), "is another name for %s; send only one of them", f.name)
			}
			name, sent = f.alias, other
		}
		if sent == nil {
			if f.required {
				return loci.FieldErrorf(within(path, name), "is missing; it must be %s", f.kind)
			}
			continue
		}
		if err := f.read(within(path, name), sent); err != nil {
			return err
		}
	}
	return nil
}

// within returns the path of a member of an object.
func within(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// unknownMember rejects members that are not fields. It does not repeat a long name, which is the caller's text.
func unknownMember(path string, members map[string]json.RawMessage, fields []field) error {
	if len(fields) == 0 { // some clients send a dummy to a tool without arguments
		return nil
	}
	var names []string
	known := map[string]bool{}
	for _, f := range fields {
		names = append(names, f.name)
		known[f.name], known[f.alias] = true, f.alias != ""
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		shown, takes := strconv.Quote(name), "this tool takes "+strings.Join(names, ", ")
		switch {
		case known[name]:
			continue
		case name == "origin":
			return loci.FieldErrorf(within(path, "origin"), "cannot be set: Loci takes it from your credential; leave it out")
		case len(name) > 40:
			shown = "one of the fields"
		}
		if path != "" {
			shown, takes = shown+" in "+path, "it takes "+strings.Join(names, ", ")
		}
		return loci.Errorf(loci.Invalid, "%s is unknown; %s", shown, takes)
	}
	return nil
}
