package indexing

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
)

// TestRebuildAndVerify damages an index in each way that Verify knows, and rebuilds it while another
// process uses it.
func TestRebuildAndVerify(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir())
	defer w.close()
	ctx := context.Background()
	session := loci.SessionID(loci.NewMemoryID())
	w.insert(60, "pear", loci.SessionID{})
	w.insert(10, "fig", session)
	server, admin := w.process(), w.process()
	w.check("the server", server)

	rebuild := func(what string) {
		t.Helper()
		if err := admin.Rebuild(ctx, w.org); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if problems, err := admin.Verify(ctx, w.org); err != nil || len(problems) > 0 {
			t.Errorf("%s: got %q, %v", what, problems, err)
		}
		w.check(what+", this process", admin)
		w.check(what+", the server", server)
		w.check(what+", a new process", w.process())
	}
	rebuild("first")
	w.insert(20, "plum", session)
	w.replace(3, func(m *loci.Memory) { m.Content = "quince" })
	w.erase(w.live[5].ID)
	server.Flush(ctx)
	w.check("the server after a flush", server)
	if s, err := admin.Stats(ctx, w.org); err != nil || s.Rows != len(w.live) || !s.Whole || s.Files == 0 {
		t.Errorf("got %+v, %v; want %d rows", s, err, len(w.live))
	}
	rebuild("after changes")

	o := newOrg(admin, w.org)
	m, parts, err := o.files.parts()
	if err != nil {
		t.Fatal(err)
	}
	id := w.live[0].ID
	for _, tt := range []struct {
		want   string
		change func() manifest
	}{
		{"1 memory is missing, such as " + id.String(), func() manifest {
			n := m
			n.Segments = slices.Clone(m.Segments)
			for i, p := range parts {
				if p.view.Has(id) {
					n.Segments[i].Gone = []loci.MemoryID{id}
				}
			}
			return n
		}},
		{" in the index twice, such as ", func() manifest {
			n := m
			n.Segments = append(slices.Clone(m.Segments), m.Segments[0])
			return n
		}},
		{"cannot be read", func() manifest {
			path := filepath.Join(o.files.dir, m.Segments[0].Name)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			data[len(data)/2] ^= 0xff
			if err := os.WriteFile(filepath.Join(o.files.dir, "x.segment"), data, 0o600); err != nil {
				t.Fatal(err)
			}
			n := m
			n.Segments = append([]listed{{Name: "x.segment"}}, m.Segments[1:]...)
			return n
		}},
	} {
		if err := o.files.commit(tt.change()); err != nil {
			t.Fatal(err)
		}
		problems, err := w.process().Verify(ctx, w.org)
		if err != nil || len(problems) == 0 || !strings.Contains(problems[0], tt.want) {
			t.Errorf("got %q, %v; want %q", problems, err, tt.want)
		}
		if err := o.files.commit(m); err != nil {
			t.Fatal(err)
		}
	}
	rebuild("after damage")
}

// TestRebuildWaits for the process that has the files.
func TestRebuildWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir())
	defer w.close()
	w.insert(5, "pear", loci.SessionID{})
	x := w.process()
	release, ok, err := newOrg(x, w.org).files.lock()
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	done := make(chan error, 1)
	go func() { done <- x.Rebuild(context.Background(), w.org) }()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := x.Rebuild(ctx, w.org); err == nil {
		t.Error("it took files that another process had")
	}
	release()
	if err := <-done; err != nil {
		t.Error(err)
	}
	w.check("afterwards", x)
}
