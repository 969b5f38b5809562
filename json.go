package loci

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// timeLayout has a fixed width, so that times in UTC sort as text like the times themselves.
const timeLayout = "2006-01-02T15:04:05.000000Z"

var encodeTimes = jsonv2.MarshalToFunc(func(e *jsontext.Encoder, t time.Time) error {
	return e.WriteToken(jsontext.String(t.UTC().Format(timeLayout)))
})

// encoding is encoding/json without the escapes that are meant for browsers.
var encoding = jsonv2.JoinOptions(jsonv1.DefaultOptionsV1(), jsontext.EscapeForHTML(false))

// EncodeJSON returns v as one line of JSON, without a newline at the end. All JSON that leaves Loci
// goes through it: times are in UTC, with six digits of a second.
func EncodeJSON(v any) (b []byte, err error) {
	err = withEncoder(func(e *memoryEncoder) (err error) { b, err = e.encode(nil, v); return err })
	return b, err
}

// WriteJSON writes v as EncodeJSON returns it, and a newline. w must not keep the bytes.
func WriteJSON(w io.Writer, v any) error {
	return withEncoder(func(e *memoryEncoder) (err error) {
		if e.line, err = e.encode(e.line[:0], v); err != nil {
			return err
		}
		e.line = append(e.line, '\n')
		_, err = w.Write(e.line)
		return err
	})
}

// MaxJSONDepth limits the nesting of JSON that Loci accepts. Loci's own JSON has 5 levels.
const MaxJSONDepth = 64

// CheckJSON rejects input that encoding/json would accept but change, or that costs much to decode:
//
//   - text that is not UTF-8
//   - escaped halves of surrogate pairs, which a decoder replaces with U+FFFD
//   - duplicate member names, because readers disagree on which one counts
//   - deep nesting
//
// Its Invalid errors repeat at most a short name from the input. If b is not JSON at all, CheckJSON
// returns nil and leaves the error to the decoder.
func CheckJSON(b []byte) error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(b)) // it reads b without copying
	for {
		_, err := dec.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return jsonFault(b, err)
		case dec.StackDepth() > MaxJSONDepth:
			return Errorf(Invalid, "the JSON is nested deeper than %d levels", MaxJSONDepth)
		}
	}
}

// jsonFault converts the decoder's error about b to an Invalid error. It returns nil if b is not JSON.
func jsonFault(b []byte, err error) error {
	var found *jsontext.SyntacticError
	switch {
	case !utf8.Valid(b):
		return Errorf(Invalid, "the JSON is not valid UTF-8")
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &found):
		return twice(found.JSONPointer.LastToken())
	case json.Valid(b): // encoding/json accepts everything else that the decoder rejects
		return Errorf(Invalid, `the JSON contains half of a surrogate pair (\ud800 to \udfff), which is not a character`)
	}
	return nil
}

// AppendJSON appends a text as a JSON string. It replaces what is not UTF-8.
func AppendJSON[T ~string](b []byte, text T) []byte {
	b, _ = jsontext.AppendQuote(b, text)
	return b
}

// TakesGzip reads the header Accept-Encoding of a request.
func TakesGzip(accepted string) bool {
	for one := range strings.SplitSeq(strings.ToLower(accepted), ",") {
		name, quality, _ := strings.Cut(strings.ReplaceAll(one, " ", ""), ";q=")
		if name == "gzip" {
			return strings.Trim(quality, "0.") != "" || quality == ""
		}
	}
	return false
}

// MergeObject changes a JSON object as a merge patch says (RFC 7396): null removes a member, an object
// changes the members of the object in its place, and every other value replaces what was there. An
// empty object counts as {}, and an empty patch changes nothing. Both must have passed CheckObject.
// Members are sorted by name; values that the patch doesn't mention stay as they are.
func MergeObject(object, patch json.RawMessage) (json.RawMessage, error) {
	if len(patch) == 0 {
		return object, nil
	}
	merged, err := mergedValue(object, patch)
	if err != nil || string(merged) == "{}" {
		return nil, err
	}
	return merged, nil
}

func mergedValue(old, patch json.RawMessage) (json.RawMessage, error) {
	changes := members(patch)
	if changes == nil {
		return patch, nil
	}
	result := members(old)
	if result == nil {
		result = map[string]json.RawMessage{}
	}
	for name, value := range changes {
		if string(value) == "null" {
			delete(result, name)
			continue
		}
		merged, err := mergedValue(result[name], value)
		if err != nil {
			return nil, err
		}
		result[name] = merged
	}
	return EncodeJSON(result)
}

// members returns the members of a JSON object, or nil for another value.
func members(value json.RawMessage) (m map[string]json.RawMessage) {
	_ = json.Unmarshal(value, &m) // leaves nil for another value
	return m
}
