package rest_test

import (
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

// The bytes of a file are kept once, whoever attaches them to what, until nobody has them.
func TestTheSameFileIsStoredOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	one, two := s.write(t, claude, `{"title":"x","content":"y"}`), s.write(t, owner, `{"title":"z","content":"y"}`)
	content := strings.Repeat("the same ", 1000)
	a, b := s.attach(t, claude, one.ID, "a.txt", content), s.attach(t, owner, two.ID, "b.txt", content)
	if files := s.filesOf(t); len(files) != 1 || files[0] != int64(len(content)) || a.SHA256 != b.SHA256 || a.ID == b.ID {
		t.Errorf("files of %v bytes; want one of %d", files, len(content))
	}
	if w := s.upload(claude, "/memories/"+one.ID.String()+"/assets?name=a.txt", content); w.Code != 200 ||
		!strings.Contains(w.Body.String(), a.ID.String()) {
		t.Errorf("again: got %d %s, want 200 and the same", w.Code, w.Body)
	}
	s.expect(t, 204, owner, "DELETE /memories/"+one.ID.String()+"?permanent=true")
	s.sweep(t)
	if files := s.filesOf(t); len(files) != 1 {
		t.Errorf("with one memory left: %v", files)
	}
	if w := s.do("GET", "/assets/"+b.ID.String()+"/content", owner, ""); w.Code != 200 || w.Body.String() != content {
		t.Errorf("the other's: %d", w.Code)
	}
	s.expect(t, 404, owner, "GET /assets/"+a.ID.String())
	s.expect(t, 404, owner, "GET /assets/"+a.ID.String()+"/content")
	s.expect(t, 204, owner, "DELETE /memories/"+two.ID.String()+"?permanent=true")
	s.sweep(t)
	if files := s.filesOf(t); len(files) != 0 {
		t.Errorf("erased, and still there: %v", files)
	}
}

// No file is shown as a page of this server, whatever it was called.
func TestFilesAreNeverRendered(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.write(t, owner, `{"title":"x","content":"y"}`)
	for _, tt := range []struct{ name, content, claimed, is, sent string }{
		{"page.png", "<!DOCTYPE html><script>alert(1)</script>", "image/png", "text/html; charset=utf-8",
			"application/octet-stream"},
		{"drawing.png", "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "image/png", "image/svg+xml",
			"application/octet-stream"},
		{"script.txt", "alert(1)", "text/javascript", "text/javascript; charset=utf-8", "application/octet-stream"},
		{"style.txt", "body{}", "text/css", "text/css; charset=utf-8", "application/octet-stream"},
		{"feed.xml", "<?xml version='1.0'?><a/>", "application/xhtml+xml", "application/xhtml+xml; charset=utf-8",
			"application/octet-stream"},
		{"picture.html", "\x89PNG\r\n\x1a\n", "text/html", "image/png", "image/png"},
		{"notes.md", "# Notes", "text/markdown", "text/markdown; charset=utf-8", "text/markdown; charset=utf-8"},
		{"zoë \"x\".txt", "x", "", "text/plain; charset=utf-8", "text/plain; charset=utf-8"},
	} {
		w := s.upload(owner, "/memories/"+m.ID.String()+"/assets", tt.content, "Content-Type: "+tt.claimed,
			"Content-Disposition: "+mime.FormatMediaType("attachment", map[string]string{"filename": tt.name}))
		var a loci.Asset
		decode(t, w, &a)
		if w.Code != 201 || a.MediaType != tt.is || a.Name != tt.name {
			t.Errorf("%s: got %d %s", tt.name, w.Code, w.Body)
			continue
		}
		w = s.do("GET", "/api/v1/assets/"+a.ID.String()+"/content", owner, "")
		_, params, err := mime.ParseMediaType(w.Header().Get("Content-Disposition"))
		if w.Code != 200 || w.Body.String() != tt.content || err != nil || params["filename"] != tt.name {
			t.Errorf("%s: got %d, %q, %s", tt.name, w.Code, w.Body, w.Header().Get("Content-Disposition"))
		}
		for name, want := range map[string]string{"Content-Type": tt.sent, "X-Content-Type-Options": "nosniff",
			"Cross-Origin-Resource-Policy": "same-origin",
			"Content-Security-Policy":      "default-src 'none'; frame-ancestors 'none'; sandbox",
			"Cache-Control":                "private, no-cache", "ETag": `"` + a.SHA256 + `"`} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", tt.name, name, got, want)
			}
		}
		if got := w.Header().Get("Content-Disposition"); !strings.HasPrefix(got, "attachment; filename") {
			t.Errorf("%s: Content-Disposition is %q", tt.name, got)
		}
	}
}

func TestRangesOfAFile(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	d := readDocument(t, s)
	m := s.write(t, owner, `{"title":"x","content":"y"}`)
	a := s.attach(t, owner, m.ID, "digits", "0123456789")
	etag := `"` + a.SHA256 + `"`
	path := "/assets/" + a.ID.String() + "/content"
	for _, tt := range []struct {
		name, method string
		headers      []string
		status       int
		body, header string
	}{
		{"all", "GET", nil, 200, "0123456789", "Content-Length: 10"},
		{"its head", "HEAD", nil, 200, "", "Content-Length: 10"},
		{"a part", "GET", []string{"Range: bytes=2-4"}, 206, "234", "Content-Range: bytes 2-4/10"},
		{"the head of a part", "HEAD", []string{"Range: bytes=2-4"}, 206, "", "Content-Length: 3"},
		{"from somewhere", "GET", []string{"Range: bytes=7-"}, 206, "789", "Content-Range: bytes 7-9/10"},
		{"the end", "GET", []string{"Range: bytes=-2"}, 206, "89", "Content-Range: bytes 8-9/10"},
		{"more than there is", "GET", []string{"Range: bytes=8-100"}, 206, "89", "Content-Range: bytes 8-9/10"},
		{"another unit", "GET", []string{"Range: lines=1-2"}, 416, "", "Content-Type: application/problem+json"},
		{"behind the end", "GET", []string{"Range: bytes=10-"}, 416, "", "Content-Range: bytes */10"},
		{"still the file", "GET", []string{"Range: bytes=2-4", "If-Range: " + etag}, 206, "234", "ETag: " + etag},
		{"another file", "GET", []string{"Range: bytes=2-4", `If-Range: "other"`}, 200, "0123456789", "ETag: " + etag},
		{"known", "GET", []string{"If-None-Match: " + etag}, 304, "", "ETag: " + etag},
		{"one of those known", "GET", []string{`If-None-Match: "x", ` + etag}, 304, "", "ETag: " + etag},
		{"not known", "GET", []string{`If-None-Match: "x"`}, 200, "0123456789", "Accept-Ranges: bytes"},
		{"meant for another", "GET", []string{`If-Match: "x"`}, 412, "", "Content-Type: application/problem+json"},
	} {
		w := s.do(tt.method, path, owner, "", tt.headers...)
		name, want, _ := strings.Cut(tt.header, ": ")
		if w.Code != tt.status || w.Header().Get(name) != want || w.Code < 400 && w.Body.String() != tt.body {
			t.Errorf("%s: got %d %q, %s: %q; want %d %q, %q", tt.name, w.Code, w.Body, name, w.Header().Get(name),
				tt.status, tt.body, want)
		}
		d.checkAnswer(t, tt.method, path, w.Code, w.Header().Get("Content-Type"), w.Body.Bytes())
		if w.Code >= 400 && (w.Header().Get("Content-Disposition") != "" || w.Header().Get("ETag") != "") {
			t.Errorf("%s: a refusal has headers of the file: %v", tt.name, w.Header())
		}
	}
	checkParts(t, s.do("GET", path, owner, "", "Range: bytes=0-1,5-6"), "01", "56")
}

func checkParts(t *testing.T, w *httptest.ResponseRecorder, want ...string) {
	t.Helper()
	kind, params, err := mime.ParseMediaType(w.Header().Get("Content-Type"))
	if w.Code != 206 || kind != "multipart/byteranges" || err != nil {
		t.Fatalf("got %d %s", w.Code, w.Header().Get("Content-Type"))
	}
	parts := multipart.NewReader(w.Body, params["boundary"])
	for _, text := range want {
		p, err := parts.NextPart()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(p); string(got) != text || err != nil || p.Header.Get("Content-Range") == "" {
			t.Errorf("got %q, %v; want %q", got, err, text)
		}
	}
	if _, err := parts.NextPart(); err != io.EOF {
		t.Errorf("after the last part: %v", err)
	}
}

// TestHiddenFilesReadAsAbsent compares what a vendor that may not see a memory
// is told of what hangs on it, byte for byte, with what it is told of ids that
// nothing ever had.
func TestHiddenFilesReadAsAbsent(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.clock.freeze()
	hidden := s.write(t, claude,
		`{"title":"x","content":"y","allowed_vendors":["claude"],"sources":[{"kind":"text","text":"secret"}]}`)
	a := s.attach(t, claude, hidden.ID, "a.txt", "secret")
	var sources client.SourceList
	decode(t, s.expect(t, 200, claude, "GET /memories/"+hidden.ID.String()+"/sources"), &sources)
	open := s.write(t, claude, `{"title":"x","content":"y, open"}`)
	var narrow client.SourceList
	decode(t, s.expect(t, 201, claude, "POST "+
		"/memories/"+open.ID.String()+`/sources {"sources":[{"kind":"text","text":"secret","allowed_vendors":["claude"]}]}`),
		&narrow)
	for route, id := range map[string]string{
		"GET /memories/%s/assets": hidden.ID.String(), "POST /memories/%s/assets?name=x bytes": hidden.ID.String(),
		"POST /memories/%s/assets bytes":                                     hidden.ID.String(),
		"GET /memories/%s/sources":                                           hidden.ID.String(),
		`POST /memories/%s/sources {"sources":[{"kind":"text","text":"x"}]}`: hidden.ID.String(),
		`POST /memories/%s/sources {"sources":[{"kind":"url","ref":"x"}]}`:   hidden.ID.String(),
		"GET /assets/%s": a.ID.String(), "GET /assets/%s/content": a.ID.String(),
		"HEAD /assets/%s/content": a.ID.String(), "DELETE /assets/%s": a.ID.String(),
		"DELETE /sources/%s": sources.Sources[0].ID.String(), "DELETE /sources/%s ": narrow.Sources[0].ID.String(),
	} {
		for _, key := range []string{cursor, gemini} {
			got, want := s.request(key, fmt.Sprintf(route, id)), s.request(key, fmt.Sprintf(route, absent))
			if got.Code != want.Code || got.Body.String() != want.Body.String() || headers(got) != headers(want) ||
				got.Code/100 == 2 {
				t.Errorf("%s of %s: hidden\n%d %s %s\nabsent\n%d %s %s", route, key, got.Code, got.Body, headers(got),
					want.Code, want.Body, headers(want))
			}
		}
		if strings.HasPrefix(route, "DELETE") { // the other routes need it
			continue
		}
		if got := s.request(claude, fmt.Sprintf(route, id)); got.Code == 404 {
			t.Errorf("%s of the writer: %d %s", route, got.Code, got.Body)
		}
	}
	if got, none := s.request(cursor, "GET /assets/"+a.ID.String()+"/content").Body.String(),
		"secret"; strings.Contains(got, none) {
		t.Errorf("got %s", got)
	}
}
