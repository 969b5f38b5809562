package clientfile

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
)

// ServerName is what Loci is called in the clients' configurations.
const ServerName = "loci"

// authorizationHeader carries the key.
const authorizationHeader = "Authorization"

// Endpoint is how a client reaches Loci: over HTTP with a key, or by starting a process.
type Endpoint struct {
	URL     string
	Key     loci.Secret
	Command string
	Args    []string
}

// Offer is what a client is offered: toolsets with commas between them or a compatibility mode, and the project of its
// graph tools. An empty field is the server's default.
type Offer struct{ Compat, Toolsets, Project string }

// Offer sets what the client is offered.
func (e *Endpoint) Offer(o Offer) {
	var query []string
	if o.Compat != "" {
		query = append(query, "compat="+o.Compat)
		e.Args = append(e.Args, "--compat", o.Compat)
	}
	if o.Toolsets != "" {
		query = append(query, "toolsets="+o.Toolsets) // these names need no escaping
		e.Args = append(e.Args, "--toolsets", o.Toolsets)
	}
	if o.Project != "" {
		query = append(query, "project="+url.QueryEscape(o.Project))
		e.Args = append(e.Args, "--project", o.Project)
	}
	if e.Command == "" {
		e.Args = nil
		if len(query) > 0 {
			e.URL += "?" + strings.Join(query, "&")
		}
	}
}

// Authorization is the value of the header that carries the key.
func (e *Endpoint) Authorization() string { return "Bearer " + e.Key.Reveal() }

// CursorLink opens Cursor's dialogue to add the server.
func CursorLink(e *Endpoint) string {
	config, err := json.Marshal(JSON{}.entry(e))
	if err != nil {
		panic(err) // strings only
	}
	name, encoded := url.QueryEscape(ServerName), url.QueryEscape(base64.StdEncoding.EncodeToString(config))
	return "cursor://anysphere.cursor-deeplink/mcp/install?name=" + name + "&config=" + encoded
}

// Alone returns the text of a file with only Loci's entry.
func Alone(f Format, e *Endpoint) ([]byte, error) { return f.put(nil, f.Render(e)) }

// Entry returns the entry that has the name of Loci's, or nil.
func Entry(f Format, parsed map[string]any) map[string]any {
	servers, _ := parsed[f.Table()].(map[string]any)
	entry, _ := servers[f.EntryName()].(map[string]any)
	return entry
}

// Offered reads from an entry of Loci what its client is offered, and the address, which is "" over stdio.
func Offered(entry map[string]any) (o Offer, address string) {
	for _, name := range []string{"url", "httpUrl", "serverUrl"} {
		text, _ := entry[name].(string)
		if u, err := url.Parse(text); text != "" && err == nil {
			q := u.Query()
			return Offer{q.Get("compat"), q.Get("toolsets"), q.Get("project")}, text
		}
	}
	words := Words(entry)
	for i := 1; i < len(words); i++ {
		switch words[i-1] {
		case "--compat":
			o.Compat = words[i]
		case "--toolsets":
			o.Toolsets = words[i]
		case "--project":
			o.Project = words[i]
		}
	}
	return o, ""
}

// BaseOf returns the address of the server of which an entry has the address of MCP, or "".
func BaseOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	u.RawQuery, u.Path = "", strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/mcp")
	return u.String()
}

// LeadsToLoci reports whether an entry has a key of any Loci, or starts one.
func LeadsToLoci(entry map[string]any) bool {
	if KeyIn(fmt.Sprint(entry)) != "" {
		return true
	}
	words := Words(entry)
	if len(words) == 0 {
		return false
	}
	program := path.Base(filepath.ToSlash(words[0]))
	return strings.TrimSuffix(program, ".exe") == ServerName ||
		len(words) > 3 && words[1] == "mcp" && words[2] == "--vendor"
}

// DataDir returns the data directory that an entry names for the Loci that it starts, or "".
func DataDir(entry map[string]any) string {
	words := Words(entry)
	for i, word := range words {
		if dir, ok := strings.CutPrefix(word, "--data-dir="); ok {
			return dir
		}
		if word == "--data-dir" && i+1 < len(words) {
			return words[i+1]
		}
	}
	return Variables(entry)["LOCI_DATA_DIR"]
}

// Reaches reports whether an entry means the endpoint. What a person added to the entry does not count.
func Reaches(f Format, entry map[string]any, e *Endpoint) (bool, error) {
	text, err := Alone(f, e)
	if err != nil {
		return false, err
	}
	parsed, err := f.parse(text)
	return includes(entry, Entry(f, parsed)), err
}

// includes reports whether an object has all members of another.
func includes(whole, part map[string]any) bool {
	for name, want := range part {
		got := whole[name]
		if wanted, ok := want.(map[string]any); ok {
			got, ok := got.(map[string]any)
			if !ok || !includes(got, wanted) {
				return false
			}
		} else if !reflect.DeepEqual(got, want) {
			return false
		}
	}
	return true
}

// Words returns the command of an entry and its arguments.
func Words(entry map[string]any) []string {
	return slices.Concat(texts(entry["command"]), texts(entry["args"]))
}

// texts returns the texts of a value: one, a list, or an object with a path and arguments.
func texts(v any) (out []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, x := range v {
			out = append(out, texts(x)...)
		}
	case map[string]any:
		return slices.Concat(texts(v["path"]), texts(v["args"]))
	}
	return out
}

// Variables returns the variables that an entry sets, also for a container.
func Variables(entry map[string]any) map[string]string {
	env := map[string]string{}
	command, _ := entry["command"].(map[string]any)
	for _, table := range []any{entry["env"], entry["environment"], command["env"]} {
		values, _ := table.(map[string]any)
		for name, v := range values {
			if text, ok := v.(string); ok {
				env[name] = text
			}
		}
	}
	return env
}

// ourKeys finds keys of Loci.
var ourKeys = regexp.MustCompile(`loci_(live|agent)_[A-Za-z0-9_-]{4,}`)

// KeyIn returns the first key of Loci in a text, or "".
func KeyIn(text string) loci.Secret { return loci.Secret(ourKeys.FindString(text)) }

// Difference returns only the lines that change, because other lines may contain secrets. It hides keys of Loci. A line
// in which only the key changes comes once.
func Difference(before, after []byte) string {
	var out []string
	for line := range strings.Lines(HideKeys(loci.Legible(loci.ChangedLines(before, after)))) {
		if same, added := strings.CutPrefix(line, "+"); added && strings.Contains(same, hiddenKey) {
			if i := slices.Index(out, "-"+same); i >= 0 {
				out[i] = "~" + strings.TrimRight(same, "\n") + "   (another key)\n"
				continue
			}
		}
		out = append(out, line)
	}
	return strings.Join(out, "")
}
