package capture

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// cutObject reads a JSON object, and returns it with at most keep(name) bytes of each member's value. A longer text
// stays a text, and any other longer value becomes a text. It only counts the brackets of what it leaves out, because
// parsing takes too long: a tool can return 20 MB.
func cutObject(r io.Reader, keep func(name string) int) ([]byte, error) {
	in := reader{bufio.NewReaderSize(r, 64<<10)}
	if mark, err := in.Peek(len(byteOrderMark)); err == nil && string(mark) == byteOrderMark {
		_, _ = in.Discard(len(byteOrderMark))
	}
	if err := in.take('{'); err != nil {
		return nil, err
	}
	out := []byte{'{'}
	for {
		if c, err := in.next(); err != nil || c == '}' {
			return append(bytes.TrimSuffix(out, []byte{','}), '}'), err
		}
		raw, err := in.value(kept(""))
		if err != nil {
			return nil, err
		}
		var name string
		if err := errors.Join(json.Unmarshal(raw, &name), in.take(':')); err != nil {
			return nil, err
		}
		if _, err = in.next(); err != nil {
			return nil, err
		}
		value, err := in.value(keep(name))
		if err != nil {
			return nil, err
		}
		out = append(append(append(append(out, raw...), ':'), value...), ',')
		if c, err := in.next(); err == nil && c == ',' {
			_, _ = in.Discard(1)
		}
	}
}

const byteOrderMark = "\ufeff"

type reader struct{ *bufio.Reader }

// next returns the next byte that is no white space, and leaves it there.
func (r reader) next() (byte, error) {
	for {
		c, err := r.Peek(1)
		if err != nil {
			return 0, err
		}
		if !isSpace(c[0]) {
			return c[0], nil
		}
		_, _ = r.Discard(1)
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

var errSyntax = errors.New("capture: not a JSON object")

func (r reader) take(want byte) error {
	if c, err := r.next(); err != nil || c != want {
		return errors.Join(errSyntax, err)
	}
	_, err := r.Discard(1)
	return err
}

// value reads a value, and returns JSON for its first bytes.
func (r reader) value(most int) ([]byte, error) {
	var first []byte
	var s state
	for cut := false; ; {
		if _, err := r.Peek(1); err != nil {
			return nil, err
		}
		part, err := r.Peek(r.Buffered())
		if err != nil {
			return nil, err
		}
		n, done := s.end(part)
		room := min(n, most-len(first))
		first, cut = append(first, part[:room]...), cut || room < n
		if _, err := r.Discard(n); err != nil {
			return nil, err
		}
		switch {
		case done && cut:
			return shortened(first)
		case done:
			return first, nil
		}
	}
}

// state is where in a value its bytes end so far.
type state struct {
	depth           int
	quoted, escaped bool
}

// end returns how many bytes of a part belong to the value, and whether it ends there.
func (s *state) end(part []byte) (n int, done bool) {
	for i := 0; i < len(part); i++ {
		if s.escaped {
			s.escaped = false
			continue
		}
		if s.quoted { // most bytes of a long value are here
			for i < len(part) && part[i] != '"' && part[i] != '\\' {
				i++
			}
			if i == len(part) {
				break
			}
		}
		switch c := part[i]; {
		case s.quoted && c == '\\':
			s.escaped = true
		case c == '"':
			if s.quoted = !s.quoted; !s.quoted && s.depth == 0 {
				return i + 1, true
			}
		case c == '{' || c == '[':
			s.depth++
		case s.depth == 0 && (c == ',' || c == '}' || c == ':' || isSpace(c)): // after a number or a word
			return i, true
		case c == '}' || c == ']':
			if s.depth--; s.depth <= 0 {
				return i + 1, true
			}
		}
	}
	return len(part), false
}

// longestEscape is how many bytes of JSON a character can have.
const longestEscape = len(`\ud83d\ude00`)

// shortened returns a JSON text of the first bytes of a value.
func shortened(first []byte) ([]byte, error) {
	var text string
	if first[0] != '"' {
		return json.Marshal(string(first))
	}
	for n := len(first); n > 0 && n >= len(first)-longestEscape; n-- { // the last character may be incomplete
		whole := append(bytes.Clone(first[:n]), '"')
		if json.Unmarshal(whole, &text) == nil {
			return whole, nil
		}
	}
	return nil, errSyntax
}
