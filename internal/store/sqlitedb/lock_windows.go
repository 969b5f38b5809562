package sqlitedb

import (
	"os"

	"golang.org/x/sys/windows"
)

func tryLock(f *os.File, at int64) (bool, error) {
	err := lockFile(f, at, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY)
	if err == windows.ERROR_LOCK_VIOLATION || err == windows.ERROR_IO_PENDING {
		return false, nil
	}
	return err == nil, err
}

func lock(f *os.File, at int64) error {
	return lockFile(f, at, windows.LOCKFILE_EXCLUSIVE_LOCK)
}

// share waits for a lock that does not exclude those of share.
func share(f *os.File, at int64) error { return lockFile(f, at, 0) }

func lockFile(f *os.File, at int64, flags uint32) error {
	place := windows.Overlapped{Offset: uint32(at)}
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &place)
}

func unlock(f *os.File, at int64) error {
	place := windows.Overlapped{Offset: uint32(at)}
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &place)
}
