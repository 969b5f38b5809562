//nolint:staticcheck // the suite tests what 2026-07-28 deprecates, as long as it is in the protocol
package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addQuestions adds the tools that ask the client in the middle of a call, as
// versions with sessions do.
func addQuestions(srv *mcp.Server) {
	addTool(srv, "test_sampling", `{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}`,
		sample)
	addTool(srv, "test_elicitation", `{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}`,
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var in struct{ Message string }
			if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
				return nil, err
			}
			return elicit(ctx, req, in.Message, form("username", "string"))
		})
	addTool(srv, "test_elicitation_sep1034_defaults", anything,
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return elicit(ctx, req, "Please review the defaults", json.RawMessage(defaultsForm))
		})
	addTool(srv, "test_elicitation_sep1330_enums", anything,
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return elicit(ctx, req, "Please choose", json.RawMessage(enumsForm))
		})
}

func sample(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct{ Prompt string }
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
		return nil, err
	}
	answer, err := req.Session.CreateMessage(ctx, ask(in.Prompt))
	if err != nil {
		return nil, err
	}
	text, _ := answer.Content.(*mcp.TextContent)
	if text == nil {
		return say("LLM response without text"), nil
	}
	return say("LLM response: " + text.Text), nil
}

func ask(question string) *mcp.CreateMessageParams {
	return &mcp.CreateMessageParams{MaxTokens: 100,
		Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: question}}}}
}

func elicit(ctx context.Context, req *mcp.CallToolRequest, message string, schema any) (*mcp.CallToolResult, error) {
	answer, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: message, RequestedSchema: schema})
	if err != nil {
		return nil, err
	}
	content, err := json.Marshal(answer.Content)
	if err != nil {
		return nil, err
	}
	return say(fmt.Sprintf("Elicitation completed: action=%s, content=%s", answer.Action, content)), nil
}

// form is the schema of a question with one field.
func form(field, kind string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{%q:{"type":%q}},"required":[%q]}`, field, kind,
		field))
}

const defaultsForm = `{"type":"object","properties":{
	"name": {"type": "string", "default": "John Doe"},
	"age": {"type": "integer", "default": 30},
	"score": {"type": "number", "default": 95.5},
	"status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
	"verified": {"type": "boolean", "default": true}
}}`

const enumsForm = `{"type":"object","properties":{
	"untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
	"titledSingle": {"type": "string", "oneOf": [
		{"const": "value1", "title": "First Option"}, {"const": "value2", "title": "Second Option"},
		{"const": "value3", "title": "Third Option"}]},
	"legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"],
		"enumNames": ["Option One", "Option Two", "Option Three"]},
	"untitledMulti": {"type": "array", "minItems": 1, "maxItems": 3,
		"items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
	"titledMulti": {"type": "array", "minItems": 1, "maxItems": 3,
		"items": {"anyOf": [
		{"const": "value1", "title": "First Choice"}, {"const": "value2", "title": "Second Choice"},
		{"const": "value3", "title": "Third Choice"}]}}
}}`
