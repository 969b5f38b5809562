package sqlite

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

var errClosed = loci.Errorf(loci.Unavailable, "the store is closed")

// translate gives errors of the file their code. Errors with a code, and those
// that only a defect can cause, pass as they are.
func translate(err error) error {
	if err == nil || loci.CodeOf(err) != "" {
		return err
	}
	for _, c := range []struct {
		class error
		code  loci.Code
		text  string
	}{
		{sqlitedb.ErrFull, loci.Full, "the disk is full; nothing was written"},
		{sqlitedb.ErrReadOnly, loci.Unavailable, "the data directory cannot be written"},
		{sqlitedb.ErrBusy, loci.Unavailable, "the database is locked by another program; try again"},
		{sqlitedb.ErrClosed, loci.Unavailable, "the store is closed"},
		// Of what is beside the databases: locks, and the moves of files.
		{syscall.ENOSPC, loci.Full, "the disk is full; nothing was written"},
		{fs.ErrPermission, loci.Unavailable, "the data directory cannot be written; all in it must be this user's"},
		{syscall.EROFS, loci.Unavailable, "the data directory cannot be written"},
		{sqlitedb.ErrIO, loci.Unavailable, "the disk failed; nothing was written"},
	} {
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
