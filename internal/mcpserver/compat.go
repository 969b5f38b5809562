package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/recall"
)

// CompatReference makes a server offer exactly what the reference memory server offers, with the
// same names and shapes, on the graph of one project.
const CompatReference = "reference"

// ParseCompat checks the name of a compatibility mode. The empty name means none.
func ParseCompat(name string) (string, error) {
	if name != "" && name != CompatReference {
		return "", loci.FieldErrorf("compat", "must be %s", CompatReference)
	}
	return name, nil
}

const (
	// offerReference is the offer of CompatReference. No toolset has this name.
	offerReference offer = "compat:reference"

	// ReferenceProject is used if nothing names a project. The first write creates it.
	ReferenceProject = "memory"

	referenceURI = "memory://knowledge-graph"
)

type referenceTool struct {
	name, title, about string
	hints              hints
	takes, returns     *jsonschema.Schema
	run                func(*Server, context.Context, *referenceCall, json.RawMessage) (structured, text any, err error)
}

type referenceCall struct {
	caller
	tool    tool // which names the action
	project loci.ProjectID
}

func (s *Server) addReference(srv *mcp.Server, changed func(context.Context)) {
	for _, t := range referenceTools() {
		declared := &mcp.Tool{Name: t.name, Title: t.title, Description: t.about, Annotations: t.hints.annotations(),
			InputSchema: t.takes, OutputSchema: t.returns}
		srv.AddTool(declared, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			c := &referenceCall{caller: callerOf(req.Extra), tool: toolNamed(t.name)}
			structured, text, err := t.answer(ctx, s, c, req.Params.Arguments)
			if err != nil {
				return s.toolError(ctx, t.name, err), nil
			}
			if !t.hints.reads {
				changed(ctx)
			}
			return &mcp.CallToolResult{Meta: warned(text), StructuredContent: structured,
				Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
		})
	}
	srv.AddResource(&mcp.Resource{URI: referenceURI, Name: "knowledge-graph", Title: "Knowledge graph",
		Description: "All entities and relations", MIMEType: jsonType}, s.referenceResource)
}

func (t *referenceTool) answer(ctx context.Context, s *Server, c *referenceCall, arguments json.RawMessage) (
	json.RawMessage, string, error) {
	if c.fault != nil {
		return nil, "", c.fault
	}
	if err := s.placeReference(ctx, c, t.hints.reads); err != nil {
		return nil, "", err
	}
	structured, text, err := t.run(s, ctx, c, arguments)
	if err != nil {
		return nil, "", err
	}
	body, err := encode(structured)
	if err != nil {
		return nil, "", err
	}
	if line, ok := text.(string); ok {
		return body, line, nil
	}
	pretty, err := indented(text)
	return body, pretty, err
}

// indented writes JSON with two spaces for each level, as the reference server does in texts.
func indented(v any) (string, error) {
	body, err := encode(v)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = json.Indent(&out, body, "", "  ")
	return out.String(), err
}

// warned returns the metadata of an answer. A text that reads like an instruction is flagged there,
// because a program written for the reference server must find nothing new in the answer itself.
func warned(text string) mcp.Meta {
	if !recall.Instructs(text) {
		return nil
	}
	return mcp.Meta{"loci/caution": "some of it " + caution}
}

// placeReference finds the project of a call. Before the first write there may be none.
func (s *Server) placeReference(ctx context.Context, c *referenceCall, reads bool) error {
	name := cmp.Or(c.usualProject, ReferenceProject)
	p, err := s.app.Project.Choose(ctx, c.principal, c.tool.action, project.Choice{Name: name})
	if loci.CodeOf(err) == loci.NotFound {
		if reads {
			return nil
		}
		p, err = s.app.Project.Create(ctx, c.principal, project.Draft{Name: name})
		if loci.CodeOf(err) == loci.Conflict { // another call has just created it, or it is somebody else's
			there, lost := s.app.Project.Choose(ctx, c.principal, c.tool.action, project.Choice{Name: name})
			if p = there; loci.CodeOf(lost) != loci.NotFound {
				err = lost
			}
		}
	}
	if err != nil {
		return err
	}
	c.project = p.ID
	if !slices.Contains(c.principal.ProjectIDs, p.ID) {
		c.principal.ProjectIDs = append(slices.Clone(c.principal.ProjectIDs), p.ID)
	}
	return nil
}

func (s *Server) referenceResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	c := &referenceCall{caller: callerOf(req.Extra), tool: toolNamed("read_graph")}
	whole, err := s.referenceGraph(ctx, c, func(*referenceEntity) bool { return true })
	if err != nil {
		return nil, s.rpcError(ctx, referenceURI, err)
	}
	body, err := indented(whole)
	if err != nil {
		return nil, s.rpcError(ctx, referenceURI, err)
	}
	out := content(req, jsonType, body)
	out.Contents[0].Meta = warned(body)
	return out, nil
}

// These are the rows of the reference server.
type referenceEntity struct {
	Name         string   `json:"name"`
	Type         string   `json:"entityType"`
	Observations []string `json:"observations"`
}

type referenceRelation struct {
	From string `json:"from"`
	To   string `json:"to"`
	Type string `json:"relationType"`
}

type referenceGraph struct {
	Entities  []referenceEntity   `json:"entities"`
	Relations []referenceRelation `json:"relations"`
}

// referenceGraph returns the entities that keep accepts, and the relations that touch one of them.
func (s *Server) referenceGraph(ctx context.Context, c *referenceCall, keep func(*referenceEntity) bool) (
	*referenceGraph, error) {
	out := &referenceGraph{Entities: []referenceEntity{}, Relations: []referenceRelation{}}
	if c.project.IsZero() {
		if err := s.placeReference(ctx, c, true); err != nil || c.project.IsZero() {
			return out, err
		}
	}
	whole, err := s.app.Graph.Whole(ctx, c.principal, c.project, func(e *loci.Entity) bool {
		one := referenceEntityOf(e)
		return keep(&one)
	})
	if err != nil {
		return nil, err
	}
	for i := range whole.Entities {
		out.Entities = append(out.Entities, referenceEntityOf(&whole.Entities[i]))
	}
	for _, r := range whole.Relations {
		out.Relations = append(out.Relations, referenceRelation{r.From, r.To, r.Type})
	}
	return out, nil
}

func referenceEntityOf(e *loci.Entity) referenceEntity {
	return referenceEntity{Name: e.Name, Type: e.Type,
		Observations: loci.Mapped(e.Observations, func(o loci.Observation) string { return o.Content })}
}

// referenceRefs returns the entities that have these names, of whatever type, in the order in which they were stored.
func (s *Server) referenceRefs(ctx context.Context, c *referenceCall, names []string) ([]loci.EntityRef, error) {
	if len(names) == 0 {
		return nil, nil
	}
	opened, err := s.app.Graph.OpenEntities(ctx, c.principal, c.project, refs(names))
	if err != nil {
		return nil, err
	}
	return loci.Mapped(opened.Entities, func(e loci.Entity) loci.EntityRef {
		return loci.EntityRef{Name: e.Name, Type: e.Type}
	}), nil
}

// matches reports whether a text is in an entity's name, type or observations, in any case.
func (e *referenceEntity) matches(lower string) bool {
	has := func(text string) bool { return strings.Contains(strings.ToLower(text), lower) }
	return has(e.Name) || has(e.Type) || slices.ContainsFunc(e.Observations, has)
}

// decodeReference reads arguments as leniently as the reference server: it ignores unknown members
// and accepts empty lists. check reports a missing member.
func decodeReference(arguments json.RawMessage, into any, check func() string) error {
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	if err := json.Unmarshal(arguments, into); err != nil {
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) && kind.Field != "" {
			return loci.Errorf(loci.Invalid, "invalid arguments: %s has another type", kind.Field)
		}
		return loci.Errorf(loci.Invalid, "invalid arguments")
	}
	if missing := check(); missing != "" {
		return loci.Errorf(loci.Invalid, "invalid arguments: %s is required", missing)
	}
	return nil
}
