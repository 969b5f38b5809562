package embedded

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

const tooManyFiles = "the server has too many files open; try again later. The operator can raise the limit (ulimit -n)"

// errorClass is a kind of error with the code and the text that callers get for it. Texts of the system
// have paths, so they are only causes.
type errorClass struct {
	class error
	code  loci.Code
	text  string
}

var logErrors = []errorClass{
	{sqlitedb.ErrFull, loci.Full, "the disk is full; nothing was written"},
	{sqlitedb.ErrReadOnly, loci.Unavailable, "the directory of events cannot be written"},
	{sqlitedb.ErrBusy, loci.Unavailable, "the event log is locked by another program; try again"},
	{sqlitedb.ErrFiles, loci.Unavailable, tooManyFiles},
	{sqlitedb.ErrGone, loci.Unavailable, "the event log was moved, replaced or deleted while Loci was running; put it " +
		"back, then restart Loci"},
	{sqlitedb.ErrClosed, loci.Unavailable, "the event log is closed"},
	{sqlitedb.ErrCorrupt, loci.Unavailable, "a file of the event log is damaged; run: loci doctor"},
	{sqlitedb.ErrNotDB, loci.Unavailable, "a file of the event log is damaged; run: loci doctor"},
	{sqlitedb.ErrMissing, loci.Unavailable, "a file of the event log is missing or empty; run: loci doctor"},
	{errDamaged, loci.Unavailable, "a file of the event log is damaged; run: loci doctor"},
	{sqlitedb.ErrIO, loci.Unavailable, "the disk failed; nothing was written"},
	{syscall.ENOSPC, loci.Full, "the disk is full; nothing was written"},
	{syscall.EMFILE, loci.Unavailable, tooManyFiles},
	{syscall.ENFILE, loci.Unavailable, tooManyFiles},
	{fs.ErrPermission, loci.Unavailable, "the directory of events cannot be written; this user must own everything in it"},
	{syscall.EROFS, loci.Unavailable, "the directory of events cannot be written"},
	{syscall.ENOTDIR, loci.Unavailable, "a file has the name of the directory of events; move it away"},
	{fs.ErrNotExist, loci.Unavailable, "the event log was moved or deleted while Loci was running"},
	{sqlitedb.ErrNewer, loci.Unavailable, "the event log was written by a newer version; upgrade loci"},
	{sqlitedb.ErrNotWAL, loci.Unavailable, "the directory of events is on a network or container file system; put it " +
		"on a local disk"},
}

const targetReadOnly = "the directory of the backup cannot be written"

// targetErrors are about the files of a backup. Others that occur while one is written are about the log.
var targetErrors = []errorClass{
	{sqlitedb.ErrFull, loci.Full, "the disk of the backup is full"},
	{sqlitedb.ErrReadOnly, loci.Unavailable, targetReadOnly},
	{sqlitedb.ErrIO, loci.Unavailable, "a disk failed while the backup was written"},
	{syscall.ENOSPC, loci.Full, "the disk of the backup is full"},
	{fs.ErrPermission, loci.Unavailable, targetReadOnly},
	{syscall.EROFS, loci.Unavailable, targetReadOnly},
	{syscall.ENOTDIR, loci.Unavailable, targetReadOnly},
	{fs.ErrNotExist, loci.Unavailable, targetReadOnly},
	{fs.ErrExist, loci.Conflict, "the directory of the backup has a file of this log already; use another directory"},
}

// translate adds a code to errors of files. It leaves errors that have one, and those that only a defect can cause.
func translate(err error) error { return classify(err, logErrors) }

func translateTarget(err error) error { return translate(classify(err, targetErrors)) }

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
