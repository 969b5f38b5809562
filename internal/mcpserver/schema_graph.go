package mcpserver

import (
	"encoding/json"
	"fmt"

	"github.com/loci-memory/loci"
)

const (
	projectSchema = `{"type":"object","required":["id","name"]}`
	deletedSchema = `{"type":"object","required":["deleted"]}`
	inGraph       = `"id","name","entity_type","observations"`
)

// lists is the schema of an answer with one list. members are what each of its
// items has, or "".
func lists(name, members string) json.RawMessage {
	if members != "" {
		members = `,"items":{"required":[` + members + `]}`
	}
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{%q:{"type":"array"%s}},"required":[%[1]q]}`, name, members))
}

func required(name, schema string) property {
	return property{name: name, schema: schema, required: true}
}

// items is a list of objects. Unlike at the top, a schema does not say that
// other members are refused: that they are costs as much as two of them.
func items(name string, members ...property) property {
	return required(name, `{"type":"array","items":`+string(object(members))+`}`)
}

func inProject() property {
	return property{name: "project", schema: `{"type":"string","description":"default: the active one"}`}
}

func cursor() property { return property{name: "cursor", schema: `{"type":"string"}`} }

// texts is a list of texts.
func texts(maximum int) string {
	return fmt.Sprintf(`{"type":"array","items":{"type":"string","maxLength":%d}}`, maximum)
}

func described(schema, text string) string {
	return fmt.Sprintf(`%s,"description":%q}`, schema[:len(schema)-1], text)
}

// edge are the members of a relation.
func edge() []property {
	name := text(1, loci.MaxEntityName)
	return []property{required("from", name), required("to", name), required("relation_type", described(text(1, loci.MaxGraphType), "active voice, like depends_on"))}
}

// which are the arguments that name one entity.
func which() []property {
	return []property{{name: "name", schema: text(0, loci.MaxEntityName)}, {name: "entity_type", schema: text(0, loci.MaxGraphType)}, {name: "id", schema: `{"type":"string"}`}}
}

func projectName() property { return required("name", text(1, loci.MaxName)) }
