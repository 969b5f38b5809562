package rest_test

import (
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

// TestDrawing reads the compact form of a graph as it is and compressed, and for a project that is not there.
func TestDrawing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	g := s.graph(t, owner, "website", "")
	at := "/projects/" + g.project + "/graph/drawing"
	plain := s.expect(t, 200, owner, "GET "+at)
	if text := plain.Body.String(); !strings.Contains(text, `"entity_types":[`) || !strings.Contains(text, `"from":[`) ||
		!strings.HasSuffix(text, "}}\n") || strings.Contains(text, "8443") {
		t.Errorf("got %s", text)
	}
	packed := s.do("GET", at, owner, "", "Accept-Encoding: br, gzip")
	if packed.Header().Get("Content-Encoding") != "gzip" || packed.Header().Get("Vary") != "Accept-Encoding" {
		t.Errorf("got %v", packed.Header())
	}
	r, err := gzip.NewReader(packed.Body)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil || string(text) != plain.Body.String() {
		t.Errorf("compressed: %s, %v; want %s", text, err, plain.Body)
	}
	none := s.do("GET", "/projects/"+absent+"/graph/drawing", owner, "", "Accept-Encoding: gzip")
	if none.Code != 404 || none.Header().Get("Content-Encoding") != "" ||
		!strings.Contains(none.Body.String(), `"code":"not_found"`) {
		t.Errorf("no project: %d %v %s", none.Code, none.Header(), none.Body)
	}
}
