package rest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/loci-memory/loci/client"
)

// Whatever is asked, recall answers, or tells what is wrong with the query.
func TestOddQueriesAreAnswered(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.write(t, owner, `{"title": "Deploys", "content": "We deploy on Tuesdays."}`)
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
		body, err := json.Marshal(map[string]string{"query": query})
		if err != nil {
			t.Fatal(err)
		}
		w := s.do("POST", "/memories/recall", owner, string(body))
		if problem == "" {
			if w.Code != 200 {
				t.Errorf("%.40q: got %d %.200s", query, w.Code, w.Body)
			}
			continue
		}
		var p client.Problem
		if decode(t, w, &p); w.Code != 400 || p.Field != "query" || !strings.Contains(p.Error, problem) {
			t.Errorf("%.40q: got %d, %q of %q", query, w.Code, p.Error, p.Field)
		}
	}
}
