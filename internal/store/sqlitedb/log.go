package sqlitedb

import "github.com/ncruces/go-sqlite3/vfs"

// frameHeader is how many bytes SQLite writes before each page in its log.
const frameHeader = 24

// logFile is the log of a database. SQLite writes a frame in two calls, first the header and then the page right
// after it. logFile combines them into one system call. That is safe because a commit counts only when its last page
// is written, and until then nobody reads the header. Any other call first writes a pending header and reports its
// error. A header that could not be written stays pending, so that no later sync succeeds without it.
type logFile struct {
	*diskFile
	frame []byte // the pending header; empty if there is none
	at    int64  // its offset
}

func (f *logFile) WriteAt(p []byte, off int64) (int, error) {
	if len(f.frame) > 0 && off == f.at+frameHeader {
		return f.writeFrame(p)
	}
	if err := f.flush(); err != nil {
		return 0, err
	}
	if len(p) == frameHeader {
		f.frame, f.at = append(f.frame, p...), off
		return len(p), nil
	}
	return f.diskFile.WriteAt(p, off)
}

// writeFrame writes the pending header with its page. If that fails, the frame is not in the log,
// and SQLite gets the error.
func (f *logFile) writeFrame(page []byte) (int, error) {
	f.frame = append(f.frame, page...)
	n, err := f.diskFile.WriteAt(f.frame, f.at)
	f.frame = f.frame[:0]
	return max(0, n-frameHeader), err
}

func (f *logFile) flush() error {
	if len(f.frame) == 0 {
		return nil
	}
	_, err := f.diskFile.WriteAt(f.frame, f.at)
	if err == nil {
		f.frame = f.frame[:0]
	}
	return err
}

func (f *logFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.flush(); err != nil {
		return 0, err
	}
	return f.diskFile.ReadAt(p, off)
}

func (f *logFile) Size() (int64, error) {
	if err := f.flush(); err != nil {
		return 0, err
	}
	return f.diskFile.Size()
}

func (f *logFile) Truncate(size int64) error {
	if err := f.flush(); err != nil {
		return err
	}
	return f.diskFile.Truncate(size)
}

func (f *logFile) Sync(flags vfs.SyncFlag) error {
	if err := f.flush(); err != nil {
		return err
	}
	return f.diskFile.Sync(flags)
}

func (f *logFile) SizeHint(size int64) error {
	if err := f.flush(); err != nil {
		return err
	}
	return f.diskFile.SizeHint(size)
}

func (f *logFile) Lock(lock vfs.LockLevel) error {
	if err := f.flush(); err != nil {
		return err
	}
	return f.diskFile.Lock(lock)
}

func (f *logFile) Unlock(lock vfs.LockLevel) error {
	if err := f.flush(); err != nil {
		return err
	}
	return f.diskFile.Unlock(lock)
}

func (f *logFile) CheckReservedLock() (bool, error) {
	if err := f.flush(); err != nil {
		return false, err
	}
	return f.diskFile.CheckReservedLock()
}

// Close closes the file even if it returns an error.
func (f *logFile) Close() error {
	err := f.flush()
	if failed := f.diskFile.Close(); err == nil {
		err = failed // not joined: SQLite gets the code only of a bare error
	}
	return err
}
