package clientfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"path"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/loci-memory/loci"
)

// HookEvents are the moments at which Claude Code runs the hook of Loci.
var HookEvents = []string{"SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"}

// hookArguments end the command of each hook of Loci.
const hookArguments = "hook claude-code"

// hookSeconds is after how long Claude Code ends a hook that hangs.
const hookSeconds = 5

// hooks is the form of Claude Code's settings. Each event is an entry: a list of groups of commands.
var hooks = JSON{Servers: "hooks"}

// hookGroup is one group of commands in the list of an event.
type hookGroup struct {
	Hooks []hookCommand `json:"hooks"`
}

type hookCommand struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout,omitempty"`
}

// HookCommand is the command line of the hook, for the shell of Claude Code.
func HookCommand(program string) string {
	return `"` + filepath.ToSlash(program) + `" ` + hookArguments
}

// ReadSettings reads the settings of Claude Code, which may be missing. It returns a Conflict error if they are
// invalid.
func ReadSettings(name string) (*File, error) {
	file, err := Read(hooks, "", name)
	if loci.CodeOf(err) == loci.Conflict {
		err = noHooks(name, errors.New(Fault(err)))
	}
	return file, err
}

// noHooks refuses to change the hooks in settings.
func noHooks(name string, err error) error {
	return loci.WrapError(loci.Conflict, err, "cannot change the hooks in %s: %s; fix the file and run the command "+
		"again, or edit it by hand: the hooks of Loci run %q", name, err, ServerName+" "+hookArguments)
}

// MayBeHooked reports whether a text has the command of a hook of Loci, also if it is not valid.
func MayBeHooked(text []byte) bool { return bytes.Contains(text, []byte(hookArguments)) }

// Hooked returns the commands of the hooks of Loci in the settings.
func (f *File) Hooked() (commands []string) {
	for _, event := range HookEvents {
		for _, group := range hookGroups(f.Parsed, event) {
			if command := ownHook(group); command != "" {
				commands = append(commands, command)
			}
		}
	}
	return commands
}

// WithHooks returns the settings with the hook of Loci at every one of HookEvents. They keep everything else.
func (f *File) WithHooks(command string) ([]byte, error) {
	text, err := f.WithoutHooks()
	if err != nil {
		return nil, err
	}
	group := hookGroup{[]hookCommand{{"command", command, hookSeconds}}}
	return f.keeping(text, func(text []byte) ([]byte, error) {
		for _, event := range HookEvents {
			if text, err = addHook(text, event, group); err != nil {
				return nil, err
			}
		}
		return text, nil
	})
}

// WithoutHooks returns the settings without the hooks of Loci, and without the lists that are empty then.
func (f *File) WithoutHooks() ([]byte, error) {
	return f.keeping(f.Text, func(text []byte) (_ []byte, err error) {
		for _, event := range HookEvents {
			if text, err = removeHooks(text, event); err != nil {
				return nil, err
			}
		}
		return text, nil
	})
}

// keeping changes a text of the settings. It fails if that changes anything but the hooks of Loci.
func (f *File) keeping(text []byte, change func([]byte) ([]byte, error)) ([]byte, error) {
	before, err := othersSettings(text)
	if err != nil {
		return nil, noHooks(f.Name, err)
	}
	out, err := change(text)
	if err != nil {
		return nil, noHooks(f.Name, err)
	}
	if after, err := othersSettings(out); err != nil || !reflect.DeepEqual(before, after) {
		return nil, noHooks(f.Name, errors.New("changing the hooks of Loci would change other settings"))
	}
	return out, nil
}

// othersSettings returns the settings without the hooks of Loci.
func othersSettings(text []byte) (map[string]any, error) {
	parsed, err := hooks.parse(text)
	if err != nil {
		return nil, err
	}
	table, _ := parsed[hooks.Table()].(map[string]any)
	for _, event := range HookEvents {
		var others []any
		for _, group := range hookGroups(parsed, event) {
			if ownHook(group) == "" {
				others = append(others, group)
			}
		}
		if _, list := table[event].([]any); !list {
			continue
		}
		if table[event] = others; others == nil {
			delete(table, event)
		}
	}
	if len(table) == 0 {
		delete(parsed, hooks.Table())
	}
	return parsed, nil
}

func hookGroups(parsed map[string]any, event string) []any {
	table, _ := parsed[hooks.Table()].(map[string]any)
	groups, _ := table[event].([]any)
	return groups
}

// ownHook returns the command of a group of Loci, or "" if a person may have written the group.
func ownHook(group any) string {
	fields, _ := group.(map[string]any)
	list, _ := fields["hooks"].([]any)
	if len(list) != 1 {
		return ""
	}
	hook, _ := list[0].(map[string]any)
	command, _ := hook["command"].(string)
	program, ok := strings.CutSuffix(command, " "+hookArguments)
	base := path.Base(strings.ReplaceAll(strings.Trim(program, `"'`), `\`, "/"))
	if !ok || !strings.HasPrefix(base, ServerName) { // also "loci-linux-amd64"
		return ""
	}
	return command
}

// hookList is the list of an event in a text, with the positions of its groups.
type hookList struct {
	root, table *jsonObject
	entry       *jsonMember
	groups      []jsonMember
}

// findHooks returns no entry if the settings have no list of the event.
func findHooks(text []byte, event string) (l hookList, err error) {
	c, _ := hooks.Named(event).(JSON)
	if l.root, l.table, l.entry, err = c.locate(text); l.entry == nil || err != nil {
		return l, err
	}
	plain, err := standard(text)
	if err != nil {
		return l, err
	}
	dec := json.NewDecoder(bytes.NewReader(plain[l.entry.start:]))
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return l, errors.New(`its "hooks" has a "` + event + `" that is not a list`)
	}
	for dec.More() {
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return l, err
		}
		end := l.entry.start + int(dec.InputOffset())
		l.groups = append(l.groups, jsonMember{at: end - len(value), start: end - len(value), end: end})
	}
	return l, nil
}

func addHook(text []byte, event string, group hookGroup) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	l, err := findHooks(text, event)
	if err != nil {
		return nil, err
	}
	list := indented([]hookGroup{group})
	if len(l.groups) == 0 {
		return hooks.Named(event).put(text, list)
	}
	first, last := l.groups[0], l.groups[len(l.groups)-1]
	element := bytes.TrimSpace(list[1 : len(list)-1])
	if !bytes.Contains(text[l.entry.start:first.at], []byte("\n")) {
		return splice(text, last.end, last.end, []byte(", "+compact(element))), nil
	}
	indent := lineIndent(text, first.at)
	element = bytes.ReplaceAll(element, []byte("\n"+ownStep), []byte("\n"))
	return splice(text, last.end, last.end,
		append([]byte(",\n"+indent), reindent(element, indent, l.root.step(text))...)), nil
}

func removeHooks(text []byte, event string) ([]byte, error) {
	for {
		if len(bytes.TrimSpace(text)) == 0 {
			return text, nil
		}
		l, err := findHooks(text, event)
		if l.entry == nil || err != nil {
			return text, err
		}
		own := -1
		for i, g := range l.groups {
			var group any
			plain, err := standard(text)
			if err == nil {
				err = json.Unmarshal(plain[g.start:g.end], &group)
			}
			if err != nil {
				return nil, err
			}
			if ownHook(group) != "" {
				own = i
			}
		}
		switch {
		case own < 0:
			return text, nil
		case len(l.groups) == 1 && len(l.table.members) == 1:
			m, err := l.root.member(hooks.Table())
			if err != nil {
				return nil, err
			}
			return l.root.without(text, m), nil
		case len(l.groups) == 1:
			return l.table.without(text, l.entry), nil
		case own > 0:
			text = splice(text, l.groups[own-1].end, l.groups[own].end, nil)
		default:
			text = splice(text, l.groups[0].start, l.groups[1].start, nil)
		}
	}
}

// HideKeys hides the keys of Loci in a text.
func HideKeys(text string) string { return ourKeys.ReplaceAllString(text, "loci_${1}"+hiddenKey) }

// hiddenKey ends what is shown of a key.
const hiddenKey = "_…"
