package embedded

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"

	"github.com/loci-memory/loci"
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

// checker checks the files of one org.
type checker struct {
	l        *Log
	org      loci.OrgID
	problems []loci.Problem
	missing  []month // whose files were not there
}

func (ch *checker) report(file, format string, args ...any) {
	text := path.Join(filepath.Base(ch.l.opts.Dir), string(ch.org), file) + ": " + fmt.Sprintf(format, args...)
	ch.problems = append(ch.problems, loci.Problem{Kind: loci.ProblemDamage, Text: text})
}

// check checks the pages of all files. If they are sound, it reads every event.
func (ch *checker) check(ctx context.Context) error {
	if err := ch.checkPages(ctx); err != nil || len(ch.problems) > 0 {
		return err
	}
	if err := ch.l.search(ctx, ch.org, want{}, func(r *reader) error { return ch.checkSnapshot(ctx, r) }); err != nil {
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
	for _, m := range months {
		name := m.file()
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

// checkSnapshot checks the events of one snapshot.
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
	return nil
}

func (ch *checker) checkEvents(ctx context.Context, file string, r *reader, src *source) error {
	wrong := 0
	return src.scan(ctx, everything(), false, func(src *source, row *sqlitedb.Row) (bool, error) {
		e, err := r.event(src, row)
		if errors.Is(err, errDamaged) || e != nil && e.UserID.IsZero() {
			wrong++
			ch.report(file, "event %s is damaged; restore a backup", idOf(row))
			err = nil
		}
		return wrong < maxReported, err
	})
}
