package embedded

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// One step of upkeep indexes at most so many events, and so many bytes of their texts.
const (
	indexRows  = 8000
	indexBytes = 4 << 20
)

// document is what the index gets of the events of one time.
type document struct {
	at     int64
	tokens string
}

type documents struct {
	analyzer loci.Analyzer
	seen     map[string]bool
	text     strings.Builder
	byMonth  map[month][]document
	bytes    int
}

func newDocuments() *documents {
	return &documents{seen: map[string]bool{}, byMonth: map[month][]document{}}
}

func (d *documents) add(e *loci.Event) {
	clear(d.seen)
	d.text.Reset()
	tokensOf(&d.analyzer, e, func(token string) {
		if d.seen[token] {
			return
		}
		d.seen[token] = true
		if d.text.Len() > 0 {
			d.text.WriteString(tokenSeparator)
		}
		d.text.WriteString(token)
	})
	m := monthOf(e.Time)
	d.byMonth[m] = append(d.byMonth[m], document{e.Time.UnixMicro(), d.text.String()})
	d.bytes += len(e.Content)
}

// write puts the documents of a month into a table, in the order of time, as FTS5 likes it best.
func (d *documents) write(c *sqlitedb.Conn, m month, table int64) error {
	list := d.byMonth[m]
	slices.SortStableFunc(list, func(a, b document) int { return cmp.Compare(a.at, b.at) })
	insert := "INSERT INTO " + wordsTable(table) + " (rowid, text) VALUES (?, ?)"
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].at == list[0].at {
			n++
		}
		if err := c.Exec(insert, list[0].at, joined(list[:n])); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// joined returns the tokens of documents of one time. A batch of many events has often but one.
func joined(list []document) string {
	if len(list) == 1 {
		return list[0].tokens
	}
	size := 0
	for _, d := range list {
		size += len(d.tokens) + len(tokenSeparator)
	}
	var text strings.Builder
	text.Grow(size)
	for i, d := range list {
		if i > 0 {
			text.WriteString(tokenSeparator)
		}
		text.WriteString(d.tokens)
	}
	return text.String()
}

// indexState is the state of an index and what it is behind the log.
type indexState struct {
	epoch         [8]byte
	done, changed int64
}

// index puts events into the index that it doesn't have yet.
func (l *Log) index(ctx context.Context, f *orgLog) (more bool, err error) {
	_, err = l.withSide(ctx, f.org, wordsFile, true, func(db *sqlitedb.DB) error {
		s, err := loadIndex(ctx, db)
		if err != nil {
			return err
		}
		var news news
		err = f.DB.Scan(ctx, func(c *sqlitedb.Conn) error {
			return l.readFrom(f, c, want{}, nil, func(r *reader) error { return news.read(ctx, r, s) })
		})
		if err != nil || news.none {
			return err
		}
		more = news.more
		return db.Update(ctx, func(c *sqlitedb.Conn) error { return news.write(c, l.opts.Now()) })
	})
	return more, err
}

func loadIndex(ctx context.Context, db *sqlitedb.DB) (s indexState, err error) {
	err = db.View(ctx, func(c *sqlitedb.Conn) error {
		_, err := c.One("SELECT epoch, done, changed FROM state", nil, func(r *sqlitedb.Row) error {
			copy(s.epoch[:], r.Raw(0))
			s.done, s.changed = r.Int64(1), r.Int64(2)
			return nil
		})
		return err
	})
	return s, err
}

// news is what the log has and the index doesn't.
type news struct {
	none  bool // there is nothing
	more  bool // than this
	reset bool // the index is of no use
	indexState
	docs   *documents
	months map[month]int64 // that the index must have, because they have a file or older events
	older  map[month]bool  // the month has events that are not news
	dirty  map[month]bool  // events of it were deleted
}

func (n *news) read(ctx context.Context, r *reader, s indexState) (err error) {
	*n = news{indexState: s, docs: newDocuments(), older: map[month]bool{}, dirty: map[month]bool{}}
	if n.months, err = r.months(); err != nil {
		return err
	}
	if !r.state.fits(s.epoch, s.done) {
		if err := n.begin(r); err != nil {
			return err
		}
	}
	if err := n.readEvents(ctx, r); err != nil {
		return err
	}
	if err := n.readChanges(r); err != nil {
		return err
	}
	n.none = !n.reset && n.done == s.done && n.changed == s.changed
	return nil
}

// begin makes the index begin where events may still move. What comes before is for build.
func (n *news) begin(r *reader) (err error) {
	n.reset, n.indexState = true, indexState{epoch: r.state.epoch, done: r.state.sealed}
	if n.changed, err = r.lastChange(); err != nil || n.done == 0 {
		return err
	}
	for from, more := (loci.EventID{}), true; more; {
		more, err = r.c.One("SELECT id FROM events WHERE id >= ? ORDER BY id LIMIT 1", sqlitedb.Args{[16]byte(from)},
			func(row *sqlitedb.Row) error {
				m := monthOfID(row.ID(0))
				n.months[m], from = 0, m.span().to
				return nil
			})
		if err != nil {
			return err
		}
	}
	return nil
}

func (n *news) readEvents(ctx context.Context, r *reader) error {
	before, m := n.done, r.filter.Matcher()
	rows := 0
	upTo, err := r.unqueued()
	if err != nil {
		return err
	}
	err = logSource(r.c, n.done, upTo).query(ctx, logRows+" WHERE seq > ? AND seq <= ? ORDER BY seq",
		sqlitedb.Args{n.done, upTo}, func(src *source, row *sqlitedb.Row) (bool, error) {
			if n.more = rows == indexRows || n.docs.bytes >= indexBytes; n.more {
				return false, nil
			}
			rows++
			e, err := r.event(src, row, m)
			if err == nil {
				n.docs.add(e)
				n.done = row.Int64(colNumber)
			}
			return err == nil, err
		})
	for m := range n.docs.byMonth {
		if err == nil {
			n.older[m], err = r.hasOlder(m, before)
		}
	}
	return err
}

// staysFor is how long an event must have waited in the queue until the index gets it, too. Most events
// leave the log before, and then the index would only have words of events that are not there.
const staysFor = time.Hour

// unqueued returns a seq up to which no event is about to leave the log. The index has no later ones.
func (r *reader) unqueued() (upTo int64, err error) {
	first := int64(0)
	_, err = r.c.One("SELECT min(seq) FROM queue WHERE number > ?",
		sqlitedb.Args{r.l.opts.Now().Add(-staysFor).UnixMicro()}, readNumber(&first))
	first = cmp.Or(first, allSeqs)
	return first - 1, err
}

// hasOlder reports whether the log has events of a month up to a seq.
func (r *reader) hasOlder(m month, seq int64) (bool, error) {
	s := m.span()
	return r.c.One("SELECT 1 FROM events WHERE id >= ? AND id < ? AND seq <= ?",
		sqlitedb.Args{[16]byte(s.from), [16]byte(s.to), seq}, func(*sqlitedb.Row) error { return nil })
}

func (n *news) readChanges(r *reader) error {
	return r.c.Query("SELECT n, gone FROM changes WHERE n > ? ORDER BY n", sqlitedb.Args{n.changed},
		func(row *sqlitedb.Row) error {
			n.changed = row.Int64(0)
			for _, id := range idsIn(row.Raw(1)) {
				n.dirty[monthOfID(id)] = true
			}
			return nil
		})
}

// write is one transaction of the index.
func (n *news) write(c *sqlitedb.Conn, now time.Time) error {
	if n.reset {
		if err := resetIndex(c, n.epoch); err != nil {
			return err
		}
	}
	for m := range n.months {
		if err := c.Exec("INSERT INTO parts (month) VALUES (?) ON CONFLICT DO NOTHING", int(m)); err != nil {
			return err
		}
	}
	for m := range n.docs.byMonth {
		if err := n.writeMonth(c, m); err != nil {
			return err
		}
	}
	for m := range n.dirty {
		err := c.Exec("UPDATE parts SET dirty = ? WHERE month = ? AND dirty IS NULL", now.UnixMicro(), int(m))
		if err != nil {
			return err
		}
	}
	return c.Exec("UPDATE state SET done = ?, changed = ?", n.done, n.changed)
}

// writeMonth puts the documents of a month into its table, and into the one that is being built. It
// makes a new table if the month has no other events than these; otherwise build does it.
func (n *news) writeMonth(c *sqlitedb.Conn, m month) error {
	var words, building int64
	known, err := c.One("SELECT ifnull(words, 0), ifnull(building, 0) FROM parts WHERE month = ?", sqlitedb.Args{int(m)},
		func(r *sqlitedb.Row) error { words, building = r.Int64(0), r.Int64(1); return nil })
	if err != nil {
		return err
	}
	if !known {
		if !n.older[m] {
			if words, err = newWordsTable(c); err != nil {
				return err
			}
		}
		err := c.Exec("INSERT INTO parts (month, words) VALUES (?, nullif(?, 0))", int(m), words)
		if err != nil {
			return err
		}
	}
	for _, table := range []int64{words, building} {
		if table == 0 {
			continue
		}
		if err := n.docs.write(c, m, table); err != nil {
			return err
		}
	}
	return nil
}

// resetIndex begins with an empty index of the log of that epoch.
func resetIndex(c *sqlitedb.Conn, epoch [8]byte) error {
	var tables []int64
	err := c.Query("SELECT words FROM parts WHERE words IS NOT NULL UNION SELECT building FROM parts "+
		"WHERE building IS NOT NULL", nil, func(r *sqlitedb.Row) error {
		tables = append(tables, r.Int64(0))
		return nil
	})
	if err != nil {
		return err
	}
	for _, n := range tables {
		if err := c.Exec("DROP TABLE " + wordsTable(n)); err != nil {
			return err
		}
	}
	if err := c.Exec("DELETE FROM parts"); err != nil {
		return err
	}
	return c.Exec(`INSERT INTO state (one, epoch, done, changed, tables) VALUES (1, ?, 0, 0, 0)
		ON CONFLICT (one) DO UPDATE SET epoch = excluded.epoch, done = 0, changed = 0`, epoch[:])
}

// newWordsTable makes an empty table and returns its number. The table keeps only which numbers have
// which words, and collects as many words in memory as one step has.
func newWordsTable(c *sqlitedb.Conn) (n int64, err error) {
	if err := c.Exec("UPDATE state SET tables = tables + 1"); err != nil {
		return 0, err
	}
	if _, err := c.One("SELECT tables FROM state", nil, readNumber(&n)); err != nil {
		return 0, err
	}
	name := wordsTable(n)
	err = c.Exec("CREATE VIRTUAL TABLE " + name +
		" USING fts5(text, content = '', detail = none, columnsize = 0, tokenize = tokens)")
	if err != nil {
		return 0, err
	}
	return n, c.Exec("INSERT INTO "+name+" ("+name+", rank) VALUES ('hashsize', ?)", indexBytes)
}
