package embedded

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
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
		"nothing":         {func(*testing.T, *Log) {}, ""},
		"log.db":          {overwrite(logFile), "events/acme/log.db: the database file is damaged"},
		"a month":         {overwrite("2026-03.db"), "events/acme/2026-03.db: the database file is damaged"},
		"a body":          {exec(logFile, "UPDATE events SET body = x'00'"), "events/acme/log.db: event "},
		"a stream":        {exec(logFile, "DELETE FROM streams"), "events/acme/log.db: event "},
		"an access":       {exec(logFile, "UPDATE classes SET access = '{}'"), "events/acme/log.db: event "},
		"a block":         {exec("2026-03.db", "UPDATE blocks SET data = x'00'"), "events/acme/2026-03.db: event "},
		"a missing block": {exec("2026-03.db", "DELETE FROM blocks"), "events/acme/2026-03.db: event "},
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
			text := ""
			for _, problem := range problems {
				if text += problem.Text + "\n"; problem.Kind != loci.ProblemDamage {
					t.Errorf("%q has the kind %s", problem.Text, problem.Kind)
				}
			}
			if err != nil || (tt.want == "") != (text == "") || !strings.Contains(text, tt.want) {
				t.Errorf("problems %q, %v, want %q", text, err, tt.want)
			}
		})
	}
}

// register is a Registry in memory.
type register map[loci.OrgID]bool

func (r register) EventLogs(_ context.Context, org loci.OrgID) ([]loci.OrgID, error) {
	if !r[org] {
		return nil, nil
	}
	return []loci.OrgID{org}, nil
}

func (r register) KeepsEvents(_ context.Context, org loci.OrgID, keeps bool) error {
	r[org] = keeps
	return nil
}

func (register) Damaged(file string, err error) error {
	if errors.Is(err, sqlitedb.ErrMissing) {
		return loci.WrapError(loci.Unavailable, err, "%s is missing", file)
	}
	return err
}

// A log that had events and has no file any more is lost, not empty.
func TestALostLogIsNotEmpty(t *testing.T) {
	t.Parallel()
	c, known, dir := newClock(), register{}, filepath.Join(t.TempDir(), "events")
	opts := Options{Dir: dir, Now: c.now, Registry: known}
	l := Open(opts)
	put(t, l, day, newEvent(c, "first"))
	if err := l.Close(); err != nil || !known[acme] {
		t.Fatalf("registered: %v, %v", known[acme], err)
	}
	file := filepath.Join(dir, "acme", logFile)
	for _, lose := range []func() error{func() error { return os.Remove(file) },
		func() error { return os.RemoveAll(dir) }} {
		if err := lose(); err != nil {
			t.Fatal(err)
		}
		again := Open(opts)
		_, appended := again.Append(t.Context(), person, []*loci.Event{newEvent(c, "second")}, day)
		_, looked := again.Find(t.Context(), person, eventlog.Query{Limit: 10})
		_, got := again.Get(t.Context(), person, []loci.EventID{{15: 1}})
		for name, err := range map[string]error{"append": appended, "find": looked, "get": got} {
			if loci.CodeOf(err) != loci.Unavailable || !strings.Contains(loci.SafeText(err), "events/acme/log.db") {
				t.Errorf("%s: got %v, want Unavailable with the name of the file", name, err)
			}
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a new file: %v", err)
		}
	}
}

// A check takes no connection from short reads.
func TestCheckBesideReads(t *testing.T) {
	t.Parallel()
	l, _ := checked(t)
	inLog(t, l, func(f *orgLog, _ *sqlitedb.Conn) error {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		var nest func(left int) error
		nest = func(left int) error {
			if left > 0 {
				return f.DB.View(ctx, func(*sqlitedb.Conn) error { return nest(left - 1) })
			}
			problems, err := l.Check(ctx)
			if len(problems) > 0 {
				t.Errorf("problems %q", problems)
			}
			return err
		}
		return nest(max(4, runtime.GOMAXPROCS(0)))
	})
}

// Another process may delete the last event of a month while a check reads.
func TestCheckWhilePurged(t *testing.T) {
	t.Parallel()
	l, c := checked(t)
	other := open(t, l.opts.Dir, c.now)
	ch := &checker{l: l, org: acme}
	err := l.search(t.Context(), acme, want{}, func(r *reader) error {
		n, err := other.Purge(t.Context(), acme, eventlog.Selection{Before: c.now().Add(-day.Window)}, 1000)
		if n != 20 {
			t.Errorf("%d events were deleted, want 20", n)
		}
		return errors.Join(err, ch.checkSnapshot(t.Context(), r))
	})
	if err = errors.Join(err, ch.lookAgain(t.Context())); err != nil || len(ch.problems) > 0 {
		t.Errorf("problems %q, %v", ch.problems, err)
	}
	if len(ch.missing) != 1 {
		t.Errorf("the snapshot misses %d months, want 1", len(ch.missing))
	}
}
