// Package deployment contains the use cases for the server as a whole: what its jobs did last, and its backups. It
// shows nothing of any org's data. To restore a backup, the server must be stopped; see the command line.
package deployment

import (
	"context"
	"sync"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/maintain"
	"github.com/loci-memory/loci/internal/store"
)

// Options say where the backups are. Without Backups, everything about them is Unavailable.
type Options struct {
	Backups *maintain.Backups
	// Copy copies every file of the store and of the events into a directory. It returns their names.
	Copy func(ctx context.Context, dir string) ([]string, error)
}

// Service implements the use cases. It is safe for concurrent use.
type Service struct {
	*gate.Gate
	o    Options
	busy sync.Mutex // held while a backup is made or verified, which reads and writes everything
}

// New returns a Service.
func New(g *gate.Gate, o Options) *Service { return &Service{Gate: g, o: o} }

// Job is what became of the last turn of a job. See store.Job.
type Job = store.Job

// Jobs returns what the jobs of the server did last, by name. A job without a turn so far is not among them.
func (s *Service) Jobs(ctx context.Context, p loci.Principal) ([]Job, error) {
	if err := s.Begin(ctx, p, JobList); err != nil {
		return nil, err
	}
	return s.Store.Jobs().List(ctx)
}

// Backup is one complete backup.
type Backup struct {
	Name      string
	CreatedAt time.Time
	Files     int
	Bytes     int64
	Program   string // the version of Loci that created it
}

func backupOf(b *maintain.Backup) Backup {
	m := &b.Manifest
	return Backup{Name: b.Name, CreatedAt: m.CreatedAt, Files: len(m.Files), Bytes: m.Size(), Program: m.Program}
}

// Backups returns the complete backups, newest first.
func (s *Service) Backups(ctx context.Context, p loci.Principal) ([]Backup, error) {
	if err := s.Begin(ctx, p, BackupList); err != nil {
		return nil, err
	}
	if s.o.Backups == nil {
		return nil, errNoBackups()
	}
	found, err := s.o.Backups.List()
	list := make([]Backup, len(found))
	for i := range found {
		list[i] = backupOf(&found[i])
	}
	return list, err
}

func errNoBackups() error {
	return loci.Errorf(loci.Unavailable, "this server has no directory for backups; use loci backup on its machine")
}

func errBusy() error {
	return loci.Errorf(loci.Conflict, "a backup is being made or verified; wait until it is done")
}

// CreateBackup makes a backup while others keep working. It fails with Conflict while another one is made or verified.
func (s *Service) CreateBackup(ctx context.Context, p loci.Principal) (Backup, error) {
	if err := s.Begin(ctx, p, BackupCreate); err != nil {
		return Backup{}, err
	}
	if s.o.Backups == nil {
		return Backup{}, errNoBackups()
	}
	if !s.busy.TryLock() {
		return Backup{}, errBusy()
	}
	defer s.busy.Unlock()
	if err := s.Record(ctx, p, BackupCreate, "backups"); err != nil {
		return Backup{}, err
	}
	made, err := s.o.Backups.BackUp(ctx, s.Store, s.Log, s.o.Copy)
	if err != nil {
		return Backup{}, err
	}
	return backupOf(made), nil
}

// VerifyBackup compares a backup with its manifest and opens each of its files. It returns the problems, one sentence
// each. It fails with NotFound, and with Conflict while another backup is made or verified.
func (s *Service) VerifyBackup(ctx context.Context, p loci.Principal, name string) ([]string, error) {
	if err := s.Begin(ctx, p, BackupVerify); err != nil {
		return nil, err
	}
	if s.o.Backups == nil {
		return nil, errNoBackups()
	}
	b, err := s.find(name)
	if err != nil {
		return nil, err
	}
	if !s.busy.TryLock() {
		return nil, errBusy()
	}
	defer s.busy.Unlock()
	return s.o.Backups.Verify(ctx, b)
}

// find returns a backup of the list. Find also takes paths, which only the operator at the machine may name.
func (s *Service) find(name string) (*maintain.Backup, error) {
	list, err := s.o.Backups.List()
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].Name == name {
			return &list[i], nil
		}
	}
	return nil, loci.Errorf(loci.NotFound, "there is no such backup")
}
