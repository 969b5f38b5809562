package sqlitedb

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/serdes"
)

// templates keeps the image of a new, migrated file for each schema that this process has created. An image is a few
// hundred kilobytes. Copying it takes a tenth of the time of the migrations.
var templates sync.Map // schemaID → []byte

// schemaID identifies migrations by their text and code.
type schemaID [sha256.Size]byte

func idOf(migrations []Migration) schemaID {
	h := sha256.New()
	for _, m := range migrations {
		fmt.Fprintf(h, "%d %q %q %p\n", m.Number, m.Name, m.SQL, m.Func)
	}
	return schemaID(h.Sum(nil))
}

// createMigrated fills an empty file with a new database that has all migrations, with one sync instead
// of several for each migration. made is false if the file is not empty. copied is set if the migrations
// have the time of an earlier file. The caller holds the lock file.
func createMigrated(ctx context.Context, o Options) (made, copied bool, err error) {
	info, err := os.Stat(o.Path)
	if err != nil || info.Size() > 0 {
		return false, false, err
	}
	if _, err := os.Stat(o.Path + "-wal"); err == nil {
		return false, false, nil // left by an earlier file: SQLite decides what it means
	}
	id := idOf(o.Migrations)
	template, found := templates.Load(id)
	image, copied := template.([]byte)
	if !found {
		if image, err = newImage(ctx, o); err != nil {
			return false, false, err
		}
		templates.Store(id, image)
	}
	if err := writeDurably(o.Path, info.Mode().Perm(), image); err != nil {
		return false, false, explainPath(o.Path, err)
	}
	return true, copied, nil
}

// These are the places of a file's versions for writing and reading in its header, and the version of a
// database with a log (https://sqlite.org/fileformat.html).
const (
	writeVersion = 18
	readVersion  = 19
	withLog      = 2
)

// newImage migrates a database in memory and returns its file.
func newImage(ctx context.Context, o Options) (image []byte, err error) {
	raw, err := sqlite3.Open(":memory:")
	if err != nil {
		return nil, classify(err)
	}
	c := newConn(raw)
	defer func() { err = errors.Join(err, c.close()) }()
	if err := o.configure(c); err != nil {
		return nil, err
	}
	if err := migrate(ctx, c, o); err != nil {
		return nil, err
	}
	if image, err = serdes.Serialize(raw, "main"); err != nil {
		return nil, classify(err)
	}
	image[writeVersion], image[readVersion] = withLog, withLog
	return image, nil
}

// writeDurably replaces a file by a complete one, or leaves it.
func writeDurably(path string, mode fs.FileMode, image []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // gone after success
	if _, err = f.Write(image); err == nil {
		err = f.Sync()
	}
	if mode != 0o600 {
		err = errors.Join(err, f.Chmod(mode))
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
