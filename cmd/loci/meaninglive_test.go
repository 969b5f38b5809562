package main

import (
	"path/filepath"
	"regexp"
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
