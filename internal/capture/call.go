package capture

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"io"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/clientfile"
)

// These are the events of Claude Code that the hook understands. clientfile.HookEvents installs it for the same ones.
const (
	atStart   = "SessionStart"
	onPrompt  = "UserPromptSubmit"
	afterTool = "PostToolUse"
	onStop    = "Stop"
	atEnd     = "SessionEnd"
)

// These are the limits of what the hook reads and logs, in bytes and in characters.
const (
	maxInput      = 64 << 20
	maxID         = 180                // in a key of a session
	maxValue      = 12 * maxToolResult // a character takes at most 12 bytes of JSON
	maxToolInput  = 4_000
	maxToolResult = 16_000
)

// Call is what Claude Code passes to a hook. docs/clients.md names the source of the form.
type Call struct {
	Event     string          `json:"hook_event_name"`
	SessionID string          `json:"session_id"`
	Directory string          `json:"cwd"`
	Prompt    string          `json:"prompt"`
	Tool      string          `json:"tool_name"`
	ToolUse   string          `json:"tool_use_id"`
	Input     json.RawMessage `json:"tool_input"`
	Result    json.RawMessage `json:"tool_response"`
	Message   string          `json:"last_assistant_message"`
	Reason    string          `json:"reason"`
	Subagent  string          `json:"agent_type"`
}

// Read reports whether r has a call that the hook understands. It keeps only the beginning of long values.
func Read(r io.Reader) (*Call, bool) {
	text, err := shortened(io.LimitReader(r, maxInput), maxValue)
	var c Call
	if err != nil || json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &c) != nil ||
		c.SessionID == "" || len(c.SessionID) > maxID {
		return nil, false
	}
	c.Directory = loci.Shorten(c.Directory, loci.MaxTitle)
	return &c, true
}

// What people and assistants say tells more in a short context than what tools return.
const (
	importantWords = loci.DefaultImportance + 1
	unimportant    = 1
)

// event returns the event to log, if the call is one. own begins the names of Loci's own tools. The event does not have
// what these took and returned: who may read a memory is not who may read the session.
func (c *Call) event(own string) (e client.NewEvent, ok bool) {
	metadata := map[string]string{}
	switch c.Event {
	case onPrompt:
		e = client.NewEvent{Actor: "user", Type: "user_message", Content: c.Prompt, Importance: importantWords}
	case afterTool:
		e = client.NewEvent{Actor: brief(c.Tool), Type: "tool_call", Content: c.toolText(own)}
		metadata["tool"] = brief(c.Tool)
		if len(c.ToolUse) <= maxID {
			e.DedupKey = cmp.Or(c.ToolUse, e.DedupKey)
		}
	case onStop:
		e = client.NewEvent{Actor: "assistant", Type: "stop", Content: cmp.Or(c.Message, "The assistant stopped."),
			Importance: importantWords}
	case atEnd:
		e = client.NewEvent{Actor: "user", Type: "session_end", Importance: unimportant,
			Content: "The session ended: " + cmp.Or(brief(c.Reason), "unknown reason")}
	default:
		return e, false
	}
	if c.Subagent != "" {
		metadata["subagent"] = brief(c.Subagent)
	}
	if len(metadata) > 0 {
		e.Metadata, _ = json.Marshal(metadata) // texts only
	}
	if e.DedupKey == "" { // people repeat themselves on purpose
		e.DedupKey = rand.Text()
	}
	e.Content = clientfile.HideKeys(strings.ReplaceAll(e.Content, "\x00", "\ufffd"))
	e.Content = loci.Shorten(e.Content, loci.MaxContent)
	return e, strings.TrimSpace(e.Content) != ""
}

// toolText is what a tool was asked and what it returned.
func (c *Call) toolText(own string) string {
	text := brief(c.Tool)
	if strings.HasPrefix(c.Tool, own) {
		return text
	}
	if in := plainJSON(c.Input); in != "" {
		text += " " + loci.Shorten(in, maxToolInput)
	}
	if out := plainJSON(c.Result); out != "" {
		text += "\n\n" + loci.Shorten(out, maxToolResult)
	}
	return text
}

// plainJSON returns the text of a JSON string, and other JSON as it is.
func plainJSON(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// brief is a name as one line of at most so many characters as an actor may have.
func brief(s string) string { return loci.Shorten(loci.OneLine(s), loci.MaxName) }
