package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// pixel is the smallest PNG image.
var pixel = func() []byte {
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		panic(err)
	}
	return out.Bytes()
}()

// silence is a WAV file of one sample: RIFF header, format (PCM, one channel,
// 8 kHz, 8 bits), data.
var silence = func() []byte {
	out := []byte("RIFF")
	out = binary.LittleEndian.AppendUint32(out, 37)
	out = append(out, "WAVEfmt "...)
	for _, n := range []uint32{16, 1 | 1<<16, 8000, 8000, 1 | 8<<16} {
		out = binary.LittleEndian.AppendUint32(out, n)
	}
	out = append(out, "data"...)
	out = binary.LittleEndian.AppendUint32(out, 1)
	return append(out, 128)
}()

func addResources(srv *mcp.Server) {
	add := func(uri, mime, text string, blob []byte) {
		srv.AddResource(&mcp.Resource{URI: uri, Name: strings.TrimPrefix(uri, "test://"),
			Description: "A fixture of the conformance suite.", MIMEType: mime},
			func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return &mcp.ReadResourceResult{
					Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: mime, Text: text, Blob: blob}}}, nil
			})
	}
	add("test://static-text", "text/plain", "This is the content of the static text resource.", nil)
	add("test://static-binary", "image/png", "", pixel)
	add("test://watched-resource", "text/plain", "Nothing happens here.", nil)
	srv.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template",
		Description: "A fixture of the conformance suite.", MIMEType: "application/json"},
		func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(req.Params.URI, "test://template/"), "/data")
			text, err := json.Marshal(map[string]any{"id": id, "templateTest": true, "data": "Data for ID: " + id})
			if err != nil {
				return nil, err
			}
			return &mcp.ReadResourceResult{
				Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "application/json", Text: string(text)}}}, nil
		})
}

// addPrompt adds a prompt that always says the same.
func addPrompt(srv *mcp.Server, p *mcp.Prompt, contents ...mcp.Content) {
	result := &mcp.GetPromptResult{Description: p.Name}
	for _, c := range contents {
		result.Messages = append(result.Messages, &mcp.PromptMessage{Role: "user", Content: c})
	}
	srv.AddPrompt(p, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { return result, nil })
}

func addPrompts(srv *mcp.Server) {
	addPrompt(srv, &mcp.Prompt{Name: "test_simple_prompt", Description: "Without arguments."},
		&mcp.TextContent{Text: "This is a simple prompt for testing."})
	addPrompt(srv, &mcp.Prompt{Name: "test_prompt_with_image", Description: "With an image."},
		&mcp.ImageContent{Data: pixel, MIMEType: "image/png"}, &mcp.TextContent{Text: "Please analyze the image above."})
	srv.AddPrompt(&mcp.Prompt{Name: "test_prompt_with_arguments", Description: "With two arguments.",
		Arguments: []*mcp.PromptArgument{{Name: "arg1", Required: true}, {Name: "arg2", Required: true}}},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return prompt(&mcp.TextContent{
				Text: fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", req.Params.Arguments["arg1"],
					req.Params.Arguments["arg2"])}), nil
		})
	srv.AddPrompt(&mcp.Prompt{Name: "test_prompt_with_embedded_resource", Description: "With a resource.",
		Arguments: []*mcp.PromptArgument{{Name: "resourceUri", Required: true}}},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return prompt(&mcp.EmbeddedResource{
				Resource: &mcp.ResourceContents{URI: req.Params.Arguments["resourceUri"], MIMEType: "text/plain",
					Text: "a resource inside of a prompt"}}), nil
		})
	srv.AddPrompt(&mcp.Prompt{Name: "test_input_required_result_prompt", Description: "Asks before it answers."},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			if text := field(req.Params.InputResponses, "user_context", "context"); text != "" {
				return prompt(&mcp.TextContent{Text: "Context: " + text}), nil
			}
			return &mcp.GetPromptResult{
				InputRequests: mcp.InputRequestMap{"user_context": question("Please provide context", "context", "string")}}, nil
		})
}

func prompt(c mcp.Content) *mcp.GetPromptResult {
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: c}}}
}
