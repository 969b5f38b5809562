package embedded

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

const tooManyFiles = "the server has too many files open; try again later. The operator can raise the limit (ulimit -n)"

// errorClasses are kinds of errors with the code and the text that callers get for them.
var errorClasses = []struct {
	class error
	code  loci.Code
	text  string
}{
	{sqlitedb.ErrFull, loci.Full, "the disk is full; nothing was written"},
	{sqlitedb.ErrReadOnly, loci.Unavailable, "the directory of events cannot be written"},
	{sqlitedb.ErrBusy, loci.Unavailable, "the event log is locked by another program; try again"},
	{sqlitedb.ErrFiles, loci.Unavailable, tooManyFiles},
	{sqlitedb.ErrGone, loci.Unavailable, "the event log was moved, replaced or deleted while Loci was running; put it " +
		"back, then restart Loci"},
	{sqlitedb.ErrClosed, loci.Unavailable, "the event log is closed"},
	{sqlitedb.ErrCorrupt, loci.Unavailable, "a file of the event log is damaged; run: loci doctor"},
	{sqlitedb.ErrNotDB, loci.Unavailable, "a file of the event log is damaged; run: loci doctor"},
	{errBody, loci.Unavailable, "a file of the event log is damaged; run: loci doctor"},
	{sqlitedb.ErrIO, loci.Unavailable, "the disk failed; nothing was written"},
	{syscall.ENOSPC, loci.Full, "the disk is full; nothing was written"},
	{syscall.EMFILE, loci.Unavailable, tooManyFiles},
	{syscall.ENFILE, loci.Unavailable, tooManyFiles},
	{fs.ErrPermission, loci.Unavailable, "the directory of events cannot be written; this user must own everything in it"},
	{syscall.EROFS, loci.Unavailable, "the directory of events cannot be written"},
}

// translate adds a code to errors of files. It leaves errors that have one, and those that only a
// defect can cause.
func translate(err error) error {
	if err == nil || loci.CodeOf(err) != "" {
		return err
	}
	for _, c := range errorClasses {
		if errors.Is(err, c.class) {
			return loci.WrapError(c.code, err, "%s", c.text)
		}
	}
	return err
}
