package memory

import (
	"context"

	"github.com/loci-memory/loci/internal/chat"
)

// NewChat returns a Chat that uses an OpenAI-compatible endpoint. It fails like chat.New.
func NewChat(o chat.Options) (Chat, error) {
	c, err := chat.New(o)
	if err != nil {
		return nil, err
	}
	return endpoint{c}, nil
}

// endpoint is a Chat.
type endpoint struct{ *chat.Client }

// Model returns the name of the model and of its provider.
func (e endpoint) Model() ChatModel {
	return ChatModel{Provider: e.Host, Name: e.Options.Model, Temperature: e.Temperature, MaxTokens: e.MaxTokens}
}

// Complete sends the prompt as one user message.
func (e endpoint) Complete(ctx context.Context, prompt string) (string, error) {
	a, err := e.Ask(ctx, chat.Question{Prompt: prompt})
	return a.Text, err
}
