package mcpserver

import (
	"encoding/json"
	"fmt"

	"github.com/loci-memory/loci"
)

// Schemas are written by hand, because every client puts all of them into its
// model's context on every turn: the nine tools together stay below 1,600
// tokens. A test calls each tool beyond each limit that stands here.

// integer is a whole number with limits.
func integer(minimum, maximum, fallback int) string {
	if fallback < minimum {
		return fmt.Sprintf(`{"type":"integer","minimum":%d,"maximum":%d}`, minimum, maximum)
	}
	return fmt.Sprintf(`{"type":"integer","minimum":%d,"maximum":%d,"default":%d}`, minimum, maximum, fallback)
}

func text(minimum, maximum int) string {
	if minimum == 0 {
		return fmt.Sprintf(`{"type":"string","maxLength":%d}`, maximum)
	}
	return fmt.Sprintf(`{"type":"string","minLength":%d,"maxLength":%d}`, minimum, maximum)
}

// list is an array of texts. more are further keywords, or "".
func list(minimum, maximum, length int, more string) string {
	least := ""
	if minimum > 0 {
		least = fmt.Sprintf(`"minItems":%d,`, minimum)
	}
	return fmt.Sprintf(`{"type":"array",%s"maxItems":%d,"items":{"type":"string","maxLength":%d}%s}`, least, maximum, length, more)
}

// property is one argument of a tool.
type property struct {
	name, schema string
	required     bool
}

// input is the schema of a tool's arguments. Anything else is refused.
func input(properties ...property) json.RawMessage {
	out := string(object(properties))
	return json.RawMessage(out[:len(out)-1] + `,"additionalProperties":false}`)
}

func object(properties []property) json.RawMessage {
	out, required := "", ""
	for i, p := range properties {
		if i > 0 {
			out += ","
		}
		out += fmt.Sprintf("%q:%s", p.name, p.schema)
		if p.required {
			if required != "" {
				required += ","
			}
			required += fmt.Sprintf("%q", p.name)
		}
	}
	if required != "" {
		required = `,"required":[` + required + `]`
	}
	return json.RawMessage(`{"type":"object","properties":{` + out + `}` + required + `}`)
}

// The schemas of arguments that say no more than their type.
const (
	stringSchema = `{"type":"string"}`
	boolSchema   = `{"type":"boolean"}`
)

// inSession names the session of an agent that a call is a part of.
func inSession() property { return property{name: "session_id", schema: stringSchema} }

const (
	leanSchema = `{"type":"object","required":["id","title","content"]}`
)

// output is the schema of a page of memories. more are further properties, or
// "".
func output(required, more string) json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"memories":{"type":"array","items":{"required":[` + required + `]}}` + more + `},"required":["memories"]}`)
}

const (
	inFull     = `"id","content"`
	asSummary  = `"id","title"`
	withCursor = `,"next_cursor":{"type":"string"}`
)

func limit(maximum, fallback int) property {
	return property{name: "limit", schema: integer(1, maximum, fallback)}
}

// paging are the two ways to go on: a cursor, or rows to skip.
func paging() []property {
	return []property{{name: "offset", schema: `{"type":"integer","minimum":0}`}, {name: "cursor", schema: `{"type":"string"}`}}
}

func tags(minimum int) property {
	return property{name: "tags", required: minimum > 0, schema: list(minimum, loci.MaxTags, loci.MaxTag, "")}
}
