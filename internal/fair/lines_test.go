package fair_test

import (
	"slices"
	"testing"

	"github.com/loci-memory/loci/internal/fair"
)

// TestLinesPayForWhatTheyUse lets lines wait with items that cost unlike much, and demands the order in which they
// come.
func TestLinesPayForWhatTheyUse(t *testing.T) {
	var ls fair.Lines[*string]
	all := func(string, *string, int64) bool { return true }
	add := func(who string, n int) {
		for range n {
			ls.Add(who, new(who))
		}
	}
	var order []string
	take := func(n int, cost map[string]int64) {
		for range n {
			who, v, ok := ls.Next(all)
			if !ok {
				t.Fatalf("nothing waits after %v", order)
			}
			if *v != who {
				t.Errorf("an item of %s is in the line of %s", *v, who)
			}
			order = append(order, who)
			ls.Done(who, cost[who])
		}
	}
	cost := map[string]int64{"bulk": 100, "save": 1}
	add("bulk", 4)
	take(1, cost)
	add("save", 3)
	take(5, cost)
	add("other", 1) // has used nothing yet, but starts now
	take(2, cost)
	want := []string{"bulk", "save", "save", "save", "bulk", "bulk", "other", "bulk"}
	if !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	if _, _, ok := ls.Next(all); ok {
		t.Error("more comes out than went in")
	}
}

// TestLinesLeaveOutLongItems demands that a line whose last item was long waits if the caller asks for short ones.
func TestLinesLeaveOutLongItems(t *testing.T) {
	var ls fair.Lines[*int]
	all := func(string, *int, int64) bool { return true }
	short := func(_ string, _ *int, last int64) bool { return last <= 10 }
	ls.Add("long", new(1))
	who, _, _ := ls.Next(short)
	ls.Done(who, 50)
	ls.Add("long", new(2))
	if who, _, ok := ls.Next(short); ok {
		t.Errorf("got an item of %s", who)
	}
	if _, v, ok := ls.Next(all); !ok || *v != 2 {
		t.Error("without a limit, the item does not come")
	}
}

// TestManyLines demands that lines without work are forgotten, and that those with work are not.
func TestManyLines(t *testing.T) {
	var ls fair.Lines[*int]
	all := func(string, *int, int64) bool { return true }
	for i := range 1000 {
		ls.Add(string(rune('a'+i)), new(i))
	}
	for i := range 1000 {
		who, v, ok := ls.Next(all)
		if !ok || *v != i {
			t.Fatalf("item %d: got %v %v", i, v, ok)
		}
		ls.Done(who, 1)
	}
}
