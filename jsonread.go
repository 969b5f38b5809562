package loci

import (
	"errors"
	"io"
	"math"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// JSONReader reads JSON as it arrives. It accepts what CheckJSON accepts, and only names that the target has. Its
// Invalid errors repeat at most a short name from the input. It returns the errors of its source as they are.
type JSONReader struct{ dec *jsontext.Decoder }

// NewJSONReader returns a reader of the JSON in r.
func NewJSONReader(r io.Reader) *JSONReader { return &JSONReader{jsontext.NewDecoder(r)} }

// Reset reads from r next.
func (j *JSONReader) Reset(r io.Reader) { j.dec.Reset(r) }

// Read reads the next value into v. Its errors name fields of v.
func (j *JSONReader) Read(v any) error {
	depth := j.dec.StackDepth()
	return fault(jsonv2.UnmarshalDecode(j.dec, v, strictly), depth)
}

// Begins reads the next token, and reports whether it is that: one of { } [ ].
func (j *JSONReader) Begins(token byte) (bool, error) {
	got, err := j.dec.ReadToken()
	return err == nil && byte(got.Kind()) == token, fault(err, 0)
}

// Name reads a name of an object.
func (j *JSONReader) Name() (string, error) {
	got, err := j.dec.ReadToken()
	if err != nil {
		return "", fault(err, 0)
	}
	return got.String(), nil
}

// More reports whether the list or object has another value.
func (j *JSONReader) More() bool {
	kind := j.dec.PeekKind()
	return kind != ']' && kind != '}' && kind != 0
}

// End fails unless nothing follows.
func (j *JSONReader) End() error {
	switch _, err := j.dec.ReadToken(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return fault(err, 0)
	}
	return Errorf(Invalid, "something follows the JSON value; send one value")
}

var strictly = jsonv2.JoinOptions(jsonv2.RejectUnknownMembers(true), jsonv2.WithUnmarshalers(jsonv2.JoinUnmarshalers(
	jsonv2.UnmarshalFromFunc(readWhole), jsonv2.UnmarshalFromFunc(readTime), jsonv2.UnmarshalFromFunc(readVendors))))

var errWrongForm = errors.New("wrong form")

// readWhole reads a whole number, such as 5 or 5.0, which JSON Schema doesn't tell apart.
func readWhole(dec *jsontext.Decoder, n *int) error {
	token, err := dec.ReadToken()
	if err != nil {
		return err
	}
	if token.Kind() != '0' {
		return errWrongForm
	}
	f := token.Float()
	if f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return errWrongForm
	}
	*n = int(f)
	return nil
}

// readTime reads what ParseTime reads, in UTC, and null as no time.
func readTime(dec *jsontext.Decoder, t *time.Time) error {
	token, err := dec.ReadToken()
	if err != nil || token.Kind() == 'n' {
		return err
	}
	if token.Kind() != '"' {
		return errWrongForm
	}
	*t, err = ParseTime(token.String(), time.UTC)
	return err
}

// readVendors rejects null, which could mean everybody or nobody.
func readVendors(dec *jsontext.Decoder, _ *[]Vendor) error {
	if dec.PeekKind() == 'n' {
		return errWrongForm
	}
	return jsonv2.SkipFunc
}

// fault makes an Invalid error of one that the decoder found in a value so deep in the input.
func fault(err error, depth int) error {
	var syntax *jsontext.SyntacticError
	var meaning *jsonv2.SemanticError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &meaning):
		return misfit(meaning, depth)
	case CodeOf(err) != "":
		return err
	case errors.Is(err, io.EOF):
		return Errorf(Invalid, "the body is missing; send JSON")
	case errors.As(err, &syntax) && errors.Is(err, jsontext.ErrDuplicateName):
		return twice(syntax.JSONPointer.LastToken())
	case errors.As(err, &syntax) && errors.Is(err, io.ErrUnexpectedEOF):
		return Errorf(Invalid, "the JSON ends early, at byte %d", syntax.ByteOffset)
	case errors.As(err, &syntax):
		return Errorf(Invalid, "this is not valid JSON in UTF-8 at byte %d", syntax.ByteOffset)
	}
	return err // of the source
}

// misfit is the error for JSON that the target doesn't take.
func misfit(e *jsonv2.SemanticError, depth int) error {
	field := FieldAt(e.JSONPointer, depth)
	switch {
	case field == "":
		return Errorf(Invalid, "this must be a JSON object")
	case errors.Is(e, jsonv2.ErrUnknownName):
		return FieldErrorf(field, "is an unknown field")
	}
	return FieldErrorf(field, "has a value of the wrong form or out of range")
}

// twice is the error for a name that an object has twice.
func twice(name string) error {
	name = name[:min(len(name), 50)]
	return &Error{Code: Invalid, Field: name, Text: "the member " + name + " appears twice in one object; send it once"}
}

// FieldAt writes a place below a depth as a.b[0].
func FieldAt(pointer jsontext.Pointer, depth int) string {
	var b strings.Builder
	for token := range pointer.Tokens() {
		if depth--; depth >= 0 {
			continue
		}
		token = token[:min(len(token), 50)]
		switch {
		case strings.Trim(token, "0123456789") == "":
			b.WriteString("[" + token + "]")
		case b.Len() > 0:
			b.WriteString("." + token)
		default:
			b.WriteString(token)
		}
	}
	return b.String()
}
