package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

// TestInterruptedStreamsOfEvents: a command that logs lines as they arrive stores them while it waits for more, and
// tells how many there are when it is interrupted.
func TestInterruptedStreamsOfEvents(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	data := filepath.Join(t.TempDir(), "data")
	run := func(ctx context.Context, in io.Reader, args ...string) (code int, stdout, stderr string) {
		var out, errs bytes.Buffer
		p := &program{in: in, out: &out, err: &errs, environ: []string{"LOCI_LISTEN=127.0.0.1:1"}}
		code = p.execute(ctx, append(args, "--data-dir", data))
		return code, out.String(), errs.String()
	}
	stored := func() int {
		_, stdout, _ := run(t.Context(), strings.NewReader(""), "events", "list", "--json")
		return strings.Count(stdout, `"content"`)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	in, out := io.Pipe()
	type result struct {
		code           int
		stdout, stderr string
	}
	ended := make(chan result, 1)
	go func() {
		code, stdout, stderr := run(ctx, in, "events", "log", "--lines", "-")
		ended <- result{code, stdout, stderr}
	}()
	if _, err := io.WriteString(out, `{"content":"one"}`+"\n"+`{"content":"two"}`+"\n"+`{"content":"th`); err != nil {
		t.Fatal(err)
	}
	for stored() < 2 {
		if t.Context().Err() != nil {
			t.Fatal("the lines were not stored")
		}
	}
	interrupt()
	got := <-ended
	if want := fmt.Sprintf("loci: interrupted: %d events stored, 0 duplicates\n", stored()); got.code != exitInterrupted ||
		got.stdout != "" || got.stderr != want || stored() != 2 {
		t.Errorf("got %+v, want %q", got, want)
	}
}
