package loci_test

import (
	"testing"

	"github.com/loci-memory/loci"
)

// a ┬ a1 ─ a2
//
//	└ a3
//
// b
func TestNodeTree(t *testing.T) {
	ids := map[string]loci.NodeItemID{"": {}, "gone": loci.NewNodeItemID()}
	var tree loci.NodeTree
	for _, i := range [][2]string{{"a", ""}, {"a1", "a"}, {"a2", "a1"}, {"a3", "a"}, {"b", ""}} {
		ids[i[0]] = loci.NewNodeItemID()
		tree = append(tree, loci.NodeItem{ID: ids[i[0]], ParentID: ids[i[1]]})
	}
	if list, height := tree.Below(ids["a"]); len(list) != 3 || height != 2 {
		t.Errorf("below a: %d items on %d levels", len(list), height)
	}
	for name, want := range map[string]int{"": 0, "b": 1, "a2": 3, "gone": 0} {
		if got := tree.Depth(ids[name]); got != want {
			t.Errorf("depth of %q: %d, want %d", name, got, want)
		}
	}
	for _, tt := range []struct {
		parent, before string
		want           loci.Code
	}{
		{"", "", ""}, {"", "b", ""}, {"a", "a3", ""}, {"b", "", ""}, {"gone", "", loci.Invalid}, {"", "gone", loci.Invalid},
		{"a", "a2", loci.Invalid},
	} {
		if err := tree.Place(ids[tt.parent], ids[tt.before]); loci.CodeOf(err) != tt.want {
			t.Errorf("below %q before %q: %v, want %q", tt.parent, tt.before, err, tt.want)
		}
	}
	for _, tt := range []struct {
		id, parent, before string
		want               loci.Code
	}{
		{"a", "b", "", ""}, {"b", "a2", "", ""}, {"a", "a", "", loci.Invalid}, {"a", "a2", "", loci.Invalid},
		{"a1", "a", "a1", loci.Invalid},
	} {
		if err := tree.Move(ids[tt.id], ids[tt.parent], ids[tt.before]); loci.CodeOf(err) != tt.want {
			t.Errorf("%q below %q before %q: %v, want %q", tt.id, tt.parent, tt.before, err, tt.want)
		}
	}
	for at, n := ids["b"], 1; n < loci.MaxNodeDepth; n++ {
		if err := tree.Add(at); err != nil {
			t.Fatal(err)
		}
		i := loci.NodeItem{ID: loci.NewNodeItemID(), ParentID: at}
		tree, at = append(tree, i), i.ID
	}
	last := tree[len(tree)-1].ID
	for name, err := range map[string]error{"add": tree.Add(last), "move": tree.Move(ids["a3"], last, loci.NodeItemID{})} {
		if loci.CodeOf(err) != loci.Conflict {
			t.Errorf("%s too deep: %v", name, err)
		}
	}
	if err := tree.AddImported(last); err != nil {
		t.Error(err)
	}
	for len(tree) < loci.MaxNodeItems {
		tree = append(tree, loci.NodeItem{ID: loci.NewNodeItemID()})
	}
	if err := tree.Add(ids["a"]); loci.CodeOf(err) != loci.Conflict {
		t.Errorf("too many: %v", err)
	}
}
