package sqlstore

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Expand writes a statement in the dialect: it replaces everything in braces. It fails if a table
// reference has no marker or a marker has no table. The package comment describes the markers.
func (d *Dialect) Expand(text string) (string, error) {
	d.mu.Lock()
	done, known := d.expanded[text]
	d.mu.Unlock()
	if known {
		return done, nil
	}
	done, err := d.expandNew(text)
	if err != nil {
		return "", err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.expanded == nil || len(d.expanded) >= maxExpanded {
		d.expanded = map[string]string{}
	}
	d.expanded[text] = done
	return done, nil
}

// maxExpanded limits the memory that the expanded statements take, to some megabytes.
const maxExpanded = 2048

func (d *Dialect) expandNew(text string) (string, error) {
	if err := checkMarkers(text); err != nil {
		return "", fmt.Errorf("%w in: %s", err, text)
	}
	var b strings.Builder
	for rest := text; ; {
		before, after, found := strings.Cut(rest, "{")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		marker, after, closed := strings.Cut(after, "}")
		if !closed {
			return "", fmt.Errorf("a marker has no end in: %s", text)
		}
		b.WriteString(d.expand(marker))
		rest = after
	}
}

func (d *Dialect) expand(marker string) string {
	word, of, _ := strings.Cut(marker, " ")
	switch word {
	case "join":
		return d.Join
	case "is":
		return d.Is
	case "isnot":
		return d.IsNot
	case "greatest":
		return d.Greatest
	case "least":
		return d.Least
	case "seq":
		return d.Seq
	case "lock":
		return d.Lock
	case "each":
		return strings.ReplaceAll(d.Each, "%s", of)
	case "by":
		return strings.ReplaceAll(d.By, "%s", of)
	case "numbered":
		return d.Numbered
	case "ids":
		return d.IDs
	case "feedend":
		return d.FeedEnd
	case "global":
		return ""
	case "graph":
		return d.project(of)
	}
	return d.tenant(word)
}

func (d *Dialect) tenant(marker string) string {
	switch {
	case d.Tenant == "":
		return ""
	case marker == "org":
		return "org_id, "
	case marker == "?":
		return d.Tenant + ", "
	}
	return marker + ".org_id = " + d.Tenant + " AND "
}

// project expands the marker of a graph table.
func (d *Dialect) project(of string) string {
	switch {
	case d.Project == "":
		return ""
	case of == "":
		return "org_id, project_id, "
	case of == "?":
		return d.Tenant + ", " + d.Project + ", "
	}
	return of + ".org_id = " + d.Tenant + " AND " + of + ".project_id = " + d.Project + " AND "
}

// graphTables are the tables of a graph. Their markers also name the project.
var graphTables = map[string]bool{"entities": true, "observations": true, "relations": true, "changes": true,
	"text_changes": true}

// dialectWords matches what braces may contain besides table markers.
var dialectWords = regexp.MustCompile(
	`^(join|is|isnot|greatest|least|seq|lock|each .+|by \w+|numbered|ids|feedend|org|\?|global|graph|graph \?)$`)

var (
	// tokens matches one token of a statement: a quoted text, a marker, a word or a sign.
	tokens = regexp.MustCompile(`'[^']*'|\{[^}]*\}|\w+|[^\s\w]`)
	// named finds the names that WITH defines.
	named = regexp.MustCompile(`(?i)(?:\bWITH|\bRECURSIVE|,)\s+(\w+)\s*(?:\([^()]*\))?\s+AS\s*\(`)
	// clauses are words that may follow a table and are not its alias.
	clauses = regexp.MustCompile(
		`(?i)^(WHERE|SET|ON|JOIN|LEFT|ORDER|GROUP|LIMIT|UNION|VALUES|RETURNING|DEFAULT|SELECT|HAVING)$`)
)

// markers counts the tables minus the markers for each alias of a statement.
type markers struct {
	list  []string
	known map[string]bool
	open  map[string]int
}

// checkMarkers returns an error unless every table reference of the statement has exactly one marker.
func checkMarkers(text string) error {
	m := markers{list: tokens.FindAllString(text, -1), known: map[string]bool{}, open: map[string]int{}}
	for _, name := range named.FindAllStringSubmatch(text, -1) {
		m.known[name[1]] = true
	}
	for i, token := range m.list {
		if err := m.look(i, token); err != nil {
			return err
		}
	}
	for alias, n := range m.open {
		if n > 0 {
			return fmt.Errorf("a table has no marker {%s}", alias)
		}
		if n < 0 {
			return fmt.Errorf("the marker {%s} has no table", alias)
		}
	}
	return nil
}

func (m *markers) look(i int, token string) error {
	switch strings.ToUpper(token) {
	case "INTO":
		return m.into(i + 1)
	case "CONFLICT":
		if m.at(i+1) == "(" && m.at(i+2) != "{org}" && m.at(i+2) != "{global}" && m.at(i+2) != "{graph}" {
			return fmt.Errorf("ON CONFLICT needs {org}, {global} or {graph} before its columns")
		}
	case "FROM", "JOIN", "{JOIN}":
		return m.table(i + 1)
	case "UPDATE":
		if strings.ToUpper(m.at(i+1)) != "SET" { // that of ON CONFLICT
			return m.table(i + 1)
		}
	}
	inner, isMarker := strings.CutPrefix(token, "{")
	inner = strings.TrimSuffix(inner, "}")
	if isMarker && !dialectWords.MatchString(inner) {
		m.open[strings.TrimPrefix(inner, "global ")]--
	}
	return nil
}

func (m *markers) at(i int) string {
	if i < len(m.list) {
		return m.list[i]
	}
	return ""
}

// table counts the table whose name is token i under its alias.
func (m *markers) table(i int) error {
	name := m.at(i)
	if name == "(" || strings.HasPrefix(name, "{") || m.known[name] {
		return nil
	}
	next := i + 1
	if strings.EqualFold(m.at(next), "AS") {
		next++
	}
	alias := name
	if word := m.at(next); word != "" && isWord(word) && !clauses.MatchString(word) {
		alias = word
		next++
	}
	if m.at(next) == "," {
		return fmt.Errorf("use {join} instead of a comma after table %s", name)
	}
	if graphTables[name] {
		alias = "graph " + alias
	}
	m.open[alias]++
	return nil
}

func isWord(token string) bool {
	return token[0] == '_' || token[0] >= 'A' && token[0] <= 'z' && token[0] != '['
}

// into checks an INSERT. Token i is the name of its table.
func (m *markers) into(i int) error {
	columns, values := "{org}", "{?}"
	if graphTables[m.at(i)] {
		columns, values = "{graph}", "{graph ?}"
	}
	switch {
	case m.at(i+1) == "(" && m.at(i+2) == "{global}":
		return nil
	case m.at(i+1) != "(" || m.at(i+2) != columns:
		return fmt.Errorf("INSERT INTO %s needs %s or {global} before its columns", m.at(i), columns)
	}
	if !slices.Contains(m.list[i:], values) {
		return fmt.Errorf("INSERT INTO %s needs %s before its values", m.at(i), values)
	}
	return nil
}
