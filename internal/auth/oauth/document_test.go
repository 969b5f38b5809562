package oauth_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// web answers requests in place of the Internet.
type web struct {
	asked  []string
	answer answer
}

// answer is what a site says, or why it cannot be reached.
type answer struct {
	status int
	header http.Header
	body   string
	err    error
}

func (w *web) RoundTrip(r *http.Request) (*http.Response, error) {
	w.asked = append(w.asked, r.URL.String())
	if w.answer.err != nil {
		return nil, w.answer.err
	}
	return &http.Response{StatusCode: w.answer.status, Header: w.answer.header,
		Body: io.NopCloser(strings.NewReader(w.answer.body)), Request: r}, nil
}

func page(status int, kind, body string, headers ...string) answer {
	h := http.Header{"Content-Type": {kind}}
	for i := 0; i < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	return answer{status: status, header: h, body: body}
}

const documentID = "https://claude.ai/oauth/client.json"

func document(id string) string {
	return fmt.Sprintf(`{"client_id":%q,"client_name":"Cl\u202eaude","redirect_uris":["%s","http://127.0.0.1/cb",`+
		`"javascript:x"],"client_uri":"https://claude.ai/","token_endpoint_auth_method":"none"}`, id, callback)
}

func TestMetadataDocument(t *testing.T) {
	t.Parallel()
	net := &web{answer: page(200, "application/json; charset=utf-8", document(documentID))}
	w := newWorld(t, &http.Client{Transport: net})
	c, err := w.oauth.Authorize(t.Context(), request(documentID), own)
	if err != nil || c.Verified != "claude.ai" || c.Suggested != "claude" || c.Client.Name != "Cl[U+202E]aude" ||
		len(c.Client.RedirectURIs) != 2 || c.Client.URI != "https://claude.ai/" {
		t.Fatalf("got %+v, %v", c, err)
	}
	r := request(documentID)
	r.RedirectURI = "http://127.0.0.1:51234/cb"
	if c, err := w.oauth.Authorize(t.Context(), r, own); err != nil || !c.Local || c.Verified != "claude.ai" {
		t.Errorf("got %+v, %v", c, err)
	}
	if len(net.asked) != 1 {
		t.Errorf("asked %v; a document is remembered", net.asked)
	}
	code, g, err := w.oauth.Allow(t.Context(), w.person, c, "claude", c.Rights)
	if err != nil || g.ClientID != documentID {
		t.Fatalf("got %+v, %v", g, err)
	}
	w.token(t, exchange(documentID, code))
	w.now = w.now.Add(time.Hour)
	net.answer = page(200, "application/json",
		strings.ReplaceAll(document(documentID), callback, "https://claude.ai/moved"))
	if _, err := w.oauth.Authorize(t.Context(), request(documentID), own); codeOf(err) != "invalid_request" {
		t.Errorf("a redirect that the document no longer has: %v", err)
	}
	if err := w.store.OAuth().SetVendor(t.Context(), documentID, "acme-bot"); err != nil {
		t.Fatal(err)
	}
	r.RedirectURI = "https://claude.ai/moved"
	if c, err := w.oauth.Authorize(t.Context(), r, own); err != nil || !c.Fixed || c.Suggested != "acme-bot" {
		t.Errorf("got %+v, %v", c, err)
	}
}

// TestMetadataDocumentOffline lets a client register after the server could not reach its document.
func TestMetadataDocumentOffline(t *testing.T) {
	t.Parallel()
	net := &web{answer: answer{err: errors.New("lookup claude.ai: no such host")}}
	w := newWorld(t, &http.Client{Transport: net})
	supported := func(want bool) {
		t.Helper()
		text, err := json.Marshal(w.oauth.Metadata(issuer))
		if got := strings.Contains(string(text), `"client_id_metadata_document_supported":true`); got != want || err != nil {
			t.Errorf("documents are supported: %v, %v, want %v", got, err, want)
		}
	}
	supported(true)
	_, err := w.oauth.Authorize(t.Context(), request(documentID), own)
	if codeOf(err) != "invalid_client" || !strings.Contains(err.Error(), "connect again, so that it registers") {
		t.Errorf("without internet: %v", err)
	}
	supported(false)
	if _, err := w.oauth.Authorize(t.Context(), request(w.register(t, callback)), own); err != nil {
		t.Errorf("a registered client: %v", err)
	}
	w.now = w.now.Add(10 * time.Minute)
	supported(true)
	if _, err = w.oauth.Authorize(t.Context(), request(documentID), own); codeOf(err) != "invalid_client" {
		t.Errorf("still without internet: %v", err)
	}
	supported(false)
	w.now = w.now.Add(time.Minute)
	net.answer = page(200, "application/json", document(documentID))
	if _, err = w.oauth.Authorize(t.Context(), request(documentID), own); err != nil {
		t.Errorf("with internet again: %v", err)
	}
	supported(true)
}

func TestBadMetadataDocuments(t *testing.T) {
	t.Parallel()
	net := &web{}
	w := newWorld(t, &http.Client{Transport: net})
	texts := map[string]bool{}
	for i, said := range []answer{
		page(200, "application/json", document("https://claude.ai/other.json")),
		page(200, "text/html", document(documentID)),
		page(200, "", document(documentID)),
		page(404, "application/json", document(documentID)),
		page(302, "application/json", document(documentID), "Location", "https://claude.ai/elsewhere.json"),
		page(200, "application/json", `{"client_id":"`+documentID+`","redirect_uris":["javascript:x"]}`),
		page(200, "application/json", `{"client_id":"`+documentID+`","redirect_uris":["`+callback+`"],"client_secret":"x"}`),
		page(200, "application/json", `{"client_id":"`+documentID+`","redirect_uris":["`+callback+
			`"],"token_endpoint_auth_method":"client_secret_basic"}`),
		page(200, "application/json", `[`),
		page(200, "application/json", document(documentID)+strings.Repeat(" ", 64<<10)),
		{err: errors.New("connection refused by 10.0.0.1")},
	} {
		net.answer, net.asked = said, nil
		_, err := w.oauth.Authorize(t.Context(), request(documentID), own)
		if codeOf(err) != "invalid_client" {
			t.Errorf("%d: %v", i, err)
			continue
		}
		texts[err.Error()] = true
		if _, err := w.oauth.Authorize(t.Context(), request(documentID), own); codeOf(err) != "invalid_client" ||
			len(net.asked) != 1 {
			t.Errorf("%d: asked %v, %v; a failure is remembered, and no redirect followed", i, net.asked, err)
		}
		w.now = w.now.Add(time.Minute)
	}
	if len(texts) != 1 {
		t.Errorf("the answers tell what happened: %v", texts)
	}
	net.answer = page(200, "application/json", document(documentID))
	if _, err := w.oauth.Authorize(t.Context(), request(documentID), own); err != nil {
		t.Errorf("a minute after a failure: %v", err)
	}
	net.asked = nil
	for _, id := range []string{"https://claude.ai", "https://claude.ai/", "https://claude.ai/a/../b",
		"https://claude.ai/%2e%2e/b", "https://claude.ai/./b", "https://claude.ai/a#b", "https://claude.ai/a#",
		"https://claude.ai/a?b", "https://u:p@claude.ai/a", "https://claude.ai:8443/a", "https://claude.ai:/a",
		"https://127.0.0.1/a", "https://[::1]/a", "https://localhost/a", "https://intranet/a",
		"https://claude.ai./a", "https://claude.ai\\@evil.example/a", "https:///a", "https:claude.ai/a",
		"https://2130706433/a"} {
		if _, err := w.oauth.Authorize(t.Context(), request(id), own); codeOf(err) != "invalid_client" &&
			codeOf(err) != "invalid_request" {
			t.Errorf("%s: %v", id, err)
		}
	}
	if len(net.asked) != 0 {
		t.Errorf("asked %v", net.asked)
	}
}
