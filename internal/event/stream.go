package event

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/loci-memory/loci"
)

// Stream logs events as they arrive, in batches, each all or none. Between two calls it stores by itself what has
// waited for some time.
type Stream struct {
	s       *Service
	p       loci.Principal
	mu      sync.Mutex
	waiting []Draft
	lines   []int // of the waiting ones
	bytes   int
	stop    func() bool // stops the clock of the waiting ones
	failed  error       // of a batch that was stored between two calls
	// Stored and Duplicates count the events until now. Read them after Flush.
	Stored, Duplicates int
	Secrets            []string // which types of secrets the stored events have
}

// LineError is an error about one line of a stream. Every line before it is stored, and none after it.
type LineError struct {
	Line int
	error
}

// Unwrap returns the error about the event in the line.
func (e *LineError) Unwrap() error { return e.error }

// The largest batch of a stream, and how long its first event waits for others.
const (
	streamEvents = 1000
	streamBytes  = 4 << 20
	streamWait   = 500 * time.Millisecond
)

// Stream begins a stream of events. The caller calls Add for each, and Flush at the end.
func (s *Service) Stream(ctx context.Context, p loci.Principal) (*Stream, error) {
	if err := s.Begin(ctx, p, Log); err != nil {
		return nil, err
	}
	return &Stream{s: s, p: p}, nil
}

// Add logs the event of a line with the next batch. Its errors are those of Append, as a LineError about this line or
// an earlier one.
func (t *Stream) Add(ctx context.Context, line int, d Draft) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed != nil {
		return t.failed
	}
	t.waiting, t.lines = append(t.waiting, d), append(t.lines, line)
	if t.bytes += len(d.Content) + len(d.Metadata); len(t.waiting) >= streamEvents || t.bytes >= streamBytes {
		return t.store(ctx)
	}
	if len(t.waiting) == 1 {
		t.stop = t.s.o.Later(streamWait, func() { t.storeLate(ctx) })
	}
	return nil
}

// Flush logs the events that wait for the next batch. Its errors are those of Add.
func (t *Stream) Flush(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed != nil {
		return t.failed
	}
	return t.store(ctx)
}

// storeLate logs the events that have waited long enough. The next call returns its error.
func (t *Stream) storeLate(ctx context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed == nil {
		t.failed = t.store(ctx)
	}
}

// store logs the waiting events, those before a bad one if there is one.
func (t *Stream) store(ctx context.Context) error {
	if t.stop != nil {
		t.stop()
		t.stop = nil
	}
	drafts := t.waiting
	t.waiting, t.bytes = t.waiting[:0], 0
	defer func() { t.lines = t.lines[:0] }()
	err := t.append(ctx, drafts)
	failed := (*draftError)(nil)
	if !errors.As(err, &failed) {
		return t.at(0, err)
	}
	if before := t.append(ctx, drafts[:failed.index]); before != nil {
		return t.at(0, before)
	}
	return t.at(failed.index, failed.error)
}

// at names the line of a waiting event.
func (t *Stream) at(i int, err error) error {
	if err == nil {
		return nil
	}
	return &LineError{t.lines[i], err}
}

func (t *Stream) append(ctx context.Context, drafts []Draft) error {
	if len(drafts) == 0 {
		return nil
	}
	outcomes, err := t.s.append(ctx, t.p, drafts)
	t.Secrets = loci.Unique(append(t.Secrets, SecretsIn(drafts...)...))
	for _, o := range outcomes {
		if o.Duplicate {
			t.Duplicates++
		} else {
			t.Stored++
		}
	}
	return err
}

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
