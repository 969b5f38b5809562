package sqlitedb

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"
)

// diskName is the name of the file layer below in SQLite.
const diskName = "loci-disk"

func init() { vfs.Register(diskName, disk{vfs.Find("os")}) }

// disk is the driver's own file layer, but reports a full disk correctly. The driver compares errors with a bare
// errno, which the os package never returns, so it reports a full disk as a broken one.
type disk struct{ vfs.VFS }

// diskFile forwards the methods of the driver's own files.
type diskFile struct{ driverFile }

type driverFile interface {
	vfs.FileLockState
	vfs.FileHasMoved
	vfs.FileSizeHint
	vfs.FilePersistWAL
	vfs.FilePowersafeOverwrite
	vfs.FileSharedMemory
}

// OpenFilename is the function that SQLite calls, instead of Open, to open a file.
func (d disk) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	file, flags, err := vfsutil.WrapOpenFilename(d.VFS, name, flags)
	if flags&vfs.OPEN_WAL != 0 && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)) {
		flags = flags&^(vfs.OPEN_READWRITE|vfs.OPEN_CREATE) | vfs.OPEN_READONLY
		file, flags, err = vfsutil.WrapOpenFilename(d.VFS, name, flags)
	}
	if err != nil {
		if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
			return nil, flags, vfs.SystemError(err, sqlite3.CANTOPEN) // otherwise the driver drops the reason
		}
		return nil, flags, lackOfRoom(err)
	}
	if f, ok := file.(driverFile); ok {
		whole := &diskFile{f}
		file = whole
		if flags&vfs.OPEN_WAL != 0 {
			file = &logFile{diskFile: whole}
		}
	}
	return file, flags, nil
}

func (f *diskFile) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.driverFile.WriteAt(p, off)
	return n, lackOfRoom(err)
}

func (f *diskFile) Sync(flags vfs.SyncFlag) error { return lackOfRoom(f.driverFile.Sync(flags)) }

func (f *diskFile) Truncate(size int64) error { return lackOfRoom(f.driverFile.Truncate(size)) }

func (f *diskFile) SizeHint(size int64) error { return lackOfRoom(f.driverFile.SizeHint(size)) }

// DeviceCharacteristics removes batches of writes, which diskFile does not forward and a database
// with a log does not need.
func (f *diskFile) DeviceCharacteristics() vfs.DeviceCharacteristic {
	return f.driverFile.DeviceCharacteristics() &^ vfs.IOCAP_BATCH_ATOMIC
}

func (f *diskFile) Unwrap() vfs.File { return f.driverFile }

func lackOfRoom(err error) error {
	if err != nil && IsLackOfRoom(err) {
		return vfs.SystemError(err, sqlite3.FULL)
	}
	return err
}

// IsLackOfRoom reports whether err means that a disk is full, or that a quota or a file size limit is reached.
func IsLackOfRoom(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// uri returns the name of the file for SQLite, with the layer to open it through.
func uri(path string) string {
	path = strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(filepath.ToSlash(path))
	if strings.HasPrefix(path, "//") {
		path = "//" + path // else a network share would be taken for a host
	}
	return "file:" + path + "?vfs=" + diskName
}
