//go:build unix

package indexing

import (
	"math"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// mapping is a file in memory, until nobody uses it any more.
type mapping struct{ data []byte }

// mapFile maps a file, which must never change. It may be removed.
func mapFile(path string) (*mapping, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() == 0 || info.Size() > math.MaxInt {
		return &mapping{}, nil
	}
	fd := int(f.Fd()) // #nosec G115 -- a descriptor is small
	data, err := unix.Mmap(fd, 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, &os.PathError{Op: "mmap", Path: path, Err: err}
	}
	m := &mapping{data}
	runtime.AddCleanup(m, func(data []byte) { _ = unix.Munmap(data) }, data)
	return m, nil
}

// syncDir makes the names in a directory survive a loss of power.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	return d.Sync()
}
