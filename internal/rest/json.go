package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	jsonv2 "github.com/go-json-experiment/json"

	"github.com/loci-memory/loci"
)

// jsonFormat reads bodies and writes answers. huma reads a body twice: into an
// any, which it validates, and then into the struct.
var jsonFormat = huma.Format{
	Marshal: loci.WriteJSON,
	Unmarshal: func(data []byte, v any) error {
		if _, first := v.(*any); first {
			commas, depth := sizeOf(data)
			if commas <= maxValues && depth <= loci.MaxJSONDepth && jsonv2.Unmarshal(data, v) == nil {
				return nil
			}
			if err := loci.CheckJSON(data); loci.FieldOf(err) != "" {
				return errors.New(loci.FieldOf(err) + standsTwice)
			} else if err != nil {
				return err
			}
			if commas > maxValues {
				return fmt.Errorf("the body has more than %d values; split it", maxValues)
			}
		}
		err := json.Unmarshal(data, v)
		if typ := (*json.UnmarshalTypeError)(nil); errors.As(err, &typ) && strings.HasPrefix(typ.Value, "number ") {
			err = json.Unmarshal(wholeNumbers(data), v)
		}
		return readable(err)
	},
}

// wholeNumbers writes whole numbers without fraction and exponent, because Go parses integers
// that way. In JSON Schema 5.0 is an integer, too.
func wholeNumbers(data []byte) []byte {
	return anyNumber.ReplaceAllFunc(data, func(token []byte) []byte {
		f, err := strconv.ParseFloat(string(token), 64)
		if token[0] == '"' || err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
			return token
		}
		return strconv.AppendInt(nil, int64(f), 10)
	})
}

// anyNumber matches numbers, and strings to skip them.
var anyNumber = regexp.MustCompile(`"(?:\\.|[^"\\])*"|-?[0-9][0-9.eE+-]*`)

// maxValues is the largest number of commas outside of strings in a body. Tiny values take some fifty times their
// size in memory and are slow to validate. Useful bodies stay far below the limit, even with maxBulk bytes.
const maxValues = 1 << 18

// sizeOf returns how many commas outside of strings a body has, and how deep it is at most.
func sizeOf(b []byte) (commas, deepest int) {
	depth, quoted := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case quoted:
		case c == ',':
			commas++
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return commas, deepest
}

// These texts follow the field's name. huma cannot put the field into its errors.
const (
	standsTwice = " appears twice in one object; send it once"
	wrongForm   = " has a value of the wrong form or out of range"
)

// readable rewrites the errors of encoding/json for callers, without repeating their values.
func readable(err error) error {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		return fmt.Errorf("the body is not valid JSON at byte %d", syntax.Offset)
	case errors.As(err, &typ) && typ.Field != "":
		return errors.New(strings.TrimPrefix(typ.Field, "Attributes.") + wrongForm)
	}
	return errors.New("a value in the body has the wrong form; times look like 2026-11-20T16:00:00Z, ids are UUIDs " +
		"of 36 characters")
}
