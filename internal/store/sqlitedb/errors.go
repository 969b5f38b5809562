package sqlitedb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/ncruces/go-sqlite3"

	"github.com/loci-memory/loci/internal/store/group"
)

// These are the classes of database errors, for errors.Is. Their texts are safe to show.
var (
	ErrClosed   = group.ErrClosed
	ErrFull     = errors.New("the disk is full, or a size limit or quota is reached")
	ErrReadOnly = errors.New("the database cannot be written")
	ErrCorrupt  = errors.New("the database file is damaged")
	ErrBusy     = errors.New("the database is locked by another program")
	ErrNotDB    = errors.New("the file is not an SQLite database")
	ErrMissing  = errors.New("the database file is missing or empty")
	ErrNotWAL   = errors.New("the database cannot use a write-ahead log")
	ErrNewer    = errors.New("the database was created by a newer version; upgrade loci")
	ErrIO       = errors.New("the disk failed to read or write")
	ErrFiles    = errors.New("the process has too many files open")
	ErrGone     = errors.New("the database file was moved, replaced or deleted")

	ErrConstraintUnique     = errors.New("a row with this key exists")
	ErrConstraintForeignKey = errors.New("a referenced row does not exist, or a row is still referenced")
	// ErrConstraintCheck covers CHECK, NOT NULL, STRICT types and RAISE in triggers.
	ErrConstraintCheck = errors.New("a value breaks a rule of the table")
)

// Error is a failure and its class. errors.Is finds the class and, through the cause, the driver's codes.
type Error struct {
	Class error // one of the Err… variables above
	Cause error // for logs: may contain names of tables and columns
}

// Error returns the texts of class and cause.
func (e *Error) Error() string { return e.Class.Error() + ": " + e.Cause.Error() }

// Unwrap returns class and cause.
func (e *Error) Unwrap() []error { return []error{e.Class, e.Cause} }

// IsDamage reports whether an error is about a file that is damaged, missing or empty.
func IsDamage(err error) bool {
	return errors.Is(err, ErrCorrupt) || errors.Is(err, ErrNotDB) || errors.Is(err, ErrMissing)
}

// IsMissing reports whether there is no file with that path, or an empty one.
func IsMissing(path string) bool {
	info, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0
}

// classify adds the class for the driver's codes, if there is one.
func classify(err error) error {
	if err == nil {
		return nil
	}
	if _, done := errors.AsType[*Error](err); done {
		return err
	}
	if class := classOf(err); class != nil {
		return &Error{Class: class, Cause: err}
	}
	return err
}

func classOf(err error) error {
	var code sqlite3.ExtendedErrorCode
	if !errors.As(err, &code) {
		return nil
	}
	switch code.Code() {
	case sqlite3.FULL:
		return ErrFull
	case sqlite3.READONLY, sqlite3.PERM:
		return ErrReadOnly
	case sqlite3.CORRUPT:
		return ErrCorrupt
	case sqlite3.BUSY, sqlite3.LOCKED, sqlite3.PROTOCOL:
		return ErrBusy
	case sqlite3.NOTADB:
		return ErrNotDB
	case sqlite3.IOERR, sqlite3.CANTOPEN:
		return classOfSystem(err, code)
	case sqlite3.CONSTRAINT:
		return classOfConstraint(code)
	}
	return nil
}

// classOfSystem checks the error of the operating system below an I/O error.
func classOfSystem(err error, code sqlite3.ExtendedErrorCode) error {
	switch {
	case code == sqlite3.IOERR_SHMSIZE || IsLackOfRoom(err): // IOERR_SHMSIZE: the index of the log cannot grow
		return ErrFull
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return ErrFiles
	case code == sqlite3.IOERR_CORRUPTFS || code == sqlite3.IOERR_DATA:
		return ErrCorrupt
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return ErrReadOnly
	}
	return ErrIO
}

func classOfConstraint(code sqlite3.ExtendedErrorCode) error {
	switch code {
	case sqlite3.CONSTRAINT_UNIQUE, sqlite3.CONSTRAINT_PRIMARYKEY, sqlite3.CONSTRAINT_ROWID:
		return ErrConstraintUnique
	case sqlite3.CONSTRAINT_FOREIGNKEY:
		return ErrConstraintForeignKey
	case sqlite3.CONSTRAINT_CHECK, sqlite3.CONSTRAINT_NOTNULL, sqlite3.CONSTRAINT_DATATYPE, sqlite3.CONSTRAINT_TRIGGER:
		return ErrConstraintCheck
	}
	return nil
}

// interrupted replaces the driver's "interrupted" by the reason of the context, because callers compare with that.
func interrupted(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil || !errors.Is(err, sqlite3.INTERRUPT) {
		return err
	}
	return fmt.Errorf("%w: %w", ctx.Err(), err)
}

// explainPath describes a problem with the path of a database.
func explainPath(path string, err error) error {
	dir := filepath.Dir(path)
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return &Error{Class: ErrReadOnly,
			Cause: fmt.Errorf("this user must be able to write to %s and the files in it: %w", dir, err)}
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the directory %s does not exist: %w", dir, err)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%s is not a directory: %w", dir, err)
	case errors.Is(err, syscall.EISDIR):
		return fmt.Errorf("%s is a directory: %w", path, err)
	case IsLackOfRoom(err):
		return &Error{Class: ErrFull, Cause: err}
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return &Error{Class: ErrFiles, Cause: err}
	}
	return err
}
