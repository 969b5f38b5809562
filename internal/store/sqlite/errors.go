package sqlite

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

var errClosed = loci.Errorf(loci.Unavailable, "the store is closed")

// errorClass is a kind of error with what it is called outside.
type errorClass struct {
	class error
	code  loci.Code
	text  string
}

const tooManyFiles = "the server has too many files open; try again later. The operator can raise the limit (ulimit -n)"

var databaseErrors = []errorClass{
	{sqlitedb.ErrFull, loci.Full, "the disk is full; nothing was written"},
	{sqlitedb.ErrReadOnly, loci.Unavailable, "the data directory cannot be written"},
	{sqlitedb.ErrBusy, loci.Unavailable, "the database is locked by another program; try again"},
	{sqlitedb.ErrFiles, loci.Unavailable, tooManyFiles},
	{sqlitedb.ErrGone, loci.Unavailable,
		"the data directory was moved, replaced or deleted while Loci runs; nothing was written. Bring it back, then " +
			"start Loci again"},
	{sqlitedb.ErrClosed, loci.Unavailable, "the store is closed"},
	{sqlitedb.ErrIO, loci.Unavailable, "the disk failed; nothing was written"},
}

var fileErrors = []errorClass{
	{syscall.ENOSPC, loci.Full, "the disk is full; nothing was written"},
	{syscall.EMFILE, loci.Unavailable, tooManyFiles},
	{syscall.ENFILE, loci.Unavailable, tooManyFiles},
	{fs.ErrPermission, loci.Unavailable, "the data directory cannot be written; all in it must be this user's"},
	{syscall.EROFS, loci.Unavailable, "the data directory cannot be written"},
}

// translate gives errors of a database their code. Errors with a code, and those
// that only a defect can cause, pass as they are; so do those of the function that a
// transaction runs, which may be about another file, such as the one that an export goes to.
func translate(err error) error { return classify(err, databaseErrors) }

// translateFile is translate for what is beside the databases: locks, and the moves of files.
func translateFile(err error) error { return classify(translate(err), fileErrors) }

func classify(err error, classes []errorClass) error {
	if err == nil || loci.CodeOf(err) != "" {
		return err
	}
	for _, c := range classes {
		if errors.Is(err, c.class) {
			return loci.WrapError(c.code, err, "%s", c.text)
		}
	}
	return err
}

// openError explains to the operator why a file or directory cannot be used.
// Unlike other errors its text holds the cause: only main sees it.
func openError(what string, err error) error {
	code := loci.Unavailable
	if errors.Is(err, sqlitedb.ErrFull) {
		code = loci.Full
	}
	return loci.WrapError(code, err, "%s: %s", what, err)
}
