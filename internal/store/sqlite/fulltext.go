package sqlite

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// setUpMeta makes plans independent of values and overwrites deleted data if that costs no
// additional writes. Otherwise SQLite would prepare a statement again whenever a limit or bound
// changes, which doubled the cost of a list.
func setUpMeta(c *sqlite3.Conn) error {
	_, err := c.Config(sqlite3.DBCONFIG_ENABLE_QPSG, true)
	return errors.Join(err, c.Exec("PRAGMA secure_delete = fast"))
}

// setUpOrg registers the tokenizer and the function that memory_text and match.go use.
func setUpOrg(c *sqlite3.Conn) error {
	return errors.Join(setUpMeta(c), fts5.RegisterCustom(c, func(api *fts5.API) error {
		return errors.Join(
			api.CreateTokenizer("loci", func([]string) (fts5.Tokenizer, error) { return &tokenizer{}, nil }),
			api.CreateFunction("features", new(features).compute))
	}))
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

// features packs the features of a match: for each term and field a count (16 bits), then for
// each field the number of words (32 bits). It reads only the row itself, so that hidden rows
// cannot influence it.
type features struct{ buf []byte }

func (f *features) compute(ctx fts5.Context, result sqlite3.Context, _ ...sqlite3.Value) {
	counts := ctx.PhraseCount() * loci.FieldCount * 2
	f.buf = append(f.buf[:0], make([]byte, counts+loci.FieldCount*4)...)
	n, err := ctx.InstCount()
	for i := 0; i < n && err == nil; i++ {
		var term, field int
		if term, field, _, err = ctx.Inst(i); err == nil {
			at := f.buf[(term*loci.FieldCount+field)*2:]
			if c := binary.LittleEndian.Uint16(at); c < math.MaxUint16 {
				binary.LittleEndian.PutUint16(at, c+1)
			}
		}
	}
	for field := 0; field < loci.FieldCount && err == nil; field++ {
		var size int
		size, err = ctx.ColumnSize(field)
		binary.LittleEndian.PutUint32(f.buf[counts+field*4:], uint32(size))
	}
	if err != nil {
		result.ResultError(err)
		return
	}
	result.ResultBlob(f.buf)
}

// unpack reads what compute packed.
func unpack(b []byte, terms int, m *loci.Match) error {
	counts := terms * loci.FieldCount
	if len(b) != counts*2+loci.FieldCount*4 {
		return errors.New("the full-text index has a different number of terms than the query")
	}
	m.Freq = make([]uint16, counts)
	for i := range m.Freq {
		m.Freq[i] = binary.LittleEndian.Uint16(b[i*2:])
	}
	for i := range m.Lengths {
		m.Lengths[i] = binary.LittleEndian.Uint32(b[counts*2+i*4:])
	}
	return nil
}

const insertText = "INSERT INTO memory_text (rowid, title, content, summary, key, category, tags) VALUES (?, ?, ?, " +
	"?, ?, ?, ?)"

func (x index) indexText(seq int64, m *loci.Memory) error {
	return x.c.Exec(insertText,
		seq, m.Title, m.Content, m.Summary, m.Key, m.Category, sqlstore.TagText(m.Tags))
}

// unindexText needs exactly the text that was indexed, because the index does not store it.
func (x index) unindexText(seq int64, m *loci.Memory) error {
	return x.c.Exec(`INSERT INTO memory_text (memory_text, rowid, title, content, summary, key, category, tags)
		VALUES ('delete', ?, ?, ?, ?, ?, ?, ?)`,
		seq, m.Title, m.Content, m.Summary, m.Key, m.Category, sqlstore.TagText(m.Tags))
}
