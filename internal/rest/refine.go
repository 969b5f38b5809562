package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

// document is an OpenAPI document as JSON. refine adds what huma's types cannot express. The
// capabilities check these rules themselves, with their own errors.
type document map[string]any

func refine(doc *huma.OpenAPI) ([]byte, error) {
	b, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	// huma's name for the words is no keyword of OpenAPI, which requires x- for others.
	b = bytes.ReplaceAll(b, []byte(`"patternDescription":`), []byte(`"x-patternDescription":`))
	var d document
	if err := json.Unmarshal(b, &d); err != nil {
		return nil, err
	}
	schemas := d.at("components").at("schemas")
	for name := range schemas {
		schemas.at(name).at("properties").refineFields()
	}
	schemas.at("SessionChange").at("properties").at("metadata")["type"] = []string{"object", "null"}
	schemas.at("AgentChange").at("properties").at("config")["type"] = []string{"object", "null"}
	schemas.at("EntityNames")["oneOf"] = []document{needs("names"), needs("entities")}
	schemas.at("NewNodeItem")["oneOf"] = itemKinds()
	d.link()
	d.openToAll()
	return json.Marshal(d)
}

// openToAll says of the operations without a credential that they require none. Without that, a reader cannot know.
func (d document) openToAll() {
	for path := range d.at("paths") {
		for method := range d.at("paths").at(path) {
			if op := d.at("paths").at(path).at(method); op["security"] == nil {
				op["security"] = []document{}
			}
		}
	}
}

// at returns an object in d, or an empty one.
func (d document) at(name string) document {
	found, _ := d[name].(map[string]any)
	return found
}

// vendorPattern matches what loci.Vendor accepts, or the wildcard for all vendors.
const vendorPattern = `^(\*|[a-z0-9][a-z0-9._-]*)$`

func (d document) refineFields() {
	for name, about := range map[string]document{
		"allowed_vendors": {"pattern": vendorPattern},
		"emails":          {"format": "email"},
	} {
		if items := d.at(name).at("items"); items != nil {
			maps.Copy(items, about)
		}
	}
	for _, name := range []string{"config", "metadata"} { // json.RawMessage, which is anything to huma
		if object := d.at(name); object != nil {
			object["type"] = "object"
		}
	}
}

// needs is a schema of objects that have one of several fields.
func needs(fields ...string) document { return document{"required": fields} }

// itemFields are the fields of an item of a memory node, by its kind.
var itemFields = map[string][]string{"memory": {"memory_id"}, "entity": {"project_id", "entity_id"}, "text": {"text"}}

// itemKinds are the schemas of new items, by kind. Each has its own fields and no fields of another kind.
func itemKinds() []document {
	var kinds []document
	for _, kind := range []string{"memory", "entity", "text"} {
		fields := document{"kind": document{"const": kind}}
		for other, theirs := range itemFields {
			for _, name := range theirs {
				if other != kind {
					fields[name] = false
				}
			}
		}
		one := needs(itemFields[kind]...)
		one["properties"] = fields
		kinds = append(kinds, one)
	}
	return kinds
}

// link connects each route that creates a thing to the route that reads it.
func (d document) link() {
	paths := d.at("paths")
	for path := range paths {
		get := paths.at(path + "/{id}").at("get")
		if get == nil || strings.Contains(path, "{") {
			continue
		}
		responses := paths.at(path).at("post").at("responses")
		for _, status := range []string{"200", "201"} {
			if made := responses.at(status); made != nil {
				made["links"] = document{"get": document{"operationId": get["operationId"],
					"parameters": document{"id": "$response.body#/id"}}}
			}
		}
	}
}

// facetsInput are the conditions of the memories to count.
type facetsInput struct {
	client.Conditions
	Ended
}

func (s *server) facets(ctx context.Context, p loci.Principal, in *facetsInput) (*answer[loci.Facets], error) {
	by, err := in.by()
	if err != nil {
		return nil, err
	}
	f := filterOf(&in.Conditions)
	f.Lifecycle = lifecycles[by]
	return sayAs(value[loci.Facets])(s.app.Memory.Facets(ctx, p, f))
}
