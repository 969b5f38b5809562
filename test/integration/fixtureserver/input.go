//nolint:staticcheck // the suite tests what 2026-07-28 deprecates, as long as it is in the protocol
package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addInputTools adds the tools that end a call with questions and are called
// again with the answers, as versions without sessions do.
func addInputTools(srv *mcp.Server) {
	const prefix = "test_input_required_result_"
	addTool(srv, prefix+"elicitation", anything, askName)
	addTool(srv, prefix+"sampling", anything, askModel)
	addTool(srv, prefix+"list_roots", anything, askRoots)
	addTool(srv, prefix+"request_state", anything, askWithState)
	addTool(srv, prefix+"tampered_state", anything, askWithState)
	addTool(srv, prefix+"multiple_inputs", anything, askAll)
	addTool(srv, prefix+"multi_round", anything, askTwice)
	addTool(srv, prefix+"capabilities", anything, askWhatClientCan)
}

func question(message, field, kind string) *mcp.ElicitParams {
	return &mcp.ElicitParams{Message: message, RequestedSchema: form(field, kind)}
}

// accepted returns the content of an answer to a form, nil if there is none or
// it was declined.
func accepted(answers mcp.InputResponseMap, key string) map[string]any {
	if a, ok := answers[key].(*mcp.ElicitResult); ok && a != nil && a.Action == "accept" {
		return a.Content
	}
	return nil
}

func field(answers mcp.InputResponseMap, key, name string) string {
	s, _ := accepted(answers, key)[name].(string)
	return s
}

func sampled(answers mcp.InputResponseMap, key string) (string, bool) {
	a, ok := answers[key].(*mcp.CreateMessageWithToolsResult)
	if !ok || a == nil {
		return "", false
	}
	for _, c := range a.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			return text.Text, true
		}
	}
	return "", true
}

func askName(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if name := field(req.Params.InputResponses, "user_name", "name"); name != "" {
		return say("Hello, " + name + "!"), nil
	}
	return &mcp.CallToolResult{
		InputRequests: mcp.InputRequestMap{"user_name": question("What is your name?", "name", "string")}}, nil
}

func askModel(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if text, ok := sampled(req.Params.InputResponses, "capital_question"); ok {
		return say("The model says: " + text), nil
	}
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"capital_question": ask("What is the capital of " +
		"France?")}}, nil
}

func askRoots(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if a, ok := req.Params.InputResponses["client_roots"].(*mcp.ListRootsResult); ok && a != nil {
		return say(fmt.Sprintf("The client has %d roots", len(a.Roots))), nil
	}
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"client_roots": &mcp.ListRootsParams{}}}, nil
}

func askAll(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	answers := req.Params.InputResponses
	name := field(answers, "user_name", "name")
	greeting, greeted := sampled(answers, "greeting")
	roots, rooted := answers["client_roots"].(*mcp.ListRootsResult)
	if name != "" && greeted && rooted {
		return say(fmt.Sprintf("%s %s, %d roots", greeting, name, len(roots.Roots))), nil
	}
	return &mcp.CallToolResult{RequestState: seal("all"), InputRequests: mcp.InputRequestMap{
		"user_name":    question("What is your name?", "name", "string"),
		"greeting":     ask("Generate a greeting"),
		"client_roots": &mcp.ListRootsParams{},
	}}, nil
}

func askWithState(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if req.Params.RequestState != "" {
		if _, err := open(req.Params.RequestState); err != nil {
			return nil, err
		}
		if accepted(req.Params.InputResponses, "confirm") != nil {
			return say("state-ok: the state came back as it was"), nil
		}
	}
	return &mcp.CallToolResult{RequestState: seal("confirm"),
		InputRequests: mcp.InputRequestMap{"confirm": question("Please confirm", "ok", "boolean")}}, nil
}

// askTwice keeps the first answer in the state, for lack of a session.
func askTwice(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if req.Params.RequestState == "" {
		return &mcp.CallToolResult{RequestState: seal("1"),
			InputRequests: mcp.InputRequestMap{"step1": question("Step 1: what is your name?", "name", "string")}}, nil
	}
	state, err := open(req.Params.RequestState)
	if err != nil {
		return nil, err
	}
	if state == "1" {
		return &mcp.CallToolResult{RequestState: seal("2" + field(req.Params.InputResponses, "step1", "name")),
				InputRequests: mcp.InputRequestMap{"step2": question("Step 2: what is your favorite color?", "color", "string")}},
			nil
	}
	return say(state[1:] + " likes " + field(req.Params.InputResponses, "step2", "color")), nil
}

// askWhatClientCan asks nothing that the client did not say it can answer.
func askWhatClientCan(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	can := req.ClientCapabilities()
	if len(req.Params.InputResponses) > 0 || can == nil {
		return say("Done."), nil
	}
	requests := mcp.InputRequestMap{}
	if can.Elicitation != nil {
		requests["user_name"] = question("What is your name?", "name", "string")
	}
	if can.Sampling != nil {
		requests["greeting"] = ask("Generate a short greeting")
	}
	if can.RootsV2 != nil {
		requests["client_roots"] = &mcp.ListRootsParams{}
	}
	if len(requests) == 0 {
		return say("The client cannot be asked."), nil
	}
	return &mcp.CallToolResult{InputRequests: requests}, nil
}

// stateKey proves that a state is one of ours. It dies with the process.
var stateKey = func() []byte {
	key := make([]byte, sha256.Size)
	if _, err := rand.Read(key); err != nil {
		panic(err)
	}
	return key
}()

func seal(state string) string {
	h := hmac.New(sha256.New, stateKey)
	h.Write([]byte(state))
	return hex.EncodeToString(h.Sum(nil)) + "." + state
}

func open(sealed string) (string, error) {
	_, state, _ := strings.Cut(sealed, ".")
	if !hmac.Equal([]byte(seal(state)), []byte(sealed)) {
		return "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "requestState is not one that this server made"}
	}
	return state, nil
}
