package sqlitedb

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

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
