package bench

import (
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
)

// TestFloorAnswers checks that the bare handler sends the same bytes as the server, but only to
// callers with a key.
func TestFloorAnswers(t *testing.T) {
	a := floorAnswer{Status: http.StatusCreated, Header: http.Header{"Etag": {`"1"`}}, Body: []byte("{}\n")}
	for key, want := range map[string]int{personKey: 201, agentKey: 201, "other": 401, "": 401} {
		r := httptest.NewRequest(http.MethodPost, "/agent/memories", strings.NewReader("{}"))
		r.Header.Set("Authorization", "Bearer "+key)
		w := httptest.NewRecorder()
		a.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("key %q: got status %d, want %d", key, w.Code, want)
		}
		if want == 201 && (w.Body.String() != "{}\n" || w.Header().Get("ETag") != `"1"`) {
			t.Errorf("key %q: got %v %q", key, w.Header(), w.Body)
		}
	}
}

// TestPlainReads checks that SQLite alone reads as many rows as the server answers.
func TestPlainReads(t *testing.T) {
	b := &bencher{Options: Options{Memories: 600, Common: Common{Dir: t.TempDir()}}}
	p, ids, err := b.plainCopy("plain.db", true)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, op := range append(b.readOperations(ids, p, ids), b.saveOperations(p)...) {
		if err := op.alone(); err != nil {
			t.Errorf("%s: %v", op.name, err)
		}
	}
	if err := p.Get(loci.NewMemoryID()); err == nil {
		t.Error("an unknown id has a row")
	}
	if err := p.List("no-such-tag", 20); err == nil {
		t.Error("an unknown tag has 20 rows")
	}
}

func TestProcessorTime(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux reports it")
	}
	before, ok := processorTime(os.Getpid())
	used := time.Duration(0)
	for i := 0; i < 1000 && used == 0; i++ { // the system counts in steps of 10 ms
		for range 10_000 {
			_ = strings.Repeat("x", 1000)
		}
		after, _ := processorTime(os.Getpid())
		used = after - before
	}
	if !ok || used <= 0 || used > time.Minute {
		t.Errorf("work takes %v, %v", used, ok)
	}
}
