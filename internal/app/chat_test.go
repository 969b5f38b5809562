package app_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func TestChatSpeaksToACompatibleEndpoint(t *testing.T) {
	var path, auth, body string
	status := http.StatusOK
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		path, auth, body = r.URL.Path, r.Header.Get("Authorization"), string(b)
		w.WriteHeader(status)
		if status == http.StatusOK {
			fmt.Fprint(w, `{"choices":[{"message":{"role":"assistant","content":"On Tuesdays."}}]}`)
			return
		}
		fmt.Fprintf(w, `{"error":{"message":"bad key %s for %s","type":"auth"}}`, auth, b)
	}))
	defer endpoint.Close()
	chat, err := app.NewChat(app.ChatOptions{BaseURL: endpoint.URL + "/v1", APIKey: "sk-secret", Model: "m", MaxTokens: 7})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := chat.Complete(t.Context(), "the prompt")
	if err != nil || answer != "On Tuesdays." || path != "/v1/chat/completions" || auth != "Bearer sk-secret" ||
		!strings.Contains(body, "the prompt") || !strings.Contains(body, `"max_tokens":7`) {
		t.Errorf("%q, %v; asked %s with %s", answer, err, path, body)
	}
	for _, status = range []int{401, 429, 500} {
		_, err := chat.Complete(t.Context(), "the prompt")
		if err == nil || !strings.Contains(err.Error(), fmt.Sprint(status)) || strings.Contains(err.Error(), "sk-secret") || strings.Contains(err.Error(), "the prompt") {
			t.Errorf("status %d: %v", status, err)
		}
	}
	endpoint.Close()
	if _, err := chat.Complete(t.Context(), "the prompt"); err == nil {
		t.Error("an endpoint that is gone answered")
	}
}

func TestNewChatNamesWhatIsWrong(t *testing.T) {
	for _, o := range []app.ChatOptions{{}, {BaseURL: "localhost:1", Model: "m"}, {BaseURL: "ftp://x", Model: "m"}, {BaseURL: "http://x"}} {
		if _, err := app.NewChat(o); loci.CodeOf(err) != loci.Invalid {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
