package app_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/chat"
	"github.com/loci-memory/loci/internal/memory"
)

// ask sends one prompt to an endpoint that answers with the handler.
func ask(t *testing.T, h http.HandlerFunc) (string, error) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	chat, err := memory.NewChat(chat.Options{
		BaseURL: server.URL + "/v1", APIKey: loci.Secret("sk-endpoint"), Model: "small", Timeout: 5 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	return chat.Complete(t.Context(), "the prompt")
}

func answering(content string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{
			map[string]any{"message": map[string]any{"role": "assistant", "content": content}},
		}})
	}
}

func TestChatSendsWhatTheReceiptSays(t *testing.T) {
	t.Parallel()
	var path, auth string
	var sent struct {
		Model       string
		Temperature *float64
		MaxTokens   int `json:"max_tokens"`
		Messages    []struct{ Role, Content string }
	}
	got, err := ask(t, func(w http.ResponseWriter, r *http.Request) {
		path, auth = r.URL.Path, r.Header.Get("Authorization")
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			t.Error(err)
		}
		answering("green")(w, r)
	})
	if err != nil || got != "green" {
		t.Fatalf("%q, %v", got, err)
	}
	if path != "/v1/chat/completions" || auth != "Bearer sk-endpoint" || sent.Model != "small" || sent.MaxTokens != 1024 {
		t.Errorf("%s %s %+v", path, auth, sent)
	}
	if sent.Temperature == nil || *sent.Temperature > 1e-6 {
		t.Errorf("temperature %v was sent for 0", sent.Temperature)
	}
	if len(sent.Messages) != 1 || sent.Messages[0].Role != "user" || sent.Messages[0].Content != "the prompt" {
		t.Errorf("%+v", sent.Messages)
	}
}

func TestChatRefusesWhatIsNoAnswer(t *testing.T) {
	t.Parallel()
	text := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	for name, h := range map[string]http.HandlerFunc{
		"error":        text(500, `{"error":{"message":"broken"}}`),
		"wrong key":    text(401, `{"error":{"message":"wrong key"}}`),
		"not JSON":     text(200, "<html>"),
		"cut off":      text(200, `{"choices":[{"message":`),
		"no choice":    text(200, `{"choices":[]}`),
		"null":         text(200, `{"choices":[{"message":{"content":null}}]}`),
		"empty answer": answering(""),
		"endless":      answering(strings.Repeat("a", 5<<20)),
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := ask(t, h); err == nil {
				t.Errorf("%d bytes are an answer", len(got))
			}
		})
	}
}

func TestChatSendsNothingToAnotherHost(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Error("the prompt went to a host that the settings do not name")
		answering("stolen")(w, r)
	}))
	defer other.Close()
	for _, status := range []int{http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		_, err := ask(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, status) })
		if err == nil || !strings.Contains(err.Error(), "chat.base_url") {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// Some endpoints repeat the key and the prompt in their error.
func TestChatErrorsHoldNeitherKeyNorPrompt(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 429, 500} {
		_, err := ask(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			answer, _ := json.Marshal(
				map[string]any{"error": map[string]string{"message": r.Header.Get("Authorization") + string(body), "type": "auth"}})
			w.WriteHeader(status)
			_, _ = w.Write(answer)
		})
		if err == nil || !strings.Contains(err.Error(), strconv.Itoa(status)) ||
			strings.Contains(err.Error(), "sk-endpoint") || strings.Contains(err.Error(), "the prompt") {
			t.Errorf("status %d: %v", status, err)
		}
	}
}

func TestNewChatNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, o := range []chat.Options{{}, {BaseURL: "localhost:1", Model: "m"}, {BaseURL: "ftp://x", Model: "m"},
		{BaseURL: "http://x"}} {
		if _, err := memory.NewChat(o); loci.CodeOf(err) != loci.Invalid {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
