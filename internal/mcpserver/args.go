package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
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
func decodeArgs(raw json.RawMessage, into any) error {
	target := reflect.ValueOf(into).Elem()
	fields, names := argFields(target)
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		return nil // clients without arguments send either
	}
	var args map[string]json.RawMessage
	if err := json.Unmarshal(raw, &args); err != nil {
		return loci.Errorf(loci.Invalid, "arguments must be a JSON object")
	}
	if err := loci.CheckJSON(raw); err != nil {
		return inArguments(args, err)
	}
	for name, value := range args {
		field, ok := fields[name]
		if !ok {
			return unknownArg(name, names)
		}
		if err := decodeArg(name, value, field); err != nil {
			return err
		}
	}
	return nil
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

// argFields maps the JSON names of a struct's fields to the fields. names
// leaves out aliases.
func argFields(target reflect.Value) (fields map[string]reflect.Value, names []string) {
	fields = make(map[string]reflect.Value, target.NumField())
	for i := range target.NumField() {
		tag := target.Type().Field(i).Tag
		fields[tag.Get("json")] = target.Field(i)
		if tag.Get("alias") == "" {
			names = append(names, tag.Get("json"))
		}
	}
	return fields, names
}

// unknownArg does not repeat the name: it is the caller's text and may be of
// any length.
func unknownArg(name string, names []string) error {
	if name == "origin" && !slices.Contains(names, name) {
		return loci.FieldErrorf("origin", "cannot be set: the server takes it from your credential; leave it out")
	}
	shown := strconv.Quote(name)
	if len(name) > 40 {
		shown = "one of the fields"
	}
	if len(names) == 0 {
		return loci.Errorf(loci.Invalid, "%s is unknown: this tool takes no arguments", shown)
	}
	return loci.Errorf(loci.Invalid, "%s is unknown: this tool takes %s", shown, strings.Join(names, ", "))
}

func decodeArg(name string, value json.RawMessage, field reflect.Value) error {
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
