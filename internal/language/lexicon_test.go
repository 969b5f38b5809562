package language

import (
	"slices"
	"strings"
	"testing"
)

func TestListsHaveWhatTheirFilesHave(t *testing.T) {
	for list, want := range map[string]string{"negations": "nicht", "negations-unspaced": "ない", "turning": "un",
		"percent": "prozent"} {
		if words := Words(list); !slices.Contains(words, want) {
			t.Errorf("%s: got %q, want %q among them", list, words, want)
		}
	}
}

func TestGroupsHaveAtLeastTwoSides(t *testing.T) {
	for _, list := range []string{"opposites", "opposites-unspaced"} {
		groups := Groups(list)
		if len(groups) < 20 {
			t.Fatalf("%s: got %d groups", list, len(groups))
		}
		for _, sides := range groups {
			if len(sides) < 2 {
				t.Errorf("%s: a group has one side: %q", list, sides)
			}
			for _, words := range sides {
				if strings.Contains(strings.Join(words, " "), "#") {
					t.Errorf("%s: a comment is among the words: %q", list, words)
				}
			}
		}
	}
}
