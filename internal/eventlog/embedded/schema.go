package embedded

import (
	"embed"
	"path"
	"strings"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

//go:embed migrations/log/*.sql migrations/month/*.sql migrations/words/*.sql
var migrationFiles embed.FS

// migrations returns the steps of the schema of one kind of database.
func migrations(kind string) []sqlitedb.Migration {
	return sqlitedb.ReadMigrations(migrationFiles, path.Join("migrations", kind))
}

// setUpWords registers the tokenizer of the index.
func setUpWords(c *sqlite3.Conn) error {
	return fts5.RegisterCustom(c, func(api *fts5.API) error {
		return api.CreateTokenizer("tokens", func([]string) (fts5.Tokenizer, error) { return tokenizer{}, nil })
	})
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
