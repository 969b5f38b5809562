package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/loci-memory/loci"
)

// tree is a JSON value whose members keep their order, so that an answer can be cut without
// knowing its type. Exactly one of text, list and members is set, or raw.
type tree struct {
	raw     json.RawMessage // a number, true, false or null
	text    *string
	list    *[]*tree
	members *[]member
}

type member struct {
	name  string
	value *tree
}

// treeOf parses a value that encode wrote.
func treeOf(body json.RawMessage) (*tree, error) {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	return readTree(dec)
}

var errTree = errors.New("mcpserver: the answer is not JSON")

func readTree(dec *json.Decoder) (*tree, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case string:
		return &tree{text: &v}, nil
	case json.Delim:
		if v == '[' {
			return readList(dec)
		}
		return readObject(dec)
	}
	raw, err := json.Marshal(token)
	return &tree{raw: raw}, err
}

func readList(dec *json.Decoder) (*tree, error) {
	list := []*tree{}
	for dec.More() {
		one, err := readTree(dec)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	_, err := dec.Token()
	return &tree{list: &list}, err
}

func readObject(dec *json.Decoder) (*tree, error) {
	members := []member{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, ok := token.(string)
		if !ok {
			return nil, errTree
		}
		value, err := readTree(dec)
		if err != nil {
			return nil, err
		}
		members = append(members, member{name, value})
	}
	_, err := dec.Token()
	return &tree{members: &members}, err
}

func (t *tree) body() json.RawMessage {
	var out bytes.Buffer
	t.write(&out, unlimited)
	return out.Bytes()
}

// unlimited is the length of texts that are not cut.
const unlimited = int(^uint(0) >> 1)

// write writes the value with texts of at most most characters.
func (t *tree) write(out *bytes.Buffer, most int) {
	switch {
	case t.text != nil:
		writeText(out, loci.Shorten(*t.text, most))
	case t.list != nil:
		out.WriteByte('[')
		for i, one := range *t.list {
			if i > 0 {
				out.WriteByte(',')
			}
			one.write(out, most)
		}
		out.WriteByte(']')
	case t.members != nil:
		out.WriteByte('{')
		for i, m := range *t.members {
			if i > 0 {
				out.WriteByte(',')
			}
			writeText(out, m.name)
			out.WriteByte(':')
			limit := most
			if isWhole[m.name] {
				limit = unlimited
			}
			m.value.write(out, limit)
		}
		out.WriteByte('}')
	default:
		out.Write(t.raw)
	}
}

// isWhole are the members whose text is useless in part.
var isWhole = map[string]bool{"id": true, "next_cursor": true, "more": true, "decide": true, "tell": true}

func writeText(out *bytes.Buffer, text string) {
	body, _ := encode(text) // a string is always valid
	out.Write(body)
}

// get returns a member, or nil.
func (t *tree) get(name string) *tree {
	if t.members == nil {
		return nil
	}
	for _, m := range *t.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// set replaces a member, or adds it at the end.
func (t *tree) set(name string, v any) {
	body, _ := encode(v) // callers pass numbers, booleans and strings
	value, _ := treeOf(body)
	for i := range *t.members {
		if (*t.members)[i].name == name {
			(*t.members)[i].value = value
			return
		}
	}
	*t.members = append(*t.members, member{name, value})
}

// These are the limits of the budget of an answer, in tokens.
const (
	DefaultAnswerTokens = 8_000
	MinAnswerTokens     = 1_000
	MaxAnswerTokens     = 100_000
)

// CheckAnswerTokens returns an Invalid error unless n can be the budget of an answer.
func CheckAnswerTokens(n int) error {
	if n < MinAnswerTokens || n > MaxAnswerTokens {
		return loci.FieldErrorf("answer_tokens", loci.RangeText, MinAnswerTokens, MaxAnswerTokens)
	}
	return nil
}

// signQuarters are the quarters of a token that a digit or a punctuation mark costs.
const signQuarters = 2

// tokens estimates how many tokens of a model's context a text takes.
func tokens[T ~string | ~[]byte](text T) int { return loci.Tokens(string(text)) }

func quarters[T ~string | ~[]byte](text T) int { return loci.TokenQuarters(string(text)) }

// textSteps are the lengths to which the texts of an answer are cut, one after the other. A list
// that is still too long then gets fewer items.
var textSteps = []int{16_000, 8_000, 4_000, 2_000, 1_000}

// shortestText is the length below which texts become useless.
const shortestText = 160

// shorten returns the answer with its longest texts cut so far that it fits, or nil if even the
// last step is too long.
func (t *tree) shorten(budget int, steps ...int) json.RawMessage {
	for _, most := range steps {
		var out bytes.Buffer
		t.write(&out, most)
		if tokens(out.Bytes()) <= budget {
			return out.Bytes()
		}
	}
	return nil
}

// drop removes items from the end of the longest lists until the answer fits, and counts the
// removed ones of list x as x_left. It is for answers that no smaller limit shortens.
func (t *tree) drop(budget int) json.RawMessage {
	for {
		if body := t.shorten(budget, unlimited, 1_000, shortestText); body != nil {
			return body
		}
		name, longest := "", 0
		for _, m := range t.lists() {
			if n := len(*m.value.list); n > longest {
				name, longest = m.name, n
			}
		}
		if longest < 1 {
			return t.shorten(budget, 80, 40, 10)
		}
		list := t.get(name)
		kept := longest / 2
		left := longest - kept
		*list.list = (*list.list)[:kept]
		if before := t.get(name + "_left"); before != nil {
			var n int
			if json.Unmarshal(before.raw, &n) == nil {
				left += n
			}
		}
		t.set(name+"_left", left)
	}
}

func (t *tree) lists() (lists []member) {
	if t.members == nil {
		return nil
	}
	for _, m := range *t.members {
		if m.value.list != nil {
			lists = append(lists, m)
		}
	}
	return lists
}
