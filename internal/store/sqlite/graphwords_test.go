package sqlite

import (
	"slices"
	"testing"
	"unicode"

	"github.com/ncruces/go-sqlite3"
	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
)

// fts5Words asks the tokenizer of the full-text tables.
func fts5Words(t testing.TB, c *sqlite3.Conn, text string) (words []string) {
	t.Helper()
	st, _, err := c.Prepare("INSERT INTO one VALUES (?)")
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if err := run(st, text); err != nil {
		t.Fatal(err)
	}
	list, _, err := c.Prepare("SELECT term FROM words ORDER BY \"offset\"")
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	for list.Step() {
		words = append(words, list.ColumnText(0))
	}
	if err := c.Exec("DELETE FROM one"); err != nil {
		t.Fatal(err)
	}
	return words
}

func fts5Conn(t testing.TB) *sqlite3.Conn {
	t.Helper()
	c, err := sqlite3.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := setUpGraph(c); err != nil {
		t.Fatal(err)
	}
	if err := c.Exec("CREATE VIRTUAL TABLE one USING fts5(text); CREATE VIRTUAL TABLE words USING fts5vocab(one, " +
		"instance)"); err != nil {
		t.Fatal(err)
	}
	return c
}

// Every letter is the same word to both, by itself and between others.
func TestGraphWordsAgreeWithFTS5(t *testing.T) {
	t.Parallel()
	c := fts5Conn(t)
	if err := c.Exec("BEGIN"); err != nil {
		t.Fatal(err)
	}
	for _, part := range []struct {
		name        string
		first, last rune
	}{
		{"ASCII", 0x01, 0x7F}, {"Latin", 0x80, 0x24F}, {"Greek", 0x384, 0x3FF}, {"Cyrillic", 0x400, 0x527},
		{"Armenian", 0x531, 0x587},
		{"Hebrew", 0x5D0, 0x5EA}, {"Arabic", 0x620, 0x64A}, {"Devanagari", 0x900, 0x977}, {"Thai", 0xE01, 0xE3A},
		{"more Latin", 0x1E00, 0x1EFF}, {"punctuation", 0x2010, 0x2027}, {"kana", 0x3041, 0x30FF}, {"Han", 0x4E00, 0x4FFF},
		{"Hangul", 0xAC00, 0xADFF},
	} {
		for r := part.first; r <= part.last; r++ {
			if !unicode.IsGraphic(r) && !unicode.IsControl(r) {
				continue // not assigned
			}
			text := "a " + string(r) + " a" + string(r) + "b"
			if want, got := fts5Words(t, c, text), loci.AppendGraphWords(nil, text); !slices.Equal(want, got) {
				t.Errorf("%s, %U %q: FTS5 has %q, we have %q", part.name, r, r, want, got)
			}
		}
	}
}

// Texts, not only letters.
func TestGraphWordsOfTexts(t *testing.T) {
	t.Parallel()
	c := fts5Conn(t)
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("aZ09éÅñßøŽжЙЁαΩ中日한नि-_.,'’ \t\n\"̈́"))).Draw(rt, "text")
		if want, got := fts5Words(t, c, text), loci.AppendGraphWords(nil, text); !slices.Equal(want, got) {
			rt.Fatalf("%q: FTS5 has %q, we have %q", text, want, got)
		}
	})
}
