package embedded

import (
	"embed"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

//go:embed migrations/log/*.sql migrations/month/*.sql migrations/words/*.sql
var migrationFiles embed.FS

// migrations reads the numbered files of one kind of database. They are part of the program, so an
// error in them is a panic.
func migrations(kind string) (list []sqlitedb.Migration) {
	dir := path.Join("migrations", kind)
	entries, err := migrationFiles.ReadDir(dir)
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		number, name, _ := strings.Cut(strings.TrimSuffix(e.Name(), ".sql"), "_")
		n, err := strconv.Atoi(number)
		if err != nil {
			panic(fmt.Sprintf("migration %s has no number", e.Name()))
		}
		text, err := migrationFiles.ReadFile(path.Join(dir, e.Name()))
		if err != nil {
			panic(err)
		}
		list = append(list, sqlitedb.Migration{Number: n, Name: name, SQL: string(text)})
	}
	return list
}

// setUp overwrites deleted data if that costs no additional writes.
func setUp(c *sqlite3.Conn) error { return c.Exec("PRAGMA secure_delete = fast") }

// setUpWords also registers the tokenizer of the index.
func setUpWords(c *sqlite3.Conn) error {
	return errors.Join(setUp(c), fts5.RegisterCustom(c, func(api *fts5.API) error {
		return api.CreateTokenizer("tokens", func([]string) (fts5.Tokenizer, error) { return tokenizer{}, nil })
	}))
}

// tokenSeparator separates the tokens of a text that tokenizer reads.
const tokenSeparator = "\x00"

// tokenizer takes texts apart that are tokens already, because this package finds them itself.
type tokenizer struct{}

func (tokenizer) Tokenize(flags fts5.TokenizeFlag, text, _ string, token fts5.TokenCallback) error {
	if flags&fts5.TOKENIZE_QUERY != 0 {
		return token(0, text, 0, len(text))
	}
	for part := range strings.SplitSeq(text, tokenSeparator) {
		if err := token(0, part, 0, 0); err != nil {
			return err
		}
	}
	return nil
}
