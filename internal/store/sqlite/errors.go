package sqlite

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// errorClass is a kind of error and the code and text that callers get for it.
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
		"the data directory was moved, replaced or deleted while Loci was running; nothing was written. Put it back, " +
			"then restart Loci"},
	{sqlitedb.ErrClosed, loci.Unavailable, "the store is closed"},
	{sqlitedb.ErrCorrupt, loci.Unavailable, damaged},
	{sqlitedb.ErrNotDB, loci.Unavailable, damaged},
	{sqlitedb.ErrIO, loci.Unavailable, "the disk failed; nothing was written"},
}

const damaged = "a file of the data directory is damaged; run: loci doctor"

var fileErrors = []errorClass{
	{syscall.ENOSPC, loci.Full, "the disk is full; nothing was written"},
	{syscall.EMFILE, loci.Unavailable, tooManyFiles},
	{syscall.ENFILE, loci.Unavailable, tooManyFiles},
	{fs.ErrPermission, loci.Unavailable, "the data directory cannot be written; this user must own everything in it"},
	{syscall.EROFS, loci.Unavailable, "the data directory cannot be written"},
}

// translate adds a code to errors of a database. It does not change errors with a code, nor errors that only a defect
// can cause. It does not change errors of the function that a transaction runs either, because they may be about
// another file, such as the target of an export.
func translate(err error) error { return classify(err, databaseErrors) }

// translateFile is translate for other files: locks and moved files.
func translateFile(err error) error { return classify(translate(err), fileErrors) }

func classify(err error, classes []errorClass) error {
	if err == nil || loci.CodeOf(err) != "" {
		return err
	}
	for _, c := range classes {
		if errors.Is(err, c.class) || errors.Is(c.class, syscall.ENOSPC) && sqlitedb.IsLackOfRoom(err) {
			return loci.WrapError(c.code, err, "%s", c.text)
		}
	}
	return err
}

// openError explains to the operator why a file or directory cannot be used. Unlike other errors
// its text includes the cause, because only main sees it.
func openError(what string, err error) error {
	code := loci.Unavailable
	if errors.Is(err, sqlitedb.ErrFull) {
		code = loci.Full
	}
	return loci.WrapError(code, err, "%s: %s", what, err)
}
