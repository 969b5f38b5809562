// Package capture brings what Claude Code does to a server: it reads what a hook of Claude Code gets, finds the server,
// and logs an event in the session that belongs to Claude Code's. It leaves out how the hooks get into the settings.
//
// It returns no errors: a person who works with an assistant can do nothing about them.
package capture

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/clientfile"
)

// Server is where the hook logs.
type Server struct {
	name string // of the entry, so also of its tools
	api  *client.Client
}

// ServerIn returns the server in a file of Claude Code, or nil if the file has none with a key. The file may be large,
// so this decodes only what it needs. Claude Code itself writes it, without comments.
func ServerIn(text []byte) *Server {
	var file struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	if json.Unmarshal(text, &file) != nil {
		return nil
	}
	for _, name := range serverNames(file.Servers) {
		var entry map[string]any
		key := clientfile.KeyIn(string(file.Servers[name]))
		if key == "" || json.Unmarshal(file.Servers[name], &entry) != nil {
			continue
		}
		_, address := clientfile.Offered(entry)
		if base := clientfile.BaseOf(address); base != "" {
			return &Server{name: name, api: client.New(base, key.Reveal())}
		}
	}
	return nil
}

// serverNames returns the names of the servers, Loci's usual name first.
func serverNames(servers map[string]json.RawMessage) []string {
	names := []string{clientfile.ServerName}
	for name := range servers {
		if name != clientfile.ServerName {
			names = append(names, name)
		}
	}
	slices.Sort(names[1:])
	return names
}

// hook brings one call to a server.
type hook struct {
	*Server
	call *Call
}

// Handle logs the call, and returns what Claude should know at the start of a session and for a prompt, otherwise "".
// It ends with ctx.
func (s *Server) Handle(ctx context.Context, c *Call) string {
	h := hook{s, c}
	if c.Event == atStart {
		if session := h.session(ctx); session != nil {
			return h.start(ctx, session, h.last(ctx))
		}
		return ""
	}
	e, ok := c.event("mcp__" + s.name + "__")
	if !ok {
		return ""
	}
	session := h.session(ctx)
	if session == nil {
		return ""
	}
	e.Session = session.ID.String()
	_, err := s.api.LogEvent(ctx, e)
	switch {
	case err == nil && c.Event == atEnd:
		_, _ = s.api.CloseSession(ctx, e.Session) // otherwise it closes when it is idle
	case c.Event == onPrompt:
		return h.prompt(ctx, session)
	}
	return ""
}

// sessionMetadata is what the metadata of a session has about that of Claude Code.
type sessionMetadata struct {
	ID        string `json:"claude_session_id"`
	Directory string `json:"directory,omitempty"`
}

// session finds the session of the call, active again if it was closed, or creates it unless the call ends it. It may
// be nil.
func (h hook) session(ctx context.Context) *loci.Session {
	page, err := h.api.Sessions(ctx, client.SessionQuery{Key: h.key()})
	if err != nil {
		return nil
	}
	var session *loci.Session
	switch {
	case len(page.Sessions) == 0 && h.call.Event == atEnd: // Claude Code also ends what it did not start
		return nil
	case len(page.Sessions) == 0:
		session, err = h.create(ctx)
	default:
		session = &page.Sessions[0]
	}
	if err == nil && session.State == loci.SessionClosed {
		session, err = h.api.ReopenSession(ctx, session.ID.String())
	}
	if err != nil {
		return nil
	}
	return session
}

// key is the same for all calls of a session of Claude Code, so the server keeps one session for all.
func (h hook) key() string { return "claude-code " + h.call.SessionID }

// maxSessions is among how many sessions the hook looks for the last one.
const maxSessions = 200

// last returns the newest captured session before this one in the same directory, or nil.
func (h hook) last(ctx context.Context) *loci.Session {
	page, err := h.api.Sessions(ctx, client.SessionQuery{Reach: loci.ReachPrivate, Limit: maxSessions})
	if err != nil {
		return nil
	}
	for i := range page.Sessions { // the newest first
		var of sessionMetadata
		s := &page.Sessions[i]
		if json.Unmarshal(s.Metadata, &of) == nil && of.ID != "" && of.ID != h.call.SessionID &&
			of.Directory == h.call.Directory {
			return s
		}
	}
	return nil
}

func (h hook) create(ctx context.Context) (*loci.Session, error) {
	metadata, err := json.Marshal(sessionMetadata{h.call.SessionID, h.call.Directory})
	if err != nil {
		return nil, err
	}
	title := "Claude Code"
	if name := brief(baseName(h.call.Directory)); name != "" {
		title += " in " + name
	}
	title += time.Now().Format(", 2006-01-02 15:04") // distinguishes it from the others in the directory
	return h.api.CreateSession(ctx, client.NewSession{Title: title, Metadata: metadata, Reach: loci.ReachPrivate,
		Key: h.key()})
}

// baseName returns the last part of a directory of any system.
func baseName(dir string) string {
	dir = strings.TrimRight(strings.ReplaceAll(dir, `\`, "/"), "/")
	return dir[strings.LastIndexByte(dir, '/')+1:]
}

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
