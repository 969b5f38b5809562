package clientfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/loci-memory/loci"
)

// JSON is the form of most clients' files: JSON with an object of servers. It may have comments and trailing
// commas, which stay. The zero JSON is Cursor's.
type JSON struct {
	Servers   string // key of the object of servers; "": mcpServers
	URL       string // key of an entry's address: url, httpUrl or serverUrl; "": url
	OverHTTP  string // "type" of an entry with an address; "": it has none
	OverStdio string // "type" of an entry with a command; "": it has none
	OneList   bool   // the command and its arguments are one list
	name      string // of Loci's entry; "": ServerName
}

// Table is the key of the object of servers.
func (c JSON) Table() string { return cmp.Or(c.Servers, "mcpServers") }

// EntryName is the name of Loci's entry.
func (c JSON) EntryName() string { return cmp.Or(c.name, ServerName) }

// Named is the same format, in which Loci's entry has another name.
func (c JSON) Named(name string) Format {
	c.name = name
	return c
}

// standard returns JSON without comments and trailing commas, in which every offset is that of text.
func standard(text []byte) ([]byte, error) {
	plain, err := hujson.Standardize(bytes.Clone(text))
	if err != nil {
		at := jsonPosition.FindStringSubmatch(err.Error())
		if at == nil {
			return nil, errors.New("it is not valid JSON")
		}
		line, _ := strconv.Atoi(at[1])
		column, _ := strconv.Atoi(at[2])
		return nil, badSyntax("JSON", line, column)
	}
	return plain, nil
}

// jsonPosition finds the position in an error of hujson, which has it only as text.
var jsonPosition = regexp.MustCompile(`line (\d+), column (\d+)`)

func (c JSON) parse(text []byte) (map[string]any, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return map[string]any{}, nil
	}
	text, err := standard(text)
	if err != nil {
		return nil, err
	}
	var parsed map[string]any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&parsed); err != nil {
		return nil, errors.New("it is not JSON with an object at the top")
	}
	if servers, there := parsed[c.Table()]; there && servers == nil { // null, as if it were not there
		delete(parsed, c.Table())
	} else if there {
		if _, ok := servers.(map[string]any); !ok {
			return nil, fmt.Errorf("its %q is not an object", c.Table())
		}
	}
	return parsed, nil
}

type jsonEntry struct {
	Type      string            `json:"type,omitempty"`
	URL       string            `json:"url,omitempty"`
	HTTPURL   string            `json:"httpUrl,omitempty"`
	ServerURL string            `json:"serverUrl,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
	Command   any               `json:"command,omitempty"` // text or a list
	Args      []string          `json:"args,omitempty"`
}

func (c JSON) entry(e *Endpoint) jsonEntry {
	if e.Command != "" && c.OneList {
		return jsonEntry{Type: c.OverStdio, Command: append([]string{e.Command}, e.Args...)}
	}
	if e.Command != "" {
		return jsonEntry{Type: c.OverStdio, Command: e.Command, Args: e.Args}
	}
	entry := jsonEntry{Type: c.OverHTTP, Headers: map[string]string{authorizationHeader: e.Authorization()}}
	switch c.URL {
	case "httpUrl":
		entry.HTTPURL = e.URL
	case "serverUrl":
		entry.ServerURL = e.URL
	default:
		entry.URL = e.URL
	}
	return entry
}

// Render returns the text of an entry.
func (c JSON) Render(e *Endpoint) []byte { return indented(c.entry(e)) }

// indented returns a value without anything that JSON cannot have as a text with lines.
func indented(v any) []byte {
	var b bytes.Buffer
	text, err := loci.EncodeJSON(v)
	if err == nil {
		err = json.Indent(&b, text, "", ownStep)
	}
	if err != nil {
		panic(err) // strings and numbers only
	}
	return b.Bytes()
}

// jsonObject is an object in a text with the positions of its members.
type jsonObject struct {
	start, end int // of the braces
	members    []jsonMember
}

type jsonMember struct {
	name       string
	at         int // where its name starts
	start, end int // of its value
}

func (o *jsonObject) member(name string) (*jsonMember, error) {
	var found *jsonMember
	for i := range o.members {
		if o.members[i].name != name {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("it has %q twice", name)
		}
		found = &o.members[i]
	}
	return found, nil
}

// readObject finds the members of the object that starts at or after from.
func readObject(text []byte, from int) (*jsonObject, error) {
	from += len(text[from:]) - len(bytes.TrimLeft(text[from:], " \t\r\n"))
	o := &jsonObject{start: from}
	dec := json.NewDecoder(bytes.NewReader(text[from:]))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("an object is missing")
	}
	for dec.More() {
		at := from + int(dec.InputOffset())
		at += len(text[at:]) - len(bytes.TrimLeft(text[at:], " \t\r\n,"))
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		end := from + int(dec.InputOffset())
		o.members = append(o.members, jsonMember{name.(string), at, end - len(value), end})
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	o.end = from + int(dec.InputOffset())
	return o, nil
}

// locate returns the object of servers and Loci's entry in it. Either may be missing.
func (c JSON) locate(text []byte) (root, servers *jsonObject, entry *jsonMember, err error) {
	text, err = standard(text)
	if err != nil {
		return nil, nil, nil, err
	}
	if root, err = readObject(text, 0); err != nil {
		return nil, nil, nil, err
	}
	m, err := root.member(c.Table())
	if m == nil || err != nil || string(text[m.start:m.end]) == "null" {
		return root, nil, nil, err
	}
	if servers, err = readObject(text, m.start); err != nil {
		return nil, nil, nil, err
	}
	entry, err = servers.member(c.EntryName())
	return root, servers, entry, err
}

// Find returns the text of Loci's entry, or nil.
func (c JSON) Find(text []byte) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	_, _, entry, err := c.locate(text)
	if entry == nil || err != nil {
		return nil, err
	}
	return text[entry.start:entry.end], nil
}

func (c JSON) put(text, entry []byte) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	root, servers, old, err := c.locate(text)
	switch {
	case err != nil:
		return nil, err
	case old != nil:
		entry = servers.fitting(text, entry, lineIndent(text, old.at), root.step(text))
		return splice(text, old.start, old.end, entry), nil
	case servers != nil:
		return servers.insert(text, root.step(text), c.EntryName(), entry), nil
	}
	whole := "{\n" + ownStep + `"` + c.EntryName() + `": ` + string(reindent(entry, ownStep, ownStep)) + "\n}"
	if null, _ := root.member(c.Table()); null != nil { // locate found it once
		return splice(text, null.start, null.end, root.fitting(text, []byte(whole), lineIndent(text, null.at),
			root.step(text))), nil
	}
	return root.insert(text, root.step(text), c.Table(), []byte(whole)), nil
}

// step is the indentation of the members of the top object.
func (o *jsonObject) step(text []byte) string {
	if len(o.members) == 0 {
		return ownStep
	}
	return cmp.Or(lineIndent(text, o.members[0].at), ownStep)
}

// insert adds a member at the end, on its own line unless the object is on one line.
func (o *jsonObject) insert(text []byte, step, name string, value []byte) []byte {
	if len(o.members) == 0 {
		outer := lineIndent(text, o.start)
		inner := outer + step
		comments := bytes.TrimRight(text[o.start+1:o.end-1], " \t\r\n")
		return splice(text, o.start+1+len(comments), o.end,
			[]byte("\n"+inner+`"`+name+`": `+string(reindent(value, inner, step))+"\n"+outer+"}"))
	}
	first, last := o.members[0], o.members[len(o.members)-1]
	if o.onOneLine(text) {
		return splice(text, last.end, last.end, []byte(`, "`+name+`": `+compact(value)))
	}
	inner := lineIndent(text, first.at)
	member := "\n" + inner + `"` + name + `": ` + string(reindent(value, inner, step))
	if found := lineComment.FindSubmatch(text[last.end:o.end]); found != nil { // it belongs to the last member
		after := last.end + len(found[0])
		member += string(found[1]) // a file with trailing commas keeps one
		text = splice(text, after, after, []byte(member))
		if len(found[1]) == 0 {
			text = splice(text, last.end, last.end, []byte(","))
		}
		return text
	}
	return splice(text, last.end, last.end, []byte(","+member))
}

func (o *jsonObject) onOneLine(text []byte) bool {
	return !bytes.Contains(text[o.start:o.members[0].at], []byte("\n"))
}

// fitting returns a value that replaces one of the object, in its layout.
func (o *jsonObject) fitting(text, value []byte, indent, step string) []byte {
	if o.onOneLine(text) && bytes.Contains(value, []byte("\n")) {
		return []byte(compact(value))
	}
	return reindent(value, indent, step)
}

func compact(value []byte) string {
	var out bytes.Buffer
	if err := json.Compact(&out, value); err != nil {
		panic(err) // it comes from Render or from valid JSON
	}
	return out.String()
}

// lineComment is a comment at the end of a member's line, after its comma if it has one.
var lineComment = regexp.MustCompile(`^(,?)[ \t]*//[^\r\n]*`)

func (c JSON) remove(text []byte) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return text, nil
	}
	_, servers, entry, err := c.locate(text)
	if entry == nil || err != nil {
		return text, err
	}
	return servers.without(text, entry), nil
}

func (o *jsonObject) without(text []byte, gone *jsonMember) []byte {
	for i, m := range o.members {
		if m.at != gone.at {
			continue
		}
		switch {
		case i > 0:
			return dropMember(text, o.members[i-1].end, m)
		case len(o.members) > 1: // with the comma after it
			return splice(text, m.at, o.members[1].at, nil)
		}
		return splice(text, o.start, o.end, []byte("{}"))
	}
	return text
}

// dropMember removes a member with its comma: the one after it or, without one, the one after the member before it,
// which ends at before. A comment between them stays.
func dropMember(text []byte, before int, m jsonMember) []byte {
	from, to := len(bytes.TrimRight(text[:m.at], " \t\r\n")), m.end
	if to < len(text) && text[to] == ',' {
		return splice(text, from, to+1, nil)
	}
	text = splice(text, max(from, before+1), to, nil)
	return splice(text, before, before+1, nil) // the comma follows the value, as connect writes it
}

func splice(text []byte, from, to int, with []byte) []byte {
	with = withLineEnds(text, with)
	out := make([]byte, 0, len(text)+len(with))
	out = append(out, text[:from]...)
	out = append(out, with...)
	return append(out, text[to:]...)
}

func withLineEnds(text, part []byte) []byte {
	if !bytes.Contains(text, []byte("\r\n")) {
		return part
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(part, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
}

// lineIndent returns the white space at the beginning of the line of offset at.
func lineIndent(text []byte, at int) string {
	line := text[bytes.LastIndexByte(text[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// ownStep is the indentation of the entries that Render returns.
const ownStep = "  "

// reindent indents every line except the first, by step for each ownStep. An entry from a file keeps its indentation.
func reindent(value []byte, indent, step string) []byte {
	text := string(value)
	if strings.HasSuffix(text, "\n"+indent+"}") && indent != "" {
		return value
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines[1:] {
		depth := 0
		for strings.HasPrefix(line, ownStep) {
			line, depth = line[len(ownStep):], depth+1
		}
		lines[i+1] = indent + strings.Repeat(step, depth) + line
	}
	return []byte(strings.Join(lines, "\n"))
}
