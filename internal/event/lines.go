package event

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/loci-memory/loci"
)

// MaxLine is the longest line of a stream of events, in bytes. An event at the limits of all its fields fits.
const MaxLine = 2 << 20

// ReadLines logs the events of a text that has one in each line, as JSON. It reads the text as it arrives. Its errors
// are those of Add, about the first line that it cannot store. The text decides when it ends: if ctx ends meanwhile,
// because the sender has gone, ReadLines still stores the lines that have arrived.
func (t *Stream) ReadLines(ctx context.Context, in io.Reader) error {
	ctx = context.WithoutCancel(ctx)
	err := t.addLines(ctx, bufio.NewReaderSize(in, 64<<10))
	if before := t.Flush(ctx); before != nil { // about an earlier line
		err = before
	}
	return err
}

// Before says what of a stream is stored.
func (t *Stream) Before() string {
	return fmt.Sprintf("Loci stored all lines before it (%s, %s)", loci.Plural(t.Stored, "event", "events"),
		loci.Plural(t.Duplicates, "duplicate", "duplicates"))
}

func (t *Stream) addLines(ctx context.Context, in *bufio.Reader) error {
	var lines longLine
	reader := loci.NewJSONReader(bytes.NewReader(nil))
	for line := 1; ; line++ {
		text, err := lines.read(in)
		if len(bytes.TrimSpace(text)) > 0 && (err == nil || errors.Is(err, io.EOF)) {
			var d Draft
			reader.Reset(bytes.NewReader(text))
			bad := ReadDraft(reader, &d)
			if bad == nil {
				bad = reader.End()
			}
			if bad != nil {
				return &LineError{line, bad}
			}
			if bad := t.Add(ctx, line, d); bad != nil {
				return bad
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return &LineError{line, err}
		}
	}
}

// ReadDraft reads a draft. It fails with Invalid for unknown fields.
func ReadDraft(in *loci.JSONReader, d *Draft) error {
	err := in.Read(d)
	if loci.FieldOf(err) == "origin" {
		return loci.FieldErrorf("origin", "cannot be set; it comes from the credential")
	}
	return err
}

// longLine reads lines of up to MaxLine bytes.
type longLine struct{ text []byte }

func (l *longLine) read(in *bufio.Reader) ([]byte, error) {
	l.text = l.text[:0]
	for {
		part, err := in.ReadSlice('\n')
		if len(l.text)+len(part) > MaxLine {
			return nil, loci.Errorf(loci.TooLarge, "it is longer than %d bytes", MaxLine)
		}
		if errors.Is(err, bufio.ErrBufferFull) || len(l.text) > 0 {
			l.text = append(l.text, part...)
			part = l.text
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return part, err
		}
	}
}
