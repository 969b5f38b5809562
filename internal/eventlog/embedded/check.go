package embedded

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// maxReported limits how many events a report of one file names.
const maxReported = 20

// Check reads every file of every org and returns the problems that it finds, one sentence each. It
// reads snapshots while others write.
func (l *Log) Check(ctx context.Context) (problems []loci.Problem, err error) {
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
	problems []loci.Problem
	missing  []month // whose files were not there
}

func (ch *checker) report(file, format string, args ...any) {
	text, kind := fmt.Sprintf(format, args...), loci.ProblemDamage
	if file == wordsFile {
		text, kind = text+" (this file is an index of events; rebuild it)", loci.ProblemDerived
	}
	ch.problems = append(ch.problems,
		loci.Problem{Kind: kind, Text: path.Join(filepath.Base(ch.l.opts.Dir), string(ch.org), file) + ": " + text})
}

// check checks the pages of all files. If they are sound, it reads every event, and looks whether the
// index has all of them.
func (ch *checker) check(ctx context.Context) error {
	if err := ch.checkPages(ctx); err != nil || len(ch.problems) > 0 {
		return err
	}
	w := want{filter: eventlog.Filter{Classes: loci.EventClasses()}} // each event has one
	if err := ch.l.search(ctx, ch.org, w, func(r *reader) error { return ch.checkSnapshot(ctx, r) }); err != nil {
		return err
	}
	return ch.lookAgain(ctx)
}

// lookAgain reports the months that have no file although the log names them. Another process may have
// deleted the last event of one after the snapshot, so nothing may be deleted meanwhile.
func (ch *checker) lookAgain(ctx context.Context) error {
	if len(ch.missing) == 0 {
		return nil
	}
	leave, err := ch.l.alone(ctx, ch.org)
	if err != nil || leave == nil {
		return err
	}
	defer leave()
	return ch.l.snapshot(ctx, ch.org, want{}, func(r *reader) error {
		months, err := r.months()
		for _, m := range ch.missing {
			if _, named := months[m]; !named || err != nil {
				continue
			}
			var there bool
			if there, err = ch.l.exists(ch.org, m.file()); err == nil && !there {
				ch.report(m.file(), "the file is missing; restore it from a backup")
			}
		}
		return err
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
func (ch *checker) checkSnapshot(ctx context.Context, r *reader) error {
	ch.missing = nil
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
			ch.missing = append(ch.missing, m)
		}
	}
	if r.words == nil {
		return nil // upkeep makes a new index
	}
	return ch.checkIndex(ctx, r, months)
}

func (ch *checker) checkEvents(ctx context.Context, file string, r *reader, src *source) error {
	m := eventlog.Filter{}.Matcher()
	wrong := 0
	return src.scan(ctx, everything(), false, func(src *source, row *sqlitedb.Row) (bool, error) {
		e, err := r.event(src, row, m)
		if errors.Is(err, errDamaged) || e != nil && e.UserID.IsZero() {
			wrong++
			ch.report(file, "event %s is damaged; restore a backup", idOf(row))
			err = nil
		}
		return wrong < maxReported, err
	})
}

// checkIndex looks in the index for each event that it must have.
func (ch *checker) checkIndex(ctx context.Context, r *reader, months map[month]int64) error {
	wrong := 0
	for _, m := range r.words.months {
		table := r.words.tables[m]
		if table == 0 || wrong >= maxReported {
			continue
		}
		check := func(src *source) error {
			ix := &indexCheck{words: *r.words, table: table, report: func(id loci.EventID) bool {
				ch.report(wordsFile, "event %s is missing", id)
				wrong++
				return wrong < maxReported
			}}
			if err := src.scan(ctx, m.span(), false, ix.visit); err != nil {
				return err
			}
			return ix.flush()
		}
		err := check(logSource(r.c, 0, r.words.done))
		if err == nil && months[m] > 0 {
			_, err = ch.l.withMonth(ctx, ch.org, m, func(c *sqlitedb.Conn) error {
				return check(ch.l.monthSource(c, months[m]))
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// indexCheck looks for events in the index, many at a time. An event is there if its time has the token of its id.
type indexCheck struct {
	words  words
	table  int64
	ids    []loci.EventID // not looked for yet, in order
	over   bool           // report wants no more
	report func(loci.EventID) (more bool)
}

// checkIDs is how many events indexCheck looks for at a time. It asks once for each token of an id.
const checkIDs = 8192

func (ix *indexCheck) visit(_ *source, row *sqlitedb.Row) (more bool, err error) {
	if ix.ids = append(ix.ids, idOf(row)); len(ix.ids) < checkIDs {
		return true, nil
	}
	err = ix.flush()
	return !ix.over, err
}

func (ix *indexCheck) flush() error {
	if len(ix.ids) == 0 {
		return nil
	}
	within := span{ix.ids[0], past(ix.ids[len(ix.ids)-1], false)}
	has := map[string][]int64{}
	for _, id := range ix.ids {
		token := eventToken(id)
		times, asked := has[token]
		if !asked {
			var err error
			ix.words.match = quoted(token)
			if times, err = ix.words.times(ix.table, within, false, -1); err != nil {
				return err
			}
			has[token] = times
		}
		if _, there := slices.BinarySearch(times, micros(id)); !there && !ix.over {
			ix.over = !ix.report(id)
		}
	}
	ix.ids = ix.ids[:0]
	return nil
}
