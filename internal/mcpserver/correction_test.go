package mcpserver_test

import (
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// TestSaveOverACorrectionTells lets a person correct an assistant's memory. The assistant's next save with the key
// says whose version it replaced, and how the person brings that back. A save over its own version says nothing.
func TestSaveOverACorrectionTells(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	r := w.rawAt(key, stateful, "")
	r.must("write_memory", `{"key":"lunch","content":"Lunch is at noon."}`)
	if got := r.must("write_memory", `{"key":"lunch","content":"Lunch is at 1."}`); got["tell"] != nil {
		t.Errorf("a save over its own version tells %v", got["tell"])
	}
	saved, err := w.app.Memory.Create(t.Context(), w.owner, memory.Draft{Title: "Lunch", Key: "lunch",
		Content: "Lunch is at 2, never at 1."})
	if err != nil || saved.Version != 3 || saved.ReplacedEditor != "claude" {
		t.Fatalf("the correction: %+v, %v", saved, err)
	}
	got := r.must("write_memory", `{"key":"lunch","content":"Lunch is at 1, surely."}`)
	tell, _ := got["tell"].(string)
	if got["version"] != 4.0 || !strings.Contains(tell, "replaced version 3") ||
		!strings.Contains(tell, "loci revert "+saved.ID.Short()+" 3") {
		t.Errorf("got %v", got)
	}
	var now *loci.Memory
	if now, err = w.app.Memory.Revert(t.Context(), w.owner, saved.ID, 0, 3); err != nil || now.Content != saved.Content {
		t.Errorf("reverted to %+v, %v", now, err)
	}
}

// A model that forgets the project is told the name of the argument that it knows.
func TestProjectScopeNamesItsArgument(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	got := w.rawAt(key, stateful, "").mustFail("write_memory", `{"content":"For all.","scope":"project"}`)
	if !strings.Contains(got, "project is required") {
		t.Errorf("refused with %q", got)
	}
}
