package mcpserver_test

import (
	"strings"
	"testing"
)

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
	if got = r.must("trash_memory", `{"id":"`+alone+`"}`); got["still_superseded"] != nil || got["tell"] != nil {
		t.Errorf("a memory that replaced none: %v", got)
	}
}
