package loci_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
)

// A text can have the asterisks and even the control characters that mark words.
func TestSnippetTellsMarksFromText(t *testing.T) {
	t.Parallel()
	s := loci.SnippetOf([]loci.Piece{{Text: "Run **make\x02 test**\n and  "}, {Text: "the linter", Marked: true},
		{Text: " 2 ** 4"}})
	want := []loci.Piece{{Text: "Run **make test** and "}, {Text: "the", Marked: true}, {Text: " "},
		{Text: "linter", Marked: true}, {Text: " 2 ** 4"}}
	if diff := cmp.Diff(want, s.Pieces()); diff != "" {
		t.Error(diff)
	}
	if got := s.Plain(); got != "Run **make test** and the linter 2 ** 4" {
		t.Errorf("plain: %q", got)
	}
	const shown = "Run **make test** and **the** **linter** 2 ** 4"
	got, err := json.Marshal(s)
	if err != nil || string(got) != `"`+shown+`"` || s.String() != shown {
		t.Errorf("got %s, %q and %v", got, s, err)
	}
	if loci.Snippet("").Pieces() != nil {
		t.Error("an empty snippet has pieces")
	}
}
