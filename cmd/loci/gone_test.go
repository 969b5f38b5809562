package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestServerWhoseDirectoryIsDeleted deletes the data directory under a running server, and puts a new one in its place.
func TestServerWhoseDirectoryIsDeleted(t *testing.T) {
	interruptible(t)
	for _, again := range []bool{false, true} {
		s, stopping := startWatched(t)
		dir := ""
		for _, v := range s.process.Env {
			if d, ok := strings.CutPrefix(v, "LOCI_DATA_DIR="); ok {
				dir = d
			}
		}
		save := func() (int, error) {
			r, err := http.NewRequest(http.MethodPost, s.url+"/memories", strings.NewReader(`{"title":"t","content":"c"}`))
			if err != nil {
				return 0, err
			}
			r.Header.Set("Authorization", "Bearer "+shutdownKey)
			r.Header.Set("Content-Type", "application/json")
			a, err := http.DefaultClient.Do(r)
			if err != nil {
				return 0, err
			}
			defer a.Body.Close()
			_, err = io.Copy(io.Discard, a.Body)
			return a.StatusCode, err
		}
		if status, err := save(); status != 201 {
			t.Fatal(status, err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if again {
			if out, err := lociCommand(t, filepath.Dir(dir), "add", "another").CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
		if status, err := save(); err == nil && status != 503 {
			t.Errorf("a save after that: %d, want 503 or no answer", status)
		}
		<-stopping
		var exit *exec.ExitError
		if err := s.process.Wait(); !errors.As(err, &exit) || exit.ExitCode() <= 0 {
			t.Errorf("the server ended with %v, want an exit code that says that it failed", err)
		}
		if log := fmt.Sprint(s.errors); !strings.Contains(log, "data directory was moved, replaced or deleted") {
			t.Errorf("the log does not say why: %s", log)
		}
	}
}
