package jsonlines

import (
	"bufio"
	"errors"
	"io"

	"github.com/loci-memory/loci"
)

// Write writes v as one line of JSON.
func Write(w io.Writer, v any) error {
	b, err := Encode(v)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// Encode returns v as one line of JSON, with its newline.
func Encode(v any) ([]byte, error) {
	b, err := loci.EncodeJSON(v)
	return append(b, '\n'), err
}

// Problem is a line that was not imported, and the reason.
type Problem struct {
	Line int // counted from 1
	Text string
}

// MaxLine is the longest line that an import reads, in bytes.
const MaxLine = 256 << 20

// Each runs fn for each line, with its newline.
func Each(in *bufio.Reader, fn func(line []byte) error) error {
	for {
		line, err := read(in)
		if len(line) > 0 {
			if err := fn(line); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// read reads one line with its newline. A line beyond the limit is a TooLarge error, so that no
// input can fill the memory.
func read(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > MaxLine {
			return nil, loci.Errorf(loci.TooLarge, "a line of the import is longer than %d MiB", MaxLine>>20)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// ErrDryRun rolls back the transaction of a dry run.
var ErrDryRun = errors.New("dry run")
