package sqlite

import (
	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/loci-memory/loci"
)

// setUpOrg registers the tokenizer of a table that earlier versions had. The migration that drops the
// table needs it.
func setUpOrg(c *sqlite3.Conn) error {
	return fts5.RegisterCustom(c, func(api *fts5.API) error {
		return api.CreateTokenizer("loci", func([]string) (fts5.Tokenizer, error) { return &tokenizer{}, nil })
	})
}

// tokenizer gives FTS5 the words of loci.Analyzer: the stem and, if it is different, the form as
// well, so that prefixes and exact words match, too. FTS5 takes the words of a query unchanged,
// because they come from the same analysis and stemming a stem again can produce another word.
type tokenizer struct{ analyzer loci.Analyzer }

func (t *tokenizer) Tokenize(flags fts5.TokenizeFlag, text, _ string, token fts5.TokenCallback) (err error) {
	if flags&fts5.TOKENIZE_QUERY != 0 {
		return token(0, text, 0, len(text))
	}
	t.analyzer.Words(text, func(w loci.Word) bool {
		if err = token(0, w.Stem, w.Start, w.End); err == nil && w.Form != w.Stem {
			err = token(fts5.TOKEN_COLOCATED, w.Form, w.Start, w.End)
		}
		return err == nil
	})
	return err
}
