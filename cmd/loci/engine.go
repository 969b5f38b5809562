package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/eventlog/arc"
	"github.com/loci-memory/loci/internal/eventlog/embedded"
	"github.com/loci-memory/loci/internal/eventlog/route"
	"github.com/loci-memory/loci/internal/maintain"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// This file holds everything that depends on the storage engine. A test allows no other file of this package to
// import the engine.

// engine is the store that an open data directory has.
type engine = sqlite.Store

// openEngine opens a data directory. With reads, it also opens one that cannot be written.
func openEngine(ctx context.Context, dir string, log *slog.Logger, reads bool) (*engine, error) {
	return sqlite.Open(ctx, sqlite.Options{Dir: dir, Log: log, ReadOnly: reads})
}

// indexDir is where the full-text index of a data directory is. It is derived from the engine's rows, and may be
// removed.
func indexDir(dir string) string { return filepath.Join(dir, "index") }

func graphIndexDir(dir string) string { return filepath.Join(dir, "index-graphs") }

func eventIndexDir(dir string) string { return filepath.Join(dir, "index-events") }

// eventLog returns the embedded event log beside a store. The caller closes it.
func eventLog(st *engine) *embedded.Log {
	return embedded.Open(embedded.Options{Dir: filepath.Join(st.Dir(), "events"), ReadOnly: st.Unwritable() != nil,
		Registry: st, Warn: st.Warn})
}

// dedup says which events count as duplicates.
func (s *settings) dedup() eventlog.Dedup {
	if !s.Dedup {
		return eventlog.Dedup{}
	}
	return eventlog.Dedup{Window: s.Window}
}

// eventOptions are for the use cases of events in these logs, with the settings of the moment.
func (s *settings) eventOptions(logs *eventLogs, now func(context.Context) *settings) event.Options {
	return event.Options{Logs: logs, IndexDir: eventIndexDir(s.DataDir),
		Dedup: func(ctx context.Context) eventlog.Dedup { return now(ctx).dedup() }, Orgs: logs.local.Orgs,
		DeadLetters: logs.local}
}

// withEvents runs fn with the event log beside a store.
func withEvents(st *engine, fn func(*embedded.Log) error) (err error) {
	events := eventLog(st)
	defer func() { err = errors.Join(err, events.Close()) }()
	return fn(events)
}

// backUp copies every file of a store into a directory, and then those of its event log.
func backUp(st *engine) func(ctx context.Context, dir string) ([]string, error) {
	return func(ctx context.Context, dir string) (files []string, err error) {
		if files, err = st.Backup(ctx, dir); err != nil {
			return files, err
		}
		err = withEvents(st, func(events *embedded.Log) error {
			more, err := events.Backup(ctx, dir)
			files = append(files, more...)
			return err
		})
		return files, err
	}
}

// checkData returns the problems of all files of a store and of its event log.
func checkData(ctx context.Context, st *engine) (problems []loci.Problem, err error) {
	if problems, err = st.Check(ctx); err != nil {
		return problems, err
	}
	err = withEvents(st, func(events *embedded.Log) error {
		more, err := events.Check(ctx)
		problems = append(problems, more...)
		return err
	})
	return problems, err
}

// where tells people where the data is.
func (s *settings) where() string { return s.DataDir }

// sameData returns the arguments with which another process of Loci opens the same data.
func (s *settings) sameData() []string { return []string{"--data-dir", s.DataDir} }

// moveTo makes s open the data of a new directory instead.
func (s *settings) moveTo(dir string) { s.DataDir = dir }

// hasNoData reports whether the data directory has no files of the engine.
func hasNoData(dir string) bool { return sqlite.IsNew(dir) }

// lockAlone locks the data directory. It returns Conflict while another process uses the directory.
func lockAlone(dir string) (release func() error, err error) { return sqlite.LockAlone(dir) }

// carryRevocations revokes in a restored directory what is revoked in another.
func carryRevocations(ctx context.Context, from, to string, beside bool) (store.Withheld, error) {
	return sqlite.CarryRevocations(ctx, from, to, beside)
}

// retellSessions makes the logs of events of a restored directory learn all sessions again.
func retellSessions(ctx context.Context, dir string) error { return sqlite.RetellSessions(ctx, dir) }

// whoCanRead tells which programs can read an exported org.
const whoCanRead = "Any SQLite program can read the copy."

// remedy returns what to do about an error of the store. Only a damaged file needs a backup, if there is one.
func (p *program) remedy(err error) string {
	switch {
	case loci.CodeOf(err) == loci.Full || errors.Is(err, sqlitedb.ErrFull):
		return "free disk space; the data is not damaged, so do not restore a backup"
	case isDamage(err):
		if p.hasNoBackup() {
			return "copy the directory; there is no usable backup, so put the file back from a copy that you have elsewhere"
		}
		return "copy the directory, then loci backup restore"
	case errors.Is(err, os.ErrPermission), errors.Is(err, sqlitedb.ErrReadOnly):
		return "make the directory and its files writable for this user"
	}
	return "read the message; restore a backup only if a file is damaged"
}

// isDamage reports whether a file of the data directory is damaged, missing or not the one that belongs there.
func isDamage(err error) bool { return sqlitedb.IsDamage(err) || errors.Is(err, sqlite.ErrTorn) }

// hasNoBackup reports whether the data directory has no backup to restore: none, or only damaged ones.
func (p *program) hasNoBackup() bool {
	found, err := p.backups().List()
	return err == nil && !slices.ContainsFunc(found, func(b maintain.Backup) bool { return len(b.Unfit()) == 0 })
}

// remedyOfProblem returns what to do about a problem that Check found. The error unwritten says why writing does not
// work, or is nil.
func (p *program) remedyOfProblem(kind loci.ProblemKind, unwritten error) string {
	if unwritten != nil {
		return p.remedy(unwritten) // until writing works, no other finding is reliable
	}
	switch kind {
	case loci.ProblemBusy:
		return "run loci doctor again when that process has ended"
	case loci.ProblemUnwritable:
		return p.remedy(os.ErrPermission)
	case loci.ProblemEvents:
		return p.remedy(sqlitedb.ErrCorrupt) + "; or, to begin an empty event log, loci doctor --fix"
	case loci.ProblemAttachment:
		return p.remedy(sqlitedb.ErrCorrupt) + "; or loci asset delete ID, and attach the file again after two days"
	case loci.ProblemDerived:
		return p.onSameData("loci doctor --fix")
	}
	return p.remedy(sqlitedb.ErrCorrupt)
}

type arcSettings struct {
	BatchSize     int
	FlushInterval time.Duration
}

type eventLogs struct {
	*route.Logs
	local *embedded.Log
}

func (p *program) openEventLogs(st *engine) *eventLogs {
	s := p.settings
	local := eventLog(st)
	return &eventLogs{local: local, Logs: route.New(route.Options{Store: st, Local: local, Default: s.Events,
		Master: s.Master, HTTP: arc.NewHTTP(s.Egress), Log: p.log, BatchSize: s.Arc.BatchSize,
		FlushInterval: s.Arc.FlushInterval})}
}

// Close waits for running calls.
func (l *eventLogs) Close() error { return errors.Join(l.Logs.Close(), l.local.Close()) }
