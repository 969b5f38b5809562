package event

import (
	"context"
	"errors"

	"github.com/loci-memory/loci"
)

// Stream logs events as they arrive, in batches, each all or none.
type Stream struct {
	s       *Service
	p       loci.Principal
	waiting []Draft
	lines   []int // of the waiting ones
	bytes   int
	// Stored and Duplicates count the events until now.
	Stored, Duplicates int
}

// LineError is an error about one line of a stream. Every line before it is stored, and none after it.
type LineError struct {
	Line int
	err  error
}

// Error returns the text.
func (e *LineError) Error() string { return e.err.Error() }

// Unwrap returns the error about the event in the line.
func (e *LineError) Unwrap() error { return e.err }

// The largest batch of a stream.
const (
	streamEvents = 1000
	streamBytes  = 4 << 20
)

// Stream begins a stream of events. The caller calls Add for each, and Flush at the end.
func (s *Service) Stream(ctx context.Context, p loci.Principal) (*Stream, error) {
	if err := s.Begin(ctx, p, Log); err != nil {
		return nil, err
	}
	return &Stream{s: s, p: p}, nil
}

// Add logs the event of a line with the next batch. Its errors are those of Append, as a LineError.
func (t *Stream) Add(ctx context.Context, line int, d Draft) error {
	t.waiting, t.lines = append(t.waiting, d), append(t.lines, line)
	if t.bytes += len(d.Content) + len(d.Metadata); len(t.waiting) < streamEvents && t.bytes < streamBytes {
		return nil
	}
	return t.Flush(ctx)
}

// Flush logs the events that wait for the next batch. Its errors are those of Add.
func (t *Stream) Flush(ctx context.Context) error {
	drafts := t.waiting
	t.waiting, t.bytes = t.waiting[:0], 0
	defer func() { t.lines = t.lines[:0] }()
	err := t.flush(ctx, drafts)
	failed := (*draftError)(nil)
	if !errors.As(err, &failed) {
		return t.at(0, err)
	}
	if before := t.flush(ctx, drafts[:failed.index]); before != nil {
		return t.at(0, before)
	}
	return t.at(failed.index, failed.err)
}

// at names the line of a waiting event.
func (t *Stream) at(i int, err error) error {
	if err == nil {
		return nil
	}
	return &LineError{t.lines[i], err}
}

func (t *Stream) flush(ctx context.Context, drafts []Draft) error {
	if len(drafts) == 0 {
		return nil
	}
	outcomes, err := t.s.append(ctx, t.p, drafts)
	for _, o := range outcomes {
		if o.Duplicate {
			t.Duplicates++
		} else {
			t.Stored++
		}
	}
	return err
}
