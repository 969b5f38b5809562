package recall_test

import "testing"

func TestShortPrefixes(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]struct {
		n     int
		short string
	}{"deploy* x": {1, ""}, "alpha1*": {1, ""}, "user_w* wo*": {2, "user_w"}, "ж*": {1, "ж"}, "東* 東京*": {2, ""}, "* w": {},
		"wom* Wom* WOM*": {1, ""}, `"wo*"`: {}, "3.5*": {1, "3.5"}, "don't*": {1, ""}, "éé*": {1, "éé"}, "한국어*": {1, ""}} {
		if n, short := question(query).Prefixes(); n != want.n || short != want.short {
			t.Errorf("%q has %d, of which %q is too short; want %+v", query, n, short, want)
		}
	}
}
