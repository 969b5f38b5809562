package embedded

import (
	"context"
	"errors"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// The connections of side files have small caches, because many files may be open.
const sideCacheKiB = 512

func sideKey(org loci.OrgID, name string) string { return string(org) + "/" + name }

func newSideFile(key string) *sideFile {
	org, name, _ := strings.Cut(key, "/")
	return &sideFile{org: loci.OrgID(org), name: name}
}

func (l *Log) openSide(ctx context.Context, f *sideFile) (err error) {
	o := sqlitedb.Options{Path: l.path(f.org, f.name), Migrations: migrations("month"), Now: l.opts.Now,
		CacheKiB: sideCacheKiB, ReadOnly: l.opts.ReadOnly}
	if f.name == wordsFile {
		o.Setup, o.Migrations = setUpWords, migrations("words")
	}
	f.DB, err = sqlitedb.Open(ctx, o)
	return err
}

// withSide runs fn on a side file, and creates the file if create is set. Otherwise found is false if
// there is none.
func (l *Log) withSide(ctx context.Context, org loci.OrgID, name string, create bool, fn func(*sqlitedb.DB) error) (
	found bool, err error) {
	for {
		if !create {
			if found, err = l.exists(org, name); !found || err != nil {
				return false, err
			}
		}
		f, err := l.sides.Acquire(ctx, sideKey(org, name))
		if err != nil {
			return true, err
		}
		if errors.Is(f.DB.InPlace(), sqlitedb.ErrGone) { // another process removed the file, and may have made a new one
			l.sides.Discard(f)
			l.sides.Release(f)
			continue
		}
		defer l.sides.Release(f)
		return true, fn(f.DB)
	}
}

func (l *Log) removeSide(ctx context.Context, org loci.OrgID, name string) error {
	return errors.Join(l.sides.Drop(sideKey(org, name)), sqlitedb.Remove(ctx, l.path(org, name)))
}
