package sqlstore

import (
	"encoding/json"
	"slices"
	"testing"
)

// FuzzFromJSON checks that reading a stored list gives what encoding/json reads, also of a list that
// ToJSON did not write.
func FuzzFromJSON(f *testing.F) {
	for _, text := range []string{`[]`, `["*"]`, `["ops"]`, `["ops","a b"]`, `["a\"b","c"]`, `["a","",""]`, `["a", "b"]`,
		`["a",1,"b"]`, `["a"b"]`, `[""]`, `["日本","🙂"]`, `["\\",","]`, `["`, `["]`, `null`, `["a\n"]`, `[["a"],"b"]`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var want []string
		wantErr := json.Unmarshal(text, &want)
		got, err := fromJSON[string](text)
		if (err == nil) != (wantErr == nil) || err == nil && !slices.Equal(got, want) {
			t.Fatalf("%q: got %q, %v; want %q, %v", text, got, err, want, wantErr)
		}
		if err != nil {
			return
		}
		if again, err := fromJSON[string]([]byte(ToJSON(got))); err != nil || !slices.Equal(again, got) {
			t.Fatalf("%q is stored as %s and read as %q, %v", got, ToJSON(got), again, err)
		}
	})
}
