package mcpserver_test

import (
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// TestForgetThat trashes under the default deletion rule: only what the same credential alone wrote within a day.
func TestForgetThat(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	_, second := w.key("claude")
	r := w.raw(key, stateful)
	write := func(args string) loci.MemoryID {
		t.Helper()
		id, err := loci.ParseMemoryID(r.must("write_memory", args)["id"].(string))
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	forget := func(r *raw, id loci.MemoryID, want string) {
		t.Helper()
		got := r.must("trash_memory", `{"id":"`+id.String()+`"}`)
		if tell, _ := got["tell"].(string); got["result"] != want || !strings.Contains(tell, "loci ") {
			t.Errorf("got %v, want %s", got, want)
		}
	}
	own := write(`{"title":"a","content":"one"}`)
	r.must("update_memory", `{"id":"`+own.String()+`","content":"two"}`)
	others := write(`{"title":"b","content":"three"}`)
	touched := write(`{"title":"c","content":"four"}`)
	if _, err := w.app.Memory.Patch(t.Context(), w.owner, touched, 0,
		memory.Patch{Content: loci.Set("five")}); err != nil {
		t.Fatal(err)
	}
	r.must("update_memory", `{"id":"`+touched.String()+`","content":"six"}`)
	forget(r, own, "trashed")
	forget(w.raw(second, stateful), others, "not_trashed")
	forget(r, touched, "not_trashed")
	if m, err := w.app.Memory.Restore(t.Context(), w.owner, own, 0); err != nil || m.Content != "two" {
		t.Errorf("the person restores it: %v, %v", m, err)
	}
	forget(r, own, "not_trashed") // its last version is the person's
	if text := failure(t, r.tool("update_memory",
		`{"id":"`+others.String()+`","expires_at":"2026-04-01"}`)); !strings.Contains(
		text,
		"expire earlier",
	) {
		t.Errorf("a shorter life: %q", text)
	}
	w.clock.advance(24 * time.Hour)
	r.must("update_memory", `{"id":"`+others.String()+`","content":"seven"}`)
	forget(r, others, "not_trashed")
}

// TestTrashNamesWhatStaysReplaced trashes a memory that replaced another. The answer names the other, and tells how
// the person brings it back.
func TestTrashNamesWhatStaysReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.deletesByKey()
	_, key := w.key("claude")
	r := w.rawAt(key, stateful, "")
	old := r.must("write_memory", `{"title":"Rent","content":"The rent is 900."}`)["id"].(string)
	by := r.must("write_memory",
		`{"title":"New rent","content":"The rent is 950.","supersedes":["`+old+`"]}`)["id"].(string)
	got := r.must("trash_memory", `{"id":"`+by+`"}`)
	list, _ := got["still_superseded"].([]any)
	if len(list) != 1 {
		t.Fatalf("got %v, want one memory that stays replaced", got)
	}
	one, _ := list[0].(map[string]any)
	tell, _ := got["tell"].(string)
	if !strings.HasPrefix(one["id"].(string), old) || one["title"] != "Rent" || one["revert_to"] != 1.0 ||
		!strings.Contains(tell, "loci revert") {
		t.Errorf("got %v", got)
	}
	alone := r.must("write_memory", `{"title":"Alone","content":"It replaced none."}`)["id"].(string)
	if got = r.must("trash_memory", `{"id":"`+alone+`"}`); got["still_superseded"] != nil ||
		!strings.Contains(got["tell"].(string), "loci restore "+alone[:loci.ShortID]) {
		t.Errorf("a memory that replaced none: %v", got)
	}
}
