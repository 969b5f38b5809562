package rest

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestDocsListEveryClass demands that the table of limits in docs/rest.md is the one of the routes.
func TestDocsListEveryClass(t *testing.T) {
	t.Parallel()
	routes := map[string][]string{}
	limits := map[string]int{}
	for _, group := range tables() {
		for _, r := range group.routes {
			if class := r.route.Limit; class.Limit > 0 {
				routes[class.Name] = append(routes[class.Name], "`"+r.route.Method+" "+r.route.Path+"`")
				limits[class.Name] = class.Limit
			}
		}
	}
	docs, err := os.ReadFile("../../docs/rest.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, list := range routes {
		slices.Sort(list)
		row := fmt.Sprintf("| `%s` | %d | %s |\n", name, limits[name], strings.Join(list, ", "))
		if !strings.Contains(string(docs), row) {
			t.Errorf("docs/rest.md lacks the row\n%s", row)
		}
	}
}

func TestStreamsOfACredentialHaveALimit(t *testing.T) {
	t.Parallel()
	for set, want := range map[int]int{-1: 8, 0: 8, 3: 3} {
		if got := (Live{PerCredential: set}).withDefaults().PerCredential; got != want {
			t.Errorf("with %d: got %d, want %d", set, got, want)
		}
	}
}
