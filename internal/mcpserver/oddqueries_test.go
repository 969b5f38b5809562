package mcpserver_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// Whatever is asked, a search answers, or tells what is wrong with the query.
func TestOddQueriesAreAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	r := w.raw(key, stateful)
	r.must("write_memory", `{"title":"Deploys","content":"We deploy on Tuesdays."}`)
	for query, problem := range map[string]string{
		"":                                "must not be empty",
		" \t\n ":                          "must not be empty",
		"the of and":                      "",
		strings.Repeat("deploy ", 15_000): "longer than 500",
		strings.Repeat("é", 500):          "",
		`AND OR NOT NEAR("a" x) title:y -z +w (v OR "u") ^t {s} 'q"; DROP TABLE memories; --`: "",
		strings.Repeat(`"`, 500): "",
		"* ** ***":               "",
		"d*":                     "matches too many words",
		"deploy 会議 расписание جدول ตาราง": "",
		strings.Repeat("👩‍👩‍👧‍👦", 70):     "",
		"de\x01ploy \x1b[31m\u202e\u200b": "",
		"de\x00ploy":                      "NUL",
	} {
		arguments, err := json.Marshal(map[string]string{"term": query})
		if err != nil {
			t.Fatal(err)
		}
		if problem == "" {
			r.must("search_memories", string(arguments))
		} else if text := r.mustFail("search_memories", string(arguments)); !strings.Contains(text, problem) {
			t.Errorf("%.40q: got %q", query, text)
		}
	}
}
