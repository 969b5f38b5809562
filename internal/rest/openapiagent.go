package rest

import (
	"context"
	"encoding/json"
	"maps"
	"strings"

	"github.com/loci-memory/loci"
)

// forAgents returns the part of the whole document that agents use, in the form that the importers
// of assistants accept: operations with x-openai-isConsequential, one way to authenticate, and no
// headers, which those assistants cannot send.
func (s *server) forAgents(whole []byte) (document, error) {
	var d document
	if err := json.Unmarshal(whole, &d); err != nil {
		return nil, err
	}
	paths := d.at("paths")
	for path := range paths {
		for method := range paths.at(path) {
			op := paths.at(path).at(method)
			consequential, ok := s.forActions[asText(op["operationId"])]
			if !ok {
				delete(paths.at(path), method)
				continue
			}
			op.simplify(consequential)
		}
		if len(paths.at(path)) == 0 {
			delete(paths, path)
		}
	}
	components := d.at("components")
	d["components"] = document{
		"schemas":         used(paths, components.at("schemas")),
		"securitySchemes": document{bearerScheme: components.at("securitySchemes")[bearerScheme]},
	}
	return d, nil
}

// simplify changes an operation into what importers understand.
func (d document) simplify(consequential bool) {
	d["x-openai-isConsequential"] = consequential
	delete(d, "x-actions")
	if list, _ := d["security"].([]any); len(list) > 0 {
		d["security"] = []document{{bearerScheme: []string{}}}
	}
	if all, ok := d["parameters"].([]any); ok {
		kept := []any{}
		for _, one := range all {
			if in := asDocument(one)["in"]; in == "path" || in == "query" {
				kept = append(kept, one)
			}
		}
		d["parameters"] = kept
	}
	for status := range d.at("responses") {
		answer := d.at("responses").at(status)
		delete(answer, "links")
		delete(answer, "headers")
		delete(answer.at("content"), replayedType)
	}
}

func asText(v any) string {
	text, _ := v.(string)
	return text
}

func asDocument(v any) document {
	found, _ := v.(map[string]any)
	return found
}

// used returns the schemas to which v refers, directly or through others.
func used(v any, schemas document) document {
	found := document{}
	var visit func(any)
	visit = func(v any) {
		switch v := v.(type) {
		case document:
			visit(map[string]any(v))
		case []any:
			for _, one := range v {
				visit(one)
			}
		case map[string]any:
			for key, one := range v {
				visit(one)
				name, isRef := strings.CutPrefix(asText(one), schemaPrefix)
				if key == "$ref" && isRef && found[name] == nil {
					found[name] = schemas[name]
					visit(schemas[name])
				}
			}
		}
	}
	visit(v)
	return found
}

// agentDocument answers with the address at which the caller reached the server, because importers
// require an absolute one.
func (s *server) agentDocument(ctx context.Context, _ loci.Principal, _ *struct{}) (*openAPIOutput, error) {
	_, agents := s.openAPI()
	d := maps.Clone(agents)
	d["servers"] = []document{{"url": s.options.Site.Base(exchangeOf(ctx).request)}}
	b, err := loci.EncodeJSON(d)
	if err != nil {
		return nil, err
	}
	return &openAPIOutput{"application/json", b}, nil
}
