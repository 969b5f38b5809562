package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
)

// maxDepth is how deep a body may nest; our own go to 3.
const maxDepth = 64

// jsonFormat is how bodies are read and answers written. huma reads a body
// twice: into an any, which it validates, and then into the struct.
var jsonFormat = huma.Format{
	Marshal: huma.DefaultJSONFormat.Marshal,
	Unmarshal: func(data []byte, v any) error {
		if _, first := v.(*any); first {
			if err := scan(data); err != nil {
				return err
			}
		}
		return readable(json.Unmarshal(data, v))
	},
}

const wrongForm = " has a value of the wrong form; numbers are written without fraction and exponent"

// readable gives the texts of encoding/json a form for callers, without any
// value that they sent.
func readable(err error) error {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		return fmt.Errorf("the body is not valid JSON: something is wrong at byte %d", syntax.Offset)
	case errors.As(err, &typ) && typ.Field != "":
		return errors.New(strings.TrimPrefix(typ.Field, "Attributes.") + wrongForm)
	}
	return errors.New("a value in the body has the wrong form; times look like 2026-11-20T16:00:00Z, ids are UUIDs of 36 characters")
}

// scan refuses what the decoder would accept but change, or spend much on:
// text that is not UTF-8, half surrogate pairs, deep nesting.
func scan(data []byte) error {
	if !utf8.Valid(data) {
		return errors.New("the body is not valid UTF-8")
	}
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '{', '[':
			if depth++; depth > maxDepth {
				return fmt.Errorf("the body nests deeper than %d levels", maxDepth)
			}
		case '}', ']':
			depth--
		case '"':
			end, err := scanString(data, i+1)
			if err != nil {
				return err
			}
			i = end
		}
	}
	return nil
}

// scanString returns where the string that begins at i ends. The decoder
// would put U+FFFD in place of a lone surrogate: not what was sent.
func scanString(data []byte, i int) (int, error) {
	for ; i < len(data) && data[i] != '"'; i++ {
		if data[i] != '\\' {
			continue
		}
		i++
		r, ok := surrogate(data, i)
		if !ok {
			continue
		}
		low, paired := surrogate(data, i+6)
		if r >= 0xDC00 || !paired || low < 0xDC00 || data[i+5] != '\\' {
			return 0, errors.New(`the body has half of a surrogate pair (\ud800 to \udfff), which is no character`)
		}
		i += 10
	}
	return i, nil
}

// surrogate reads uXXXX at i and reports whether it is a surrogate.
func surrogate(data []byte, i int) (rune, bool) {
	if i+5 > len(data) || data[i] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range data[i+1 : i+5] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, r >= 0xD800 && r <= 0xDFFF
}
