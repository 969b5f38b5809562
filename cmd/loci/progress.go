package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/loci-memory/loci"
)

// progressRate is how often the bar moves.
const progressRate = 100 * time.Millisecond

// meter shows how far long work has come: one bar for each stage, with the count and the time left.
type meter struct {
	out io.Writer

	mu    sync.Mutex
	bar   *progressbar.ProgressBar // of the stage; nil before the first report
	stage string
}

// follow runs work that may take long. If standard error is a terminal, follow shows there how far the work has come.
func (p *program) follow(ctx context.Context, work func(context.Context) error) error {
	if !isTerminal(p.err) || p.json {
		return work(ctx)
	}
	p.meter = &meter{out: p.err}
	defer func() {
		p.meter.clear()
		p.meter = nil
	}()
	return work(loci.WithProgress(ctx, p.meter.report))
}

// followed is follow for work that has a result.
func followed[T any](ctx context.Context, p *program, work func(context.Context) (T, error)) (result T, err error) {
	err = p.follow(ctx, func(ctx context.Context) (err error) {
		result, err = work(ctx)
		return err
	})
	return result, err
}

// report is the function for loci.WithProgress.
func (m *meter) report(at loci.Progress) {
	m.mu.Lock()
	defer m.mu.Unlock()
	total := at.Total
	if total <= 0 {
		total = -1 // unknown
	}
	if m.bar == nil || at.Stage != m.stage {
		m.end()
		m.stage, m.bar = at.Stage, newBar(m.out, at.Stage, total, at.Bytes)
	}
	if total != m.bar.GetMax64() {
		m.bar.ChangeMax64(total)
	}
	_ = m.bar.Set64(at.Done) // it only fails to draw
}

func newBar(out io.Writer, what string, total int64, bytes bool) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(out),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowBytes(bytes),
		progressbar.OptionShowCount(),
		progressbar.OptionShowElapsedTimeOnFinish(),
		progressbar.OptionSetRenderBlankState(true),
		progressbar.OptionSetSpinnerChangeInterval(0), // otherwise a goroutine draws it that never ends
		progressbar.OptionClearOnFinish(),
		progressbar.OptionThrottle(progressRate))
}

// clear makes room for other output. The next report draws a new bar. A nil meter has shown nothing.
func (m *meter) clear() {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.end()
}

func (m *meter) end() {
	if m.bar != nil {
		_ = m.bar.Exit() // it only fails to draw
		_ = m.bar.Clear()
	}
	m.bar = nil
}

// passing reports the bytes that are written to it.
type passing struct {
	ctx context.Context //nolint:containedctx // lives as long as one copy
	at  loci.Progress
}

func passingBytes(ctx context.Context, doing, name string, size int64) *passing {
	return &passing{ctx, loci.Progress{Stage: doing + " " + cut(name, 40), Total: size, Bytes: true}}
}

func (p *passing) Write(b []byte) (int, error) {
	p.at.Done += int64(len(b))
	loci.ReportProgress(p.ctx, p.at)
	return len(b), nil
}

// plainText returns the text of a file or of standard input as UTF-8, without a byte order mark. It decodes UTF-16 with
// such a mark, as programs of Windows write it. Every command reads text through it.
func plainText(r io.Reader) io.Reader {
	return &textReader{in: bufio.NewReaderSize(r, 64<<10)}
}

type textReader struct {
	in   *bufio.Reader
	text io.Reader // nil: not read yet
}

func (t *textReader) Read(b []byte) (int, error) {
	if t.text == nil {
		head, _ := t.in.Peek(4) // an error comes again with the text
		starts := func(with string) bool { return bytes.HasPrefix(head, []byte(with)) }
		var text io.Reader = t.in
		switch {
		case starts("\xff\xfe\x00\x00"), starts("\x00"):
			return 0, loci.Errorf(loci.Invalid, "the text is not in UTF-8; save it as UTF-8")
		case starts("\xff\xfe"), starts("\xfe\xff"):
			text = transform.NewReader(t.in, unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder())
		case starts("\ufeff"):
			_, _ = t.in.Discard(len("\ufeff"))
		case bytes.IndexByte(head, 0) == 1 && (len(head) == 2 || head[len(head)-1] == 0): // UTF-16 without a mark
			return 0, loci.Errorf(loci.Invalid, "the text is in UTF-16 without a byte order mark; save it as UTF-8")
		}
		t.text = text
	}
	return t.text.Read(b)
}

func (p *program) openText(ctx context.Context, name string) (r io.ReadCloser, size int64, err error) {
	f, size, err := p.openFile(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	return struct {
		io.Reader
		io.Closer
	}{plainText(f), f}, size, nil
}
