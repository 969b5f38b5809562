package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/loci-memory/loci/internal/embed/embedtest"
)

// TestVectorsWithoutAServer saves over stdio, with nothing else running. The same process makes the vectors.
func TestVectorsWithoutAServer(t *testing.T) {
	interruptible(t)
	dir := t.TempDir()
	folder := filepath.Join(dir, "mine")
	if err := embedtest.Folder(folder, []string{"tea", "coffee"}, [][]float32{{1, 0}, {0, 1}}); err != nil {
		t.Fatal(err)
	}
	runLoci(t, dir, "models", "pull", folder, "--use")
	near := stdioSession(t, dir, "--vendor", "cursor")
	near.must("remember", map[string]any{"content": "Coffee is at nine"})
	complete := regexp.MustCompile(`vectors +1 .* yes +\S+ +0 +static:mine@`)
	for !complete.Match(runLoci(t, dir, "index", "stats")) {
		if err := t.Context().Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStatusTellsWhatWaits asks for the state of searches by meaning while the model fails at one of two texts.
func TestStatusTellsWhatWaits(t *testing.T) {
	interruptible(t)
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), "Coffee") {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(w, `{"data":[{"index":0,"embedding":[1,0]}]}`)
	}))
	defer endpoint.Close()
	dir := t.TempDir()
	model := "small"
	loci := func(args ...string) (out []byte, err error) {
		cmd := lociCommand(t, dir, args...)
		cmd.Env = append(cmd.Env, "LOCI_EMBED_BASE_URL="+endpoint.URL, "LOCI_EMBED_MODEL="+model)
		return cmd.Output()
	}
	for _, args := range [][]string{{"add", "Tea is at four"}, {"index", "rebuild"}, {"add", "Coffee is at nine"}} {
		if _, err := loci(args...); err != nil {
			t.Fatal(args, err)
		}
	}
	_, _ = loci("index", "rebuild") // it fails at one text
	out, err := loci("status")
	if err != nil || !regexp.MustCompile(`(?m)^meaning +small; [01] of 2 memories can be found by it$`).Match(out) {
		t.Errorf("status: %v\n%s", err, out)
	}
	model = "built-in" // that "small" has not read each memory is no fault of this one
	if _, err := loci("index", "rebuild"); err != nil {
		t.Fatal(err)
	}
	if out, err = loci("status"); err != nil || !regexp.MustCompile(`(?m)^meaning +built-in$`).Match(out) {
		t.Errorf("status with another model: %v\n%s", err, out)
	}
}
