package capture

import (
	"bytes"
	"encoding/json"
)

// shortened returns a JSON object in which a member's value of more than most bytes is a text of its beginning. It only
// counts the brackets of what it leaves out, because parsing takes too long: a tool can return 20 MB.
func shortened(text []byte, most int) []byte {
	var out bytes.Buffer
	depth, quoted, value, done := 0, false, 0, 0 // value: where that of the member starts
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			depth++
		case depth == 1 && c == ':':
			value = i + 1
		case depth == 1 && (c == ',' || c == '}') && i-value > most && value > done:
			out.Write(text[done:value])
			out.Write(beginning(bytes.TrimSpace(text[value : value+most])))
			done = i
		}
		if !quoted && (c == '}' || c == ']') {
			depth--
		}
	}
	out.Write(text[done:])
	return out.Bytes()
}

// longestEscape is how many bytes of JSON a character can have.
const longestEscape = len(`\ud83d\ude00`)

// beginning returns a JSON text of the first bytes of a value.
func beginning(first []byte) []byte {
	var text string
	for n := len(first); n > len(first)-longestEscape && first[0] == '"'; n-- { // the last character may be incomplete
		if whole := append(bytes.Clone(first[:n]), '"'); json.Unmarshal(whole, &text) == nil {
			return whole
		}
	}
	out, _ := json.Marshal(string(first)) // a text always has a JSON form
	return out
}
