package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/loci-memory/loci/internal/embed/embedtest"
)

// modelFolder (modelfolder) DIR WORD… makes a model of embeddings that knows these words.
func modelFolder(ts *testscript.TestScript, _ bool, args []string) {
	vectors := make([][]float32, len(args)-1)
	for i := range vectors {
		vectors[i] = make([]float32, len(vectors))
		vectors[i][i] = 1
	}
	ts.Check(embedtest.Folder(ts.MkAbs(args[0]), args[1:], vectors))
}

// brokenVectors (brokenvectors) DIR damages the vectors in a data directory.
func brokenVectors(ts *testscript.TestScript, _ bool, args []string) {
	files, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "index-vectors", "*", "*.vectors"))
	ts.Check(err)
	for _, f := range files {
		ts.Check(os.WriteFile(f, []byte("this is no database, and long enough to be read as one"), 0o600))
		_ = os.Remove(f + "-wal") // it may not be there
	}
}

// modelHub (modelhub) DIR [lies] serves the model in a folder as ada/tiny, until the script ends, and puts its address
// into LOCI_MODELS_HUB. The first download of the weights breaks off. With lies, it states another sum of them.
func modelHub(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	var broke atomic.Bool
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/models/ada/tiny/revision/{revision}", func(w http.ResponseWriter, _ *http.Request) {
		files, _ := os.ReadDir(dir)
		var siblings []map[string]any
		for _, f := range files {
			data, _ := os.ReadFile(filepath.Join(dir, f.Name()))
			s := map[string]any{"rfilename": f.Name(), "size": len(data)}
			if f.Name() == "model.safetensors" {
				if len(args) > 1 {
					data = nil
				}
				s["lfs"] = map[string]any{"sha256": fmt.Sprintf("%x", sha256.Sum256(data))}
			}
			siblings = append(siblings, s)
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"sha": "abc123", "siblings": siblings})
	})
	mux.HandleFunc("GET /ada/tiny/resolve/abc123/{file}", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("file") == "model.safetensors" && broke.CompareAndSwap(false, true) {
			data, _ := os.ReadFile(filepath.Join(dir, r.PathValue("file")))
			w.Header().Set("Content-Length", strconv.Itoa(len(data)))
			_, _ = w.Write(data[:len(data)/2])
			return
		}
		http.ServeFile(w, r, filepath.Join(dir, r.PathValue("file")))
	})
	server := httptest.NewServer(mux)
	ts.Defer(server.Close)
	ts.Setenv("LOCI_MODELS_HUB", server.URL)
}
