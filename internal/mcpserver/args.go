package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/loci-memory/loci"
)

// decodeArgs fills the struct that into points to from a tool's arguments. It
// refuses what the schema refuses, and says so in words that a model can act
// on; the SDK's own validation repeats rejected values and their size.
//
// A field's tag json is its name; alias is another one that is accepted
// silently, and need says that it must not be left out. A field may be a slice
// of structs of such fields.
func decodeArgs(raw json.RawMessage, into any) error {
	target := reflect.ValueOf(into).Elem()
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}") // clients without arguments send either
	}
	var args map[string]json.RawMessage
	if err := json.Unmarshal(raw, &args); err != nil {
		return loci.Errorf(loci.Invalid, "arguments must be a JSON object")
	}
	if err := loci.CheckJSON(raw); err != nil {
		return inArguments(args, err)
	}
	return decodeObject("", args, target)
}

// inArguments names the argument that loci.CheckJSON refused, if it is in one.
func inArguments(args map[string]json.RawMessage, err error) error {
	text := strings.Replace(loci.SafeText(err), "the body", "it", 1)
	for name, value := range args {
		if loci.CheckJSON(value) != nil && len(name) <= 40 {
			return loci.FieldErrorf(name, "cannot be taken: %s", text)
		}
	}
	return loci.Errorf(loci.Invalid, "the arguments cannot be taken: %s", text)
}

// decodeObject fills target, whose place in the arguments is path; "" is the
// arguments themselves.
func decodeObject(path string, args map[string]json.RawMessage, target reflect.Value) error {
	fields, names := argFields(target)
	given := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		field, ok := fields[name]
		if !ok {
			return unknownArg(path, name, names)
		}
		if given[field.name] {
			return loci.FieldErrorf(within(path, field.alias), "is another name of %s; send only one of them", field.name)
		}
		given[field.name] = true
		if err := decodeArg(within(path, name), args[name], field.value); err != nil {
			return err
		}
	}
	for _, name := range names {
		if field := fields[name]; field.needed && !given[name] {
			return loci.FieldErrorf(within(path, name), "is missing: it must be %s", kindOf(field.value.Type()))
		}
	}
	return nil
}

// within is where a member of an object is.
func within(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// argField is a field of a struct of arguments.
type argField struct {
	name, alias string
	needed      bool
	value       reflect.Value
}

// argFields returns the fields of a struct by each of their names. names has
// those that are in the schema.
func argFields(target reflect.Value) (fields map[string]argField, names []string) {
	fields = make(map[string]argField, target.NumField())
	for i := range target.NumField() {
		if target.Type().Field(i).Anonymous {
			inner, more := argFields(target.Field(i))
			maps.Copy(fields, inner)
			names = append(names, more...)
			continue
		}
		tag := target.Type().Field(i).Tag
		f := argField{name: tag.Get("json"), alias: tag.Get("alias"), needed: tag.Get("need") != "", value: target.Field(i)}
		fields[f.name] = f
		if f.alias != "" {
			fields[f.alias] = f
		}
		names = append(names, f.name)
	}
	return fields, names
}

// unknownArg does not repeat a long name: it is the caller's text.
func unknownArg(path, name string, names []string) error {
	if name == "origin" && !slices.Contains(names, name) {
		return loci.FieldErrorf(within(path, "origin"), "cannot be set: the server takes it from your credential; leave it out")
	}
	shown, takes := strconv.Quote(name), "this tool takes "+strings.Join(names, ", ")
	if len(name) > 40 {
		shown = "one of the fields"
	}
	if len(names) == 0 {
		takes = "this tool takes no arguments"
	}
	if path != "" {
		shown, takes = shown+" in "+path, "it takes "+strings.Join(names, ", ")
	}
	return loci.Errorf(loci.Invalid, "%s is unknown: %s", shown, takes)
}

func decodeArg(name string, value json.RawMessage, field reflect.Value) error {
	if isItems(field.Type()) {
		return decodeItems(name, value, field)
	}
	var wrong *json.UnmarshalTypeError
	err := json.Unmarshal(value, field.Addr().Interface())
	if err == nil && string(value) != "null" {
		return nil
	}
	if err != nil && !errors.As(err, &wrong) && !errors.Is(err, errNotWhole) {
		return loci.FieldErrorf(name, "cannot be read")
	}
	return loci.FieldErrorf(name, "must be %s", kindOf(field.Type()))
}

// isItems reports whether t is a slice of structs of arguments.
func isItems(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct
}

func decodeItems(name string, value json.RawMessage, field reflect.Value) error {
	var items []json.RawMessage
	if json.Unmarshal(value, &items) != nil || items == nil {
		return loci.FieldErrorf(name, "must be %s", kindOf(field.Type()))
	}
	if len(items) > loci.MaxGraphItems {
		return tooMany(name, len(items), loci.MaxGraphItems)
	}
	field.Set(reflect.MakeSlice(field.Type(), len(items), len(items)))
	for i, item := range items {
		place := fmt.Sprintf("%s[%d]", name, i)
		var args map[string]json.RawMessage
		if json.Unmarshal(item, &args) != nil || args == nil {
			return loci.FieldErrorf(place, "must be an object")
		}
		if err := decodeObject(place, args, field.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func tooMany(field string, n, maximum int) error {
	return loci.FieldErrorf(field, "has %d entries; at most %d are allowed", n, maximum)
}

// count is a whole number, however it is spelled: 10, 10.0 and 1e1 are one.
type count int

var errNotWhole = errors.New("not a whole number")

// UnmarshalJSON reads a number. What does not fit an int is cut, so that the
// check of its limits speaks about it.
func (c *count) UnmarshalJSON(b []byte) error {
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(f) || f != math.Trunc(f) {
		return errNotWhole
	}
	*c = count(max(-math.MaxInt32, min(math.MaxInt32, f)))
	return nil
}

// within returns *c if it was given and is within the limits, fallback if it
// was not given.
func (c *count) within(field string, minimum, maximum, fallback int) (int, error) {
	if c == nil {
		return fallback, nil
	}
	if n := int(*c); n >= minimum && n <= maximum {
		return n, nil
	}
	return 0, loci.FieldErrorf(field, "must be from %d to %d", minimum, maximum)
}
