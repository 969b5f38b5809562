package mcpserver

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/vectors"
)

// tool is a row of the table of tools. It defines everything about one tool.
type tool struct {
	name, title string
	set         string      // its toolset
	action      gate.Action // the gate decides who may use it
	hints       hints       // for clients; over stdio they also decide the order of calls (see takeTurn)
	about       string      // when to use it, when not, and what it returns
	returns     *jsonschema.Schema
	handler     handler
}

// toolNamed returns the tool of a name, or the zero tool.
func toolNamed(name string) tool {
	for i := range tools {
		if tools[i].name == name {
			return tools[i]
		}
	}
	return tool{}
}

type call struct {
	caller
	session string         // the id of an agent's session; see inSession
	graph   *string        // the name of a project; nil: the tool has no inProject
	project loci.ProjectID // the project in whose graph the tool works

	lookups  []lookup                  // what the arguments name
	offset   int                       // of the newest observations, those to skip
	detail   string                    // see detail
	limit    *int                      // where the number of items went; nil: the tool has none
	pages    bool                      // the tool takes a cursor, so a smaller limit loses nothing
	most     int                       // the largest limit that keeps to the budget; 0: not known
	projects map[loci.ProjectID]string // names of projects that have been looked up
}

// inSession is the argument that makes the call part of an agent's session.
func inSession(c *call) field { return word("session_id", &c.session) }

// inProject is the argument that names the project in whose graph the tool works.
func inProject(c *call) field {
	c.graph = new(string)
	return word("project", c.graph).about("default: the active one")
}

// handler is the input and the function of a tool.
type handler struct {
	fields func() []field
	run    func(ctx context.Context, s *Server, c *call, action gate.Action, arguments json.RawMessage) (any, error)
}

// takes makes a handler. fields binds the arguments to an In. After they have been checked and
// stored there, do runs the call.
func takes[In any](
	fields func(*call, *In) []field, do func(*Server, context.Context, *call, *In) (any, error),
) handler {
	return handler{
		fields: func() []field { return fields(new(call), new(In)) },
		run: func(ctx context.Context, s *Server, c *call, action gate.Action, arguments json.RawMessage) (any, error) {
			var in In
			if err := decodeArgs(arguments, fields(c, &in)); err != nil {
				return nil, err
			}
			if c.limit != nil && c.most > 0 {
				*c.limit = c.most
			}
			if err := s.place(ctx, c, action); err != nil {
				return nil, err
			}
			return do(s, ctx, c, &in)
		},
	}
}

// nothing is the fields of a tool without arguments.
func nothing(*call, *struct{}) []field { return nil }

// place finds the session and the project that a call names.
func (s *Server) place(ctx context.Context, c *call, action gate.Action) (err error) {
	if c.principal, err = s.auth.InNamedSession(ctx, c.principal, c.session); err != nil {
		return err
	}
	for _, find := range c.lookups {
		if err := find(ctx, s, c, action); err != nil {
			return err
		}
	}
	if c.graph == nil {
		return nil
	}
	p, err := s.app.Project.Choose(ctx, c.principal, action,
		project.Choice{Name: *c.graph, Session: c.connection, Default: c.usualProject})
	c.project = p.ID
	return err
}

// addTo registers t with an SDK server.
func (t tool) addTo(srv *mcp.Server, s *Server) {
	fields := t.handler.fields()
	input := object(fields)
	if !slices.ContainsFunc(fields, func(f field) bool { return f.hidden }) { // else a strict client could not send those
		input.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}} // none
	}
	declared := &mcp.Tool{Name: t.name, Title: t.title, Description: t.about, Annotations: t.hints.annotations(),
		InputSchema: input, OutputSchema: t.returns}
	srv.AddTool(declared, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		c := &call{caller: callerOf(req.Extra)}
		body, err := t.answer(ctx, s, c, req.Params.Arguments)
		if err != nil {
			return s.toolError(ctx, t.name, err), nil
		}
		// The text is the same JSON, for clients that know only text.
		text := &mcp.TextContent{Text: string(body)}
		return &mcp.CallToolResult{StructuredContent: body, Content: []mcp.Content{text}}, nil
	})
}

// answer runs the tool and returns its answer, which keeps to the budget: first its texts are cut,
// then a page gets fewer items, so that its cursor is right. What has no pages loses items at the
// end of its lists, and the answer counts them.
func (t tool) answer(ctx context.Context, s *Server, c *call, arguments json.RawMessage) (json.RawMessage, error) {
	if c.fault != nil {
		return nil, c.fault
	}
	for {
		again := &call{caller: c.caller, most: c.most}
		out, err := t.handler.run(ctx, s, again, t.action, arguments)
		if err != nil {
			return nil, err
		}
		tree, err := presented(out)
		if err != nil {
			return nil, err
		}
		if body := tree.shorten(s.budget, append([]int{unlimited}, textSteps...)...); body != nil {
			return body, nil
		}
		fewer := again.limit != nil && again.pages && t.hints.reads && *again.limit > 1
		if !fewer {
			return tree.drop(s.budget), nil
		}
		c.most = fewerItems(*again.limit, tokens(tree.body()), s.budget)
	}
}

// fewerItems returns a smaller limit that probably keeps to the budget.
func fewerItems(limit, size, budget int) int {
	return max(1, min(limit-1, limit*budget*9/10/max(size, 1)))
}

func encode(v any) (json.RawMessage, error) { return loci.EncodeJSON(v) }

// hints tell a client what a tool may change.
type hints struct{ reads, destroys, idempotent bool }

// These are the hints of a tool that only reads, that adds and changes nothing else, that has no
// further effect if it is repeated, and that removes something.
var (
	reads   = hints{reads: true, idempotent: true}
	adds    = hints{}
	sets    = hints{idempotent: true}
	removes = hints{destroys: true, idempotent: true}
)

func (h hints) annotations() *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{ReadOnlyHint: h.reads, IdempotentHint: h.idempotent,
		DestructiveHint: &h.destroys, OpenWorldHint: new(bool)}
}

// has returns the schema of an object with at least these members.
func has(members ...string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Required: members}
}

// listOf returns the schema of an answer with a list, whose items have at least these members.
func listOf(name string, members ...string) *jsonschema.Schema {
	out := has(name)
	list := &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Required: members}}
	out.Properties = map[string]*jsonschema.Schema{name: list}
	return out
}

// page is a page of memories, in full or as summaries.
type page[T any] struct {
	Memories          []T    `json:"memories"`
	Order             string `json:"order,omitempty"` // time: oldest first; date and time then tell when it happened
	Total             *int   `json:"total,omitempty"`
	TotalIsLowerBound bool   `json:"total_is_lower_bound,omitempty"`
	stopped
	HasMore    bool   `json:"has_more"`
	NextCursor string `json:"next_cursor,omitempty"`
	Hint       string `json:"hint,omitempty"` // what there is, if nothing was found
	// Graph is what graphs have about the question, a line for each fact.
	Graph []string `json:"graph,omitempty"`
	// Events are events that match. Then rank is the place of each memory and event among both.
	Events        []foundEvent `json:"events,omitempty"`
	EventsPartial bool         `json:"events_partial,omitempty"` // some may be missing
	// Meaning is partial, building or unavailable if memories without a word of the question may be missing.
	Meaning vectors.State `json:"meaning,omitempty"`
}

// unready returns a state that a model should know of: one that is as usual costs no tokens.
func unready(s vectors.State) vectors.State {
	if s == vectors.Ready {
		return vectors.Off
	}
	return s
}

// stopped tells whether a search is complete.
type stopped struct {
	Partial   bool             `json:"partial,omitempty"`    // memories may be missing
	StoppedBy memory.StoppedBy `json:"stopped_by,omitempty"` // why
	Note      string           `json:"note,omitempty"`       // what StoppedBy means, for a model
}

func stoppedBy(by memory.StoppedBy, found int) stopped {
	s := stopped{Partial: by != memory.StoppedByNothing, StoppedBy: by}
	switch {
	case by == memory.StoppedByNothing:
	case found == 0:
		s.Note = "The search stopped early and found nothing so far. Older memories may match. " +
			"Search again with tags or origin."
	default:
		s.Note = "The search stopped early, so older memories may be missing. Search again, with rarer words or tags."
	}
	return s
}

// rows returns a page of anything else.
func rows[T any](name string, list []T, next string) map[string]any {
	out := map[string]any{name: loci.OrEmpty(list), "has_more": next != ""}
	if next != "" {
		out["next_cursor"] = next
	}
	return out
}

// shown returns a copy of m without the ids of the person and the key that made the version. They
// would cost a model tokens, and editor is enough.
func shown(m *loci.Memory) *loci.Memory {
	c := *m
	c.EditorID, c.EditorCredentialID = loci.UserID{}, loci.CredentialID{}
	return &c
}

// lookup finds what an argument names, once the caller's session is known.
type lookup func(ctx context.Context, s *Server, c *call, action gate.Action) error

// memoryID is the id of a memory, or its beginning.
func memoryID(c *call, name string, into *loci.MemoryID) field {
	return value(name, "a string", plain(), func(path, v string) error { return c.findMemory(path, v, into) }).must()
}

// memoryIDs is a list of ids of memories, or of their beginnings.
func memoryIDs(c *call, name string, into *[]loci.MemoryID, maximum int) field {
	return idList(name, into, maximum, c.findMemory)
}

func (c *call) findMemory(path, v string, into *loci.MemoryID) error {
	return findID(c, path, v, into, func(ctx context.Context, s *Server) (loci.MemoryID, error) {
		return s.app.Memory.Resolve(ctx, c.principal, v)
	})
}

// findID stores an id, or notes that find must look it up by its beginning.
func findID[Kind any](c *call, path, v string, into *loci.ID[Kind],
	find func(context.Context, *Server) (loci.ID[Kind], error)) error {
	first, last, err := loci.ParseIDPrefix[Kind](v, loci.ShortID)
	if err != nil {
		return loci.FieldErrorf(path, "is not an id: %s", err)
	}
	if *into = first; first == last {
		return nil
	}
	c.lookups = append(c.lookups, func(ctx context.Context, s *Server, _ *call, _ gate.Action) (err error) {
		*into, err = find(ctx, s)
		return err
	})
	return nil
}

// namedProject is a project by its name or its id.
func namedProject(c *call, into *loci.ProjectID) field {
	return value("project", "a string", plain(), func(_, v string) error {
		if readID("project", v, into) == nil {
			return nil
		}
		c.lookups = append(c.lookups, func(ctx context.Context, s *Server, c *call, action gate.Action) error {
			p, err := s.app.Project.Choose(ctx, c.principal, action, project.Choice{Name: v})
			*into = p.ID
			return err
		})
		return nil
	}).or("project_id")
}

// timeOf reads what loci.ParseTimeNear reads, in UTC. expires_at and until look ahead. Its error is the same at all
// times.
func timeOf(path, v string) (time.Time, error) {
	t, err := loci.ParseTimeNear(v, time.Now().UTC(), path == "expires_at" || path == "until")
	if err != nil {
		err = loci.FieldErrorf(path, "must be a date or a time like 2026-11-20T16:00:00Z (RFC 3339)")
	}
	return t, err
}
