package loci

import (
	"encoding/json"
	"unicode/utf8"
)

// MaxJSONDepth is how deep JSON that we read may nest; our own goes to 5.
const MaxJSONDepth = 64

// CheckJSON refuses what a JSON decoder would take but change, or spend much
// on: text that is not UTF-8, escaped halves of surrogate pairs (a decoder puts
// U+FFFD in their place), member names that stand twice (readers disagree on
// which one counts), and deep nesting. Its Invalid errors repeat nothing of the
// input but a short name. Whether b is JSON at all is for the decoder to say.
func CheckJSON(b []byte) error {
	if !utf8.Valid(b) {
		return Errorf(Invalid, "the body is not valid UTF-8")
	}
	var open []jsonLevel
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '{', '[':
			if len(open) == MaxJSONDepth {
				return Errorf(Invalid, "the body nests deeper than %d levels", MaxJSONDepth)
			}
			open = append(open, jsonLevel{object: b[i] == '{', name: b[i] == '{'})
		case '}', ']':
			open = open[:max(0, len(open)-1)]
		case ',':
			if len(open) > 0 {
				top := &open[len(open)-1]
				top.name = top.object
			}
		case '"':
			end, err := stringEnd(b, i+1)
			if err != nil {
				return err
			}
			if len(open) > 0 {
				if err := open[len(open)-1].take(b[i:min(end+1, len(b))]); err != nil {
					return err
				}
			}
			i = end
		}
	}
	return nil
}

// jsonLevel is an array or object that is open.
type jsonLevel struct {
	object, name bool // name: the next string is a member's name
	seen         map[string]struct{}
}

func (l *jsonLevel) take(quoted []byte) error {
	if !l.name {
		return nil
	}
	l.name = false
	var name string
	if json.Unmarshal(quoted, &name) != nil {
		return nil // the decoder will say what is wrong
	}
	if l.seen == nil {
		l.seen = map[string]struct{}{}
	}
	if _, twice := l.seen[name]; twice {
		if len(name) > 50 {
			name = name[:50]
		}
		return &Error{Code: Invalid, Field: name, Text: "the member " + name + " stands twice in one object; send it once"}
	}
	l.seen[name] = struct{}{}
	return nil
}

// stringEnd returns where the string that begins at i ends.
func stringEnd(b []byte, i int) (int, error) {
	for ; i < len(b) && b[i] != '"'; i++ {
		if b[i] != '\\' {
			continue
		}
		i++
		r, ok := surrogate(b, i)
		if !ok {
			continue
		}
		low, paired := surrogate(b, i+6)
		if r >= 0xDC00 || !paired || low < 0xDC00 || b[i+5] != '\\' {
			return 0, Errorf(Invalid, `the body has half of a surrogate pair (\ud800 to \udfff), which is no character`)
		}
		i += 10
	}
	return i, nil
}

// surrogate reads uXXXX at i and reports whether it is a surrogate.
func surrogate(b []byte, i int) (rune, bool) {
	if i+5 > len(b) || b[i] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range b[i+1 : i+5] {
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
