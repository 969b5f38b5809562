package sqlitedb

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/ncruces/go-sqlite3/vfs"
)

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

// lostSuffix is that of a copy of a log in which changes are damaged.
const lostSuffix = "-wal.damaged"

// keepLost looks for changes in a log that SQLite is about to drop, because something before them is damaged. It
// copies such a log, because SQLite soon writes over it, and returns what is lost. The caller holds the lock file.
func keepLost(path string) (lost string) {
	log, err := os.Open(path + "-wal")
	if err != nil {
		return ""
	}
	defer log.Close()
	n := lostCommits(bufio.NewReaderSize(log, 1<<16))
	if n == 0 {
		return ""
	}
	if kept, err := os.OpenFile(path+lostSuffix, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
		_, _ = log.Seek(0, io.SeekStart)
		_, _ = io.Copy(kept, log) // if that fails, the warning remains
		_ = kept.Close()
	}
	return fmt.Sprintf("the log of %s is damaged: changes in it are lost (commits: %d)", filepath.Base(path), n)
}

// lostBefore describes the copy that keepLost has made.
func lostBefore(path string) []string {
	if _, err := os.Stat(path + lostSuffix); err != nil {
		return nil
	}
	return []string{"its log was damaged, and changes in it are lost. Restore a backup; or, to go on with what there " +
		"is, delete the copy of that log, " + filepath.Base(path) + lostSuffix}
}

// lostCommits counts the commits in a log behind its first frame that is not as it was written
// (https://sqlite.org/fileformat2.html#walformat). A killed process leaves no commit behind such a frame. A power
// failure may leave the last one, of which no caller has the answer, behind a frame that is not of this log.
func lostCommits(in io.Reader) (n int) {
	head, be := [32]byte{}, binary.BigEndian
	_, err := io.ReadFull(in, head[:])
	size := be.Uint32(head[8:])
	if err != nil || size < 512 || size > 1<<16 {
		return 0
	}
	word := binary.LittleEndian.Uint32
	if head[3]&1 == 1 {
		word = be.Uint32
	}
	var a, b uint32
	sum := func(p []byte) {
		for ; len(p) > 0; p = p[8:] {
			a += word(p) + b
			b += word(p[4:]) + a
		}
	}
	sum(head[:24])
	sound, unsynced := a == be.Uint32(head[24:]) && b == be.Uint32(head[28:]), 0
	for frame := make([]byte, frameHeader+size); ; {
		if _, err := io.ReadFull(in, frame); err != nil {
			return max(0, n-unsynced)
		}
		same := bytes.Equal(frame[8:16], head[16:24]) // otherwise it is of an earlier log
		if sound {
			sum(frame[:8])
			sum(frame[frameHeader:])
			sound = same && a == be.Uint32(frame[16:]) && b == be.Uint32(frame[20:])
			if !same {
				unsynced = 1
			}
		}
		if !sound && same && be.Uint32(frame[4:]) != 0 {
			n++
		}
	}
}
