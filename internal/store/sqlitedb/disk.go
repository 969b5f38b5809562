package sqlitedb

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"
)

// diskName is how SQLite knows the file layer below.
const diskName = "loci-disk"

func init() { vfs.Register(diskName, disk{vfs.Find("os")}) }

// disk is the driver's own file layer, except that it reports a lack of room as
// such. The driver compares with a bare errno, which the os package never
// returns, so a full disk looks like a broken one.
type disk struct{ vfs.VFS }

// diskFile forwards what the driver's own files can do.
type diskFile struct{ driverFile }

type driverFile interface {
	vfs.FileLockState
	vfs.FileHasMoved
	vfs.FileSizeHint
	vfs.FilePersistWAL
	vfs.FilePowersafeOverwrite
	vfs.FileSharedMemory
}

// OpenFilename is what SQLite calls, instead of Open, to open a file.
func (d disk) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	file, flags, err := vfsutil.WrapOpenFilename(d.VFS, name, flags)
	if err != nil {
		if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
			return nil, flags, vfs.SystemError(err, sqlite3.CANTOPEN) // else the driver drops the reason
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

// DeviceCharacteristics leaves out batches of writes, which are not forwarded
// and of no use to a database with a log.
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

// IsLackOfRoom reports whether a disk, a quota or a limit of files has no room.
func IsLackOfRoom(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// uri names the file for SQLite, with the layer to open it through.
func uri(path string) string {
	path = strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(filepath.ToSlash(path))
	if strings.HasPrefix(path, "//") {
		path = "//" + path // else a network share would be taken for a host
	}
	return "file:" + path + "?vfs=" + diskName
}
