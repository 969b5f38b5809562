package clientfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/loci-memory/loci"
)

// TOML is the form of Codex's file: TOML with tables [mcp_servers.NAME].
type TOML struct {
	name string // of Loci's entry; "": ServerName
}

// Table is the key of the tables of servers.
func (TOML) Table() string { return "mcp_servers" }

// EntryName is the name of Loci's entry.
func (c TOML) EntryName() string { return cmp.Or(c.name, ServerName) }

// Named is the same format, in which Loci's entry has another name.
func (c TOML) Named(name string) Format {
	c.name = name
	return c
}

func (TOML) parse(text []byte) (map[string]any, error) {
	parsed, err := ParseTOML(text)
	if err != nil {
		return nil, err
	}
	if servers, there := parsed["mcp_servers"]; there {
		if _, ok := servers.(map[string]any); !ok {
			return nil, errors.New(`its "mcp_servers" is not a table`)
		}
	}
	return parsed, nil
}

// ParseTOML reads a file. Its error names the place.
func ParseTOML(text []byte) (map[string]any, error) {
	parsed := map[string]any{}
	err := toml.Unmarshal(text, &parsed)
	if at, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column := at.Position()
		return nil, badSyntax("TOML", line, column)
	}
	if err != nil {
		return nil, fmt.Errorf("it is not valid TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	return parsed, nil
}

// Render returns the text of an entry.
func (c TOML) Render(e *Endpoint) []byte { return c.renderWith(e, nil) }

func (c TOML) renderWith(e *Endpoint, headers map[string]string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "[mcp_servers.%s]\n", tomlKey(c.EntryName()))
	if e.Command != "" {
		args := loci.Mapped(e.Args, tomlString)
		fmt.Fprintf(&b, "command = %s\nargs = [%s]\n", tomlString(e.Command), strings.Join(args, ", "))
	} else {
		fmt.Fprintf(&b, "url = %s\nhttp_headers = { %q = %s", tomlString(e.URL), authorizationHeader,
			tomlString(e.Authorization()))
		for _, name := range slices.Sorted(maps.Keys(headers)) {
			fmt.Fprintf(&b, ", %s = %s", tomlString(name), tomlString(headers[name]))
		}
		b.WriteString(" }\n")
	}
	return []byte(b.String())
}

// tomlKey quotes a key that is not bare.
func tomlKey(s string) string {
	if bareKey.MatchString(s) {
		return s
	}
	return tomlString(s)
}

// tomlString quotes as JSON does, which TOML's basic strings understand.
func tomlString(s string) string {
	text, _ := loci.EncodeJSON(s) // a string always has a JSON form
	return string(text)
}

var (
	tomlHeader = regexp.MustCompile(`^\s*\[`)
	bareKey    = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
)

// sections returns the positions of Loci's table and its sub-tables. Empty lines and comments at the end belong to what
// follows. A line of a long string can look like a header; Change detects that.
func (c TOML) sections(text []byte) (spans [][2]int) {
	name := regexp.QuoteMeta(c.EntryName())
	header := regexp.MustCompile(`^\s*\[\s*(?:mcp_servers|"mcp_servers"|'mcp_servers')\s*\.\s*(?:"` + name + `"|'` +
		name + `'|` + name + `)\s*(?:\.[^\]]*)?\]`)
	at, start, end := 0, -1, 0
	flush := func() {
		if start >= 0 {
			spans = append(spans, [2]int{start, end})
		}
		start = -1
	}
	for line := range bytes.Lines(text) {
		trimmed := bytes.TrimSpace(line)
		switch {
		case header.Match(line):
			if start < 0 {
				start = at
			}
			end = at + len(line)
		case tomlHeader.Match(line) && start >= 0 && !insideArray(text[start:at]):
			flush()
		case start >= 0 && len(trimmed) > 0 && trimmed[0] != '#':
			end = at + len(line)
		}
		at += len(line)
	}
	flush()
	return spans
}

// insideArray reports whether an array is still open, so that a bracket at the start of a line is no header.
func insideArray(text []byte) bool {
	return bytes.Count(text, []byte("[")) > bytes.Count(text, []byte("]"))
}

// Find returns the text of Loci's table and its sub-tables, or nil.
func (c TOML) Find(text []byte) ([]byte, error) {
	var found []byte
	for _, s := range c.sections(text) {
		found = append(found, text[s[0]:s[1]]...)
	}
	return found, nil
}

func (c TOML) put(text, entry []byte) ([]byte, error) {
	spans := c.sections(text)
	if len(spans) > 0 {
		rest, err := c.remove(text[spans[0][1]:])
		if err != nil {
			return nil, err
		}
		return append(splice(text[:spans[0][1]], spans[0][0], spans[0][1], entry), rest...), nil
	}
	gap := ""
	if len(text) > 0 {
		gap = "\n"
		if text[len(text)-1] != '\n' {
			gap = "\n\n"
		}
	}
	return splice(text, len(text), len(text), append([]byte(gap), entry...)), nil
}

func (c TOML) remove(text []byte) ([]byte, error) {
	spans := c.sections(text)
	for i := len(spans) - 1; i >= 0; i-- {
		from, to := spans[i][0], spans[i][1]
		if bytes.HasSuffix(text[:from], []byte("\n\n")) && (to == len(text) || text[to] == '\n') {
			from-- // the empty line before it
		}
		text = splice(text, from, to, nil)
	}
	return text, nil
}
