package memory

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/loci-memory/loci"
)

// ChatOptions configure an OpenAI-compatible chat endpoint.
type ChatOptions struct {
	BaseURL     string // required, such as http://127.0.0.1:11434/v1
	APIKey      loci.Secret
	Model       string // required
	Temperature float64
	MaxTokens   int           // default 1024
	Timeout     time.Duration // default 60 s
}

type openAIChat struct {
	client *openai.Client
	model  ChatModel
}

// NewChat returns a Chat that uses an OpenAI-compatible endpoint. Invalid if the address is not
// http(s) or no model is named.
func NewChat(o ChatOptions) (Chat, error) {
	u, err := url.Parse(o.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, loci.Errorf(loci.Invalid,
			"chat.base_url must be an http or https address, like http://127.0.0.1:11434/v1")
	}
	if o.Model == "" {
		return nil, loci.Errorf(loci.Invalid, "chat.model must name a model")
	}
	if o.MaxTokens <= 0 {
		o.MaxTokens = 1024
	}
	if o.Timeout <= 0 {
		o.Timeout = time.Minute
	}
	config := openai.DefaultConfig(o.APIKey.Reveal())
	config.BaseURL = o.BaseURL
	config.HTTPClient = &http.Client{Timeout: o.Timeout, Transport: boundedTransport{}, CheckRedirect: refuseRedirect}
	return &openAIChat{openai.NewClientWithConfig(config),
		ChatModel{Provider: u.Host, Name: o.Model, Temperature: o.Temperature, MaxTokens: o.MaxTokens}}, nil
}

// maxAnswer is the longest answer of a chat endpoint that Loci reads, in bytes.
const maxAnswer = 4 << 20

// boundedTransport fails if an answer is too long to keep.
type boundedTransport struct{}

func (boundedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		res.Body = http.MaxBytesReader(nil, res.Body, maxAnswer)
	}
	return res, err
}

// refuseRedirect makes sure that memories go only to the host in the settings.
func refuseRedirect(*http.Request, []*http.Request) error {
	return errors.New("it redirects; set chat.base_url to its final address")
}

// Model returns the name of the model and of its provider.
func (c *openAIChat) Model() ChatModel { return c.model }

// Complete sends the prompt as one user message.
func (c *openAIChat) Complete(ctx context.Context, prompt string) (string, error) {
	// The library omits a zero, and then the endpoint would use its own default.
	temperature := max(float32(c.model.Temperature), math.SmallestNonzeroFloat32)
	answer, err := c.client.CreateChatCompletion(ctx, openai.ChatCompletionRequest{
		Model:       c.model.Name,
		Temperature: temperature,
		MaxTokens:   c.model.MaxTokens, //nolint:staticcheck // compatible servers know max_tokens but not its successor
		Messages:    []openai.ChatCompletionMessage{{Role: openai.ChatMessageRoleUser, Content: prompt}},
	})
	if tooLong := new(http.MaxBytesError); errors.As(err, &tooLong) {
		return "", errors.New("the answer is too long")
	}
	if err != nil {
		return "", bareError(err)
	}
	if len(answer.Choices) == 0 || answer.Choices[0].Message.Content == "" {
		return "", errors.New("the model returned no text")
	}
	return answer.Choices[0].Message.Content, nil
}

// bareError keeps only what may go into a log. Some endpoints repeat the key and the prompt in
// their errors.
func bareError(err error) error {
	var api *openai.APIError
	var request *openai.RequestError
	var transport *url.Error
	switch {
	case errors.As(err, &api):
		return fmt.Errorf("chat endpoint: HTTP status %d", api.HTTPStatusCode)
	case errors.As(err, &request):
		return fmt.Errorf("chat endpoint: HTTP status %d", request.HTTPStatusCode)
	case errors.As(err, &transport):
		return fmt.Errorf("chat endpoint: %w", transport.Err)
	}
	return fmt.Errorf("chat endpoint: unreadable answer (%T)", err)
}
