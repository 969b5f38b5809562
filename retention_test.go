package loci_test

import (
	"fmt"
	"testing"

	"github.com/loci-memory/loci"
)

func TestShortens(t *testing.T) {
	rules := func(days int, types ...loci.TypeRetention) *loci.EventRetention {
		return &loci.EventRetention{Days: days, Types: types}
	}
	calls := func(days int) loci.TypeRetention { return loci.TypeRetention{Type: "tool_call", Days: days} }
	for _, tt := range []struct {
		name          string
		before, after *loci.EventRetention
		want          string
	}{
		{"nothing", rules(0), rules(0), "[]"},
		{"from forever", rules(0), rules(30), "[{ 30}]"},
		{"longer", rules(30), rules(60), "[]"},
		{"to forever", rules(30), rules(0), "[]"},
		{"a type", rules(60), rules(60, calls(30)), "[{tool_call 30}]"},
		{"a type that is kept longer", rules(60, calls(90)), rules(60), "[{tool_call 60}]"},
		{"a type of its own", rules(60, calls(10)), rules(30, calls(20)), "[{ 30}]"},
		{"both", rules(0, calls(0)), rules(30, calls(10)), "[{ 30} {tool_call 10}]"},
	} {
		if got := fmt.Sprint(tt.after.Shortens(tt.before)); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}
