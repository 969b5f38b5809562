package clientfile

import (
	"bytes"
	"slices"
	"strings"
)

// These are the fields that Loci writes into its entry, apart from the headers, where it only writes one.
var writtenFields = []string{"type", "url", "httpUrl", "serverUrl", "command", "args"}

// These are fields that only fit one kind of entry. Some clients reject a whole file with the other kind of them.
var (
	fieldsOverHTTP  = []string{"headers", "http_headers", "env_http_headers", "bearer_token_env_var"}
	fieldsOverStdio = []string{"env", "env_vars", "environment", "envFile", "cwd"}
)

// replacedFields are those that an entry with this endpoint must not keep.
func replacedFields(e *Endpoint) []string {
	if e.Command != "" {
		return slices.Concat(writtenFields, fieldsOverHTTP)
	}
	return slices.Concat(writtenFields, fieldsOverStdio)
}

// update changes only what Loci writes: it replaces the members in place and keeps the others with their comments.
func (c JSON) update(text []byte, e *Endpoint) ([]byte, error) {
	whole := c.Render(e)
	fields, err := readObject(whole, 0)
	if err != nil {
		return nil, err
	}
	for _, m := range fields.members {
		value := bytes.ReplaceAll(whole[m.start:m.end], []byte("\n"+ownStep), []byte("\n"))
		path := []string{m.name}
		if header, err := c.header(text); err != nil {
			return nil, err
		} else if m.name == "headers" && header != "" {
			path, value = []string{"headers", header}, []byte(tomlString(e.Authorization()))
		}
		if text, err = c.set(text, path, value); err != nil {
			return nil, err
		}
	}
	for _, name := range replacedFields(e) {
		if with, err := fields.member(name); err != nil || with != nil {
			continue
		}
		if text, err = c.drop(text, name); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// at returns the object of a path in Loci's entry, or nil if it is missing or is no object.
func (c JSON) at(text []byte, path ...string) (root, object *jsonObject, err error) {
	root, _, entry, err := c.locate(text)
	if entry == nil || err != nil {
		return nil, nil, err
	}
	plain, err := standard(text)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range append([]string{""}, path...) {
		if object != nil {
			if entry, err = object.member(name); entry == nil || err != nil {
				return root, nil, err
			}
		}
		if plain[entry.start] != '{' {
			return root, nil, nil
		}
		if object, err = readObject(plain, entry.start); err != nil {
			return nil, nil, err
		}
	}
	return root, object, nil
}

// header is the name of the header with the key, as the entry writes it. It is "" if the entry has no headers.
func (c JSON) header(text []byte) (string, error) {
	_, headers, err := c.at(text, "headers")
	if headers == nil || err != nil {
		return "", err
	}
	for _, m := range headers.members {
		if strings.EqualFold(m.name, authorizationHeader) {
			return m.name, nil
		}
	}
	return authorizationHeader, nil
}

// set writes a value at a path in Loci's entry, whose last name may be new.
func (c JSON) set(text []byte, path []string, value []byte) ([]byte, error) {
	last := len(path) - 1
	root, object, err := c.at(text, path[:last]...)
	if object == nil || err != nil {
		return text, err
	}
	old, err := object.member(path[last])
	switch {
	case err != nil:
		return nil, err
	case old != nil:
		return splice(text, old.start, old.end, object.fitting(text, value, lineIndent(text, old.at), root.step(text))), nil
	}
	return object.insert(text, root.step(text), path[last], value), nil
}

// drop removes a field of Loci's entry.
func (c JSON) drop(text []byte, name string) ([]byte, error) {
	_, object, err := c.at(text)
	if object == nil || err != nil {
		return text, err
	}
	m, err := object.member(name)
	if m == nil || err != nil {
		return text, err
	}
	return object.without(text, m), nil
}

// update replaces the lines that Loci writes and keeps the others, and sub-tables.
func (c TOML) update(text []byte, e *Endpoint) ([]byte, error) {
	parsed, err := c.parse(text)
	if err != nil {
		return nil, err
	}
	header, written, _ := strings.Cut(string(c.renderWith(e, otherHeaders(Entry(c, parsed)))), "\n")
	dropped := append(replacedFields(e), "http_headers")
	var out []byte
	from, done := 0, false
	for _, span := range c.sections(text) {
		out = append(out, text[from:span[0]]...)
		within := ""
		for _, s := range c.statements(text[span[0]:span[1]]) {
			switch {
			case s.header && s.field == "":
				out, within, done = append(append(out, s.text...), withLineEnds(text, []byte(written))...), "", true
				continue
			case s.header:
				within = s.field
			}
			field := s.field
			if within != "" {
				field = within
			}
			if !slices.Contains(dropped, field) {
				out = append(out, s.text...)
			}
		}
		from = span[1]
	}
	out = append(out, text[from:]...)
	if !done { // only sub-tables
		return c.put(text, []byte(header+"\n"+written))
	}
	return out, nil
}

// otherHeaders returns the headers of an entry without that of the key.
func otherHeaders(entry map[string]any) map[string]string {
	headers, _ := entry["http_headers"].(map[string]any)
	others := map[string]string{}
	for name, v := range headers {
		if text, ok := v.(string); ok && !strings.EqualFold(name, authorizationHeader) {
			others[name] = text
		}
	}
	return others
}

// tomlStatement is a header, or a field with its value, or comments and empty lines.
type tomlStatement struct {
	text   []byte
	header bool
	field  string // the first name after that of Loci's table; "": none
}

// statements splits the text of Loci's table. A value can have several lines: the statement ends where TOML says so.
func (c TOML) statements(text []byte) (list []tomlStatement) {
	start, at := 0, 0
	for line := range bytes.Lines(text) {
		at += len(line)
		s := tomlStatement{text: text[start:at]}
		parsed, err := c.parse(s.text)
		if err != nil && at < len(text) {
			continue
		}
		if s.header = bytes.HasPrefix(bytes.TrimSpace(s.text), []byte("[")); s.header {
			parsed = Entry(c, parsed)
		}
		for name := range parsed {
			s.field = name
		}
		list, start = append(list, s), at
	}
	return list
}
