package embedded

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// checked returns a log with an event in log.db and some in the file of a month.
func checked(t *testing.T) (*Log, *clock) {
	t.Helper()
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	put(t, l, day, newEvents(c, 20)...)
	upkeep(t, l, acme)
	c.move(twoMonths)
	upkeep(t, l, acme)
	put(t, l, day, newEvent(c, "recent"))
	upkeep(t, l, acme)
	return l, c
}

func TestCheck(t *testing.T) {
	t.Parallel()
	overwrite := func(name string) func(*testing.T, *Log) {
		return func(t *testing.T, l *Log) {
			t.Helper()
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(l.opts.Dir, "acme", name), []byte(strings.Repeat("damage", 2000)),
				0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	exec := func(name, sql string) func(*testing.T, *Log) {
		return func(t *testing.T, l *Log) {
			t.Helper()
			fn := func(c *sqlitedb.Conn) error { return c.Exec(sql) }
			if name == logFile {
				inLog(t, l, func(_ *orgLog, c *sqlitedb.Conn) error { return fn(c) })
				return
			}
			inSide(t, l, name, fn)
		}
	}
	for name, tt := range map[string]struct {
		damage func(*testing.T, *Log)
		want   string
	}{
		"nothing":           {func(*testing.T, *Log) {}, ""},
		"log.db":            {overwrite(logFile), "events/acme/log.db: the database file is damaged"},
		"a month":           {overwrite("2026-03.db"), "events/acme/2026-03.db: the database file is damaged"},
		"the index":         {overwrite(wordsFile), "rebuild it"},
		"a body":            {exec(logFile, "UPDATE events SET body = x'00'"), "events/acme/log.db: event "},
		"a stream":          {exec(logFile, "DELETE FROM streams"), "events/acme/log.db: event "},
		"a block":           {exec("2026-03.db", "UPDATE blocks SET data = x'00'"), "events/acme/2026-03.db: event "},
		"a missing block":   {exec("2026-03.db", "DELETE FROM blocks"), "events/acme/2026-03.db: event "},
		"an unindexed time": {exec(wordsFile, "INSERT INTO words_1 (words_1) VALUES ('delete-all')"), "rebuild it"},
		"a missing month": {func(t *testing.T, l *Log) {
			t.Helper()
			if err := l.removeSide(t.Context(), acme, "2026-03.db"); err != nil {
				t.Fatal(err)
			}
		}, "events/acme/2026-03.db: the file is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, c := checked(t)
			tt.damage(t, l)
			again := open(t, l.opts.Dir, c.now)
			problems, err := again.Check(t.Context())
			text := strings.Join(problems, "\n")
			if err != nil || (tt.want == "") != (text == "") || !strings.Contains(text, tt.want) {
				t.Errorf("problems %q, %v, want %q", text, err, tt.want)
			}
			if tt.want != "rebuild it" {
				return
			}
			if err := again.Rebuild(t.Context()); err != nil {
				t.Fatal(err)
			}
			sound(t, again)
			if got := len(found(t, again, eventlog.Filter{Tags: []string{"t7"}})); got != 2 {
				t.Errorf("after a rebuild, %d events have the tag, want 2", got)
			}
		})
	}
}
