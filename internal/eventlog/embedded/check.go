package embedded

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// maxReported limits how many events a report of one file names.
const maxReported = 20

// Check reads every file of every org and returns the problems that it finds, one sentence each. It
// reads snapshots while others write.
func (l *Log) Check(ctx context.Context) (problems []string, err error) {
	orgs, err := l.orgs()
	for _, org := range orgs {
		if err != nil {
			break
		}
		loci.ReportProgress(ctx, loci.Progress{Stage: "checking the events of org " + string(org)})
		ch := &checker{l: l, org: org}
		err = ch.check(ctx)
		problems = append(problems, ch.problems...)
	}
	return problems, translate(err)
}

// Rebuild makes a new index for every org.
func (l *Log) Rebuild(ctx context.Context) error {
	orgs, err := l.orgs()
	if err != nil {
		return translate(err)
	}
	for i, org := range orgs {
		loci.ReportProgress(ctx, loci.Progress{Stage: "indexing events", Done: int64(i), Total: int64(len(orgs))})
		leave, err := l.alone(ctx, org)
		if err != nil {
			return translate(err)
		}
		if leave == nil {
			continue
		}
		err = l.removeSide(ctx, org, wordsFile)
		leave()
		for more := true; more && err == nil; {
			more, err = l.Upkeep(ctx, org)
		}
		if err != nil {
			return translate(err)
		}
	}
	return nil
}

// checker checks the files of one org.
type checker struct {
	l        *Log
	org      loci.OrgID
	problems []string
}

func (ch *checker) report(file, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if file == wordsFile {
		text += " (this file is an index of events; rebuild it)"
	}
	ch.problems = append(ch.problems, path.Join(filepath.Base(ch.l.opts.Dir), string(ch.org), file)+": "+text)
}

// check checks the pages of all files. If they are sound, it reads every event, and looks whether the
// index has all of them.
func (ch *checker) check(ctx context.Context) error {
	if err := ch.checkPages(ctx); err != nil || len(ch.problems) > 0 {
		return err
	}
	w := want{filter: eventlog.Filter{Classes: loci.EventClasses()}} // each event has one
	return ch.l.withWords(ctx, ch.org, w.expression(), func(words *words) error {
		return ch.l.snapshot(ctx, ch.org, want{}, func(r *reader) error { return ch.checkSnapshot(ctx, r, words) })
	})
}

func (ch *checker) checkPages(ctx context.Context) error {
	check := func(file string) func(*sqlitedb.DB) error {
		return func(db *sqlitedb.DB) error {
			found, err := db.Check(ctx)
			for _, text := range found {
				ch.report(file, "%s", text)
			}
			return err
		}
	}
	err := ch.l.read(ctx, ch.org, func(f *orgLog) error { return check(logFile)(f.DB) })
	if err := ch.damage(logFile, err); err != nil {
		return err
	}
	months, err := ch.l.monthFiles(ch.org)
	if err != nil {
		return err
	}
	names := []string{wordsFile}
	for _, m := range months {
		names = append(names, m.file())
	}
	for _, name := range names {
		_, err := ch.l.withSide(ctx, ch.org, name, false, check(name))
		if err := ch.damage(name, err); err != nil {
			return err
		}
	}
	return nil
}

// damage reports an error that is about a damaged file, and returns the others.
func (ch *checker) damage(file string, err error) error {
	if errors.Is(err, sqlitedb.ErrCorrupt) || errors.Is(err, sqlitedb.ErrNotDB) {
		ch.report(file, "%s", sqlitedb.ErrCorrupt)
		return nil
	}
	return err
}

// checkSnapshot checks the events of one snapshot, and an index of it.
func (ch *checker) checkSnapshot(ctx context.Context, r *reader, words *words) error {
	months, err := r.months()
	if err != nil {
		return err
	}
	if err := ch.checkEvents(ctx, logFile, r, logSource(r.c, 0, allSeqs)); err != nil {
		return err
	}
	for _, m := range inOrder(maps.Keys(months), false) {
		found, err := ch.l.withMonth(ctx, ch.org, m, func(c *sqlitedb.Conn) error {
			return ch.checkEvents(ctx, m.file(), r, ch.l.monthSource(c, months[m]))
		})
		if err != nil {
			return err
		}
		if !found {
			ch.report(m.file(), "the file is missing; restore it from a backup")
		}
	}
	if words == nil || !r.state.fits(words.epoch, words.done) {
		return nil // upkeep makes a new index
	}
	return ch.checkIndex(ctx, r, words, months)
}

// checkEvents reads every event of a source.
func (ch *checker) checkEvents(ctx context.Context, file string, r *reader, src *source) error {
	m := eventlog.Filter{}.Matcher()
	wrong := 0
	return src.scan(ctx, everything(), false, func(src *source, row *sqlitedb.Row) (bool, error) {
		e, err := r.event(src, row, m)
		if errors.Is(err, errBody) || e != nil && e.UserID.IsZero() {
			wrong++
			ch.report(file, "event %s is damaged; restore a backup", idOf(row))
			err = nil
		}
		return wrong < maxReported, err
	})
}

// checkIndex looks in the index for the time of each event that it must have.
func (ch *checker) checkIndex(ctx context.Context, r *reader, words *words, months map[month]int64) error {
	wrong := 0
	for _, m := range words.months {
		table := words.tables[m]
		if table == 0 || wrong >= maxReported {
			continue
		}
		begin := func() visit {
			ix := &indexCheck{words: words, table: table, left: m.span(), report: func(id loci.EventID) bool {
				ch.report(wordsFile, "event %s is missing", id)
				wrong++
				return wrong < maxReported
			}}
			return ix.visit
		}
		err := logSource(r.c, 0, words.done).scan(ctx, m.span(), false, begin())
		if err == nil && months[m] > 0 {
			_, err = ch.l.withMonth(ctx, ch.org, m, func(c *sqlitedb.Conn) error {
				return ch.l.monthSource(c, months[m]).scan(ctx, m.span(), false, begin())
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// indexCheck follows events and the times of the index side by side.
type indexCheck struct {
	words  *words
	table  int64
	left   span    // that was not read from the index
	times  []int64 // that were read
	report func(loci.EventID) (more bool)
}

func (ix *indexCheck) visit(_ *source, row *sqlitedb.Row) (more bool, err error) {
	id := idOf(row)
	at := micros(id)
	for {
		for len(ix.times) > 0 && ix.times[0] < at {
			ix.times = ix.times[1:]
		}
		if len(ix.times) > 0 || ix.left.empty() {
			break
		}
		ix.left = ix.left.rest(firstAt(at), false)
		if ix.times, err = ix.words.times(ix.table, ix.left, false, mostTimes); err != nil {
			return false, err
		}
		if len(ix.times) < mostTimes {
			ix.left.from = ix.left.to
			continue
		}
		ix.left = ix.left.rest(firstAt(ix.times[len(ix.times)-1]+1), false)
	}
	if len(ix.times) == 0 || ix.times[0] != at {
		return ix.report(id), nil
	}
	return true, nil
}
