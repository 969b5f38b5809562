package sqlitedb

import (
	"errors"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/loci-memory/loci/internal/store/group"
)

// spaces is a tokenizer as an engine would bring it.
type spaces struct{}

func (spaces) Tokenize(_ fts5.TokenizeFlag, text, _ string, token fts5.TokenCallback) error {
	at := 0
	for word := range strings.SplitSeq(text, " ") {
		if word == "explode" {
			panic("bad word")
		}
		if err := token(0, word, at, at+len(word)); err != nil {
			return err
		}
		at += len(word) + 1
	}
	return nil
}

func TestFullTextThroughSetup(t *testing.T) {
	t.Parallel()
	db := openTemp(t, func(o *Options) {
		o.Setup = func(c *sqlite3.Conn) error {
			return fts5.RegisterCustom(c, func(a *fts5.API) error {
				return a.CreateTokenizer("spaces", func([]string) (fts5.Tokenizer, error) { return spaces{}, nil })
			})
		}
		o.Migrations = []Migration{{Number: 1, Name: "text", SQL: "CREATE VIRTUAL TABLE f USING fts5(body, tokenize = " +
			"'spaces')"}}
	})
	add := func(body string) func(*Conn) error {
		return func(c *Conn) error { return c.Exec("INSERT INTO f (body) VALUES (?)", body) }
	}
	errs := together(t, db, add("one two"), add("two explode"), add("two three"))
	var p *group.PanicError
	if errs[0] != nil || errs[2] != nil || !errors.As(errs[1], &p) {
		t.Errorf("got %v, want only the second to panic", errs)
	}
	found := 0
	view(t, db, func(c *Conn) error {
		return c.Query("SELECT rowid FROM f WHERE f MATCH ?", Args{"two"}, func(*Row) error { found++; return nil })
	})
	if found != 2 {
		t.Errorf("found %d rows, want 2", found)
	}
	sound(t, db)
}
