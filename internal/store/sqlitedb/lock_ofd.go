//go:build linux || darwin

package sqlitedb

import (
	"errors"
	"io"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// These locks belong to the open file, not to the process, so two DBs in one process exclude each
// other as well. x/sys has no names for darwin's commands.
var ofdSetLock, ofdSetLockWait = ofdCommands()

func ofdCommands() (set, wait int) {
	if runtime.GOOS == "darwin" {
		return 90, 91
	}
	return 37, 38
}

func tryLock(f *os.File, at int64) (bool, error) {
	err := setLock(f, ofdSetLock, unix.F_WRLCK, at)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		return false, nil
	}
	return err == nil, err
}

func lock(f *os.File, at int64) error { return setLock(f, ofdSetLockWait, unix.F_WRLCK, at) }

// share waits for a lock that does not exclude those of share.
func share(f *os.File, at int64) error { return setLock(f, ofdSetLockWait, unix.F_RDLCK, at) }

func unlock(f *os.File, at int64) error { return setLock(f, ofdSetLock, unix.F_UNLCK, at) }

func setLock(f *os.File, cmd int, typ int16, at int64) error {
	l := unix.Flock_t{Type: typ, Whence: io.SeekStart, Start: at, Len: 1}
	for {
		if err := unix.FcntlFlock(f.Fd(), cmd, &l); err != unix.EINTR {
			return err
		}
	}
}
