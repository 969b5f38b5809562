//go:build (linux || darwin) && !(sqlite3_flock || sqlite3_dotlk)

package sqlitedb

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapShared returns the beginning of a file as other processes change it, or nil if it doesn't have
// that many bytes. The driver's locks belong to its own open file, so closing this one keeps them.
func mapShared(path string, size int) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // only read
	if info, err := f.Stat(); err != nil || info.Size() < int64(size) {
		return nil
	}
	memory, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED) // #nosec G115 -- a descriptor
	if err != nil {
		return nil
	}
	return memory
}

func unmapShared(memory []byte) {
	if memory != nil {
		_ = unix.Munmap(memory) // fails only for memory that is not mapped
	}
}
