package sqlitedb

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"syscall"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

// paper is a file in memory that notes what it was asked, and fails the calls
// that it is told to.
type paper struct {
	driverFile // not one of the others is called
	bytes      []byte
	calls      []string
	fail       map[int]error // by the number of the write
	short      int           // how much of a failing write is made
	writes     int
}

func (p *paper) note(format string, a ...any) { p.calls = append(p.calls, fmt.Sprintf(format, a...)) }

func (p *paper) WriteAt(b []byte, off int64) (int, error) {
	p.note("write %d at %d", len(b), off)
	p.writes++
	err := p.fail[p.writes]
	if err != nil {
		b = b[:min(len(b), p.short)]
	}
	if end := int(off) + len(b); end > len(p.bytes) {
		p.bytes = append(p.bytes, make([]byte, end-len(p.bytes))...)
	}
	return copy(p.bytes[off:], b), err
}

func (p *paper) ReadAt(b []byte, off int64) (int, error) {
	p.note("read %d at %d", len(b), off)
	if off >= int64(len(p.bytes)) {
		return 0, io.EOF
	}
	n := copy(b, p.bytes[off:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (p *paper) Size() (int64, error)      { p.note("size"); return int64(len(p.bytes)), nil }
func (p *paper) Truncate(size int64) error { p.note("truncate"); p.bytes = p.bytes[:size]; return nil }
func (p *paper) Sync(vfs.SyncFlag) error   { p.note("sync"); return nil }
func (p *paper) SizeHint(int64) error      { p.note("hint"); return nil }
func (p *paper) Lock(vfs.LockLevel) error  { p.note("lock"); return nil }
func (p *paper) Unlock(vfs.LockLevel) error {
	p.note("unlock")
	return nil
}
func (p *paper) CheckReservedLock() (bool, error) { p.note("reserved"); return false, nil }
func (p *paper) Close() error                     { p.note("close"); return nil }

func header(b byte) []byte { return bytes.Repeat([]byte{b}, frameHeader) }
func page(b byte) []byte   { return bytes.Repeat([]byte{b}, 4096) }

func put(t *testing.T, f *logFile, b []byte, off int64) {
	t.Helper()
	if n, err := f.WriteAt(b, off); n != len(b) || err != nil {
		t.Fatalf("wrote %d of %d at %d: %v", n, len(b), off, err)
	}
}

func wantCalls(t *testing.T, p *paper, want ...string) {
	t.Helper()
	if !slices.Equal(p.calls, want) {
		t.Errorf("calls %q, want %q", p.calls, want)
	}
}

func TestLogWritesFramesAtOnce(t *testing.T) {
	t.Parallel()
	p := &paper{}
	f := &logFile{diskFile: &diskFile{p}}
	put(t, f, bytes.Repeat([]byte{9}, 32), 0)
	for i, at := range []int64{32, 32 + 4120} {
		put(t, f, header(byte(1+2*i)), at)
		put(t, f, page(byte(2+2*i)), at+frameHeader)
	}
	wantCalls(t, p, "write 32 at 0", "write 4120 at 32", "write 4120 at 4152")
	want := slices.Concat(bytes.Repeat([]byte{9}, 32), header(1), page(2), header(3), page(4))
	if !bytes.Equal(p.bytes, want) {
		t.Error("the file has other bytes than were written")
	}
}

// others are all the calls that are not the page behind the header at 32.
var others = []struct {
	name string
	call func(f *logFile) error
	then string // what the file below is asked
}{
	{"write elsewhere", func(f *logFile) error { _, err := f.WriteAt(page(7), 9000); return err }, "write 4096 at 9000"},
	{"write over it", func(f *logFile) error { _, err := f.WriteAt(page(7), 32); return err }, "write 4096 at 32"},
	{"write before it", func(f *logFile) error { _, err := f.WriteAt(page(7)[:32], 0); return err }, "write 32 at 0"},
	{"read", func(f *logFile) error { _, err := f.ReadAt(make([]byte, 8), 40); return err }, "read 8 at 40"},
	{"size", func(f *logFile) error { _, err := f.Size(); return err }, "size"},
	{"truncate", func(f *logFile) error { return f.Truncate(40) }, "truncate"},
	{"sync", func(f *logFile) error { return f.Sync(0) }, "sync"},
	{"hint", func(f *logFile) error { return f.SizeHint(100) }, "hint"},
	{"lock", func(f *logFile) error { return f.Lock(0) }, "lock"},
	{"unlock", func(f *logFile) error { return f.Unlock(0) }, "unlock"},
	{"reserved", func(f *logFile) error { _, err := f.CheckReservedLock(); return err }, "reserved"},
	{"close", func(f *logFile) error { return f.Close() }, "close"},
}

func TestLogWritesWhatWaitsFirst(t *testing.T) {
	t.Parallel()
	for _, o := range others {
		t.Run(o.name, func(t *testing.T) {
			p := &paper{}
			f := &logFile{diskFile: &diskFile{p}}
			put(t, f, header(1), 32)
			wantCalls(t, p)
			wantErr(t, o.call(f), nil)
			wantCalls(t, p, "write 24 at 32", o.then)
			p.calls = nil
			wantErr(t, o.call(f), nil)
			wantCalls(t, p, o.then) // once
		})
	}
}

func TestLogSeesWhatWaits(t *testing.T) {
	t.Parallel()
	p := &paper{}
	f := &logFile{diskFile: &diskFile{p}}
	put(t, f, header(1), 32)
	if size, err := f.Size(); size != 56 || err != nil {
		t.Errorf("size %d, %v, want 56", size, err)
	}
	put(t, f, header(3), 32)
	got := make([]byte, frameHeader)
	if _, err := f.ReadAt(got, 32); err != nil || !bytes.Equal(got, header(3)) {
		t.Errorf("read %v, %v, want the second header", got, err)
	}
}

func TestLogHoldsTheLastHeader(t *testing.T) {
	t.Parallel()
	p := &paper{}
	f := &logFile{diskFile: &diskFile{p}}
	put(t, f, header(1), 32)
	put(t, f, header(2), 4152) // the first one's page never came
	put(t, f, page(3), 4152+frameHeader)
	wantCalls(t, p, "write 24 at 32", "write 4120 at 4152")
}

func TestLogReportsHeadersThatFail(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, o := range others {
		t.Run(o.name, func(t *testing.T) {
			p := &paper{fail: map[int]error{1: broken, 2: broken}, short: 5}
			f := &logFile{diskFile: &diskFile{p}}
			put(t, f, header(1), 32)
			wantErr(t, o.call(f), broken)
			if o.name == "close" {
				wantCalls(t, p, "write 24 at 32", "close")
				return
			}
			wantErr(t, f.Sync(0), broken) // it still waits
			wantErr(t, f.Sync(0), nil)
			wantCalls(t, p, "write 24 at 32", "write 24 at 32", "write 24 at 32", "sync")
			if !bytes.Equal(p.bytes[32:56], header(1)) {
				t.Error("the header is not what was written")
			}
		})
	}
}

func TestLogReportsFramesThatFail(t *testing.T) {
	t.Parallel()
	for short, want := range map[int]int{0: 0, 10: 0, frameHeader: 0, 1000: 1000 - frameHeader} {
		p := &paper{fail: map[int]error{1: syscall.ENOSPC}, short: short}
		f := &logFile{diskFile: &diskFile{p}}
		put(t, f, header(1), 32)
		n, err := f.WriteAt(page(2), 32+frameHeader)
		if told := vfs.SystemError(syscall.ENOSPC, sqlite3.FULL); n != want || !reflect.DeepEqual(err, told) {
			t.Errorf("%d bytes made: wrote %d, %v, want %d, %v", short, n, err, want, told)
		}
		// Reads go on, and the frame is written anew as SQLite does.
		if _, err := f.ReadAt(make([]byte, 1), 0); err != nil && !errors.Is(err, io.EOF) {
			t.Error(err)
		}
		put(t, f, header(3), 32)
		put(t, f, page(4), 32+frameHeader)
		wantErr(t, f.Sync(0), nil)
		if !bytes.Equal(p.bytes[32:], slices.Concat(header(3), page(4))) {
			t.Error("the file has other bytes than were written")
		}
	}
}

func TestOnlyTheLogIsALog(t *testing.T) {
	t.Parallel()
	for kind, want := range map[vfs.OpenFlag]bool{vfs.OPEN_WAL: true, vfs.OPEN_MAIN_DB: false, vfs.OPEN_TEMP_DB: false} {
		f, _, err := disk{vfs.Find("os")}.OpenFilename(nil,
			kind|vfs.OPEN_READWRITE|vfs.OPEN_CREATE|vfs.OPEN_EXCLUSIVE|vfs.OPEN_DELETEONCLOSE)
		if err != nil {
			t.Fatal(err)
		}
		if _, is := f.(*logFile); is != want {
			t.Errorf("flags %#x are opened as %T", kind, f)
		}
		wantErr(t, f.Close(), nil)
	}
}
