//nolint:staticcheck // the suite tests what 2026-07-28 deprecates, as long as it is in the protocol
package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// anything is the schema of a tool that does not look at its arguments.
const anything = `{"type":"object"}`

func addTool(srv *mcp.Server, name, schema string, do mcp.ToolHandler) {
	srv.AddTool(&mcp.Tool{Name: name, Description: "A fixture of the conformance suite.",
		InputSchema: json.RawMessage(schema)}, do)
}

func say(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// addTools adds the tools that answer at once.
func addTools(srv *mcp.Server) {
	image := &mcp.ImageContent{Data: pixel, MIMEType: "image/png"}
	resource := func(uri string) *mcp.EmbeddedResource {
		return &mcp.EmbeddedResource{
			Resource: &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: "a resource inside of a result"}}
	}
	contents := map[string][]mcp.Content{
		"test_simple_text":       {&mcp.TextContent{Text: "This is a simple text response for testing."}},
		"test_image_content":     {image},
		"test_audio_content":     {&mcp.AudioContent{Data: silence, MIMEType: "audio/wav"}},
		"test_embedded_resource": {resource("test://embedded-resource")},
		"test_multiple_content_types": {&mcp.TextContent{Text: "Three kinds of content:"}, image,
			resource("test://mixed-content-resource")},
		"test_streaming_elicitation": {&mcp.TextContent{Text: "Nothing was asked: the client did not say that it can " +
			"answer."}},
	}
	for name, content := range contents {
		addTool(srv, name, anything, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: content}, nil
		})
	}
	addTool(srv, "test_error_handling", anything,
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			result := say("This tool intentionally returns an error for testing")
			result.IsError = true
			return result, nil
		})
	addTool(srv, "test_tool_with_logging", anything,
		logs("Tool execution started", "Tool processing data", "Tool execution completed"))
	addTool(srv, "test_logging_tool", anything, logs("Only for a client that set a log level"))
	addTool(srv, "test_tool_with_progress", anything, reportProgress)
	addTool(srv, "test_missing_capability", anything, needSampling)
	addTool(srv, "json_schema_2020_12_tool", schema2020, echo)
	addTool(srv, "test_x_mcp_header", headerSchema, echo)
	addTool(srv, "test_trigger_tool_change", anything,
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			addTool(srv, "test_appeared", anything, echo)
			return say("The list of tools changed."), nil
		})
	addTool(srv, "test_trigger_prompt_change", anything,
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			addPrompt(srv, &mcp.Prompt{Name: "test_appeared", Description: "Appeared during the test."},
				&mcp.TextContent{Text: "new"})
			return say("The list of prompts changed."), nil
		})
}

func echo(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return say("Called with " + string(req.Params.Arguments)), nil
}

// logs is a tool that logs lines before it answers. Whether the client hears
// them is for the SDK to decide.
func logs(lines ...string) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for _, line := range lines {
			if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: line}); err != nil {
				return nil, err
			}
		}
		return say("Logged."), nil
	}
}

func reportProgress(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	token := req.Params.GetProgressToken()
	for _, done := range []float64{0, 50, 100} {
		err := req.Session.NotifyProgress(ctx,
			&mcp.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: 100})
		if err != nil {
			return nil, err
		}
	}
	return say(fmt.Sprint(token)), nil
}

// needSampling answers only a client that declared sampling.
func needSampling(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if c := req.ClientCapabilities(); c != nil && c.Sampling != nil {
		return say("The client can sample."), nil
	}
	data, err := json.Marshal(
		mcp.MissingRequiredClientCapabilityData{
			RequiredCapabilities: &mcp.ClientCapabilities{Sampling: &mcp.SamplingCapabilities{}}})
	if err != nil {
		return nil, err
	}
	return nil, &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities,
		Message: "this tool needs a client that can sample", Data: data}
}

const headerSchema = `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},` +
	`"level":{"type":"integer"}}}`

// schema2020 uses what JSON Schema 2020-12 has and older drafts have not; the
// suite looks whether it arrives as it is.
const schema2020 = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"$defs": {"address": {"$anchor": "addressDef", "type": "object",
		"properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
	"properties": {
		"name": {"type": "string"},
		"address": {"$ref": "#/$defs/address"},
		"contactMethod": {"type": "string", "enum": ["phone", "email"]},
		"phone": {"type": "string"},
		"email": {"type": "string"}
	},
	"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
	"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
	"then": {"required": ["phone"]},
	"else": {"required": ["email"]},
	"additionalProperties": false
}`
